import type { DcStore } from "./ports.ts";

/** Milliseconds between revision reads to keep a reply current. Our choice: ready before a console asks again. */
const LOOK_MS = 250;
/** Time for which a reply without further requests is kept current, in milliseconds, while no change stream is open. */
const WANTED_MS = 10 * 60_000;
/** Maximum number of replies that are kept current, the most recent ones. Our choice: a console needs two. */
const MAX_QUESTIONS = 4;

interface Question {
  /** Computes the reply again and puts it into the reply cache. */
  readonly answer: (signal: AbortSignal) => Promise<unknown>;
  /** Time of the last request, in milliseconds of the monotonic clock. */
  readonly askedAt: number;
}

interface Needs {
  readonly store: DcStore;
  /** Whether a client reads the stream of changes, as an open console does. */
  readonly isFollowed: () => boolean;
  /** Builds the data that all reads share. */
  readonly warmUp: (signal: AbortSignal) => Promise<void>;
}

/**
 * Refreshes the cached replies to recent questions after changes, so that the next caller gets them at once. A refresh
 * starts when no write runs and the revision has not changed between two checks; the next write stops it. Reading the
 * store's revision at intervals also detects writes of other processes. Cost: one statement per interval while there
 * are recent questions, nothing otherwise.
 */
export class CurrentReplies {
  readonly #needs: Needs;
  /** Questions by the key of their request, the most recently requested last. */
  readonly #questions = new Map<string, Question>();
  /** Aborts when the server ends; undefined while nothing is kept current. */
  #ending: AbortSignal | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: { readonly revision: number; readonly stop: AbortController } | undefined;
  /** Revision of the last check, and the revision for which all questions were answered. */
  #seen = -1;
  #answered = -1;
  #looking = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Starts to keep replies current. @param ending aborts when the server ends */
  start(ending: AbortSignal): void {
    this.#ending = ending;
    ending.addEventListener("abort", () => this.#rest(), { once: true });
  }

  /** Records a question that a caller asked. */
  note(key: string, answer: Question["answer"]): void {
    if (this.#ending === undefined || this.#ending.aborted) return;
    if (!this.#questions.delete(key)) this.#answered = -1;
    this.#questions.set(key, { answer, askedAt: performance.now() });
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > MAX_QUESTIONS && oldest !== undefined) this.#questions.delete(oldest);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#questions.clear();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.#forget();
      if (this.#questions.size === 0) return this.#rest();
      await this.#compare();
    } catch {
      // The store reports its own outage; the next check tries again.
    } finally {
      this.#looking = false;
    }
  }

  #forget(): void {
    if (this.#needs.isFollowed()) return;
    for (const [key, { askedAt }] of this.#questions) {
      if (performance.now() - askedAt > WANTED_MS) this.#questions.delete(key);
    }
  }

  async #compare(): Promise<void> {
    const { store } = this.#needs;
    const revision = await store.revision();
    const isWriting = store.use().write.running > 0;
    if (isWriting || this.#running?.revision !== revision) this.#running?.stop.abort();
    const isQuiet = !isWriting && revision === this.#seen;
    this.#seen = isWriting ? -1 : revision;
    if (isQuiet && this.#running === undefined && revision !== this.#answered) void this.#answerAll(revision);
  }

  async #answerAll(revision: number): Promise<void> {
    const ending = this.#ending;
    if (ending === undefined || ending.aborted) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ending]);
    this.#running = { revision, stop };
    // An error here occurs again, and is reported, when a caller asks.
    this.#answered = revision;
    try {
      await this.#needs.warmUp(signal);
      for (const { answer } of [...this.#questions.values()].reverse()) await answer(signal);
    } catch {
      if (stop.signal.aborted) this.#answered = -1;
    } finally {
      this.#running = undefined;
    }
  }
}
