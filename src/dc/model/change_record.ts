import type { AuditActor, AuditRequest } from "#gen/datacenter/v1/messages.ts";
import type { AuditAction, AuditSource } from "./enum_values.ts";

export type ChangeActor = Omit<AuditActor, "onBehalfOf"> & { readonly onBehalfOf?: string };

export type ChangeRequest = Pick<AuditRequest, "id" | "interface" | "method"> & Partial<AuditRequest>;

/** A change before it is appended to the hash chain. Times are ISO 8601 in UTC. */
export interface ChangeDraft {
  readonly id: string;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly actor: ChangeActor;
  readonly request: ChangeRequest;
  readonly action: AuditAction;
  /** Reference of the changed resource. */
  readonly entity: string;
  /** References of the resources that contain the changed one; the history of each includes this change. */
  readonly related: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  /** Top-level fields that differ, in snake_case. */
  readonly changedFields: readonly string[];
  readonly message?: string;
  readonly source: AuditSource;
  /** Commit position in the database, as a change feed reports it. */
  readonly commit?: string;
  readonly transactionId: string;
}

/** A change in the hash chain: `hash` covers all other fields, including `prevHash`. */
export interface ChangeRecord extends ChangeDraft {
  /** Position in the log, from 1 without gaps. */
  readonly seq: number;
  readonly prevHash: string;
  readonly hash: string;
}
