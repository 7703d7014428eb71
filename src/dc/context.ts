import type { LogVerdict } from "#dc/audit/verify_log.ts";
import type { Clock } from "#kernel/clock.ts";
import type { AuditInterface } from "./model/enum_values.ts";
import type { PassedTime } from "./passed_time.ts";
import type { DcStore } from "./ports.ts";
import type { ReadReceipt } from "./read_receipt.ts";
import type { LoadViewer, Rasterize } from "./render/render_screen.ts";

export const AUTH_METHODS = ["none", "token", "jwt"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Roles of principals. A meter may only report readings. */
export const ROLES = ["reader", "writer", "admin", "meter"] as const;
export type Role = (typeof ROLES)[number];

/** The authenticated caller of an interface. */
export interface Principal {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly authMethod: AuthMethod;
}

/** All facts about a call other than its request. `principal` is absent for an anonymous caller. */
export interface Caller {
  readonly interface: AuditInterface;
  readonly principal?: Principal;
  readonly onBehalfOf?: string;
  readonly clientIp?: string;
  readonly userAgent?: string;
  readonly traceId?: string;
  /** The connection of the call; calls of one connection share its limits. */
  readonly peer?: object;
  /** Learns until when the replies of reads hold; for interfaces that keep what they answer. */
  readonly receipt?: ReadReceipt;
}

export interface FinishedCall {
  readonly method: string;
  readonly interface: AuditInterface;
  /** `ok`, the kind of the error, `cancelled` for a read that its caller aborted, or `internal` for a defect. */
  readonly outcome: string;
  readonly seconds: number;
}

/** Dependencies of the service on its environment. */
export interface DcContext {
  readonly store: DcStore;
  readonly clock: Clock;
  readonly passedTime: PassedTime;
  /** False only if the operator turned authentication off. */
  readonly authRequired: boolean;
  /** Key that encrypts page tokens; 32 bytes, the same on every replica. */
  readonly pageKey: Uint8Array;
  /** Creates ids of change log entries and transactions: UUIDs. */
  readonly newId: () => string;
  readonly observe: (call: FinishedCall) => void;
  /** Receives the result of each verification of the change log. */
  readonly noteLog?: ((verdict: LogVerdict) => void) | undefined;
  /** Converts SVG to PNG; absent if not supported. */
  readonly rasterize?: Rasterize | undefined;
  /** Loads the HTML page of the picture viewer; absent if not supported. */
  readonly loadViewer?: LoadViewer | undefined;
}
