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

const DEFAULT_TIMES: WatchTimes = { lookMs: 500, silentMs: 1500, patienceMs: 2000 };

/** A connection that is monitored, with the time since its last unanswered statement. */
type WatchedConnection = Pick<PostgresConnection, "silentMs" | "giveUp">;

/**
 * Detects a server that hangs, within five seconds. A statement may take a minute, so a missing reply proves nothing: a
 * second connection probes the server. Without a reply every connection is closed, and none is opened until the server
 * replies.
 */
export class PostgresWatchdog {
  readonly #probe: () => Promise<void>;
  readonly #times: WatchTimes;
  readonly #busyConnections = new Set<WatchedConnection>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isProbing = false;
  #isServerHanging = false;
  #isClosed = false;

  /** Watches whether the server responds. @param ask probes it on a separate connection */
  constructor(ask: () => Promise<void>, times: WatchTimes = DEFAULT_TIMES) {
    this.#probe = ask;
    this.#times = times;
  }

  /** Whether the latest probes found no reply from the server. */
  get isHanging(): boolean {
    return this.#isServerHanging;
  }

  /** Monitors a connection while `work` uses it. */
  async during<Result>(connection: WatchedConnection, work: () => Promise<Result>): Promise<Result> {
    this.#busyConnections.add(connection);
    this.#startTimer();
    try {
      return await work();
    } finally {
      this.#busyConnections.delete(connection);
      this.#stopIdleTimer();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#isServerHanging = false;
    this.#stopIdleTimer();
  }

  #startTimer(): void {
    if (!this.#isClosed) this.#timer ??= setInterval(() => void this.#checkConnections(), this.#times.lookMs).unref();
  }

  #stopIdleTimer(): void {
    if (!this.#isClosed && (this.#busyConnections.size > 0 || this.#isServerHanging)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #checkConnections(): Promise<void> {
    const isSilent = [...this.#busyConnections].some(({ silentMs }) => silentMs > this.#times.silentMs);
    if (this.#isProbing || !(isSilent || this.#isServerHanging)) return;
    this.#isProbing = true;
    const answered = await this.#isServerReplying();
    this.#isProbing = false;
    this.#isServerHanging = !answered && !this.#isClosed;
    if (!answered) for (const connection of this.#busyConnections) connection.giveUp();
    // The last connection may have closed during the probe; then only the timer detects that the server replies again.
    if (this.#isServerHanging) this.#startTimer();
    else this.#stopIdleTimer();
  }

  async #isServerReplying(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#times.patienceMs);
    });
    const asked = this.#probe().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, late]);
    clearTimeout(timer);
    return answered;
  }
}
