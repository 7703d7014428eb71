import type { AuditEntry, HistoryReply } from "../api/replies.ts";

/** Entries per page of the log, maximum number of searched entries, and number of matches that end the search. */
const [PAGE_SIZE, MAX_SEARCHED, MAX_MATCHES] = [200, 2000, 20];

/** Result of a search through the log, newest first. */
export interface LocationSearch {
  readonly entries: readonly AuditEntry[];
  /** Number of searched changes. */
  readonly searched: number;
  /** Whether the search covered the whole log. */
  readonly isComplete: boolean;
  /** Time of the oldest searched change; "" for an empty log. */
  readonly oldestTime: string;
  /** Number of the newest searched change. */
  readonly newestSeq: number;
}

/** Reads a page of the log, newest first. */
export type ReadLogPage = (
  parameters: Readonly<Record<string, string>>,
) => Promise<Pick<HistoryReply, "entries" | "next_page_token">>;

/**
 * Searches the log page by page for changes of a location, because the log has no filter by location. Ends when enough
 * changes are found or the maximum number of entries is read.
 * @param earlier result of an earlier search; only later entries are read
 */
export async function searchLocationChanges(
  read: ReadLogPage,
  isInside: (entry: AuditEntry) => boolean,
  earlier?: LocationSearch,
): Promise<LocationSearch> {
  const found: AuditEntry[] = [];
  let [searched, newest, back, token] = [0, earlier?.newestSeq ?? 0, "", ""];
  do {
    const page = await read({ page_size: String(PAGE_SIZE), page_token: token });
    for (const entry of page.entries) {
      if (earlier !== undefined && entry.seq <= earlier.newestSeq)
        return joinLocationSearches({ found, searched, newest }, earlier);
      newest = Math.max(newest, entry.seq);
      searched += 1;
      back = entry.occurred_at;
      if (isInside(entry)) found.push(entry);
    }
    token = page.next_page_token;
  } while (token !== "" && found.length < MAX_MATCHES && searched < MAX_SEARCHED);
  return {
    entries: found.slice(0, MAX_MATCHES),
    searched,
    isComplete: token === "",
    oldestTime: back,
    newestSeq: newest,
  };
}

function joinLocationSearches(
  { found, searched, newest }: { found: readonly AuditEntry[]; searched: number; newest: number },
  earlier: LocationSearch,
): LocationSearch {
  const entries = [...found, ...earlier.entries].slice(0, MAX_MATCHES);
  return { ...earlier, entries, searched: earlier.searched + searched, newestSeq: newest };
}
