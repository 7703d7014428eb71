import { capitalize, getKindNoun, getRefName } from "#words/names.ts";
import type { AuditEntry } from "../api/replies.ts";
import { formatQuantity } from "../labels.ts";

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
