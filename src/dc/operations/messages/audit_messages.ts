import type { ChangeRecord } from "#dc/model/change_record.ts";
import { AuditEntrySchema, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { toMessage } from "./convert.ts";

const OUTCOMES = { CREATE: Outcome.CREATED, UPDATE: Outcome.UPDATED, DELETE: Outcome.DELETED } as const;

/** A change log entry as a message. */
export function auditMessage(record: ChangeRecord) {
  return toMessage(AuditEntrySchema, { ...record, outcome: OUTCOMES[record.action], sealed: true });
}
