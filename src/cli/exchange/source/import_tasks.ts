import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { checkTasks } from "#planner/exchange/check_tasks.ts";
import { formatNewSpec, listFacets, type MergeResult, mergeTask } from "#planner/exchange/merge_task.ts";
import type { SourceNote, SourceReading } from "#planner/exchange/source.ts";
import { refuseSpecInWork } from "#planner/operations/shared/live_worker.ts";
import { formatLocalDay } from "#planner/operations/shared/local_time.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { listOrigins, type Spec } from "#planner/spec/spec.ts";
import { runBatches } from "../../import/batches.ts";
import type { OpenedProject } from "../../open_project.ts";
import { IdPlanner, type PlannedTask, planImport } from "./import_plan.ts";
import { computeTextFingerprint, type ImportRecords, readImportRecords, writeImportRecords } from "./import_records.ts";
import type { FoundSource } from "./read_source.ts";
import { groupNotes, type SourceReport, type TaskOutcome } from "./source_report.ts";

export interface TaskImportOptions {
  readonly origin: string;
  readonly dryRun: boolean;
  /** True if the source replaces changes made in the spec. */
  readonly overwrite: boolean;
  /** Aborts the import between two batches. */
  readonly signal: AbortSignal;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** Number of specs that are written under one lock, for which other writers wait. */
const BATCH_SIZE = 64;

/** Writes the tasks of a source into the project, and updates tasks that were imported before. */
export async function importTasks(
  { context, root }: OpenedProject,
  { format }: FoundSource,
  reading: SourceReading,
  options: TaskImportOptions,
): Promise<SourceReport> {
  const { origin } = options;
  const { tasks, notes } = checkTasks(reading);
  const records = readImportRecords(root, origin, format.kind);
  const [active, archive] = await Promise.all([context.specs.readActive(), context.specs.readArchived()]);
  const taken = [...(await context.specs.listIds()), ...(await context.specs.listArchivedIds())];
  const ids = new IdPlanner(taken, formatLocalDay(context.clock.now()));
  const plan = planImport({ tasks, origin, records, specs: [...active.specs, ...archive.specs], ids });
  const run = new TaskImportRun(context, plan, new Set(taken), { records, options });
  if (!options.dryRun && plan.length > 0) {
    // The planned ids are written first, so that an interrupted import uses the same ones when it is repeated.
    writeImportRecords(root, origin, format.kind, run.recordPlannedIds());
    try {
      await run.writeTasks();
    } finally {
      writeImportRecords(root, origin, format.kind, run.records);
    }
  } else run.previewTasks();
  return buildSourceReport(run, { format, notes, plan, records, options });
}

interface RunState {
  readonly records: ImportRecords;
  readonly options: TaskImportOptions;
}

class TaskImportRun {
  readonly outcomes: TaskOutcome[] = [];
  readonly records: ImportRecords;
  readonly #context: PlannerContext;
  readonly #plan: readonly PlannedTask[];
  readonly #options: TaskImportOptions;
  /** All ids that have a file, readable or not. */
  readonly #usedIds: ReadonlySet<string>;
  stopped = false;

  constructor(context: PlannerContext, plan: readonly PlannedTask[], taken: ReadonlySet<string>, state: RunState) {
    this.#context = context;
    this.#plan = plan;
    this.#usedIds = taken;
    this.#options = state.options;
    this.records = new Map(state.records);
  }

