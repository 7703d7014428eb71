import type { CheckedTask } from "#planner/exchange/check_tasks.ts";
import { contentOf, type SpecContent } from "#planner/exchange/spec_content.ts";
import { originsOf } from "#planner/spec/origins.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { ImportRecord, ImportRecords } from "./import_records.ts";
import type { IdPlanner } from "./plan_ids.ts";

/** A task with the spec that it is or becomes. */
export interface PlannedTask {
  readonly task: CheckedTask;
  readonly id: SpecId;
  readonly content: SpecContent;
  readonly record: ImportRecord | undefined;
  /** The spec as it is; undefined for a new one. */
  readonly spec: Spec | undefined;
  /** How the spec names the task. */
  readonly origin: string;
}

export interface PlanInput {
  readonly tasks: readonly CheckedTask[];
  readonly origin: string;
  readonly records: ImportRecords;
  /** Every spec, active and archived. */
  readonly specs: readonly Spec[];
  readonly ids: IdPlanner;
}

/**
 * Finds or plans the spec of every task. A spec is known by the record of the last import, or by its field `origin`.
 * Dependencies come before what depends on them, so that an import that is cut off leaves no reference without a spec.
 */
export function planImport({ tasks, origin, records, specs, ids }: PlanInput): readonly PlannedTask[] {
  const byId = new Map(specs.map((spec) => [spec.id, spec]));
  const byOrigin = new Map(specs.flatMap((spec) => originsOf(spec).map((name) => [name, spec.id] as const)));
  const idByKey = new Map<string, SpecId>();
  for (const task of tasks) {
    const known = records.get(task.key)?.id ?? byOrigin.get(`${origin}:${task.key}`) ?? keptId(task, byId);
    idByKey.set(task.key, known ?? ids.next(task, task.parent === undefined ? undefined : idByKey.get(task.parent)));
  }
  const parents = new Set(tasks.map(({ parent }) => parent));
  return dependenciesFirst(tasks).flatMap((task) => {
    const id = idByKey.get(task.key);
    if (id === undefined) return [];
    const content = contentOf(task, { idOf: (key) => idByKey.get(key), hasParts: parents.has(task.key) });
    return [{ task, id, content, record: records.get(task.key), spec: byId.get(id), origin: `${origin}:${task.key}` }];
  });
}

/** A source of specs keeps its ids: a spec of that id that came with a clone of the same project is the same one. */
function keptId({ specId }: CheckedTask, byId: ReadonlyMap<SpecId, Spec>): SpecId | undefined {
  return specId !== undefined && byId.has(specId as SpecId) ? (specId as SpecId) : undefined;
}

function dependenciesFirst(tasks: readonly CheckedTask[]): readonly CheckedTask[] {
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
