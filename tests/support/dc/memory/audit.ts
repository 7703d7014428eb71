import type { ChangeRecord } from "#dc/model/inventory.ts";
import { compareByCodePoints, toRefKey } from "#dc/model/ref.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { ChainHead, CheckedRow, HistoryQuery, LogReference, LogRow, StoredCheckpoint } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import type { MemoryState } from "./state.ts";

export function logRows({ changes }: MemoryState, after: number, limit: number): readonly LogRow[] {
  const records = [...changes.values()].filter(({ seq }) => seq > after).toSorted((a, b) => a.seq - b.seq);
  return records.slice(0, limit).map((record) => ({
    seq: record.seq,
    occurredAt: record.occurredAt,
    principal: record.actor.principal,
    action: record.action,
    requestId: record.request.id,
    interface: record.request.interface,
    hash: record.hash,
    body: formatCanonicalJson(record),
  }));
}

export function logReferences(
  { changes }: MemoryState,
  after: LogReference | undefined,
  limit: number,
): readonly LogReference[] {
  const all = [...changes.values()].flatMap(({ seq, entity, related }) =>
    [...new Set([entity, ...related].map(toRefKey))].map((key) => ({ refKey: key, seq })),
  );
  const order = (a: LogReference, b: LogReference) => compareByCodePoints(a.refKey, b.refKey) || a.seq - b.seq;
  const beyond = all.filter((one) => after === undefined || order(one, after) > 0);
  return beyond.toSorted(order).slice(0, limit);
}

export function checkRows(
  { resources }: MemoryState,
  kind: ResourceKind,
  after: string,
  limit: number,
): readonly CheckedRow[] {
  const rows = [...resources[kind]].filter(([key]) => compareByCodePoints(key, after) > 0);
  return rows
    .toSorted(([a], [b]) => compareByCodePoints(a, b))
    .slice(0, limit)
    .map(([key, stored]) => ({ key, stored }));
}

export function historyOf({ changes }: MemoryState, query: HistoryQuery): readonly ChangeRecord[] {
  const found = [...changes.values()].filter((record) => matches(record, query));
  return found.toSorted((a, b) => (query.descending ? b.seq - a.seq : a.seq - b.seq)).slice(0, query.limit);
}

export function headOf({ changes }: MemoryState): ChainHead {
  const record = changes.get(changes.size);
  return record === undefined ? { seq: 0, hash: "" } : { seq: record.seq, hash: record.hash };
}

export function checkpointsOf({ checkpoints }: MemoryState): readonly StoredCheckpoint[] {
  return [...checkpoints.values()].toSorted((a, b) => a.size - b.size);
}

/** Whether an entry answers a question about the history. */
function matches(record: ChangeRecord, query: HistoryQuery): boolean {
  const { seq, occurredAt, actor, action, request, entity, related } = record;
  const checks: readonly (boolean | undefined)[] = [
    query.entity === undefined || [entity, ...related].some((ref) => toRefKey(ref) === toRefKey(query.entity ?? "")),
    query.actor === undefined || actor.principal === query.actor,
    query.authMethod === undefined || actor.authMethod === query.authMethod,
    query.action === undefined || action === query.action,
    query.requestId === undefined || request.id === query.requestId,
    query.interface === undefined || request.interface === query.interface,
    query.since === undefined || occurredAt >= query.since,
    query.until === undefined || occurredAt < query.until,
    query.after === undefined || (query.descending ? seq < query.after : seq > query.after),
  ];
  return checks.every(Boolean);
}
