import type { LogVerdict } from "#dc/audit/verify_log.ts";
import type { Clock } from "#kernel/clock.ts";
import type { AuditInterface } from "./model/enum_values.ts";
import type { DcStore } from "./ports.ts";
import type { LoadViewer, Rasterize } from "./render/render_screen.ts";

export const AUTH_METHODS = ["none", "token", "jwt"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** A meter reports readings and may do nothing else. */
export const ROLES = ["reader", "writer", "admin", "meter"] as const;
export type Role = (typeof ROLES)[number];

/** The authenticated caller of an interface. */
export interface Principal {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly authMethod: AuthMethod;
}

/** Everything about a call but its request. `principal` is absent for an anonymous caller. */
export interface Caller {
  readonly interface: AuditInterface;
  readonly principal?: Principal;
  readonly onBehalfOf?: string;
  readonly clientIp?: string;
  readonly userAgent?: string;
  readonly traceId?: string;
  /** The connection of the call; calls of one connection share its limits. */
  readonly peer?: object;
}

export interface FinishedCall {
  readonly method: string;
  readonly interface: AuditInterface;
  /** `ok`, the kind of the refusal, `cancelled` for a read whose caller left, or `internal` for a defect. */
  readonly outcome: string;
  readonly seconds: number;
}

/** Ports of the service to the outside. */
export interface DcContext {
  readonly store: DcStore;
  readonly clock: Clock;
  /** False only if the operator turned authentication off. */
  readonly authRequired: boolean;
  /** Seals page tokens; 32 bytes, the same on every replica. */
  readonly pageKey: Uint8Array;
  /** Makes ids of change log entries and transactions: UUIDs. */
  readonly newId: () => string;
  readonly observe: (call: FinishedCall) => void;
  /** Takes the result of each verification of the change log. */
  readonly noteLog?: ((verdict: LogVerdict) => void) | undefined;
  /** Makes PNG pictures; absent if not supported. */
  readonly rasterize?: Rasterize | undefined;
  /** Reads the page of HTML pictures; absent if not supported. */
  readonly loadViewer?: LoadViewer | undefined;
}
