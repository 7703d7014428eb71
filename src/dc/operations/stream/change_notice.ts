import type { ChangeRecord } from "#dc/model/change_record.ts";

/** A change as an open stream sends it: its entry's place in the log, and a summary as JSON text. */
export interface ChangeNotice {
  readonly seq: number;
  readonly json: string;
}

/**
 * Summarises an entry of the change log: who changed what through which request, with the names of the fields. The
 * values before and after are left to `/audit/history`, so that a notice stays small whatever it is about.
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
