import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { checkTasks } from "#planner/exchange/check_tasks.ts";
import { type MergeResult, mergeTask } from "#planner/exchange/merge_task.ts";
import type { SourceNote, SourceReading } from "#planner/exchange/source.ts";
import { formatNewSpec, listFacets } from "#planner/exchange/spec_content.ts";
import { refuseSpecInWork } from "#planner/operations/shared/live_worker.ts";
import { formatLocalDay } from "#planner/operations/shared/local_time.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { listOrigins, type Spec } from "#planner/spec/spec.ts";
import { runBatches } from "../../import/batches.ts";
import type { OpenProject } from "../../open_project.ts";
import { IdPlanner, type PlannedTask, planImport } from "./import_plan.ts";
import { computeFingerprint, type ImportRecords, readRecords, writeRecords } from "./import_records.ts";
import type { FoundSource } from "./read_source.ts";
import { groupNotes, type SourceReport, type TaskOutcome } from "./source_report.ts";

export interface ImportOptions {
  readonly origin: string;
  readonly dryRun: boolean;
  /** True if the source replaces changes made in the spec. */
  readonly overwrite: boolean;
  /** Aborts the import between two batches. */
  readonly signal: AbortSignal;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** Number of specs that are written under one lock, for which other writers wait. */
const STEP = 64;

/** Writes the tasks of a source into the project, and updates tasks that were imported before. */
export async function importTasks(
  { context, root }: OpenProject,
  { format }: FoundSource,
  reading: SourceReading,
  options: ImportOptions,
): Promise<SourceReport> {
  const { origin } = options;
  const { tasks, notes } = checkTasks(reading);
  const records = readRecords(root, origin, format.kind);
  const [active, archive] = await Promise.all([context.specs.active(), context.specs.archived()]);
  const taken = [...(await context.specs.ids()), ...(await context.specs.archivedIds())];
  const ids = new IdPlanner(taken, formatLocalDay(context.clock.now()));
  const plan = planImport({ tasks, origin, records, specs: [...active.specs, ...archive.specs], ids });
  const run = new ImportRun(context, plan, new Set(taken), { records, options });
  if (!options.dryRun && plan.length > 0) {
    // The planned ids are written first, so that an interrupted import uses the same ones when it is repeated.
    writeRecords(root, origin, format.kind, run.planned());
    try {
      await run.write();
    } finally {
      writeRecords(root, origin, format.kind, run.records);
    }
  } else run.tryOut();
  return buildReport(run, { format, notes, plan, records, options });
}

interface RunState {
  readonly records: ImportRecords;
  readonly options: ImportOptions;
}

class ImportRun {
  readonly outcomes: TaskOutcome[] = [];
  readonly records: ImportRecords;
  readonly #context: PlannerContext;
  readonly #plan: readonly PlannedTask[];
  readonly #options: ImportOptions;
  /** All ids that have a file, readable or not. */
  readonly #taken: ReadonlySet<string>;
  stopped = false;

  constructor(context: PlannerContext, plan: readonly PlannedTask[], taken: ReadonlySet<string>, state: RunState) {
    this.#context = context;
    this.#plan = plan;
    this.#taken = taken;
    this.#options = state.options;
    this.records = new Map(state.records);
  }

