import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { STORED_STATUSES, type StoredStatus } from "../spec/status.ts";
import type { Usage } from "../work/usage.ts";
import { unreadablePart } from "./shared/listing.ts";
import { localTime } from "./shared/local_time.ts";
import { loadWorld, type World } from "./shared/world.ts";

/** One spec in progress: when its file and its log last changed. */
interface Activity {
  readonly id: SpecId;
  readonly title: string | null;
  readonly spec_modified: string;
  readonly log_modified: string | null;
  readonly has_log: boolean;
  /** What its agent reported so far; left out if no run is under way or the agent reports nothing. */
  readonly usage?: Usage;
}

export const status = defineTool<PlannerContext>()({
  name: "planner_status",
  summary: "Count specs by status, as JSON or one line. For the specs themselves use planner_spec_list.",
  answers:
    '`{"total":3,"pending":1,"in_progress":1,"completed":1,"failed":0,…}`; with `brief` one line, `1 pending | 1 in_progress | 1 completed`. `include_activity` adds `in_progress_activity` (`{id, title, spec_modified, log_modified, has_log}`), `failed_processes` (`{spec_id, process_id, completed_at, error}`) and `outside_changes` (`{spec_id, process_id, changes}`).',
  effect: "read",
  idempotent: true,
  params: Type.Object({
    brief: Type.Optional(Type.Boolean({ description: "One line instead of JSON" })),
    include_activity: Type.Optional(Type.Boolean({ description: "Add when each spec in progress last changed" })),
  }),
  async run(context, { brief = false, include_activity = false }) {
    const world = await loadWorld(context);
    const counts = countsOf(world);
    const activity = include_activity ? await activityOf(context, world.specs) : undefined;
    const value = {
      ...counts,
      ...(activity === undefined ? {} : { in_progress_activity: activity }),
      ...(include_activity ? failedPart(await lastFailures(context, world.specs)) : {}),
      ...(brief ? {} : outsidePart(await outsideChanges(context, world.specs))),
      ...unreadablePart(world.unreadable),
    };
    return brief ? { value, text: briefText(counts, activity ?? []) } : { value };
  },
});

type Counts = Readonly<Record<"total" | StoredStatus, number>>;

/** Counts specs by the status that lists show, and all of them. */
export function countsOf({ specs, readiness }: World): Counts {
  const counts = {
    total: specs.length,
    ...(Object.fromEntries(STORED_STATUSES.map((word) => [word, 0])) as Record<StoredStatus, number>),
  };
  for (const spec of specs) {
    const word = readiness.effectiveStatus(spec);
    if (isStored(word)) counts[word] += 1;
  }
  return counts;
}

function isStored(word: string): word is StoredStatus {
  return (STORED_STATUSES as readonly string[]).includes(word);
}

async function activityOf(context: PlannerContext, specs: readonly Spec[]): Promise<readonly Activity[]> {
  const working = specs.filter((spec) => spec.status === "in_progress");
  const rows = await Promise.all(working.map((spec) => activityRow(context, spec)));
  const spent = working.length === 0 ? new Map<string, Usage>() : await runningUsage(context);
  return rows.flatMap((row) => {
    if (row === null) return [];
    const usage = spent.get(row.id);
    return [usage === undefined ? row : { ...row, usage }];
  });
}

async function runningUsage(context: PlannerContext): Promise<ReadonlyMap<string, Usage>> {
  const reports = await context.reports();
  return new Map(
    reports.flatMap(({ spec_id, running, usage }) => (running && usage !== null ? [[spec_id, usage]] : [])),
  );
}

interface FailedProcess {
  readonly spec_id: string;
  readonly process_id: string;
  readonly completed_at: string;
  readonly error: string;
}

function failedPart(failed: readonly FailedProcess[]): { readonly failed_processes?: readonly FailedProcess[] } {
  return failed.length === 0 ? {} : { failed_processes: failed };
}

/** Of every spec that is not done, the last process where that failed and is known why. */
async function lastFailures(context: PlannerContext, specs: readonly Spec[]): Promise<readonly FailedProcess[]> {
  const last = new Map((await context.work.processes()).map((record) => [record.spec_id, record]));
  return specs
    .filter(({ status }) => status !== "completed" && status !== "cancelled")
    .flatMap(({ id }) => {
      const record = last.get(id);
      if (record?.status !== "failed" || record.error === undefined) return [];
      const { spec_id, process_id, completed_at, error } = record;
      return [{ spec_id, process_id, completed_at, error }];
    });
}

interface OutsideChanges {
  readonly spec_id: string;
  readonly process_id: string;
  readonly changes: readonly string[];
}

function outsidePart(found: readonly OutsideChanges[]): { readonly outside_changes?: readonly OutsideChanges[] } {
  return found.length === 0 ? {} : { outside_changes: found };
}

/** What changed outside of the branch of the last run of each spec that is not archived. */
async function outsideChanges(context: PlannerContext, specs: readonly Spec[]): Promise<readonly OutsideChanges[]> {
  const reports = await context.reports();
  const last = new Map(reports.map((report) => [report.spec_id, report]));
  return specs.flatMap(({ id }) => {
    const { spec_id, process_id, outside: changes } = last.get(id) ?? { outside: [] };
    return spec_id === undefined || process_id === undefined || changes.length === 0
      ? []
      : [{ spec_id, process_id, changes }];
  });
}

/** Null for a spec that went away after the specs were read. */
async function activityRow(context: PlannerContext, { id, title }: Spec): Promise<Activity | null> {
  try {
    const [modified, log] = await Promise.all([context.specs.modified(id), context.logs.open(id).catch(unreadableLog)]);
    return {
      id,
      title,
      spec_modified: localTime(modified),
      log_modified: log?.modified == null ? null : localTime(log.modified),
      has_log: log !== null,
    };
  } catch (error) {
    if (error instanceof OperationError && error.kind === "not_found") return null;
    throw error;
  }
}

/** A log that is there and cannot be read, so that one unreadable log does not hide the rest. */
function unreadableLog(error: unknown): { readonly modified: null } {
  if (error instanceof OperationError) return { modified: null };
  throw error;
}

/** One line of counts and, with activity, a line per spec in progress. Source: docs/contract/spec-tool.md#tools. */
function briefText(counts: Counts, activity: readonly Activity[]): string {
  const line = `${counts.pending} pending | ${counts.in_progress} in_progress | ${counts.completed} completed`;
  const lines = activity.map(
    ({ id, title, spec_modified, log_modified, has_log }) =>
      `${id} ${title ?? "(no title)"} | spec ${spec_modified} | ${has_log ? `log ${log_modified ?? "unreadable"}` : "no log"}`,
  );
  return [line, ...lines].join("\n");
}
