import type { ChangeRecord } from "#dc/model/change_record.ts";

/** A change as sent on an open stream: the sequence number of its log entry, and a summary as JSON text. */
export interface ChangeNotice {
  /** Of an event about verdicts: that of the last change that was sent before it. */
  readonly seq: number;
  /** Name of the event: a change unless it says otherwise. */
  readonly event?: string;
  readonly json: string;
}

/**
 * Summarises an entry of the change log: actor, resource, request and the names of the fields. The values before and
 * after are available from `/audit/history`, so that notices are small.
 */
export function changeNotice({ seq, ...entry }: ChangeRecord): ChangeNotice {
  const json = JSON.stringify({
    seq,
    occurred_at: entry.occurredAt,
    action: entry.action,
    entity: entry.entity,
    related: entry.related,
    changed_fields: entry.changedFields,
    principal: entry.actor.principal,
    request_id: entry.request.id,
    interface: entry.request.interface,
    method: entry.request.method,
    message: entry.message ?? "",
    source: entry.source,
  });
  return { seq, json };
}
