import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { getCountedStatus, isDoneStatus, type Spec, STORED_STATUSES, type StoredStatus } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { Usage } from "../work/usage.ts";
import { buildUnreadableField } from "./shared/listing.ts";
import { formatLocalTime } from "./shared/live_worker.ts";
import { loadSpecWorld, type SpecWorld } from "./shared/world.ts";

/** Times at which the file and the log of a spec in progress last changed. */
interface SpecActivity {
  readonly id: SpecId;
  readonly title: string | null;
  readonly spec_modified: string;
  readonly log_modified: string | null;
  readonly has_log: boolean;
  /** Usage that the agent has reported so far; absent without a run, and if the agent reports none. */
  readonly usage?: Usage;
}

export const statusTool = defineTool<PlannerContext>()({
  name: "planner_status",
  summary: "Count specs by status, as JSON or one line. For the specs themselves use planner_spec_list.",
  resultDescription:
    '`{"total":3,"pending":1,"in_progress":1,"completed":1,"failed":0,…}`; with `brief` one line, `1 pending | 1 in_progress | 1 completed`. `include_activity` adds `in_progress_activity` (`{id, title, spec_modified, log_modified, has_log}`), `failed_processes` (`{spec_id, process_id, completed_at, error}`) and `outside_changes` (`{spec_id, process_id, changes}`).',
  effect: "read",
  idempotent: true,
  params: Type.Object({
    brief: Type.Optional(Type.Boolean({ description: "One line instead of JSON" })),
    include_activity: Type.Optional(Type.Boolean({ description: "Add when each spec in progress last changed" })),
  }),
  async run(context, { brief = false, include_activity = false }) {
    const world = await loadSpecWorld(context);
    const counts = countSpecs(world);
    const activity = include_activity ? await readActivity(context, world.specs) : undefined;
    const failures = include_activity ? await findLastFailures(context, world.specs) : [];
    const outside = brief ? [] : await findOutsideChanges(context, world.specs);
    const value = {
      ...counts,
      ...(activity === undefined ? {} : { in_progress_activity: activity }),
      ...(failures.length > 0 && { failed_processes: failures }),
      ...(outside.length > 0 && { outside_changes: outside }),
      ...buildUnreadableField(world.unreadable),
    };
    return brief ? { value, text: formatBriefStatus(counts, activity ?? []) } : { value };
  },
});

type StatusCounts = Readonly<Record<"total" | StoredStatus, number>>;

/** Counts specs by status, as lists filter them, and in total: the sum of all counts. */
export function countSpecs({ specs, readiness }: SpecWorld): StatusCounts {
  const counts = {
    total: specs.length,
    ...(Object.fromEntries(STORED_STATUSES.map((word) => [word, 0])) as Record<StoredStatus, number>),
  };
  for (const spec of specs) {
    counts[getCountedStatus(readiness.getEffectiveStatus(spec))] += 1;
  }
  return counts;
}

async function readActivity(context: PlannerContext, specs: readonly Spec[]): Promise<readonly SpecActivity[]> {
  const specsInProgress = specs.filter((spec) => spec.status === "in_progress");
  const rows = await Promise.all(specsInProgress.map((spec) => readActivityRow(context, spec)));
  const usageBySpec = specsInProgress.length === 0 ? new Map<string, Usage>() : await readRunningUsage(context);
  return rows.flatMap((row) => {
    if (row === null) return [];
    const usage = usageBySpec.get(row.id);
    return [usage === undefined ? row : { ...row, usage }];
  });
}

async function readRunningUsage(context: PlannerContext): Promise<ReadonlyMap<string, Usage>> {
  const reports = await context.readRunReports();
  return new Map(
    reports.flatMap(({ spec_id, running, usage }) => (running && usage !== null ? [[spec_id, usage]] : [])),
  );
}

/** Returns the last process of every unfinished spec if that process failed with a known error. */
async function findLastFailures(context: PlannerContext, specs: readonly Spec[]) {
  const last = new Map((await context.work.readProcesses()).map((record) => [record.spec_id, record]));
  return specs
    .filter(({ status }) => !isDoneStatus(status))
    .flatMap(({ id }) => {
      const record = last.get(id);
      if (record?.status !== "failed" || record.error === undefined) return [];
      const { spec_id, process_id, completed_at, error } = record;
      return [{ spec_id, process_id, completed_at, error }];
    });
}

/** Returns the changes that the last run of each active spec made outside its branch. */
async function findOutsideChanges(context: PlannerContext, specs: readonly Spec[]) {
  const reports = await context.readRunReports();
  const last = new Map(reports.map((report) => [report.spec_id, report]));
  return specs.flatMap(({ id }) => {
    const { spec_id, process_id, outside: changes } = last.get(id) ?? { outside: [] };
    return spec_id === undefined || process_id === undefined || changes.length === 0
      ? []
      : [{ spec_id, process_id, changes }];
  });
}

/** Reads the activity of a spec; null if it was removed meanwhile. */
async function readActivityRow(context: PlannerContext, { id, title }: Spec): Promise<SpecActivity | null> {
  try {
    const [modified, log] = await Promise.all([
      context.specs.readModifiedTime(id),
      context.logs.open(id).catch(createUnreadableLog),
    ]);
    return {
      id,
      title,
      spec_modified: formatLocalTime(modified),
      log_modified: log?.modified == null ? null : formatLocalTime(log.modified),
      has_log: log !== null,
    };
  } catch (error) {
    if (error instanceof OperationError && error.kind === "not_found") return null;
    throw error;
  }
}

/** Returns a log without a time if the log cannot be read, so that the other logs are still reported. */
function createUnreadableLog(error: unknown): { readonly modified: null } {
  if (error instanceof OperationError) return { modified: null };
  throw error;
}

/** Formats a line of counts and, with activity, of each spec in progress. Source: docs/contract/spec-tool.md#tools. */
function formatBriefStatus(counts: StatusCounts, activity: readonly SpecActivity[]): string {
  const line = `${counts.pending} pending | ${counts.in_progress} in_progress | ${counts.completed} completed`;
  const lines = activity.map(
    ({ id, title, spec_modified, log_modified, has_log }) =>
      `${id} ${title ?? "(no title)"} | spec ${spec_modified} | ${has_log ? `log ${log_modified ?? "unreadable"}` : "no log"}`,
  );
  return [line, ...lines].join("\n");
}
