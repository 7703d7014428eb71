import { randomUUID } from "node:crypto";
import { type Clock, readUptime } from "#kernel/clock.ts";
import {
  deleteNotices,
  type Notice,
  readNotices,
  readNoticesRevision,
  updateNotices,
} from "../operations/notices/notice.ts";
import type { DcReader, DcStore, DcWriter } from "../ports.ts";

/** Pauses between the attempts to send a notice, in milliseconds; the last pause repeats. */
const PAUSES_MS = [5, 15, 60, 300, 900, 1800, 3600, 7200].map((seconds) => seconds * 1000);
/** Largest factor of a pause. */
const MAX_SPREAD = 1.1;
/** Time for which sending a notice is retried, in milliseconds: a day. */
export const MAX_RETRY_MS = 24 * 60 * 60 * 1000;
/** Maximum number of notices of different subjects that are sent to one receiver at the same time. */
const MAX_PARALLEL_ATTEMPTS = 4;

/** Result of an attempt to send a notice; `error` is the reason of a failure. */
export type SendOutcome = { readonly isTaken: true } | { readonly isTaken: false; readonly error: string };

/** A pause before an attempt by the uptime of the clock, which no setting of the time changes. */
interface NoticePause {
  /** Number of attempts before it. */
  readonly attempts: number;
  readonly beganAt: number;
  readonly endsAt: number;
}

interface NoticeSenderOptions {
  readonly store: DcStore;
  readonly clock: Clock;
  /** Sends one notice and waits for the receiver's reply. Never throws. */
  readonly postNotice: (notice: Notice) => Promise<SendOutcome>;
  /** Names of the receivers to send to; notices of other receivers wait. */
  readonly receivers: readonly string[];
  readonly say: (message: string) => void;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
}

/**
 * Sends notices, and retries each for a day until the receiver accepts it. Notices of one subject are sent to a
 * receiver one after the other. Receivers have separate limits, so that no receiver delays another.
 */
export class NoticeSender {
  readonly #options: NoticeSenderOptions;
  #revision = -1;
  #waiting: readonly Notice[] = [];
  /** Pauses before attempts by the sequence number of the notice. */
  readonly #pauses = new Map<number, NoticePause>();
  /** Running attempts by the sequence number of the notice. */
  readonly #running = new Map<number, Promise<void>>();

  constructor(needs: NoticeSenderOptions) {
    this.#options = needs;
  }

