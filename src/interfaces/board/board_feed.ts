import { BoardState } from "#planner/board/board_state.ts";
import { BoardFactsReader } from "#planner/board/facts_reader.ts";
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
export function computePauseMs(checkMs: number): number {
  const shared = Math.max(CHECK_INTERVAL_MS, PAUSE_PER_CHECK * checkMs);
  return Math.max(checkMs, Math.min(shared, MAX_NOTICE_DELAY_MS - 2 * checkMs));
}

/** Keeps the state of the board current: on request, and continuously while a page listens. Reads nothing otherwise. */
export class BoardFeed {
  readonly state = new BoardState();
  readonly #reader: BoardFactsReader;
  readonly #reportDefect: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #runningCheck: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PlannerContext, report: (error: unknown) => void) {
    this.#reader = new BoardFactsReader(context);
    this.#reportDefect = report;
  }

  /** Reads the current state of the project. @throws OperationError if its folders cannot be read */
  async refreshState(): Promise<BoardState> {
    // A check that is already running may have missed the latest write.
    await this.#runningCheck?.catch(() => {});
    this.#runningCheck ??= this.#checkProject().finally(() => {
      this.#runningCheck = undefined;
    });
    await this.#runningCheck;
    return this.state;
  }

  /** Calls `changed` after each change until the returned function is called. */
  addListener(changed: () => void): () => void {
    this.#listeners.add(changed);
    if (this.#timer === undefined) this.#scheduleCheck(0);
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #scheduleCheck(afterMs: number): void {
    this.#timer = setTimeout(async () => {
      const began = performance.now();
      await this.refreshState().catch(this.#reportDefect);
      if (this.#listeners.size > 0) this.#scheduleCheck(computePauseMs(performance.now() - began));
      else this.#timer = undefined;
    }, afterMs);
  }

  async #checkProject(): Promise<void> {
    const facts = await this.#reader.readFacts();
    if (facts === null || !this.state.updateFacts(facts)) return;
    for (const changed of this.#listeners) changed();
  }
}
