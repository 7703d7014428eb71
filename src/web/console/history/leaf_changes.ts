import { FORM_ENUMS } from "#gen/datacenter/v1/forms.ts";
import type { Location } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, formatConstant, getKindNoun, getRefName, splitUnit } from "#words/names.ts";
import type { AuditEntry, HistoryReply } from "../api/replies.ts";
import { formatQuantity } from "../labels.ts";

/** A value that a change set, altered or removed; an absent side is undefined. */
interface LeafChange {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Matches the prefixes of enum values in the change log. */
const ENUM_PREFIX_PATTERN = new RegExp(
  `^(?:${Object.values(FORM_ENUMS)
    .map(({ prefix }) => prefix)
    .join("|")})_(?=[A-Z0-9_]+$)`,
);

/** Returns the values that differ between two states, one per scalar; list members are matched by name. */
export function listLeafChanges(before: unknown, after: unknown): readonly LeafChange[] {
  const [leavesBefore, leavesAfter] = [indexLeavesByPath(before), indexLeavesByPath(after)];
  return [...new Set([...leavesBefore.keys(), ...leavesAfter.keys()])]
    .filter((path) => leavesBefore.get(path) !== leavesAfter.get(path))
    .map((path) => ({ field: formatLeafPath(path), before: leavesBefore.get(path), after: leavesAfter.get(path) }));
}

function indexLeavesByPath(state: unknown): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  collectLeaves(state, "", leaves);
  return leaves;
}

function collectLeaves(value: unknown, path: string, leaves: Map<string, string>): void {
  if (value === null || value === undefined) return;
  if (typeof value !== "object") {
    leaves.set(path, formatLeafValue(value));
    return;
  }
  const members = Array.isArray(value) ? splitListMembers(value, path, leaves) : Object.entries(value);
  for (const [key, one] of members) collectLeaves(one, path === "" ? key : `${path}\n${key}`, leaves);
}

/** Stores the scalar members of a list as one text in `leaves`. Returns the object members with a name or number. */
function splitListMembers(list: readonly unknown[], path: string, leaves: Map<string, string>): [string, unknown][] {
  const isPlain = (one: unknown) => typeof one !== "object";
  const plain = list.filter(isPlain);
  if (plain.length > 0) leaves.set(path, plain.map(formatLeafValue).join(", "));
  return list.flatMap((one, index): [string, unknown][] =>
    isPlain(one) ? [] : [[getMemberName(one) ?? String(index + 1), one]],
  );
}

function getMemberName(member: unknown): string | undefined {
  const { name } = (member ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : undefined;
}

function formatLeafValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value) : formatCount(value);
  const text = String(value);
  return ENUM_PREFIX_PATTERN.test(text) ? formatConstant(text.replace(ENUM_PREFIX_PATTERN, "")) : text;
}

/** Labels of fields whose names differ from the console's terms. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  allocated_draw_w: "planned draw",
  max_draw_w: "greatest draw",
};

/** Formats a path of steps separated by line breaks: `ports`, `psu2`, `power_in` become "Ports, psu2, power in". */
function formatLeafPath(path: string): string {
  const [first = "", ...rest] = path.split("\n").map((step) => {
    const { stem, unit } = splitUnit(step);
    const words = FIELD_LABELS[step] ?? stem.replaceAll("_", " ");
    return unit === "" ? words : `${words} in ${unit}`;
  });
  return [capitalize(first), ...rest].join(", ");
}

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
type ReadLogPage = (
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

/** A site, room or row with the texts of its list row. */
interface LocationRow {
  readonly ref: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** Whether a change concerns an element that is or was in the given site, room or row. */
export function isChangeInLocation(
  { before, after }: Pick<AuditEntry, "before" | "after">,
  { ref, texts }: LocationRow,
): boolean {
  const [kind = "", name = ""] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.lastIndexOf("/") + 1)];
  return [before, after].some((state) => {
    const location = (state as { readonly location?: Partial<Location> } | null | undefined)?.location;
    if (location === undefined) return false;
    if (kind === "site") return `site:${location.site_id}` === ref;
    const place = kind === "room" ? location.room : location.row;
    return (
      location.site_id === texts["site"] && String(location.floor_number ?? 0) === texts["floor"] && place === name
    );
  });
}

/** Consecutive changes in the log that belong to one request. */
export interface RequestGroup {
  readonly id: string;
  /** The entries in the order in which the log was read. */
  readonly entries: readonly AuditEntry[];
  readonly first: AuditEntry;
}

