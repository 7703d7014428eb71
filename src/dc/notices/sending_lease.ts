import type { DcReader, DcWriter } from "#dc/ports.ts";

/** Setting with the lease of the server that sends notices, among servers that share a database. */
const LEASE_SETTING = "notices_lease";
/** Validity of a lease without renewal, and interval between renewals, in milliseconds. */
const LEASE_MS = 15_000;
const LEASE_RENEWAL_MS = 5000;

interface Lease {
  readonly holder: string;
  readonly until: number;
}

export interface LeaseOptions {
  /** Identifies this process. */
  readonly holder: string;
  /** Whether another holder is known to have ended. */
  readonly isGone: (holder: string) => boolean;
}

/** Ensures that only one of several servers sends notices. Two servers would send each notice twice, in no order. */
export class SendingLease {
  readonly #options: LeaseOptions;
  #until = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  isRenewalDue(now: number): boolean {
    return now >= this.#until - LEASE_MS + LEASE_RENEWAL_MS;
  }

  /** Whether another server sends notices now. */
  async isHeldByOther(reader: Pick<DcReader, "setting">, now: number): Promise<boolean> {
    const kept = await reader.setting(LEASE_SETTING);
    if (kept === undefined) return false;
    const { holder, until } = JSON.parse(kept) as Lease;
    return holder !== this.#options.holder && until > now && !this.#options.isGone(holder);
  }

  /** Takes or renews the lease. @returns whether this server sends notices */
  async acquireLease(writer: DcWriter, now: number): Promise<boolean> {
    if (await this.isHeldByOther(writer, now)) {
      this.#until = 0;
      return false;
    }
    const until = now + LEASE_MS;
    await writer.setSetting(LEASE_SETTING, JSON.stringify({ holder: this.#options.holder, until } satisfies Lease));
    this.#until = until;
    return true;
  }

  isHeld(now: number): boolean {
    return now < this.#until;
  }

  /** Ends the lease, so that another server can send at once. */
  async releaseLease(writer: DcWriter, now: number): Promise<void> {
    if (!(await this.isHeldByOther(writer, now)))
      await writer.setSetting(LEASE_SETTING, JSON.stringify({ holder: "", until: 0 }));
    this.#until = 0;
  }
}
