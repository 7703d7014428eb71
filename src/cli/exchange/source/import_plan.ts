import { randomInt } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import type { CheckedTask } from "#planner/exchange/check_tasks.ts";
import { buildSpecContent, type SpecContent } from "#planner/exchange/merge_task.ts";
import { listOrigins, type Spec } from "#planner/spec/spec.ts";
import {
  formatSpecId,
  ID_PART_COUNT,
  parseParentId,
  parseSpecId,
  parseSpecIdParts,
  type SpecId,
} from "#planner/spec/spec_id.ts";
import type { ImportRecord, ImportRecords } from "./import_records.ts";

/** A task and the spec that it has or will get. */
export interface PlannedTask {
  readonly task: CheckedTask;
  readonly id: SpecId;
  readonly content: SpecContent;
  readonly record: ImportRecord | undefined;
  /** The existing spec; undefined for a new one. */
  readonly spec: Spec | undefined;
  /** Value of the spec's field `origin` for the task. */
  readonly origin: string;
}

export interface PlanInput {
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
export function planImport({ tasks, origin, records, specs, ids }: PlanInput): readonly PlannedTask[] {
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
export class IdPlanner {
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
