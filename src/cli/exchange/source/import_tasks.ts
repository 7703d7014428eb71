import { createHash, randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { runBatches } from "#kernel/batches.ts";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { SOURCE_KINDS, type SourceKind, type SourceNote, type SourceReading } from "#planner/exchange/source.ts";
import {
  buildSpecContent,
  type CheckedTask,
  checkTasks,
  formatNewSpec,
  listFacets,
  type MergeResult,
  mergeTask,
  type SpecContent,
} from "#planner/exchange/tasks.ts";
import { formatLocalDay, refuseSpecInWork } from "#planner/operations/shared/live_worker.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { listOrigins, type Spec } from "#planner/spec/spec.ts";
import {
  formatSpecId,
  ID_PART_COUNT,
  parseParentId,
  parseSpecId,
  parseSpecIdParts,
  type SpecId,
} from "#planner/spec/spec_id.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import type { OpenedProject } from "../../open_project.ts";
import { writeFile } from "../../output/write_file.ts";
import type { FoundSource } from "./read_source.ts";
import { groupNotes, type SourceReport, type TaskOutcome } from "./source_report.ts";

interface TaskImportOptions {
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

class TaskImportRun {
  readonly outcomes: TaskOutcome[] = [];
  readonly records: ImportRecords;
  readonly #context: PlannerContext;
  readonly #plan: readonly PlannedTask[];
  readonly #options: TaskImportOptions;
  /** All ids that have a file, readable or not. */
  readonly #usedIds: ReadonlySet<string>;
  stopped = false;

  constructor(
    context: PlannerContext,
    plan: readonly PlannedTask[],
    taken: ReadonlySet<string>,
    state: Pick<ReportInput, "records" | "options">,
  ) {
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

/** A task and the spec that it has or will get. */
interface PlannedTask {
  readonly task: CheckedTask;
  readonly id: SpecId;
  readonly content: SpecContent;
  readonly record: ImportRecord | undefined;
  /** The existing spec; undefined for a new one. */
  readonly spec: Spec | undefined;
  /** Value of the spec's field `origin` for the task. */
  readonly origin: string;
}

interface PlanInput {
  readonly tasks: readonly CheckedTask[];
  readonly origin: string;
  readonly records: ImportRecords;
  /** All specs, active and archived. */
  readonly specs: readonly Spec[];
  readonly ids: IdPlanner;
}

/**
 * Finds or plans the spec of every task. A spec is found by the record of the last import, or by its field `origin`.
 * Dependencies are listed before their dependents, so that an interrupted import leaves no reference to a missing spec.
 */
function planImport({ tasks, origin, records, specs, ids }: PlanInput): readonly PlannedTask[] {
  const byId = new Map(specs.map((spec) => [spec.id, spec]));
  const byOrigin = new Map(specs.flatMap((spec) => listOrigins(spec).map((name) => [name, spec.id] as const)));
  const idByKey = new Map<string, SpecId>();
  for (const task of tasks) {
    const known = records.get(task.key)?.id ?? byOrigin.get(`${origin}:${task.key}`) ?? findKeptId(task, byId);
    idByKey.set(task.key, known ?? ids.planId(task, task.parent === undefined ? undefined : idByKey.get(task.parent)));
  }
  const parents = new Set(tasks.map(({ parent }) => parent));
  return sortDependenciesFirst(tasks).flatMap((task) => {
    const id = idByKey.get(task.key);
    if (id === undefined) return [];
    const content = buildSpecContent(task, { findSpecId: (key) => idByKey.get(key), hasParts: parents.has(task.key) });
    return [{ task, id, content, record: records.get(task.key), spec: byId.get(id), origin: `${origin}:${task.key}` }];
  });
}

/** Returns the id of a task that was a spec in a clone of this project, if the project has a spec with that id. */
function findKeptId({ specId }: CheckedTask, byId: ReadonlyMap<SpecId, Spec>): SpecId | undefined {
  return specId !== undefined && byId.has(specId as SpecId) ? (specId as SpecId) : undefined;
}

function sortDependenciesFirst(tasks: readonly CheckedTask[]): readonly CheckedTask[] {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const placed = new Set<CheckedTask>();
  for (const first of tasks) {
    const stack = [{ task: first, next: 0 }];
    const open = new Set([first]);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const dependency = byKey.get(top.task.dependsOn[top.next++] ?? "");
      if (dependency !== undefined && !placed.has(dependency) && !open.has(dependency)) {
        open.add(dependency);
        stack.push({ task: dependency, next: 0 });
      } else if (top.next >= top.task.dependsOn.length) {
        placed.add(top.task);
        stack.pop();
      }
    }
  }
  return [...placed];
}

/** Plans ids of new tasks from their day of creation, and from their parent's id if they are parts. */
class IdPlanner {
  readonly #taken: Set<string>;
  readonly #today: string;
  readonly #counters = new Map<string, number>();
  readonly #members = new Map<string, number>();

  /** @param taken all existing ids, including those of the archive */
  constructor(taken: Iterable<SpecId>, today: string) {
    this.#taken = new Set(taken);
    this.#today = today;
    for (const id of this.#taken) this.#recordId(id as SpecId);
  }

  /** @param parent id of the spec that the new one is part of */
  planId(task: CheckedTask, parent: SpecId | undefined): SpecId {
    const id = this.#getSourceId(task) ?? this.#planMemberId(parent) ?? this.#planRootId(task.created ?? this.#today);
    this.#taken.add(id);
    this.#recordId(id);
    return id;
  }

  #getSourceId({ specId }: CheckedTask): SpecId | undefined {
    if (specId === undefined || parseSpecIdParts(specId) === undefined || this.#taken.has(specId)) return undefined;
    return parseSpecId(specId);
  }

  #planMemberId(parent: SpecId | undefined): SpecId | undefined {
    if (parent === undefined || parseSpecIdParts(parent) === undefined) return undefined;
    return parseSpecId(`${parent}.${(this.#members.get(parent) ?? 0) + 1}`);
  }

  #planRootId(day: string): SpecId {
    const counter = (this.#counters.get(day) ?? 0) + 1;
    if (counter >= ID_PART_COUNT) {
      throw new OperationError("resource_exhausted", `Cannot import: ${day} has no counter behind "zzz" left`);
    }
    return formatSpecId(day, counter, randomInt(ID_PART_COUNT));
  }

  #recordId(id: SpecId): void {
    const parts = parseSpecIdParts(id);
    if (parts === undefined) return;
    const parent = parseParentId(id);
    const [map, key, number] =
      parent === undefined
        ? [this.#counters, parts.day, parts.counter]
        : [this.#members, parent, parts.members.at(-1) ?? 0];
    map.set(key, Math.max(map.get(key) ?? 0, number));
  }
}

/** Data about one task from the last import. */
interface ImportRecord {
  readonly id: SpecId;
  /** Fingerprints of the source's texts; undefined if the spec is only planned. */
  readonly said?: Readonly<Record<string, string>> | undefined;
}

type ImportRecords = Map<string, ImportRecord>;

const RECORDS_FILE_SCHEMA = Type.Object({
  format: Type.Literal("planner-import"),
  version: Type.Literal(1),
  kind: Type.Union(SOURCE_KINDS.map((kind) => Type.Literal(kind))),
  tasks: Type.Record(
    Type.String(),
    Type.Object({ id: Type.String(), said: Type.Optional(Type.Record(Type.String(), Type.String())) }),
  ),
});

/** Returns the path of the records from the project's root. */
function getImportRecordsPath(origin: string): string {
  return `.planner/imports/${origin}.json`;
}

/** Reads the records of an origin's last import; empty without one. @throws OperationError for an unfit file */
function readImportRecords(root: string, origin: string, kind: SourceKind): ImportRecords {
  const file = getImportRecordsPath(origin);
  if (!existsSync(join(root, file))) return new Map();
  const data = parseImportRecords(root, file);
  if (data.kind !== kind) {
    const message = `The origin "${origin}" is a source of ${data.kind}: name another one for ${kind} with --origin`;
    throw new OperationError("failed_precondition", message);
  }
  return new Map(
    Object.entries(data.tasks).flatMap(([key, { id, said }]) => {
      const known = parseSpecId(id);
      return known === undefined ? [] : [[key, { id: known, said }]];
    }),
  );
}

function parseImportRecords(root: string, file: string): Static<typeof RECORDS_FILE_SCHEMA> {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(join(root, file), "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "expected JSON" : describeSystemError(error);
    throw new OperationError("failed_precondition", `Cannot read "${file}": ${why}`, { cause: error });
  }
  if (Value.Check(RECORDS_FILE_SCHEMA, data)) return data;
  throw new OperationError("failed_precondition", `Cannot read "${file}": expected what \`planner import\` writes`);
}

/** Writes the records, sorted and one task per line, so that git can merge two people's imports. */
function writeImportRecords(root: string, origin: string, kind: SourceKind, records: ImportRecords): void {
  const keys = [...records.keys()].sort();
  const lines = keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(records.get(key))}`);
  const head = `{ "format": "planner-import", "version": 1, "kind": ${JSON.stringify(kind)}, "tasks": {`;
  writeFile(join(root, getImportRecordsPath(origin)), `${head}\n${lines.join(",\n")}\n} }\n`);
}

function computeTextFingerprint(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
