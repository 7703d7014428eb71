import { capitalize, getRefName, nameKind } from "#words/names.ts";
import type { AuditEntry } from "../api/replies.ts";
import { countOf } from "../labels.ts";

/** Changes of one request that follow each other in the log. */
export interface RequestGroup {
  readonly id: string;
  /** In the order of the log as it was read. */
  readonly entries: readonly AuditEntry[];
  readonly first: AuditEntry;
}

/** Groups entries by their request. */
export function groupByRequest(entries: readonly AuditEntry[]): readonly RequestGroup[] {
  const groups: { id: string; entries: AuditEntry[]; first: AuditEntry }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && last.id === entry.request.id) last.entries.push(entry);
    else groups.push({ id: entry.request.id, entries: [entry], first: entry });
  }
  return groups;
}

const DONE: Readonly<Record<string, string>> = { CREATE: "created", UPDATE: "changed", DELETE: "deleted" };

/** What a kind of reference names, in words. */
export function kindWords(ref: string): string {
  return nameKind(ref.slice(0, ref.indexOf(":")));
}

/** What an entry did. */
export function actionWord({ action }: Pick<AuditEntry, "action">): string {
  return DONE[action.replace(/^AUDIT_ACTION_/, "")] ?? action.toLowerCase();
}

/** "Rack R1 created", or counts such as "26 devices created, 1 rack created". */
export function requestWords({ entries, first }: RequestGroup): string {
  if (entries.length === 1) {
    return `${capitalize(kindWords(first.entity))} ${getRefName(first.entity)} ${actionWord(first)}`;
  }
  const moved = movedWords(entries);
  if (moved !== undefined) return moved;
  const counts = new Map<string, { kind: string; action: string; number: number }>();
  for (const entry of entries) {
    const [kind, action] = [kindWords(entry.entity), actionWord(entry)];
    const known = counts.get(`${kind} ${action}`);
    if (known === undefined) counts.set(`${kind} ${action}`, { kind, action, number: 1 });
    else known.number += 1;
  }
  return [...counts.values()].map(({ kind, action, number }) => `${countOf(number, kind)} ${action}`).join(", ");
}

/** Describes a request that gave a cable another end: "Cable A/1~B/1 moved to A/1~B/2"; undefined for other requests. */
function movedWords(entries: readonly AuditEntry[]): string | undefined {
  const [gone, come] = ["deleted", "created"].map(
    (word) => entries.find((entry) => actionWord(entry) === word)?.entity,
  );
  if (entries.length !== 2 || gone === undefined || come === undefined || !gone.includes("~")) return undefined;
  const [before, after] = [gone, come].map((ref) => new Set(getRefName(ref).split("~")));
  if (before?.isDisjointFrom(after ?? new Set()) !== false) return undefined;
  return `${capitalize(kindWords(gone))} ${getRefName(gone)} moved to ${getRefName(come)}`;
}

const THROUGH: Readonly<Record<string, string>> = {
  REST: "HTTP API",
  GRPC: "gRPC",
  GRAPHQL: "GraphQL",
  MCP: "Agent",
  WEBHOOK: "Change feed",
  SYSTEM: "Command line",
  DATABASE: "Database",
};

/** The interface of a request in words; the console is recognised by its user agent. */
export function throughWords({ interface: name, user_agent = "" }: AuditEntry["request"]): string {
  const bare = name.replace(/^AUDIT_INTERFACE_/, "");
  if (bare === "REST" && user_agent.startsWith("Mozilla/")) return "Console";
  return THROUGH[bare] ?? bare.toLowerCase();
}