/** Groups consecutive entries by their request. */
export function groupEntriesByRequest(entries: readonly AuditEntry[]): readonly RequestGroup[] {
  const groups: { id: string; entries: AuditEntry[]; first: AuditEntry }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && last.id === entry.request.id) last.entries.push(entry);
    else groups.push({ id: entry.request.id, entries: [entry], first: entry });
  }
  return groups;
}

const ACTION_VERBS: Readonly<Record<string, string>> = { CREATE: "created", UPDATE: "changed", DELETE: "deleted" };

/** Returns the kind of a reference in words. */
export function getRefKind(ref: string): string {
  return getKindNoun(ref.slice(0, ref.indexOf(":")));
}

/** Returns the verb for an entry's action. */
export function getActionVerb({ action }: Pick<AuditEntry, "action">): string {
  return ACTION_VERBS[action.replace(/^AUDIT_ACTION_/, "")] ?? action.toLowerCase();
}

/** Describes a request: "Rack R1 created", or counts such as "26 devices created, 1 rack created". */
export function describeRequest({ entries, first }: RequestGroup): string {
  if (entries.length === 1) {
    return `${capitalize(getRefKind(first.entity))} ${getRefName(first.entity)} ${getActionVerb(first)}`;
  }
  const moved = describeCableMove(entries);
  if (moved !== undefined) return moved;
  const counts = new Map<string, { kind: string; action: string; number: number }>();
  for (const entry of entries) {
    const [kind, action] = [getRefKind(entry.entity), getActionVerb(entry)];
    const known = counts.get(`${kind} ${action}`);
    if (known === undefined) counts.set(`${kind} ${action}`, { kind, action, number: 1 });
    else known.number += 1;
  }
  return [...counts.values()].map(({ kind, action, number }) => `${formatQuantity(number, kind)} ${action}`).join(", ");
}

/** Describes a request that moved a cable's end, "Cable A/1~B/1 moved to A/1~B/2"; undefined for other requests. */
function describeCableMove(entries: readonly AuditEntry[]): string | undefined {
  const [removedRef, createdRef] = ["deleted", "created"].map(
    (word) => entries.find((entry) => getActionVerb(entry) === word)?.entity,
  );
  if (entries.length !== 2 || removedRef === undefined || createdRef === undefined || !removedRef.includes("~"))
    return undefined;
  const [before, after] = [removedRef, createdRef].map((ref) => new Set(getRefName(ref).split("~")));
  if (before?.isDisjointFrom(after ?? new Set()) !== false) return undefined;
  return `${capitalize(getRefKind(removedRef))} ${getRefName(removedRef)} moved to ${getRefName(createdRef)}`;
}

const INTERFACE_NAMES: Readonly<Record<string, string>> = {
  REST: "HTTP API",
  GRPC: "gRPC",
  GRAPHQL: "GraphQL",
  MCP: "Agent",
  WEBHOOK: "Change feed",
  SYSTEM: "Command line",
  DATABASE: "Database",
};

/** Returns the name of the interface of a request; the console is recognised by its user agent. */
export function getInterfaceName({ interface: name, user_agent = "" }: AuditEntry["request"]): string {
  const bare = name.replace(/^AUDIT_INTERFACE_/, "");
  if (bare === "REST" && user_agent.startsWith("Mozilla/")) return "Console";
  return INTERFACE_NAMES[bare] ?? bare.toLowerCase();
}

/** Usual time ranges, by the number of days ago at which they begin. */
export const TIME_RANGES = [
  ["", "Any time"],
  ["0", "Today"],
  ["1", "Since yesterday"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["own", "Own range"],
] as const;

/** Returns the local date `daysAgo` days before `now` as `YYYY-MM-DD`; "" if `daysAgo` is NaN. */
export function formatDayAgo(daysAgo: number, now = new Date()): string {
  if (Number.isNaN(daysAgo)) return "";
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const padTwoDigits = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${padTwoDigits(day.getMonth() + 1)}-${padTwoDigits(day.getDate())}`;
}

/** Returns the value in `TIME_RANGES` for the first and last day of a range; "own" if it is not a usual range. */
export function findTimeRange(since: string, until: string, now = new Date()): string {
  if (since === "" && until === "") return "";
  const known = TIME_RANGES.find(
    ([days]) => /^\d+$/.test(days) && until === "" && since === formatDayAgo(Number(days), now),
  );
  return known?.[0] ?? "own";
}

/** Returns the UTC time at which a local day (`YYYY-MM-DD`) starts or ends; "" for any other text. */
export function computeDayEdge(day: string, edge: "start" | "end"): string {
  const [, year = "", month = "", date = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === "") return "";
  return new Date(Number(year), Number(month) - 1, Number(date) + (edge === "end" ? 1 : 0)).toISOString();
}
