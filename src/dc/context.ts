import type { LogVerdict } from "#dc/audit/verify_log.ts";
import type { Clock } from "#kernel/clock.ts";
import type { AuditInterface } from "./model/enum_values.ts";
import type { PassedTime } from "./passed_time.ts";
import type { DcStore } from "./ports.ts";
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

/** Until when the reply of a read holds: while the revisions stand, and between two moments. */
export interface Validity {
  readonly revision: number;
  /** Revision of the readings; absent if new readings do not change the reply. */
  readonly readings?: number;
  /** Milliseconds since 1970. An earlier time is that of a clock that was set back. */
  readonly from: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Collects the validity of all reads that went into one answer, so that an interface can keep the answer's bytes. */
export class ReadReceipt {
  /** Methods of the reads. */
  readonly methods: string[] = [];
  #validity: Validity | undefined;
  #isSpoiled = false;

  /** Until when the answer holds; undefined if it must not be kept. */
  get validity(): Validity | undefined {
    return this.#isSpoiled ? undefined : this.#validity;
  }

  /** Notes a read. Reads of different revisions do not make one answer that can be kept. */
  note(method: string, { revision, readings, from, until }: Validity): void {
    this.methods.push(method);
    const known = this.#validity;
    const seen = readings ?? known?.readings;
    if (known !== undefined && known.revision !== revision) this.spoil();
    if (known?.readings !== undefined && known.readings !== seen) this.spoil();
    this.#validity = {
      revision,
      ...(seen !== undefined && { readings: seen }),
      from: Math.max(from, known?.from ?? from),
      until: Math.min(until, known?.until ?? until),
    };
  }

  /** Notes that the answer holds something for which no revision vouches: a write, an error, an uncached read. */
  spoil(): void {
    this.#isSpoiled = true;
  }
}
