import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { WatchFileHold } from "#planner/store/processes/process_records.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import type { PlannerConfig, WatchSettings } from "../../config/config.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import { loadSpecWorld, type SpecWorld } from "../../operations/shared/world.ts";
import { workStartTool } from "../../operations/work.ts";
import { describeNearItems, parseCriteria } from "../../spec/criteria.ts";
import { listMemberIds, type Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { closeGroup, isDoneGroup } from "../close_group.ts";
import { findDeadRecords, findStaleClaims } from "../doctor/trouble.ts";
import type { MergeResult } from "../merge/complete_spec.ts";
import { mergeSpecs } from "../merge/merge_specs.ts";
import { listWaitingWork } from "../merge/waiting_work.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";

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
  if (hold === null) throw createPreconditionError("Watch is already running");
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
  readonly #state: WatchState = { refusals: new MergeRefusals(), startErrors: new Map() };
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

/** Events of watch; `--json` prints them. */
export type WatchEvent =
  | { readonly event: "started"; readonly pid: number }
  | ({ readonly event: "merge" } & MergeResult)
  | { readonly event: "repaired"; readonly subject: string; readonly message: string }
  /** A driver or group was closed because its members are done. */
  | { readonly event: "closed"; readonly spec_id: SpecId; readonly message: string }
  | { readonly event: "retry"; readonly spec_id: SpecId; readonly process_id: string; readonly pid: number }
  | { readonly event: "note"; readonly message: string }
  | { readonly event: "ended"; readonly reason: WatchEndReason };

/** `lost`: another process has removed or taken the PID file. */
export type WatchEndReason = "once" | "stopped" | "idle" | "lost";

interface RoundResult {
  /** Whether work was done, is running or will be retried, so that watch must not end as idle. */
  readonly busy: boolean;
  /** Whether finished work could not be merged. */
  readonly unmerged: boolean;
}

/** Maximum pause before a rejected merge is tried again, in milliseconds. */
const MAX_RETRY_PAUSE_MS = 60_000;

interface MergeRefusal {
  readonly reason: string;
  readonly times: number;
  readonly nextAt: number;
}

/**
 * Rejected merges. Each is tried again after twice the previous pause, because a try may run the project's checks. A
 * reason is printed once while it stays the same.
 */
class MergeRefusals {
  readonly #refusals = new Map<SpecId, MergeRefusal>();

  isDue(id: SpecId, now: number): boolean {
    return (this.#refusals.get(id)?.nextAt ?? 0) <= now;
  }

  /** Records a rejected merge and schedules the next try. @returns whether the reason has changed */
  recordRefusal(
    id: SpecId,
    reason: string,
    { now, pauseMs }: { readonly now: number; readonly pauseMs: number },
  ): boolean {
    const before = this.#refusals.get(id);
    const times = before === undefined ? 0 : before.times + 1;
    const nextAt = now + Math.min(pauseMs * 2 ** times, Math.max(MAX_RETRY_PAUSE_MS, pauseMs));
    this.#refusals.set(id, { reason, times, nextAt });
    return before?.reason !== reason;
  }

  clearRefusal(id: SpecId): void {
    this.#refusals.delete(id);
  }
}

interface WatchState {
  readonly refusals: MergeRefusals;
  /** Reasons why retries could not begin, kept so that each is printed once. */
  readonly startErrors: Map<SpecId, string>;
}

interface RoundOptions {
  readonly config: PlannerConfig;
  readonly pollMs: number;
  readonly stop: StopSignals;
  readonly tell: (event: WatchEvent) => void;
}

/**
 * Runs one round: cleans up after killed processes, merges and finalizes finished work, closes drivers and groups whose
 * members are done, and retries failed specs that are due, each in a separate process. Source: docs/decisions.md#s-27.
 */
async function runWatchRound(deps: RunDeps, state: WatchState, options: RoundOptions): Promise<RoundResult> {
  await repairProject(deps, options);
  const results = await mergeFinishedWork(deps, state, options);
  if (options.stop.soon.aborted) return { busy: true, unmerged: false };
  await closeDoneGroups(deps, (spec_id, message) => options.tell({ event: "closed", spec_id, message }));
  const retrying = await retryFailedSpecs(deps, state, options);
  const running = (await deps.context.work.readProcesses()).some(({ status }) => status === "running");
  return {
    busy: running || retrying || results.some(({ outcome }) => outcome === "merged" || outcome === "nothing"),
    unmerged: results.some(({ outcome }) => outcome === "conflict" || outcome === "refused"),
  };
}

/** Repairs claims first and records last, because reading the records anywhere marks dead ones as failed. */
async function repairProject(deps: RunDeps, { tell }: RoundOptions): Promise<void> {
  for (const check of [findStaleClaims, findDeadRecords]) {
    for (const { subject, repair: mend } of await check(deps)) {
      const message = await mend?.();
      if (message != null) tell({ event: "repaired", subject, message });
    }
  }
}

async function mergeFinishedWork(
  deps: RunDeps,
  { refusals }: WatchState,
  { stop, pollMs, tell }: RoundOptions,
): Promise<readonly MergeResult[]> {
  const now = deps.context.clock.now().getTime();
  const ids = (await listWaitingWork(deps)).finished.filter((id) => refusals.isDue(id, now));
  if (ids.length === 0) return [];
  return mergeSpecs(deps, { ids, stop, unproven: null, shared: { steal: false, offline: false } }, (result) => {
    const { spec_id } = result;
    if (result.outcome !== "refused") refusals.clearRefusal(spec_id);
    else if (!refusals.recordRefusal(spec_id, result.reason, { now, pauseMs: pollMs })) return;
    tell({ event: "merge", ...result });
  });
}

/** Retries failed specs that are due. @returns whether a run was begun or a retry is still due later */
async function retryFailedSpecs(deps: RunDeps, state: WatchState, { config, tell }: RoundOptions): Promise<boolean> {
  const { context } = deps;
  const { specs, readiness } = await loadSpecWorld(context);
  const failed = specs.filter((spec) => spec.status === "failed" && readiness.isReady(spec));
  if (failed.length === 0) return false;
  const records = groupRecordsBySpec(await context.work.readProcesses());
  const now = context.clock.now().getTime();
  let hasRetry = false;
  for (const { id } of failed) {
    const at = findRetryTime(records.get(id) ?? [], config.watch);
    if (at === null) continue;
    hasRetry ||= at > now || (await beginRetryRun(deps, id, { state, tell }));
  }
  return hasRetry;
}

async function beginRetryRun(
  { context }: RunDeps,
  id: SpecId,
  { state, tell }: { readonly state: WatchState; readonly tell: RoundOptions["tell"] },
): Promise<boolean> {
  try {
    const { value } = await workStartTool.run(context, { id });
    state.startErrors.delete(id);
    tell({ event: "retry", spec_id: id, process_id: value.process_id, pid: value.pid });
    return true;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    if (state.startErrors.get(id) !== error.message) tell({ event: "note", message: error.message });
    state.startErrors.set(id, error.message);
    return false;
  }
}

function groupRecordsBySpec(records: readonly ProcessRecord[]): ReadonlyMap<string, readonly ProcessRecord[]> {
  const found = new Map<string, ProcessRecord[]>();
  // The failure of a split does not concern the spec's work.
  for (const record of records.filter(({ mode }) => mode !== "split")) {
    const known = found.get(record.spec_id);
    if (known === undefined) found.set(record.spec_id, [record]);
    else known.push(record);
  }
  return found;
}

/**
 * Closes groups, and drivers without open criteria, whose members are all done and merged. A driver with open criteria
 * is separate work. Repeats this, because closing a member may complete its driver.
 *
 * @param onClosed called with each closed spec and the result
 */
async function closeDoneGroups(deps: RunDeps, onClosed: (id: SpecId, message: string) => void): Promise<void> {
  for (;;) {
    const world = await loadSpecWorld(deps.context);
    const done = await findFirstDoneGroup(deps, world);
    if (done === undefined) return;
    onClosed(done.id, (await closeGroup(deps, done.id)).message);
  }
}

async function findFirstDoneGroup(deps: RunDeps, world: SpecWorld): Promise<Spec | undefined> {
  for (const spec of world.specs) {
    if (!(isDoneGroup(spec, world) || isCompletedDriver(spec, world))) continue;
    const members = listMemberIds(spec, world.specs) as readonly SpecId[];
    if (members.length === 0 || (await findLiveWorker(deps.context, spec.id)) !== null) continue;
    const merged = await Promise.all(members.map((id) => deps.ports.worktrees.isMerged(id)));
    if (merged.every(Boolean)) return spec;
  }
  return undefined;
}

/** Returns whether a pending driver has done members and no open criteria. */
function isCompletedDriver(spec: Spec, { readiness }: SpecWorld): boolean {
  if (spec.type !== "driver" || spec.status !== "pending" || !readiness.isReady(spec)) return false;
  return describeNearItems(spec) === null && parseCriteria(spec.body).every(({ checked }) => checked);
}

/** Maximum wait before a retry in milliseconds. Chosen by planner: a multiplier would reach days after a few tries. */
export const MAX_RETRY_DELAY_MS = 60 * 60_000;

/**
 * Returns when to retry a failed spec, in milliseconds since 1970; null unless the last run failed and a retry is left.
 * A run that did not fail resets the count.
 *
 * @param records records of this spec alone, oldest first
 *
 * Source: docs/decisions.md#s-27.
 */
export function findRetryTime(records: readonly ProcessRecord[], settings: WatchSettings): number | null {
  const failedRuns = records.length - 1 - records.findLastIndex(({ status }) => status !== "failed");
  const last = records.at(-1);
  if (failedRuns === 0 || last?.status !== "failed") return null;
  const retries = failedRuns - 1;
  if (retries >= settings.max_retries) return null;
  return Date.parse(last.completed_at) + computeRetryDelayMs(retries, settings);
}

/** Returns the wait in ms after `retries` retries: at most an hour, or `retry_delay_ms` if that is longer. */
export function computeRetryDelayMs(
  retries: number,
  { retry_delay_ms, backoff_multiplier }: Pick<WatchSettings, "retry_delay_ms" | "backoff_multiplier">,
): number {
  // Prevents 0 times Infinity, which is NaN.
  if (retry_delay_ms === 0) return 0;
  return Math.min(retry_delay_ms * backoff_multiplier ** retries, Math.max(MAX_RETRY_DELAY_MS, retry_delay_ms));
}
