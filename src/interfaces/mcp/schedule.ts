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
export interface ScheduledTask {
  readonly access?: TaskAccess;
  run(): Promise<void> | undefined;
}

interface OffQueueTask {
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
export class TaskSchedule {
  readonly #waitForGate: () => Promise<void> | undefined;
  readonly #queuedTasks: ScheduledTask[] = [];
  readonly #offQueueTasks = new Set<OffQueueTask>();
  readonly #slots = new TaskSlots(MAX_SLOW_CALLS);
  #isRunningQueue = false;
  #currentWait: Promise<void> | undefined;

  /** Calls `gate` before each task. A promise that it returns delays the task, because replies have a slow reader. */
  constructor(gate: () => Promise<void> | undefined = () => undefined) {
    this.#waitForGate = gate;
  }

  addTask(task: ScheduledTask): void {
    const { access } = task;
    const before =
      access === undefined ? [] : [...this.#offQueueTasks].filter((other) => mustKeepOrder(other.access, access));
    if (access !== undefined && (access.slow || before.length > 0)) this.#startOffQueue(task, access, before);
    else this.#addToQueue(task);
  }

  /** Resolves when no task is left. */
  async waitUntilIdle(): Promise<void> {
    while (this.#currentWait !== undefined || this.#offQueueTasks.size > 0) {
      await Promise.all([this.#currentWait, ...[...this.#offQueueTasks].map(({ done }) => done)]);
    }
  }

  #addToQueue(task: ScheduledTask): void {
    this.#queuedTasks.push(task);
    if (!this.#isRunningQueue) this.#runQueue();
  }

  // Most tasks are done when run() returns, so the queue runs without promises until a task must be awaited.
  #runQueue(): void {
    this.#isRunningQueue = true;
    this.#currentWait = undefined;
    let wait: Promise<void> | undefined;
    while (this.#queuedTasks.length > 0 && wait === undefined)
      wait = this.#waitForGate() ?? this.#queuedTasks.shift()?.run();
    this.#isRunningQueue = wait !== undefined;
    this.#currentWait = wait?.then(() => this.#runQueue());
  }

  #startOffQueue(task: ScheduledTask, access: TaskAccess, before: readonly OffQueueTask[]): void {
    const lineBefore = new Promise<void>((resolve) => {
      this.#addToQueue({
        run: () => {
          resolve();
          return undefined;
        },
      });
    });
    const done = this.#runOffQueue(task, [lineBefore, ...before.map((other) => other.done)]).then(() => {
      this.#offQueueTasks.delete(aside);
    });
    const aside: OffQueueTask = { access, done };
    this.#offQueueTasks.add(aside);
  }

  async #runOffQueue(task: ScheduledTask, before: readonly Promise<void>[]): Promise<void> {
    await Promise.all(before);
    await this.#slots.runInSlot(async () => {
      await this.#waitForGate();
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
