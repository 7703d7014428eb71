import type { AuditEntry, HistoryAnswer } from "../api/replies.ts";

/** Entries per page of the log, maximum searched entries, and matches at which the search ends. */
const [PAGE, MOST, WANTED] = [200, 2000, 20];

/** Result of a search through the log, newest first. */
export interface PlaceSearch {
  readonly entries: readonly AuditEntry[];
  /** Changes that were looked at. */
  readonly searched: number;
  /** Whether that is all that the log has. */
  readonly isWhole: boolean;
  /** Time of the oldest one; "" for an empty log. */
  readonly back: string;
  /** Number of the newest change that was looked at. */
  readonly newest: number;
}

/** Reads a page of the log, newest first. */
export type ReadLog = (
  parameters: Readonly<Record<string, string>>,
) => Promise<Pick<HistoryAnswer, "entries" | "next_page_token">>;

/**
 * Searches the log page by page for changes of a place, until enough are found or a bounded number of entries was read.
 * The log has no filter by place, because its entries have no locations.
 *
 * @param earlier result of an earlier search; only later entries are read
 */
export async function searchPlace(
  read: ReadLog,
  isInside: (entry: AuditEntry) => boolean,
  earlier?: PlaceSearch,
): Promise<PlaceSearch> {
  const found: AuditEntry[] = [];
  let [searched, newest, back, token] = [0, earlier?.newest ?? 0, "", ""];
  do {
    const page = await read({ page_size: String(PAGE), page_token: token });
    for (const entry of page.entries) {
      if (earlier !== undefined && entry.seq <= earlier.newest) return joinPages({ found, searched, newest }, earlier);
      newest = Math.max(newest, entry.seq);
      searched += 1;
      back = entry.occurred_at;
      if (isInside(entry)) found.push(entry);
    }
    token = page.next_page_token;
  } while (token !== "" && found.length < WANTED && searched < MOST);
  return { entries: found.slice(0, WANTED), searched, isWhole: token === "", back, newest };
}

function joinPages(
  { found, searched, newest }: { found: readonly AuditEntry[]; searched: number; newest: number },
  earlier: PlaceSearch,
): PlaceSearch {
  const entries = [...found, ...earlier.entries].slice(0, WANTED);
  return { ...earlier, entries, searched: earlier.searched + searched, newest };
}
