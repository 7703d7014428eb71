import type { SpecId } from "../../spec/spec_id.ts";

/** Longest pause before a refused merge is tried again, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;

interface Refusal {
  readonly reason: string;
  readonly times: number;
  readonly nextAt: number;
}

/**
 * Merges that were refused: each is tried again after twice the pause, because the try may run the project's own checks,
 * and a reason is printed once as long as it stays the same.
 */
export class Refusals {
  readonly #known = new Map<SpecId, Refusal>();

  isDue(id: SpecId, now: number): boolean {
    return (this.#known.get(id)?.nextAt ?? 0) <= now;
  }

  /** @returns whether the reason is news */
  note(id: SpecId, reason: string, { now, pauseMs }: { readonly now: number; readonly pauseMs: number }): boolean {
    const before = this.#known.get(id);
    const times = before === undefined ? 0 : before.times + 1;
    const nextAt = now + Math.min(pauseMs * 2 ** times, Math.max(LONGEST_PAUSE_MS, pauseMs));
    this.#known.set(id, { reason, times, nextAt });
    return before?.reason !== reason;
  }

  forget(id: SpecId): void {
    this.#known.delete(id);
  }
}
