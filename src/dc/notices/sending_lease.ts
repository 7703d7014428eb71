import { randomUUID } from "node:crypto";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import { type Clock, readUptime } from "#kernel/clock.ts";

/** Setting with the lease of the server that sends notices, among servers that share a database. */
const LEASE_SETTING = "notices_lease";
/** Validity of a lease without renewal, and interval between renewals, in milliseconds. */
export const LEASE_MS = 15_000;
const LEASE_RENEWAL_MS = 5000;

interface Lease {
  /** Random id of a process, since containers may share host names and process ids. Empty after a release. */
  readonly holder: string;
  /** Rises with each renewal. */
  readonly renewals: number;
}

/**
 * Ensures that only one of several servers sends notices. Two servers would send each notice twice, in no order. The
 * lease contains no time, because clocks differ and are set: it ends after a server saw it unchanged for its validity.
 */
export class SendingLease {
  readonly #clock: Clock;
  readonly #holder = randomUUID();
  #until = Number.NEGATIVE_INFINITY;
  /** The lease that was read last, and the uptime at which it was first seen. */
  #seen = { text: "", at: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isHeld(): boolean {
    return readUptime(this.#clock) < this.#until;
  }

  get isRenewalDue(): boolean {
    return readUptime(this.#clock) >= this.#until - LEASE_MS + LEASE_RENEWAL_MS;
  }

  /** Whether another server sends notices now. */
  async isHeldByOther(reader: Pick<DcReader, "setting">): Promise<boolean> {
    const text = (await reader.setting(LEASE_SETTING)) ?? "";
    const { holder } = parseLease(text);
    if (holder === "" || holder === this.#holder) return false;
    const uptime = readUptime(this.#clock);
    if (text !== this.#seen.text) this.#seen = { text, at: uptime };
    return uptime < this.#seen.at + LEASE_MS;
  }

  /** Takes or renews the lease. @returns whether this server sends notices */
  async acquireLease(writer: DcWriter): Promise<boolean> {
    // Measured before the write, so that the lease ends here before another server takes it.
    const until = readUptime(this.#clock) + LEASE_MS;
    if (await this.isHeldByOther(writer)) {
      this.#until = Number.NEGATIVE_INFINITY;
      return false;
    }
    await this.#storeLease(writer, this.#holder);
    this.#until = until;
    return true;
  }

  /** Ends the lease, so that another server can send at once. */
  async releaseLease(writer: DcWriter): Promise<void> {
    if (!(await this.isHeldByOther(writer))) await this.#storeLease(writer, "");
    this.#until = Number.NEGATIVE_INFINITY;
  }

  async #storeLease(writer: DcWriter, holder: string): Promise<void> {
    const { renewals = 0 } = parseLease((await writer.setting(LEASE_SETTING)) ?? "");
    await writer.setSetting(LEASE_SETTING, JSON.stringify({ holder, renewals: renewals + 1 } satisfies Lease));
  }
}

/** Parses a stored lease. Earlier versions stored no number of renewals. */
function parseLease(text: string): Pick<Lease, "holder"> & Partial<Lease> {
  return text === "" ? { holder: "" } : (JSON.parse(text) as Lease);
}
