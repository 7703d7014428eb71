import { OperationError } from "#kernel/errors.ts";
import { formatDollars } from "#words/figures.ts";
import type { PlannerConfig } from "../config/config.ts";
import { findLiveWorker } from "../operations/shared/live_worker.ts";
import { isReadyWithoutRequest, RESUMABLE_STATUSES } from "../operations/shared/start_checks.ts";
import { loadSpecWorld, type SpecWorld } from "../operations/shared/world.ts";
import type { Readiness } from "../spec/readiness.ts";
import { compareUrgency, listMemberIds, type Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { COMMIT_SUMMARIES, createCommitWriter } from "../work/commit_message.ts";
import type { Usage } from "../work/usage.ts";
import { claimSpec, takeSharedClaim } from "./claims.ts";
import { closeGroup, isDoneGroup } from "./close_group.ts";
import { AgentSpecRun } from "./run/run.ts";
import { checkRunConditions } from "./run/start.ts";
import type { RunDeps, RunResult, RunSettings } from "./run_types.ts";

export interface QueueOptions {
  /** Specs to begin with; empty means every spec that is ready. */
  readonly ids: readonly SpecId[];
  /** Whether to begin specs that become ready when one of `ids` completes. */
  readonly follow: boolean;
  /** Maximum number of specs that run at the same time. */
  readonly width: number;
  /** Whether the queue begins no further spec after a spec that did not complete. */
  readonly stopAtFailure: boolean;
  /** Budget of all runs together in US dollars; once it is spent, no further run starts. Null means no limit. */
  readonly budget: number | null;
  readonly run: RunSettings;
}

export interface QueueResult {
  readonly results: readonly RunResult[];
  readonly refused: readonly { readonly spec_id: SpecId; readonly reason: string }[];
}

/**
 * Runs the requested specs and their members, each once it becomes ready, and with `follow` also the specs that their
 * completion makes ready. Ends when no more spec can begin. Tries each spec once. Reports requested specs that never
 * became ready as refused.
 *
 * @throws any unexpected error of a run, after all other runs have ended
 *
 * Source: docs/decisions.md#s-24; docs/contract/spec-tool.md#rule-4.
 */
export async function runQueue(deps: RunDeps, wishes: QueueOptions): Promise<QueueResult> {
  const queue = new Queue(deps, wishes);
  return queue.run(await loadSpecWorld(deps.context));
}

class Queue {
  readonly #deps: RunDeps;
  readonly #wishes: QueueOptions;
  readonly #running = new Map<SpecId, Promise<void>>();
  readonly #triedIds = new Set<SpecId>();
  readonly #completedIds = new Set<SpecId>();
  readonly #results: RunResult[] = [];
  readonly #refused: { readonly spec_id: SpecId; readonly reason: string }[] = [];
  readonly #defects: unknown[] = [];
  /** Ids of the specs to run, in the order in which they begin. */
  #requestedIds: readonly SpecId[] = [];
  #failed = false;
  /** Reason why no further spec starts; null while specs may start. */
  #haltReason: string | null = null;
  /** Cost of all runs so far in US dollars, as the agents report it. */
  #spentDollars = 0;

  constructor(deps: RunDeps, wishes: QueueOptions) {
    this.#deps = deps;
    this.#wishes = wishes;
  }

  async run(world: SpecWorld): Promise<QueueResult> {
    const { ids } = this.#wishes;
    this.#requestedIds = listRequestedIds(ids, { ...world, specs: world.specs.toSorted(compareUrgency) });
    if (ids.length === 0) this.#reportFailedSpecs(world);
    // A named file that cannot be parsed is refused with its place, not left out.
    for (const id of ids.filter((id) => !world.specs.some((spec) => spec.id === id))) {
      this.#triedIds.add(id);
      await this.#runQueuedSpec(id);
    }
    await this.#beginSpecs(world);
    while (this.#running.size > 0) {
      await Promise.race(this.#running.values());
      await this.#beginSpecs(await loadSpecWorld(this.#deps.context));
    }
    await this.#reportUnreadySpecs();
    if (this.#defects.length > 0) throw this.#defects[0];
    return { results: this.#results, refused: this.#refused };
  }

  get #queueState(): QueueState {
    const { ids: named, follow } = this.#wishes;
    return {
      namedIds: named,
      requestedIds: this.#requestedIds,
      follow,
      triedIds: this.#triedIds,
      completedIds: this.#completedIds,
    };
  }

  async #beginSpecs(loaded: SpecWorld): Promise<void> {
    const world = await this.#closeGroups(loaded);
    const candidates = listStartableIds(this.#queueState, world);
    const done = this.#results.length + this.#refused.length;
    const waiting = this.#requestedIds.filter((id) => !this.#triedIds.has(id) && !candidates.includes(id)).length;
    const total = done + this.#running.size + candidates.length + waiting;
    this.#deps.tell({ event: "progress", done, total });
    for (const id of candidates) {
      if (this.#running.size >= this.#wishes.width || this.#isEnding()) return;
      // Two agents on one file cause conflicts, so this spec begins after the other run has ended.
      if (this.#hasFileConflict(id, world)) continue;
      this.#triedIds.add(id);
      const run = this.#runQueuedSpec(id).finally(() => this.#running.delete(id));
      this.#running.set(id, run);
    }
  }

  #hasFileConflict(id: SpecId, { specs }: SpecWorld): boolean {
    const wanted = specs.find((spec) => spec.id === id)?.targetFiles ?? [];
    return specs.some((spec) => this.#running.has(spec.id) && haveOverlappingPaths(wanted, spec.targetFiles));
  }

  #isEnding(): boolean {
    const { stopAtFailure, run } = this.#wishes;
    return (
      run.stop.soon.aborted || this.#haltReason !== null || this.#defects.length > 0 || (stopAtFailure && this.#failed)
    );
  }

  /** Runs one spec and records its result. Never rejects. */
  async #runQueuedSpec(id: SpecId): Promise<void> {
    try {
      await this.#warnOfOverlap(id);
      const result = await runSpec(this.#deps, id, this.#wishes.run);
      this.#results.push(result);
      if (result.status === "completed") this.#completedIds.add(id);
      else this.#failed = true;
      if (result.halt !== null) this.#haltQueue(result.halt);
      this.#addCost(result.usage);
    } catch (error) {
      // A spec that cannot begin does not stop the queue, because no run has failed.
      if (error instanceof OperationError) this.#recordRefusal(id, error.message);
      else this.#defects.push(error);
    }
  }

  /** Warns if another process works on the same files: neither waits for the other, so the changes may conflict. */
  async #warnOfOverlap(id: SpecId): Promise<void> {
    const { context, tell } = this.#deps;
    const { specs } = await loadSpecWorld(context);
    const wanted = specs.find((spec) => spec.id === id)?.targetFiles ?? [];
    for (const other of specs) {
      if (other.id === id || this.#running.has(other.id) || !haveOverlappingPaths(wanted, other.targetFiles)) continue;
      const worker = await findLiveWorker(context, other.id);
      if (worker === null) continue;
      const message = `process ${worker.pid} works on '${other.id}', which names the same files (${other.targetFiles.join(", ")}): their changes may conflict`;
      tell({ event: "note", spec_id: id, message });
    }
  }

  #haltQueue(reason: string): void {
    if (this.#haltReason !== null) return;
    this.#haltReason = reason;
    this.#deps.tell({ event: "note", spec_id: null, message: `${reason}: nothing more is started` });
  }

  #addCost(usage: Usage | null): void {
    this.#spentDollars += usage?.cost_usd ?? 0;
    const { budget } = this.#wishes;
    if (budget === null || this.#spentDollars < budget) return;
    this.#haltQueue(`The budget is used up: ${formatDollars(this.#spentDollars)} of ${formatDollars(budget)}`);
  }

  #recordRefusal(id: SpecId, reason: string): void {
    this.#refused.push({ spec_id: id, reason });
    this.#deps.tell({ event: "refused", spec_id: id, reason });
  }

  /** Closes groups whose members are all done, because no agent works on a group itself. */
  async #closeGroups(world: SpecWorld): Promise<SpecWorld> {
    const done = findDoneGroup(this.#queueState, world);
    if (done === undefined) return world;
    this.#triedIds.add(done.id);
    const { message, completed } = await closeGroup(this.#deps, done.id);
    if (completed) this.#completedIds.add(done.id);
    this.#deps.tell({ event: "note", spec_id: done.id, message });
    // Closing this group may have completed the members of another.
    return this.#closeGroups(await loadSpecWorld(this.#deps.context));
  }

  /** Reports specs that are ready only because their last run failed. A person decides whether to try them again. */
  #reportFailedSpecs({ specs, readiness }: SpecWorld): void {
    const left = specs
      .filter((spec) => readiness.isReady(spec) && !this.#requestedIds.includes(spec.id))
      .map(({ id }) => id);
    if (left.length === 0) return;
    const message = `Failed before, and not started unasked: ${left.join(", ")}. Name one to try it again: planner work ${left[0]}`;
    this.#deps.tell({ event: "note", spec_id: null, message });
  }

  /** Reports the specs that were named by the caller but never could begin. */
  async #reportUnreadySpecs(): Promise<void> {
    if (this.#isEnding()) return;
    const { readiness, specs } = await loadSpecWorld(this.#deps.context);
    const left = new Set(this.#wishes.ids.filter((id) => !this.#triedIds.has(id)));
    for (const spec of specs.filter(({ id }) => left.has(id))) {
      const unmet = readiness.listUnmet(spec);
      const why = unmet.length > 0 ? `blocked by dependencies: ${unmet.join(", ")}` : `status is ${spec.status}`;
      this.#recordRefusal(spec.id, `Cannot start work on spec '${spec.id}': ${why}`);
    }
  }
}

/** Returns whether two lists contain the same path, or one list a folder that contains a path of the other. */
function haveOverlappingPaths(some: readonly string[], others: readonly string[]): boolean {
  const within = (path: string, folder: string): boolean =>
    path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  return some.some((one) => others.some((other) => within(one, other) || within(other, one)));
}

/**
 * Runs one spec from its claim to its end. In every case the record becomes terminal, the claim is released, the agent
 * has ended, and the spec's status states the result.
 *
 * @throws OperationError if the spec cannot be worked; nothing is changed then. Any other error is a defect, thrown
 *   after the run was ended
 *
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26.
 */
export async function runSpec(deps: RunDeps, id: SpecId, wishes: RunSettings): Promise<RunResult> {
  const { config, spec } = await checkRunConditions(deps, id, wishes);
  if (wishes.worktree) await requireUsableWorktree(deps, spec, config);
  const processId = `${id}-${deps.pid}`;
  const claim = await claimSpec(deps, id, processId);
  try {
    // Another process may have worked on the spec between the first check and the claim.
    const start = await checkRunConditions(deps, id, wishes);
    const notes = await takeSharedClaim(deps, claim, wishes.shared);
    return await new AgentSpecRun(deps, { ...start, claim, notes, processId, wishes }).runToEnd();
  } finally {
    await claim.release();
  }
}

/** Throws before anything is changed if no worktree can be created, because that is not a failure of the spec. */
async function requireUsableWorktree(
  { ports }: RunDeps,
  spec: Spec,
  { defaults, git, worktree }: PlannerConfig,
): Promise<void> {
  try {
    const { branch_prefix: branchPrefix, main_branch: mainBranch } = defaults;
    const message = createCommitWriter(git.commit_template, spec)(COMMIT_SUMMARIES.ended(spec.id, "completed"));
    await ports.worktrees.requireCreatable({ branchPrefix, mainBranch, ...worktree }, message);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.kind, `Cannot start work on spec '${spec.id}': ${error.message}`);
  }
}

/** State by which a queue chooses the next specs to begin. */
export interface QueueState {
  readonly namedIds: readonly SpecId[];
  /** Ids of the requested specs, in the order in which they begin. */
  readonly requestedIds: readonly SpecId[];
  /** Whether to begin specs that the queue's own completions make ready. */
  readonly follow: boolean;
  readonly triedIds: ReadonlySet<SpecId>;
  readonly completedIds: ReadonlySet<SpecId>;
}

/** Returns the named specs with their members, or without names all specs that may start without being named. */
export function listRequestedIds(
  named: readonly SpecId[],
  { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">,
) {
  if (named.length > 0) return addMemberIds(named, specs);
  return specs.filter((spec) => isReadyWithoutRequest(spec, readiness)).map(({ id }) => id);
}

/**
 * Returns the specs that can begin now: requested specs that are ready, and with `follow` also those that the queue's
 * completions made ready. A single requested spec always begins, so that the reason is reported if it cannot run.
 * Source: docs/decisions.md#s-24; docs/contract/spec-tool.md#rule-4.
 */
export function listStartableIds(state: QueueState, { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">) {
  const { namedIds, requestedIds, triedIds } = state;
  const order = new Map(requestedIds.map((id, index) => [id, index]));
  const follows = createFollowTest(state, readiness);
  const canBegin = (spec: Spec): boolean => {
    if (!order.has(spec.id)) return follows(spec);
    if (namedIds.length === 0) return isReadyWithoutRequest(spec, readiness);
    return requestedIds.length === 1 || readiness.isReady(spec) || isResumableSpec(spec, namedIds, readiness);
  };
  return specs
    .filter((spec) => !triedIds.has(spec.id) && canBegin(spec))
    .map(({ id }) => id)
    .sort((a, b) => (order.get(a) ?? order.size) - (order.get(b) ?? order.size));
}

/** Returns a group whose members are all done, if it was requested or the queue's completions finished its members. */
function findDoneGroup(state: QueueState, world: SpecWorld): Spec | undefined {
  const follows = createFollowTest(state, world.readiness);
  return world.specs.find(
    (spec) =>
      !state.triedIds.has(spec.id) &&
      isDoneGroup(spec, world) &&
      (state.requestedIds.includes(spec.id) || follows({ ...spec, type: "driver" })),
  );
}

/** Returns a test for specs that only the queue's completions made ready and that no run has tried. */
function createFollowTest({ follow, completedIds }: QueueState, readiness: Readiness): (spec: Spec) => boolean {
  if (!follow || completedIds.size === 0) return () => false;
  const before = readiness.without(completedIds);
  return (spec) => isReadyWithoutRequest(spec, readiness) && !before.isReady(spec);
}

/** Returns whether a named spec can be resumed: naming allows statuses that a list of ready specs omits. */
function isResumableSpec(spec: Spec, named: readonly SpecId[], readiness: Readiness): boolean {
  if (!named.includes(spec.id) || !RESUMABLE_STATUSES.includes(spec.status)) return false;
  return readiness.isReady({ ...spec, status: "pending" });
}

/** Returns the ids with their members' ids. Members come first, because a driver or group is worked after them. */
function addMemberIds(ids: readonly SpecId[], specs: readonly Spec[]): readonly SpecId[] {
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const found = new Set<SpecId>();
  const seen = new Set<string>();
  const visitSpec = (id: string): void => {
    const spec = byId.get(id);
    if (spec === undefined || seen.has(id)) return;
    seen.add(id);
    for (const member of listMemberIds(spec, specs)) visitSpec(member);
    found.add(spec.id);
  };
  for (const id of ids) visitSpec(id);
  return [...found];
}
