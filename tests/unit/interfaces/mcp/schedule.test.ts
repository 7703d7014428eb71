import { describe, expect, test } from "bun:test";
import { MAX_SLOW_CALLS, type TaskAccess, TaskSchedule } from "#interfaces/mcp/messages.ts";

type Shape = Partial<TaskAccess>;

/** A schedule whose tasks end when the test says so; `log` holds what began and ended. */
class Bench {
  readonly log: string[] = [];
  readonly #schedule: TaskSchedule;
  readonly #end = new Map<string, () => void>();

  constructor(gate?: () => Promise<void> | undefined) {
    this.#schedule = new TaskSchedule(gate);
  }

  add(name: string, shape: Shape = {}): void {
    this.#schedule.addTask({
      access: { writes: false, slow: false, subject: "whole", ...shape },
      run: async () => {
        this.log.push(`+${name}`);
        await new Promise<void>((resolve) => this.#end.set(name, resolve));
        this.log.push(`-${name}`);
      },
    });
  }

  /** Ends a running task and lets everything follow that it held up. */
  async end(name: string): Promise<void> {
    const end = this.#end.get(name);
    if (end === undefined) throw new Error(`${name} does not run`);
    end();
    await this.settle();
  }

  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  idle(): Promise<void> {
    return this.#schedule.waitUntilIdle();
  }
}

const A = { key: "2026-11-01-001-aaa" };
const B = { key: "2026-11-01-002-bbb" };

describe("Schedule", () => {
  test("lets ordinary tasks pass a slow one that they do not meet", async () => {
    const bench = new Bench();

    bench.add("slow", { slow: true, writes: true, subject: A });
    await bench.settle();
    bench.add("other spec", { writes: true, subject: B });
    await bench.end("other spec");
    bench.add("list");

    expect(bench.log).toEqual(["+slow", "+other spec", "-other spec", "+list"]);
  });

  test.each<[string, Shape, Shape]>([
    ["a write behind a slow write of the same spec", { writes: true, subject: A }, { writes: true, subject: A }],
    ["a read behind a slow write of the same spec", { writes: true, subject: A }, { subject: A }],
    ["a write behind a slow read of the same spec", { subject: A }, { writes: true, subject: A }],
    ["a partial id behind a slow write of a spec", { writes: true, subject: A }, { subject: "some" }],
    ["a spec behind a slow write of a partial id", { writes: true, subject: "some" }, { subject: B }],
    ["a member behind its parent", { writes: true, subject: A }, { subject: { key: `${A.key}.1` } }],
    ["a parent behind its member", { writes: true, subject: { key: `${A.key}.1` } }, { subject: A }],
    ["a write behind a slow read of everything", { subject: "whole" }, { writes: true, subject: A }],
    ["a list behind a slow write of everything", { writes: true, subject: "whole" }, { subject: "whole" }],
    ["a slow read of everything behind a slow write", { writes: true, subject: A }, { slow: true, subject: "whole" }],
  ])("holds %s", async (_, slow, later) => {
    const bench = new Bench();

    bench.add("slow", { slow: true, ...slow });
    bench.add("later", later);
    await bench.settle();
    expect(bench.log).toEqual(["+slow"]);
    await bench.end("slow");

    expect(bench.log).toEqual(["+slow", "-slow", "+later"]);
  });

  test.each<[string, Shape, Shape]>([
    ["a read beside a slow read of the same spec", { subject: A }, { subject: A }],
    ["a write beside a slow write of another spec", { writes: true, subject: A }, { writes: true, subject: B }],
    ["a list beside a slow write of one spec", { writes: true, subject: A }, { subject: "whole" }],
    ["a new spec beside a slow write of one spec", { writes: true, subject: A }, { writes: true, subject: "whole" }],
    ["a list beside a slow read of everything", { subject: "whole" }, { subject: "whole" }],
    [
      "a slow write beside a slow write of another spec",
      { writes: true, subject: A },
      { slow: true, writes: true, subject: B },
    ],
  ])("runs %s", async (_, slow, later) => {
    const bench = new Bench();

    bench.add("slow", { slow: true, ...slow });
    bench.add("later", later);
    await bench.settle();

    expect(bench.log.toSorted()).toEqual(["+later", "+slow"]);
  });

  test("runs so many slow tasks at once and no more", async () => {
    const bench = new Bench();
    const names = Array.from({ length: MAX_SLOW_CALLS + 2 }, (_, index) => `slow ${index}`);

    for (const name of names) bench.add(name, { slow: true });
    await bench.settle();
    expect(bench.log).toEqual(names.slice(0, MAX_SLOW_CALLS).map((name) => `+${name}`));
    await bench.end("slow 3");

    expect(bench.log.at(-1)).toBe(`+slow ${MAX_SLOW_CALLS}`);
  });

  test("begins nothing while the gate is closed", async () => {
    let open = (): void => {};
    let closed: Promise<void> | undefined = new Promise<void>((resolve) => {
      open = () => {
        closed = undefined;
        resolve();
      };
    });
    const bench = new Bench(() => closed);

    bench.add("ordinary");
    bench.add("slow", { slow: true });
    await bench.settle();
    expect(bench.log).toEqual([]);
    open();
    await bench.settle();
    await bench.end("ordinary");

    expect(bench.log).toEqual(["+ordinary", "-ordinary", "+slow"]);
  });
});
