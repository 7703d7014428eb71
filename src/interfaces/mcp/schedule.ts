import { Slots } from "#kernel/slots.ts";
import { MAX_SLOW_CALLS } from "./limits.ts";
import type { Subject } from "./tool_set.ts";

/** What the order of a task against others depends on. */
export interface Access {
  readonly writes: boolean;
  readonly slow: boolean;
  readonly subject: Subject;
}

/**
 * One thing to do in its turn. `run` never throws and never rejects; when it returns nothing, it is done already.
 * A task without `access` touches nothing and only keeps its place in the line.
 */
export interface Task {
  readonly access?: Access;
  run(): Promise<void> | undefined;
}

interface Aside {
  readonly access: Access;
  readonly done: Promise<void>;
}

/**
 * Decides when each task runs. Source: docs/decisions.md#s-20.
 *
 * - Ordinary tasks stand in one line: each begins when the one before it has ended, so their answers come in the order
 *   of arrival and each sees what the ones before it wrote.
 * - A slow task steps aside: it waits for the tasks that stood in line before it and then runs beside the line, at most
 *   `MAX_SLOW_CALLS` at once.
 * - A task that must not overtake one that stands aside steps aside as well and waits for it: see `keepOrder`.
 *
 * Nothing in the line waits for a task aside, and a task aside waits only for earlier ones, so none waits in a circle.
 * Cost of a task: O(tasks aside).
 */
export class Schedule {
  readonly #gate: () => Promise<void> | undefined;
  readonly #line: Task[] = [];
  readonly #aside = new Set<Aside>();
  readonly #slots = new Slots(MAX_SLOW_CALLS);
  #busy = false;
  #turn: Promise<void> | undefined;

  /** @param gate asked before each task begins; a promise makes it wait (for a slow reader of the answers) */
  constructor(gate: () => Promise<void> | undefined = () => undefined) {
    this.#gate = gate;
  }

  add(task: Task): void {
    const { access } = task;
    const before = access === undefined ? [] : [...this.#aside].filter((other) => keepOrder(other.access, access));
    if (access !== undefined && (access.slow || before.length > 0)) this.#stepAside(task, access, before);
    else this.#queue(task);
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#turn !== undefined || this.#aside.size > 0) {
      await Promise.all([this.#turn, ...[...this.#aside].map(({ done }) => done)]);
    }
  }

  #queue(task: Task): void {
    this.#line.push(task);
    if (!this.#busy) this.#advance();
  }

  // Most tasks are done when run() returns, so the line is walked without promises until one has to be waited for.
  #advance(): void {
    this.#busy = true;
    this.#turn = undefined;
    let wait: Promise<void> | undefined;
    while (this.#line.length > 0 && wait === undefined) wait = this.#gate() ?? this.#line.shift()?.run();
    this.#busy = wait !== undefined;
    this.#turn = wait?.then(() => this.#advance());
  }

  #stepAside(task: Task, access: Access, before: readonly Aside[]): void {
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
 * Whether two tasks of which one stands aside keep their order: at least one of them writes, and both may be about the
 * same thing. What is about the whole concerns each thing, but an ordinary task about the whole (a list) does not wait
 * for slow work on one thing: it shows that thing as it is meanwhile. A slow one (a lint of everything) keeps order
 * with every writer, so that its answer is of one moment.
 */
function keepOrder(a: Access, b: Access): boolean {
  return (a.writes || b.writes) && mayMeet(a, b);
}

function mayMeet(a: Access, b: Access): boolean {
  if (a.subject === "whole") return b.subject === "whole" || a.slow || !b.slow;
  if (b.subject === "whole") return mayMeet(b, a);
  if (a.subject === "some" || b.subject === "some") return true;
  return a.subject.key.startsWith(b.subject.key) || b.subject.key.startsWith(a.subject.key);
}
