import type { ChangeRecord } from "#dc/model/change_record.ts";

/** A change or an event as sent on an open stream, with its content as JSON text. */
export interface ChangeNotice {
  /** Sequence number of the change. An event about verdicts has that of the last change that was sent before it. */
  readonly seq: number;
  /** Name of the event; absent for a change. */
  readonly event?: string;
  readonly json: string;
}

/**
 * Summarizes an entry of the change log: actor, resource, request and the names of the changed fields. Notices omit the
 * values to stay small; `/audit/history` returns them.
 */
export function createChangeNotice({ seq, ...entry }: ChangeRecord): ChangeNotice {
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
