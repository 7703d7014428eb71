import type { DcStore } from "./ports.ts";

/** Milliseconds between revision reads to keep a reply current. Our choice: ready before a console asks again. */
const POLL_MS = 250;
/** Time for which a reply without further requests is kept current, in milliseconds, while no change stream is open. */
const KEEP_CURRENT_MS = 10 * 60_000;
/** Maximum number of replies that are kept current, the most recent ones. Our choice: a console needs two. */
const MAX_CURRENT_REPLIES = 4;

interface RecentQuestion {
  /** Computes the reply again, and with it what the graphs keep for the next one. */
  readonly answer: (signal: AbortSignal) => Promise<unknown>;
  /** Time of the last request, in milliseconds of the monotonic clock. */
  readonly askedAt: number;
}

interface CurrentRepliesOptions {
  readonly store: DcStore;
  /** Whether a client reads the stream of changes, as an open console does. */
  readonly hasOpenStreams: () => boolean;
  /** Builds the data that all reads share. */
  readonly warmUp: (signal: AbortSignal) => Promise<void>;
}

/**
 * Computes the replies to recent questions again after changes, so that the next caller waits for little. A refresh
 * starts when no write runs and the revision has not changed between two checks; the next write stops it. Reading the
 * store's revision at intervals also detects writes of other processes. Cost: one statement per interval while there
 * are recent questions, nothing otherwise.
 */
export class CurrentReplies {
  readonly #options: CurrentRepliesOptions;
  /** Questions by the key of their request, the most recently requested last. */
  readonly #questions = new Map<string, RecentQuestion>();
  /** Aborts when the server ends; undefined while nothing is kept current. */
  #endSignal: AbortSignal | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: { readonly revision: number; readonly stop: AbortController } | undefined;
  /** Revision of the last check, and the revision for which all questions were answered. */
  #lastRevision = -1;
  #refreshedRevision = -1;
  #isPolling = false;

  constructor(needs: CurrentRepliesOptions) {
    this.#options = needs;
  }

  /** Starts to keep replies current. @param ending aborts when the server ends */
  startRefreshing(ending: AbortSignal): void {
    this.#endSignal = ending;
    ending.addEventListener("abort", () => this.#stopPolling(), { once: true });
  }

  /** Records a question that a caller asked. */
  recordQuestion(key: string, answer: RecentQuestion["answer"]): void {
    if (this.#endSignal === undefined || this.#endSignal.aborted) return;
    if (!this.#questions.delete(key)) this.#refreshedRevision = -1;
    this.#questions.set(key, { answer, askedAt: performance.now() });
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > MAX_CURRENT_REPLIES && oldest !== undefined) this.#questions.delete(oldest);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#pollRevision(), POLL_MS);
    this.#timer.unref();
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#questions.clear();
  }

  async #pollRevision(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      this.#forgetOldQuestions();
      if (this.#questions.size === 0) return this.#stopPolling();
      await this.#refreshIfQuiet();
    } catch {
      // The store reports its own outage; the next check tries again.
    } finally {
      this.#isPolling = false;
    }
  }

  #forgetOldQuestions(): void {
    if (this.#options.hasOpenStreams()) return;
    for (const [key, { askedAt }] of this.#questions) {
      if (performance.now() - askedAt > KEEP_CURRENT_MS) this.#questions.delete(key);
    }
  }

  async #refreshIfQuiet(): Promise<void> {
    const { store } = this.#options;
    const revision = await store.revision();
    const isWriting = store.use().write.running > 0;
    if (isWriting || this.#running?.revision !== revision) this.#running?.stop.abort();
    const isQuiet = !isWriting && revision === this.#lastRevision;
    this.#lastRevision = isWriting ? -1 : revision;
    if (isQuiet && this.#running === undefined && revision !== this.#refreshedRevision)
      void this.#refreshReplies(revision);
  }

  async #refreshReplies(revision: number): Promise<void> {
    const ending = this.#endSignal;
    if (ending === undefined || ending.aborted) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ending]);
    this.#running = { revision, stop };
    // An error here occurs again, and is reported, when a caller asks.
    this.#refreshedRevision = revision;
    try {
      await this.#options.warmUp(signal);
      for (const { answer } of [...this.#questions.values()].reverse()) await answer(signal);
    } catch {
      if (stop.signal.aborted) this.#refreshedRevision = -1;
    } finally {
      this.#running = undefined;
    }
  }
}
