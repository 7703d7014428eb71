import { randomInt } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import type { CheckedTask } from "#planner/exchange/check_tasks.ts";
import { parentOf, parseSpecId, type SpecId, specIdParts } from "#planner/spec/spec_id.ts";

const WIDTH = 3;
const COUNT = 36 ** WIDTH;

/** Gives ids to new tasks: by their day of creation, and as members of their parents. */
export class IdPlanner {
  readonly #taken: Set<string>;
  readonly #today: string;
  readonly #counters = new Map<string, number>();
  readonly #members = new Map<string, number>();

  /** @param taken every id there is, the archive's included */
  constructor(taken: Iterable<SpecId>, today: string) {
    this.#taken = new Set(taken);
    this.#today = today;
    for (const id of this.#taken) this.#count(id as SpecId);
  }

  /** @param parent the id of the spec that the new one is a part of */
  next(task: CheckedTask, parent: SpecId | undefined): SpecId {
    const id = this.#wanted(task) ?? this.#member(parent) ?? this.#root(task.created ?? this.#today);
    this.#taken.add(id);
    this.#count(id);
    return id;
  }

  #wanted({ specId }: CheckedTask): SpecId | undefined {
    if (specId === undefined || specIdParts(specId) === undefined || this.#taken.has(specId)) return undefined;
    return parseSpecId(specId);
  }

  #member(parent: SpecId | undefined): SpecId | undefined {
    if (parent === undefined || specIdParts(parent) === undefined) return undefined;
    return parseSpecId(`${parent}.${(this.#members.get(parent) ?? 0) + 1}`);
  }

  #root(day: string): SpecId {
    const counter = (this.#counters.get(day) ?? 0) + 1;
    if (counter >= COUNT) {
      throw new OperationError("resource_exhausted", `Cannot import: ${day} has no counter behind "zzz" left`);
    }
    return `${day}-${base36(counter)}-${base36(randomInt(COUNT))}` as SpecId;
  }

  #count(id: SpecId): void {
    const parts = specIdParts(id);
    if (parts === undefined) return;
    const parent = parentOf(id);
    const [map, key, number] =
      parent === undefined
        ? [this.#counters, parts.day, parts.counter]
        : [this.#members, parent, parts.members.at(-1) ?? 0];
    map.set(key, Math.max(map.get(key) ?? 0, number));
  }
}

function base36(value: number): string {
  return value.toString(36).padStart(WIDTH, "0");
}
