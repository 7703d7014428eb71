import { OperationError } from "#kernel/errors.ts";
import type { WatchFileHold } from "#planner/run_ports/run_ports.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import {
  createWatchState,
  type RoundResult,
  runWatchRound,
  type WatchEndReason,
  type WatchEvent,
  type WatchState,
} from "./watch_round.ts";

export interface WatchOptions {
  /** Whether to end after one round. */
  readonly once: boolean;
  /** Poll interval in milliseconds to use instead of the configured one; null for the configured one. */
  readonly pollMs: number | null;
  readonly stop: StopSignals;
  readonly tell: (event: WatchEvent) => void;
}

/**
 * Watches the project until it is stopped, has been idle for the configured time, or has lost its PID file. At most one
 * process watches a project. The PID file is always removed at the end.
 *
 * @returns whether the last round left finished work unmerged
 * @throws OperationError `failed_precondition` if another process watches the project
 *
 * Source: docs/decisions.md#s-27; docs/contract/spec-tool.md#rule-7, docs/contract/spec-tool.md#rule-8.
 */
export async function watchProject(deps: RunDeps, wishes: WatchOptions): Promise<{ readonly unmerged: boolean }> {
  const hold = await deps.ports.watch.acquire();
  if (hold === null) throw new OperationError("failed_precondition", "Watch is already running");
  try {
    wishes.tell({ event: "started", pid: deps.pid });
    const { reason, unmerged } = await runWatchRounds(deps, wishes, hold);
    wishes.tell({ event: "ended", reason });
    return { unmerged };
  } finally {
    await hold.release();
  }
}

async function runWatchRounds(
  deps: RunDeps,
  wishes: WatchOptions,
  hold: WatchFileHold,
): Promise<{ readonly reason: WatchEndReason; readonly unmerged: boolean }> {
  const { clock } = deps.context;
  const look = new WatchRounds(deps, wishes);
  let busyAt = clock.now().getTime();
  for (;;) {
    const { config, result } = await look.runNextRound();
    if (result.busy) busyAt = clock.now().getTime();
    if (wishes.stop.soon.aborted) return { reason: "stopped", unmerged: false };
    if (wishes.once) return { reason: "once", unmerged: result.unmerged };
    const idleMs = config.watch.idle_timeout_minutes * 60_000;
    if (idleMs > 0 && clock.now().getTime() - busyAt >= idleMs) return { reason: "idle", unmerged: result.unmerged };
    await pauseUntilStopped(wishes.pollMs ?? config.watch.poll_interval_ms, wishes.stop.soon);
    if (wishes.stop.soon.aborted) return { reason: "stopped", unmerged: false };
    // Without the PID file another process may watch the project too.
    if (!(await hold.isHeld())) return { reason: "lost", unmerged: result.unmerged };
  }
}

/** Runs rounds and continues after failed ones: the cause, such as a broken file or a full disk, may be temporary. */
class WatchRounds {
  readonly #deps: RunDeps;
  readonly #wishes: WatchOptions;
  readonly #state: WatchState = createWatchState();
  #config: PlannerConfig | undefined;
  #lastMessage = "";

  constructor(deps: RunDeps, wishes: WatchOptions) {
    this.#deps = deps;
    this.#wishes = wishes;
  }

  async runNextRound(): Promise<{ readonly config: PlannerConfig; readonly result: RoundResult }> {
    const config = await this.#readConfig();
    const { tell, stop, pollMs } = this.#wishes;
    const options = { config, pollMs: pollMs ?? config.watch.poll_interval_ms, stop, tell };
    try {
      const result = await runWatchRound(this.#deps, this.#state, options);
      this.#lastMessage = "";
      return { config, result };
    } catch (error) {
      this.#reportOnce(error);
      return { config, result: { busy: false, unmerged: true } };
    }
  }

  /** Reads the settings again in each round. While the file is broken, the last readable settings apply. */
  async #readConfig(): Promise<PlannerConfig> {
    try {
      this.#config = await this.#deps.context.readConfig();
    } catch (error) {
      if (this.#config === undefined) throw error;
      this.#reportOnce(error);
    }
    return this.#config;
  }

  #reportOnce(error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    if (this.#lastMessage !== error.message) this.#wishes.tell({ event: "note", message: error.message });
    this.#lastMessage = error.message;
  }
}

function pauseUntilStopped(milliseconds: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const endPause = (): void => {
      clearTimeout(timer);
      stop.removeEventListener("abort", endPause);
      resolve();
    };
    const timer = setTimeout(endPause, milliseconds);
    stop.addEventListener("abort", endPause);
  });
}
