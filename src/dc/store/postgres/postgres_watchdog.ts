import type { PostgresConnection } from "./postgres_connection.ts";

/** Check interval, silence limit and reply timeout of the watchdog, in milliseconds. */
export interface WatchTimes {
  /** Interval between checks of the connections. */
  readonly lookMs: number;
  /** Time without a reply after which the server is probed. */
  readonly silentMs: number;
  /** Maximum wait for the reply to a probe. */
  readonly patienceMs: number;
}

const TIMES: WatchTimes = { lookMs: 500, silentMs: 1500, patienceMs: 2000 };

/** A connection that is monitored, with the time since its last unanswered statement. */
type Watched = Pick<PostgresConnection, "silentMs" | "giveUp">;

/**
 * Detects a server that hangs, within five seconds. A statement may take a minute, so a missing reply proves nothing: a
 * second connection probes the server. Without a reply every connection is closed, and none is opened until the server
 * replies.
 */
export class PostgresWatchdog {
  readonly #ask: () => Promise<void>;
  readonly #times: WatchTimes;
  readonly #busy = new Set<Watched>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #asking = false;
  #hangs = false;
  #isOver = false;

  /** Watches whether the server responds. @param ask probes it on a separate connection */
  constructor(ask: () => Promise<void>, times: WatchTimes = TIMES) {
    this.#ask = ask;
    this.#times = times;
  }

  /** Whether the latest probes found no reply from the server. */
  get isHanging(): boolean {
    return this.#hangs;
  }

  /** Monitors a connection while `work` uses it. */
  async during<Result>(connection: Watched, work: () => Promise<Result>): Promise<Result> {
    this.#busy.add(connection);
    this.#watch();
    try {
      return await work();
    } finally {
      this.#busy.delete(connection);
      this.#rest();
    }
  }

  close(): void {
    this.#isOver = true;
    this.#hangs = false;
    this.#rest();
  }

  #watch(): void {
    if (!this.#isOver) this.#timer ??= setInterval(() => void this.#look(), this.#times.lookMs).unref();
  }

  #rest(): void {
    if (!this.#isOver && (this.#busy.size > 0 || this.#hangs)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const isSilent = [...this.#busy].some(({ silentMs }) => silentMs > this.#times.silentMs);
    if (this.#asking || !(isSilent || this.#hangs)) return;
    this.#asking = true;
    const answered = await this.#answers();
    this.#asking = false;
    this.#hangs = !answered && !this.#isOver;
    if (!answered) for (const connection of this.#busy) connection.giveUp();
    // The last connection may have closed during the probe; then only the timer detects that the server replies again.
    if (this.#hangs) this.#watch();
    else this.#rest();
  }

  async #answers(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#times.patienceMs);
    });
    const asked = this.#ask().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, late]);
    clearTimeout(timer);
    return answered;
  }
}