  planned(): ImportRecords {
    for (const { task, id, record } of this.#plan) if (record === undefined) this.records.set(task.key, { id });
    return this.records;
  }

  tryOut(): void {
    for (const planned of this.#plan) {
      const outcome = this.#settled(planned);
      if (outcome !== undefined) this.outcomes.push(outcome);
      else if (planned.spec === undefined) this.#add(planned, { action: "created" });
      else this.#merged(planned, this.#merge(planned, planned.spec));
    }
  }

  async write(): Promise<void> {
    const { signal, progress } = this.#options;
    let done = 0;
    await runBatches(this.#plan, { size: STEP, stopped: () => signal.aborted }, async (step) => {
      await this.#step(step);
      done += step.length;
      progress?.(done, this.#plan.length);
    });
    this.stopped = done < this.#plan.length;
  }

  async #step(step: readonly PlannedTask[]): Promise<void> {
    const fresh: PlannedTask[] = [];
    const known: Update[] = [];
    for (const planned of step) {
      const outcome = this.#settled(planned);
      const { spec } = planned;
      if (outcome !== undefined) this.outcomes.push(outcome);
      else if (spec === undefined) fresh.push(planned);
      else known.push({ planned, spec, merge: this.#merge(planned, spec) });
    }
    await this.#create(fresh);
    await this.#update(known);
  }

  /** Returns the outcome of a task whose spec was deleted here or is unreadable; undefined for any other task. */
  #settled(planned: PlannedTask): TaskOutcome | undefined {
    const { record, spec, id } = planned;
    if (spec !== undefined) return undefined;
    if (this.#taken.has(id)) return this.#outcome(planned, { action: "refused", reason: "its spec cannot be read" });
    if (record?.said === undefined || this.#options.overwrite) return undefined;
    return this.#outcome(planned, { action: "kept", reason: "its spec was deleted here" });
  }

  async #create(fresh: readonly PlannedTask[]): Promise<void> {
    if (fresh.length === 0) return;
    const texts = new Map<PlannedTask, string>();
    for (const planned of fresh) {
      try {
        texts.set(planned, formatNewSpec(planned.id, planned.content, planned.origin));
      } catch (error) {
        this.#refuse(planned, error);
      }
    }
    const files = [...texts].map(([{ id, task }, text]) => ({ id, archived: task.archived === true, text }));
    const written = await this.#context.specs.createEach(files);
    for (const planned of texts.keys()) {
      const outcome = written.get(planned.id);
      if (outcome === true) {
        this.#add(planned, { action: "created", ...(planned.task.archived ? { archived: true } : {}) });
        this.records.set(planned.task.key, { id: planned.id, said: this.#said(planned) });
      } else this.#refuse(planned, outcome || new OperationError("already_exists", "a spec of this id exists"));
    }
  }

  async #update(updates: readonly Update[]): Promise<void> {
    const byId = new Map(updates.map((update) => [update.planned.id, update]));
    const edited = updates.filter(({ spec, merge }) => !spec.archived && merge.changed.length > 0);
    const outcomes = await this.#context.specs.editEach(
      edited.map(({ planned }) => planned.id),
      (text, id) => {
        const update = byId.get(id);
        return update === undefined ? text : addOrigin(update.merge.apply(text), update);
      },
    );
    for (const update of updates) {
      const outcome = outcomes.get(update.planned.id);
      if (outcome instanceof OperationError) this.#refuse(update.planned, outcome);
      else await this.#finish(update);
    }
  }

  async #finish({ planned, spec, merge }: Update): Promise<void> {
    const { id, task } = planned;
    if (task.archived !== true || spec.archived || merge.conflicts.length > 0) {
      this.#merged(planned, merge);
      return;
    }
    try {
      await refuseSpecInWork(this.#context, id, "archive");
      await this.#context.specs.moveToArchive(id);
      this.#merged(planned, { ...merge, changed: [...merge.changed, "archived"] });
    } catch (error) {
      this.#refuse(planned, error);
    }
  }

  #merged(planned: PlannedTask, merge: MergeResult): void {
    const { task, id, spec } = planned;
    const { changed, conflicts } = merge;
    if (spec?.archived === true && (changed.length > 0 || task.archived !== true)) {
      const what = task.archived === true ? changed.join(", ") : "the task is open";
      this.#add(planned, { action: "kept", reason: `it is archived here and changed at the source: ${what}` });
      return;
    }
    this.records.set(task.key, { id, said: merge.known });
    if (conflicts.length > 0) this.#add(planned, { action: "kept", changed, conflicts });
    else if (changed.length > 0) this.#add(planned, { action: "updated", changed });
    else this.#add(planned, { action: "unchanged" });
  }

  #merge({ content, record }: PlannedTask, spec: Spec): MergeResult {
    const { overwrite } = this.#options;
    return mergeTask({ spec, content, known: record?.said, fingerprint: computeFingerprint, overwrite });
  }

  #said({ content }: PlannedTask): Record<string, string> {
    return Object.fromEntries([...listFacets(content)].map(([facet, text]) => [facet, computeFingerprint(text)]));
  }

  #add(planned: PlannedTask, rest: Omit<TaskOutcome, "key" | "id" | "file" | "line">): void {
    this.outcomes.push(this.#outcome(planned, rest));
  }

  #outcome({ task, id }: PlannedTask, rest: Omit<TaskOutcome, "key" | "id" | "file" | "line">): TaskOutcome {
    return { key: task.key, id, file: task.file, line: task.line, ...rest };
  }

  #refuse(planned: PlannedTask, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    this.#add(planned, { action: "refused", reason: error.message });
  }
}

interface Update {
  readonly planned: PlannedTask;
  readonly spec: Spec;
  readonly merge: MergeResult;
}

function addOrigin(text: string, { spec, planned: { origin } }: Update): string {
  const origins = listOrigins(spec);
  if (origins.includes(origin)) return text;
  return editFields(text, { origin: origins.length === 0 ? origin : [...origins, origin] });
}

interface ReportInput {
  readonly format: FoundSource["format"];
  readonly notes: readonly SourceNote[];
  readonly plan: readonly PlannedTask[];
  readonly records: ImportRecords;
  readonly options: ImportOptions;
}

function buildReport(run: ImportRun, { format, notes, plan, records, options }: ReportInput): SourceReport {
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