  /** Starts all attempts that are due. Cost without changes: one statement. */
  async startDueAttempts(): Promise<void> {
    await this.#readChangedNotices();
    const uptime = readUptime(this.#options.clock);
    for (const receiver of this.#options.receivers) {
      const heads = this.#listFirstNotices(receiver);
      const running = heads.filter(({ seq }) => this.#running.has(seq));
      const due = heads.filter((notice) => this.#getPause(notice).endsAt <= uptime && !running.includes(notice));
      for (const notice of due.slice(0, MAX_PARALLEL_ATTEMPTS - running.length)) this.#startAttempt(notice);
    }
  }

  /** Waits until no attempt is running. */
  async waitForAttempts(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Waits until at least one running attempt has ended, for at most a time in milliseconds. */
  async waitForAnyAttempt(atMostMs: number, signal: AbortSignal): Promise<void> {
    const rest = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      timer.unref();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([rest, ...this.#running.values()]);
  }

  async #readChangedNotices(): Promise<void> {
    const { store } = this.#options;
    const read = await store.read(async (reader) => {
      const revision = await readNoticesRevision(reader);
      return revision === this.#revision ? undefined : { revision, notices: await readNotices(reader) };
    });
    if (read === undefined) return;
    this.#revision = read.revision;
    this.#waiting = read.notices.filter(({ deadAt }) => deadAt === undefined);
    const seqs = new Set(this.#waiting.map(({ seq }) => seq));
    for (const seq of this.#pauses.keys()) if (!seqs.has(seq)) this.#pauses.delete(seq);
  }

  /**
   * Returns the pause before the next attempt. One that began in another process is as long as its stored end says: it
   * is over if its end is further ahead than its length, because a clock was then set back.
   */
  #getPause(notice: Notice): NoticePause {
    const known = this.#pauses.get(notice.seq);
    if (known?.attempts === notice.attempts) return known;
    const { clock } = this.#options;
    const lengthMs = notice.attempts === 0 ? 0 : MAX_SPREAD * getPauseMs(notice.attempts - 1);
    const leftMs = notice.nextAt - clock.now().getTime();
    const endsAt = readUptime(clock) + (leftMs > lengthMs ? 0 : Math.max(0, leftMs));
    const pause = { attempts: notice.attempts, beganAt: endsAt - lengthMs, endsAt };
    this.#pauses.set(notice.seq, pause);
    return pause;
  }

  /** Returns the first notice of each subject. */
  #listFirstNotices(receiver: string): readonly Notice[] {
    const first = new Map<string, Notice>();
    for (const notice of this.#waiting) {
      const { subject } = notice.body;
      if (notice.receiver === receiver && !first.has(subject)) first.set(subject, notice);
    }
    return [...first.values()];
  }

  #startAttempt(notice: Notice): void {
    const work = this.#attemptSend(notice).finally(() => this.#running.delete(notice.seq));
    this.#running.set(notice.seq, work);
  }

  async #attemptSend(notice: Notice): Promise<void> {
    const { clock, postNotice } = this.#options;
    const begun = readUptime(clock);
    const outcome = await postNotice(notice);
    const after = outcome.isTaken ? undefined : this.#createFailedNotice(notice, begun, outcome.error);
    try {
      await this.#storeResult(notice, after);
    } catch (error) {
      // The notice is sent again; the receiver recognizes it by its id.
      this.#options.say(`Cannot record that notice ${notice.id} was tried: ${(error as Error).message}`);
      const uptime = readUptime(clock);
      this.#pauses.set(notice.seq, { attempts: notice.attempts, beganAt: begun, endsAt: uptime + getPauseMs(0) });
    }
  }

  async #storeResult(notice: Notice, after: Notice | undefined): Promise<void> {
    const write = (writer: DcWriter) =>
      after === undefined ? deleteNotices(writer, [notice]) : updateNotices(writer, [after]);
    await this.#options.store.write(async (writer) => {
      // Changes by other servers are read at the next turn.
      const before = await readNoticesRevision(writer);
      await write(writer);
      if (before === this.#revision) this.#revision = await readNoticesRevision(writer);
    });
    this.#replaceNotice(notice, after?.deadAt === undefined ? after : undefined);
  }

  #replaceNotice(notice: Notice, after: Notice | undefined): void {
    this.#waiting = this.#waiting.flatMap((one) => (one.seq === notice.seq ? (after ?? []) : one));
  }

  /** Returns the state of a notice after a failed attempt. */
  #createFailedNotice(notice: Notice, begun: number, error: string): Notice {
    const { clock, random, say } = this.#options;
    const attempts = notice.attempts + 1;
    const waitedMs = attempts === 1 ? 0 : (notice.waitedMs ?? 0) + begun - this.#getPause(notice).beganAt;
    // Adds up to a tenth, so that a receiver that works again does not get all notices at once.
    const spread = 1 + random() * (MAX_SPREAD - 1);
    const pauseMs = Math.min(getPauseMs(notice.attempts) * spread, MAX_RETRY_MS - waitedMs);
    const [now, uptime] = [clock.now().getTime(), readUptime(clock)];
    const tried = { ...notice, attempts, waitedMs, nextAt: now + pauseMs, error };
    if (attempts === 1)
      say(`Receiver "${notice.receiver}" did not take notice ${notice.id}: ${error}; it is tried again`);
    if (pauseMs > 0) {
      this.#pauses.set(notice.seq, { attempts, beganAt: begun, endsAt: uptime + pauseMs });
      return tried;
    }
    say(
      `Receiver "${notice.receiver}" did not take notice ${notice.id} in ${attempts} tries: ${error}; it is a dead letter`,
    );
    return { ...tried, nextAt: now, deadAt: now };
  }
}

function getPauseMs(index: number): number {
  return PAUSES_MS[Math.min(index, PAUSES_MS.length - 1)] ?? 0;
}

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
