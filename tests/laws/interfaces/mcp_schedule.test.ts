import { expect } from "bun:test";
import fc from "fast-check";
import { type TaskAccess, TaskSchedule } from "#interfaces/mcp/messages.ts";
import { law } from "../../support/law.ts";

interface Job extends TaskAccess {
  /** How many turns of the event loop the job takes; none means that it is done at once. */
  readonly turns: number;
}

const job: fc.Arbitrary<Job> = fc.record({
  writes: fc.boolean(),
  slow: fc.boolean(),
  subject: fc.constantFrom("whole" as const, "some" as const, { key: "a" }, { key: "b" }, { key: "b.1" }),
  turns: fc.nat({ max: 3 }),
});

/** Runs the jobs as they come; returns the order in which they began and ended. */
async function run(jobs: readonly Job[]): Promise<{ begin: Map<number, number>; end: Map<number, number> }> {
  const schedule = new TaskSchedule();
  const begin = new Map<number, number>();
  const end = new Map<number, number>();
  let clock = 0;
  for (const [index, { turns, ...access }] of jobs.entries()) {
    schedule.addTask({
      access,
      run: () => {
        begin.set(index, clock++);
        if (turns === 0) {
          end.set(index, clock++);
          return undefined;
        }
        return later(turns).then(() => {
          end.set(index, clock++);
        });
      },
    });
    if (index % 5 === 4) await later(1);
  }
  await schedule.waitUntilIdle();
  return { begin, end };
}

async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function sameSpec(a: Job, b: Job): boolean {
  if (typeof a.subject === "string" || typeof b.subject === "string") return false;
  return a.subject.key.startsWith(b.subject.key) || b.subject.key.startsWith(a.subject.key);
}

law(
  "Schedule runs every job once, and jobs on one spec in order of arrival when one of them writes",
  [fc.array(job, { maxLength: 30 })],
  async (jobs) => {
    const { begin, end } = await run(jobs);

    expect(end.size).toBe(jobs.length);
    for (const [i, first] of jobs.entries()) {
      for (const [j, second] of jobs.entries()) {
        if (i < j && (first.writes || second.writes) && sameSpec(first, second)) {
          expect(end.get(i)).toBeLessThan(begin.get(j) ?? -1);
        }
      }
    }
  },
);

law(
  "Schedule ends ordinary jobs in order of arrival when none is slow",
  [fc.array(job, { maxLength: 30 })],
  async (jobs) => {
    const { end } = await run(jobs.map((each) => ({ ...each, slow: false })));

    expect([...end.keys()]).toEqual(jobs.map((_, index) => index));
  },
);
