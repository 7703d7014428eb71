import { type Static, Type } from "@sinclair/typebox";
import { createInvalidArgumentError, createPreconditionError, OperationError, shortenText } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_SPLIT_DEPTH } from "../limits.ts";
import { listMemberIds, type Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { selectProvider } from "../work/providers.ts";
import { findSpec } from "./shared/find_spec.ts";
import { buildUnreadableField } from "./shared/listing.ts";
import { refuseSpecInWork, startBackgroundWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import {
  isReadyWithoutRequest,
  RESUMABLE_STATUSES,
  refuseLintErrors,
  refuseMissingAgent,
  refuseUnacceptedSetup,
  refuseUnworkableSpec,
  STARTABLE_STATUSES,
} from "./shared/start_checks.ts";
import { loadSpecWorld } from "./shared/world.ts";

const WORK_PARAMS = Type.Object({
  id: specIdParam,
  chain: Type.Optional(Type.Boolean({ description: "Go on with specs that it makes ready" })),
  parallel: Type.Optional(Type.Integer({ description: "So many ready specs at a time", minimum: 1 })),
  skip_criteria: Type.Optional(Type.Boolean({ description: "Complete with unchecked criteria too" })),
});

export const workStartTool = defineTool<PlannerContext>()({
  name: "planner_work_start",
  summary:
    "Start an agent on a spec in the background, if a person asks; answers process_id. Follow it with planner_work_list and planner_log.",
  resultDescription:
    "`{process_id, spec_id, pid, started_at, mode}` at once, with mode `single`, `chain` or `parallel(N)`. What stands in the way is refused; what goes wrong later is in the spec's log, and the record becomes failed.",
  effect: "write",
  idempotent: false,
  slow: true,
  params: WORK_PARAMS,
  run: (context, args) => startWork(context, args),
});

/** The command `work`: the same tool with the command's flags for one run. */
export const workCommand = defineTool<PlannerContext>()({
  ...workStartTool,
  name: "work",
  params: Type.Object({
    id: specIdParam,
    provider: Type.Optional(Type.String({ minLength: 1, description: "Agent" })),
    model: Type.Optional(Type.String({ minLength: 1, description: "Model" })),
    budget: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: "Limit in US dollars" })),
    resume: Type.Optional(Type.Boolean({ description: "Continue the agent's session of the last run" })),
  }),
  run: (context, args) => startWork(context, args, RESUMABLE_STATUSES),
});

interface WorkArguments extends Static<typeof WORK_PARAMS> {
  readonly provider?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly resume?: boolean;
}

async function startWork(context: PlannerContext, args: WorkArguments, allowedStatuses = STARTABLE_STATUSES) {
  const { id: text, chain = false, parallel, skip_criteria = false, resume = false } = args;
  if (chain && parallel !== undefined) {
    throw createInvalidArgumentError("Cannot work as chain and in parallel: expected one of the two");
  }
  const spec = await findSpec(context, text, { archived: false });
  await refuseSpecInWork(context, spec.id, "start work on");
  const world = await loadSpecWorld(context);
  refuseUnworkableSpec(spec, world, allowedStatuses);
  await refuseLintErrors(context, spec);
  const config = await context.readConfig();
  const defaults = { ...config.defaults, ...(args.provider !== undefined && { provider: args.provider }) };
  const provider = selectProvider({ ...config, defaults }, { model: args.model ?? spec.model, task: "work" });
  // With `parallel` every pending spec that is ready is worked on, this one first.
  const others = world.specs
    .filter((one) => one.id !== spec.id && isReadyWithoutRequest(one, world.readiness))
    .map(({ id }) => id);
  if (parallel !== undefined) refuseExcessParallelism(others, parallel, config.parallel.max);
  await refuseMissingAgent(context, provider, `start work on spec '${spec.id}'`);
  await refuseUnacceptedSetup(context, config);
  const words = [
    ...buildWorkArguments(spec, others, { chain, parallel }),
    ...(skip_criteria ? ["--skip-criteria"] : []),
    ...(args.provider === undefined ? [] : [`--provider=${args.provider}`]),
    ...(args.model === undefined ? [] : [`--model=${args.model}`]),
    ...(args.budget === undefined ? [] : [`--budget=${args.budget}`]),
    ...(resume ? ["--resume"] : []),
  ];
  const mode = parallel === undefined ? (chain ? "chain" : "single") : `parallel(${parallel})`;
  return {
    value: await startBackgroundWork(context, { spec_id: spec.id, mode, commandArguments: ["work", ...words] }),
  };
}

function buildWorkArguments(
  { id }: Spec,
  others: readonly SpecId[],
  { chain, parallel }: { readonly chain: boolean; readonly parallel: number | undefined },
): readonly string[] {
  if (parallel === undefined) return chain ? [id, "--chain"] : [id];
  return [id, ...others, "--parallel", String(parallel)];
}

function refuseExcessParallelism(others: readonly SpecId[], parallel: number, most: number): void {
  if (others.length === 0) {
    const message = "Cannot work in parallel: expected several ready specs, found 1";
    throw createPreconditionError(message);
  }
  if (parallel <= most) return;
  throw createInvalidArgumentError(`Invalid value ${parallel} for "parallel": expected at most ${most}`);
}

