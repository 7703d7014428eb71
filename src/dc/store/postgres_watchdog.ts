import type { PostgresConnection } from "./postgres_connection.ts";

/** How often connections are looked at, in milliseconds. */
const LOOK_MS = 500;
/** Silence after which the server is asked whether it lives, in milliseconds. */
const SILENT_MS = 1500;
/** Longest wait for its answer, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * Notices a server that hangs within five seconds. A statement may take a minute, so silence alone proves nothing: a
 * second connection asks meanwhile. Without an answer every connection is given up, and none is opened until one comes.
 */
export class PostgresWatchdog {
  private readonly ask: () => Promise<void>;
  private readonly busy = new Set<PostgresConnection>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private asking = false;
  private hangs = false;

  /** @param ask asks the server something on a separate connection */
  constructor(ask: () => Promise<void>) {
    this.ask = ask;
  }

  /** Whether the server was found not to answer, and has not answered since. */
  get isHanging(): boolean {
    return this.hangs;
  }

  /** Watches a connection while `work` uses it. */
  async during<Result>(connection: PostgresConnection, work: () => Promise<Result>): Promise<Result> {
    this.busy.add(connection);
    this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    try {
      return await work();
    } finally {
      this.busy.delete(connection);
      this.rest();
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.hangs = false;
  }

  private rest(): void {
    if (this.busy.size > 0 || this.hangs) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    const isSilent = [...this.busy].some(({ silentMs }) => silentMs > SILENT_MS);
    if (this.asking || !(isSilent || this.hangs)) return;
    this.asking = true;
    const answered = await this.answers();
    this.asking = false;
    this.hangs = !answered;
    if (!answered) for (const connection of this.busy) connection.giveUp();
    this.rest();
  }

  private async answers(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const asked = this.ask().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, late]);
    clearTimeout(timer);
    return answered;
  }
}
