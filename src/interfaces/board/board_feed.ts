import { BoardState } from "#planner/board/board_state.ts";
import { FactsReader } from "#planner/board/facts_reader.ts";
import type { PlannerContext } from "#planner/context.ts";

/** How often the project is looked at while a page listens, in milliseconds. */
const LOOK_EVERY_MS = 400;
/** Wanted pause as a multiple of the time that a look takes: ten thousand specs take 60 ms. */
const PAUSES = 3;
/** Longest time until a change is seen, in milliseconds, while a look takes no more than a third of it. */
const SEEN_WITHIN_MS = 900;

/**
 * Returns the pause after a look, in milliseconds. A change that a look just missed is seen at the end of the next look,
 * so the longest wait is two looks and the pause. The pause is at least as long as the look.
 */
export function pauseAfter(lookMs: number): number {
  const shared = Math.max(LOOK_EVERY_MS, PAUSES * lookMs);
  return Math.max(lookMs, Math.min(shared, SEEN_WITHIN_MS - 2 * lookMs));
}

/** Keeps the board's state current: on request, and continuously while a page listens. Without one nothing runs. */
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

  /** Reads the project as it is now. @throws OperationError if its folders cannot be read */
  async refresh(): Promise<BoardState> {
    // A look that is under way may have missed the latest write.
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
      if (this.#listeners.size > 0) this.#schedule(pauseAfter(performance.now() - began));
      else this.#timer = undefined;
    }, afterMs);
  }

  async #look(): Promise<void> {
    const facts = await this.#reader.read();
    if (facts === null || !this.state.update(facts)) return;
    for (const changed of this.#listeners) changed();
  }
}
