import { BoardState } from "#planner/board/board_state.ts";
import { FactsReader } from "#planner/board/facts_reader.ts";
import type { PlannerContext } from "#planner/context.ts";

/** Interval of checks of the project while a page listens, in milliseconds. */
const CHECK_INTERVAL_MS = 400;
/** Intended pause as a multiple of the duration of a check: a check of ten thousand specs takes 60 ms. */
const PAUSE_PER_CHECK = 3;
/** Maximum time until a change is noticed, in milliseconds, while a check takes no more than a third of it. */
const MAX_NOTICE_DELAY_MS = 900;

/**
 * Returns the pause after a check, in milliseconds. A change just after a check is noticed at the end of the next one,
 * so the longest delay is two checks and the pause. The pause is at least as long as the check.
 */
export function computePauseMs(lookMs: number): number {
  const shared = Math.max(CHECK_INTERVAL_MS, PAUSE_PER_CHECK * lookMs);
  return Math.max(lookMs, Math.min(shared, MAX_NOTICE_DELAY_MS - 2 * lookMs));
}

/** Keeps the state of the board current: on request, and continuously while a page listens. Reads nothing otherwise. */
export class BoardFeed {
  readonly state = new BoardState();
  readonly #reader: FactsReader;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #looking: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PlannerContext, report: (error: unknown) => void) {
    this.#reader = new FactsReader(context);
    this.#report = report;
  }

  /** Reads the current state of the project. @throws OperationError if its folders cannot be read */
  async refresh(): Promise<BoardState> {
    // A check that is already running may have missed the latest write.
    await this.#looking?.catch(() => {});
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    return this.state;
  }

  /** Calls `changed` after each change until the returned function is called. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    if (this.#timer === undefined) this.#schedule(0);
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #schedule(afterMs: number): void {
    this.#timer = setTimeout(async () => {
      const began = performance.now();
      await this.refresh().catch(this.#report);
      if (this.#listeners.size > 0) this.#schedule(computePauseMs(performance.now() - began));
      else this.#timer = undefined;
    }, afterMs);
  }

  async #look(): Promise<void> {
    const facts = await this.#reader.read();
    if (facts === null || !this.state.update(facts)) return;
    for (const changed of this.#listeners) changed();
  }
}