export const workListTool = defineTool<PlannerContext>()({
  name: "planner_work_list",
  summary: "List processes that work on specs, with counts. For worktrees and the watch use planner_watch_status.",
  resultDescription:
    '`{"processes":[…],"summary":{"running":1,"completed":0,"failed":0}}`. A failed process says why under `error`.',
  effect: "read",
  idempotent: true,
  params: Type.Object({
    process_id: Type.Optional(Type.String({ description: "Only this process, running or ended" })),
    include_completed: Type.Optional(Type.Boolean({ description: "List ended processes as well" })),
  }),
  async run(context, { process_id, include_completed = false }) {
    const [all, broken] = await Promise.all([context.work.readProcesses(), context.work.listBrokenRecords()]);
    const meant = process_id === undefined ? all : all.filter((record) => record.process_id === process_id);
    if (process_id !== undefined && meant.length === 0) {
      throw new OperationError("not_found", `Process not found: ${shortenText(process_id)}`);
    }
    const showEnded = include_completed || process_id !== undefined;
    const count = (status: ProcessRecord["status"]) => meant.filter((record) => record.status === status).length;
    return {
      value: {
        processes: meant.filter(({ status }) => showEnded || status === "running"),
        summary: { running: count("running"), completed: count("completed"), failed: count("failed") },
        ...buildUnreadableField(broken),
      },
    };
  },
});

export const splitTool = defineTool<PlannerContext>()({
  name: "planner_split",
  summary:
    "Let an agent split a large spec in the background, if a person asks; answers process_id. To write members yourself use planner_add.",
  resultDescription: "The process record, with mode `split`.",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    force: Type.Optional(Type.Boolean({ description: "Split a spec of any status" })),
    recursive: Type.Optional(Type.Boolean({ description: "Split members that are still too large" })),
    max_depth: Type.Optional(
      Type.Integer({ description: "Most levels, when recursive", minimum: 1, default: DEFAULT_SPLIT_DEPTH }),
    ),
  }),
  async run(context, { id, force = false, recursive = false, max_depth = DEFAULT_SPLIT_DEPTH }) {
    const spec = await findSpec(context, id, { archived: false });
    await refuseSpecInWork(context, spec.id, "split");
    await refuseUnsplittableSpec(context, spec, force);
    const provider = selectProvider(await context.readConfig(), { model: null, task: "split" });
    await refuseMissingAgent(context, provider, `split spec '${spec.id}'`);
    const depth = recursive ? ["--recursive", "--max-depth", String(max_depth)] : [];
    const words = ["split", spec.id, ...(force ? ["--force"] : []), ...depth];
    return { value: await startBackgroundWork(context, { spec_id: spec.id, mode: "split", commandArguments: words }) };
  },
});

/** Rejects a spec that cannot be split now; `force` allows any status. Source: docs/decisions.md#s-27. */
export async function refuseUnsplittableSpec(context: PlannerContext, spec: Spec, force: boolean): Promise<void> {
  const { id, status } = spec;
  if (status !== "pending" && !force) {
    throw createPreconditionError(`Spec '${id}' must be in pending status to split. Current status: ${status}`);
  }
  const ids = [...(await context.specs.listIds()), ...(await context.specs.listArchivedIds())];
  const found = listMemberIds(
    spec,
    ids.map((other) => ({ id: other })),
  );
  if (found.length === 0) return;
  throw createPreconditionError(`Spec '${id}' is already split: ${found.join(", ")}`);
}

export const watchStatusTool = defineTool<PlannerContext>()({
  name: "planner_watch_status",
  summary: "Report whether the watch runs, and each worktree's status. For agents' processes use planner_work_list.",
  resultDescription: "`{watch_running, worktrees, worktree_count}`",
  effect: "read",
  idempotent: true,
  params: Type.Object({}),
  async run({ work }) {
    const [pid, worktrees] = await Promise.all([work.readWatchPid(), work.worktrees()]);
    return { value: { watch_running: pid !== null, worktrees, worktree_count: worktrees.length } };
  },
});

/** Milliseconds to wait for the new process to write its PID file. */
const PID_WAIT_MS = 1_000;

const CHECK_INTERVAL_MS = 20;

export const watchStartTool = defineTool<PlannerContext>()({
  name: "planner_watch_start",
  summary:
    "Start the watch, which merges and finalizes finished work, if a person asks; answers its PID. planner_watch_stop ends it.",
  resultDescription: "`Started watch process (PID: <pid>)`, or `Watch is already running`.",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({}),
  async run(context) {
    if ((await context.work.readWatchPid()) !== null) throw createWatchRunningError();
    const pid = await context.startInBackground(["watch"], {});
    const holder = await waitForWatchPid(context);
    // If another process started first, the process that this call started exits.
    if (holder !== null && holder !== pid) throw createWatchRunningError();
    return { value: { pid }, text: `Started watch process (PID: ${pid})` };
  },
});

/** Waits for the watch to write its PID, and returns the PID; null after `PID_WAIT_MS`. */
async function waitForWatchPid({ work }: PlannerContext): Promise<number | null> {
  for (let waited = 0; waited < PID_WAIT_MS; waited += CHECK_INTERVAL_MS) {
    const pid = await work.readWatchPid();
    if (pid !== null) return pid;
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
  }
  return null;
}

function createWatchRunningError(): OperationError {
  return createPreconditionError("Watch is already running");
}

export const watchStopTool = defineTool<PlannerContext>()({
  name: "planner_watch_stop",
  summary: "Stop the watch process; answers its PID. To stop the agent of one spec use planner_pause.",
  resultDescription: "`Sent stop signal to watch process (PID: <pid>)`, or `Watch is not running`.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({}),
  async run({ work, terminateProcess }) {
    const pid = await work.readWatchPid();
    // The process may exit between the two calls.
    if (pid === null || !(await terminateProcess(pid))) {
      throw createPreconditionError("Watch is not running");
    }
    return { value: { pid }, text: `Sent stop signal to watch process (PID: ${pid})` };
  },
});
