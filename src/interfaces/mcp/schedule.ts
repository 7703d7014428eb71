import { TaskSlots } from "#kernel/slots.ts";
import { MAX_SLOW_CALLS } from "./limits.ts";
import type { CallSubject } from "./tool_set.ts";

/** Properties of a task that determine its order relative to others. */
export interface TaskAccess {
  readonly writes: boolean;
  readonly slow: boolean;
  readonly subject: CallSubject;
}

/**
 * One scheduled piece of work. `run` never throws and never rejects; if it returns undefined, it is complete. A task
 * without `access` uses no shared data and only keeps its position in the queue.
 */
export interface Task {
  readonly access?: TaskAccess;
  run(): Promise<void> | undefined;
}

interface Aside {
  readonly access: TaskAccess;
  readonly done: Promise<void>;
}

/**
 * Decides when each task runs. Source: docs/decisions.md#s-20.
 *
 * - Ordinary tasks form one queue: each begins when the one before it has ended, so their responses are in the order
 * of arrival and each sees the writes of the ones before it.
 * - A slow task leaves the queue: it waits for the tasks before it and then runs beside the queue, at most
 * `MAX_SLOW_CALLS` at once.
 * - A task that must not overtake a task outside the queue leaves the queue as well and waits for it: see `mustKeepOrder`.
 *
 * No queued task waits for one outside the queue, and a task outside waits only for earlier ones, so no deadlock can
 * occur. Cost of a task: O(tasks outside the queue).
 */
export class Schedule {
  readonly #gate: () => Promise<void> | undefined;
  readonly #line: Task[] = [];
  readonly #aside = new Set<Aside>();
  readonly #slots = new TaskSlots(MAX_SLOW_CALLS);
  #busy = false;
  #turn: Promise<void> | undefined;

  /** Calls `gate` before each task. A promise that it returns delays the task, because replies have a slow reader. */
  constructor(gate: () => Promise<void> | undefined = () => undefined) {
    this.#gate = gate;
  }

  add(task: Task): void {
    const { access } = task;
    const before = access === undefined ? [] : [...this.#aside].filter((other) => mustKeepOrder(other.access, access));
    if (access !== undefined && (access.slow || before.length > 0)) this.#stepAside(task, access, before);
    else this.#queue(task);
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (this.#turn !== undefined || this.#aside.size > 0) {
      await Promise.all([this.#turn, ...[...this.#aside].map(({ done }) => done)]);
    }
  }

  #queue(task: Task): void {
    this.#line.push(task);
    if (!this.#busy) this.#advance();
  }

  // Most tasks are done when run() returns, so the queue runs without promises until a task must be awaited.
  #advance(): void {
    this.#busy = true;
    this.#turn = undefined;
    let wait: Promise<void> | undefined;
    while (this.#line.length > 0 && wait === undefined) wait = this.#gate() ?? this.#line.shift()?.run();
    this.#busy = wait !== undefined;
    this.#turn = wait?.then(() => this.#advance());
  }

  #stepAside(task: Task, access: TaskAccess, before: readonly Aside[]): void {
    const lineBefore = new Promise<void>((resolve) => {
      this.#queue({
        run: () => {
          resolve();
          return undefined;
        },
      });
    });
    const done = this.#runAside(task, [lineBefore, ...before.map((other) => other.done)]).then(() => {
      this.#aside.delete(aside);
    });
    const aside: Aside = { access, done };
    this.#aside.add(aside);
  }

  async #runAside(task: Task, before: readonly Promise<void>[]): Promise<void> {
    await Promise.all(before);
    await this.#slots.run(async () => {
      await this.#gate();
      await task.run();
    });
  }
}

/**
 * Whether two tasks keep their order if one of them is outside the queue: at least one writes, and both may concern the
 * same subject. A task without a subject concerns all of them. As an exception, a quick task without a subject, such as
 * a list, does not wait for slow work on one subject, because it shows the current state. A slow task without a
 * subject, such as a lint of everything, keeps order with every writer, so that its result is consistent.
 */
function mustKeepOrder(a: TaskAccess, b: TaskAccess): boolean {
  return (a.writes || b.writes) && canShareSubject(a, b);
}

function canShareSubject(a: TaskAccess, b: TaskAccess): boolean {
  if (a.subject === "whole") return b.subject === "whole" || a.slow || !b.slow;
  if (b.subject === "whole") return canShareSubject(b, a);
  if (a.subject === "some" || b.subject === "some") return true;
  return a.subject.key.startsWith(b.subject.key) || b.subject.key.startsWith(a.subject.key);
}