  recordPlannedIds(): ImportRecords {
    for (const { task, id, record } of this.#plan) if (record === undefined) this.records.set(task.key, { id });
    return this.records;
  }

  previewTasks(): void {
    for (const planned of this.#plan) {
      const outcome = this.#findEarlyOutcome(planned);
      if (outcome !== undefined) this.outcomes.push(outcome);
      else if (planned.spec === undefined) this.#addOutcome(planned, { action: "created" });
      else this.#recordMerge(planned, this.#mergeTask(planned, planned.spec));
    }
  }

  async writeTasks(): Promise<void> {
    const { signal, progress } = this.#options;
    let done = 0;
    await runBatches(this.#plan, { size: BATCH_SIZE, stopped: () => signal.aborted }, async (step) => {
      await this.#writeBatch(step);
      done += step.length;
      progress?.(done, this.#plan.length);
    });
    this.stopped = done < this.#plan.length;
  }

  async #writeBatch(step: readonly PlannedTask[]): Promise<void> {
    const fresh: PlannedTask[] = [];
    const known: SpecUpdate[] = [];
    for (const planned of step) {
      const outcome = this.#findEarlyOutcome(planned);
      const { spec } = planned;
      if (outcome !== undefined) this.outcomes.push(outcome);
      else if (spec === undefined) fresh.push(planned);
      else known.push({ planned, spec, merge: this.#mergeTask(planned, spec) });
    }
    await this.#createSpecs(fresh);
    await this.#updateSpecs(known);
  }

  /** Returns the outcome of a task whose spec was deleted here or is unreadable; undefined for any other task. */
  #findEarlyOutcome(planned: PlannedTask): TaskOutcome | undefined {
    const { record, spec, id } = planned;
    if (spec !== undefined) return undefined;
    if (this.#usedIds.has(id))
      return this.#createOutcome(planned, { action: "refused", reason: "its spec cannot be read" });
    if (record?.said === undefined || this.#options.overwrite) return undefined;
    return this.#createOutcome(planned, { action: "kept", reason: "its spec was deleted here" });
  }

  async #createSpecs(fresh: readonly PlannedTask[]): Promise<void> {
    if (fresh.length === 0) return;
    const texts = new Map<PlannedTask, string>();
    for (const planned of fresh) {
      try {
        texts.set(planned, formatNewSpec(planned.id, planned.content, planned.origin));
      } catch (error) {
        this.#recordRefusal(planned, error);
      }
    }
    const files = [...texts].map(([{ id, task }, text]) => ({ id, archived: task.archived === true, text }));
    const written = await this.#context.specs.createSpecs(files);
    for (const planned of texts.keys()) {
      const outcome = written.get(planned.id);
      if (outcome === true) {
        this.#addOutcome(planned, { action: "created", ...(planned.task.archived ? { archived: true } : {}) });
        this.records.set(planned.task.key, { id: planned.id, said: this.#computeFingerprints(planned) });
      } else this.#recordRefusal(planned, outcome || new OperationError("already_exists", "a spec of this id exists"));
    }
  }

  async #updateSpecs(updates: readonly SpecUpdate[]): Promise<void> {
    const byId = new Map(updates.map((update) => [update.planned.id, update]));
    const edited = updates.filter(({ spec, merge }) => !spec.archived && merge.changed.length > 0);
    const outcomes = await this.#context.specs.editSpecs(
      edited.map(({ planned }) => planned.id),
      (text, id) => {
        const update = byId.get(id);
        return update === undefined ? text : addOrigin(update.merge.applyChanges(text), update);
      },
    );
    for (const update of updates) {
      const outcome = outcomes.get(update.planned.id);
      if (outcome instanceof OperationError) this.#recordRefusal(update.planned, outcome);
      else await this.#finishUpdate(update);
    }
  }

  async #finishUpdate({ planned, spec, merge }: SpecUpdate): Promise<void> {
    const { id, task } = planned;
    if (task.archived !== true || spec.archived || merge.conflicts.length > 0) {
      this.#recordMerge(planned, merge);
      return;
    }
    try {
      await refuseSpecInWork(this.#context, id, "archive");
      await this.#context.specs.moveToArchive(id);
      this.#recordMerge(planned, { ...merge, changed: [...merge.changed, "archived"] });
    } catch (error) {
      this.#recordRefusal(planned, error);
    }
  }

  #recordMerge(planned: PlannedTask, merge: MergeResult): void {
    const { task, id, spec } = planned;
    const { changed, conflicts } = merge;
    if (spec?.archived === true && (changed.length > 0 || task.archived !== true)) {
      const what = task.archived === true ? changed.join(", ") : "the task is open";
      this.#addOutcome(planned, { action: "kept", reason: `it is archived here and changed at the source: ${what}` });
      return;
    }
    this.records.set(task.key, { id, said: merge.nextFingerprints });
    if (conflicts.length > 0) this.#addOutcome(planned, { action: "kept", changed, conflicts });
    else if (changed.length > 0) this.#addOutcome(planned, { action: "updated", changed });
    else this.#addOutcome(planned, { action: "unchanged" });
  }

  #mergeTask({ content, record }: PlannedTask, spec: Spec): MergeResult {
    const { overwrite } = this.#options;
    return mergeTask({
      spec,
      content,
      lastFingerprints: record?.said,
      computeFingerprint: computeTextFingerprint,
      overwrite,
    });
  }

  #computeFingerprints({ content }: PlannedTask): Record<string, string> {
    return Object.fromEntries([...listFacets(content)].map(([facet, text]) => [facet, computeTextFingerprint(text)]));
  }

  #addOutcome(planned: PlannedTask, rest: Omit<TaskOutcome, "key" | "id" | "file" | "line">): void {
    this.outcomes.push(this.#createOutcome(planned, rest));
  }

  #createOutcome({ task, id }: PlannedTask, rest: Omit<TaskOutcome, "key" | "id" | "file" | "line">): TaskOutcome {
    return { key: task.key, id, file: task.file, line: task.line, ...rest };
  }

  #recordRefusal(planned: PlannedTask, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    this.#addOutcome(planned, { action: "refused", reason: error.message });
  }
}

interface SpecUpdate {
  readonly planned: PlannedTask;
  readonly spec: Spec;
  readonly merge: MergeResult;
}

function addOrigin(text: string, { spec, planned: { origin } }: SpecUpdate): string {
  const origins = listOrigins(spec);
  if (origins.includes(origin)) return text;
  return editFields(text, { origin: origins.length === 0 ? origin : [...origins, origin] });
}

interface ReportInput {
  readonly format: FoundSource["format"];
  readonly notes: readonly SourceNote[];
  readonly plan: readonly PlannedTask[];
  readonly records: ImportRecords;
  readonly options: TaskImportOptions;
}

function buildSourceReport(run: TaskImportRun, { format, notes, plan, records, options }: ReportInput): SourceReport {
  const count = (action: TaskOutcome["action"]): number => run.outcomes.filter((one) => one.action === action).length;
  const refusedNotes = notes.filter(({ refused }) => refused === true).length;
  const statuses: Record<string, number> = {};
  for (const { task } of plan) statuses[task.status] = (statuses[task.status] ?? 0) + 1;
  const keys = new Set(plan.map(({ task }) => task.key));
  return {
    kind: format.kind,
    origin: options.origin,
    state: run.stopped ? "stopped" : options.dryRun ? "tried" : "done",
    counts: {
      tasks: plan.length,
      created: count("created"),
      updated: count("updated"),
      unchanged: count("unchanged"),
      kept: count("kept"),
      refused: count("refused") + refusedNotes,
    },
    statuses,
    tasks: run.outcomes,
    not_carried: groupNotes(notes),
    vanished: [...records].filter(([key]) => !keys.has(key)).map(([key, { id }]) => ({ key, id })),
  };
}
