import { expect, test } from "bun:test";
import { checkTasks } from "../../../../src/planner/exchange/check_tasks.ts";
import type { SourceTask } from "../../../../src/planner/exchange/source.ts";

function task(key: string, rest: Partial<SourceTask> = {}): SourceTask {
  return { key, file: "f", line: 1, title: key, body: "", status: "pending", ...rest };
}

function reasons(tasks: readonly SourceTask[]): readonly string[] {
  return checkTasks({ tasks, notes: [] }).notes.map(({ reason, detail }) => `${reason}: ${detail}`);
}

test("parents come before their parts, whatever the order of the source", () => {
  const { tasks } = checkTasks({
    tasks: [task("c", { parent: "b" }), task("b", { parent: "a" }), task("a")],
    notes: [],
  });

  expect(tasks.map(({ key }) => key)).toEqual(["a", "b", "c"]);
});

test("parents in a circle, and a part that waits for what is above it, become tasks beside the others", () => {
  expect(reasons([task("a", { parent: "b" }), task("b", { parent: "a" })])).toEqual(["part of itself: b"]);
  const above = checkTasks({ tasks: [task("a"), task("b", { parent: "a", dependsOn: ["A"] })], notes: [] });
  expect(above.tasks.map(({ key, parent, dependsOn }) => [key, parent, dependsOn])).toEqual([
    ["a", undefined, []],
    ["b", undefined, ["a"]],
  ]);
});

test("circles of dependencies are found in large sources too", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => task(`t${at}`, { dependsOn: [`t${(at + 1) % 20_000}`] }));

  const { tasks, notes } = checkTasks({ tasks: many, notes: [] });

  expect(tasks).toHaveLength(20_000);
  expect(notes).toHaveLength(20_000);
});

test("what no file can hold is replaced, shortened or refused, each with a note", () => {
  const { tasks, notes } = checkTasks({
    tasks: [
      task("a", { title: "x\0y\ud800", body: "z" }),
      task("b", { title: "long ".repeat(200) }),
      task("c", { body: "x".repeat(5_000_000) }),
      task("d", { labels: ["y".repeat(70_000)] }),
      task("e", { title: " \n " }),
    ],
    notes: [],
  });

  expect(tasks.map(({ title }) => title.slice(0, 9))).toEqual(["x\ufffdy\ufffd", "long long", "e"]);
  expect(notes.map(({ reason }) => reason)).toEqual([
    "characters that no file can hold",
    "title longer than a line",
    "too large",
    "too large",
  ]);
});
