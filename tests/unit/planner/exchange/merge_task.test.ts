import { expect, test } from "bun:test";
import type { SourceTask } from "#planner/exchange/source.ts";
import {
  checkTasks,
  type FacetFingerprints,
  formatNewSpec,
  listFacets,
  mergeTask,
  type SpecContent,
} from "#planner/exchange/tasks.ts";
import { buildSpec, parseReadable } from "#planner/spec/document.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

const ID = "2026-11-01-001-abc" as SpecId;
const CONTENT: SpecContent = {
  title: "Rope",
  body: "Intro\n\n## Acceptance Criteria\n\n- [ ] a\n- [ ] b\n\n## Notes\n\nOld",
  fields: { status: "pending", type: "code", labels: ["x"] },
};
// The text itself is the plainest fingerprint.
const fingerprint = (text: string): string => text;
const known: FacetFingerprints = Object.fromEntries(listFacets(CONTENT));

function merged(
  text: string,
  content: SpecContent,
  more: { known?: FacetFingerprints | undefined; overwrite?: boolean } = { known },
) {
  const spec = buildSpec({ id: ID, file: "f", archived: false }, parseReadable(text));
  const merge = mergeTask({
    spec,
    content,
    lastFingerprints: more.known,
    computeFingerprint: fingerprint,
    overwrite: more.overwrite ?? false,
  });
  return { ...merge, text: merge.applyChanges(text) };
}

const FRESH = formatNewSpec(ID, CONTENT, "backlog:t-1");

test("nothing changes while the source says the same, whatever was changed here", () => {
  const own = FRESH.replace("Old", "Mine").replace("status: pending", "status: completed");

  expect(merged(FRESH, CONTENT)).toMatchObject({ changed: [], conflicts: [], text: FRESH, nextFingerprints: known });
  expect(merged(own, CONTENT)).toMatchObject({ changed: [], conflicts: [], text: own, nextFingerprints: known });
});

test("fields and sections follow the source, and other lines stay byte for byte", () => {
  const own = FRESH.replaceAll("\n", "\r\n")
    .replace("type: code", "type: code # ours")
    .replace(/$/, "\r\n## Output\r\n\r\nDone\r\n");
  const content = {
    title: "Longer rope",
    body: "Intro\n\n## Acceptance Criteria\n\n- [ ] a\n- [ ] b\n\n## Plan\n\nNew",
    fields: { ...CONTENT.fields, labels: ["x", "y"], priority: "high" },
  };
  const result = merged(own, content);

  expect(result.changed.toSorted()).toEqual(["labels", "priority", 'section "notes"', 'section "plan"', "title"]);
  expect(result.text).toContain("type: code # ours\r\n");
  expect(result.text).toContain(
    "# Longer rope\r\n\r\nIntro\r\n\r\n## Acceptance Criteria\r\n\r\n- [ ] a\r\n- [ ] b\r\n\r\n## Plan\r\n\r\nNew\r\n\r\n## Output\r\n\r\nDone\r\n",
  );
  expect(result.text.replaceAll("\r\n", "")).not.toContain("\n");
});

test("criteria that were ticked here keep their ticks under new words of the source", () => {
  const own = FRESH.replace("- [ ] b", "- [x] b");
  const content = { ...CONTENT, body: CONTENT.body.replace("- [ ] a", "- [ ] a, better\n- [ ] c") };

  const result = merged(own, content);

  expect(result.conflicts).toEqual([]);
  expect(result.text).toContain("- [ ] a, better\n- [ ] c\n- [x] b\n");
});

test("what both sides changed stays, at every import, until the source is told to win", () => {
  const own = FRESH.replace("Old", "Mine");
  const content = { ...CONTENT, body: CONTENT.body.replace("Old", "Theirs") };

  const first = merged(own, content);
  const second = merged(own, content, { known: first.nextFingerprints });
  const forced = merged(own, content, { known: first.nextFingerprints, overwrite: true });

  expect([first.conflicts, second.conflicts]).toEqual([['section "notes"'], ['section "notes"']]);
  expect(first.text).toBe(own);
  expect(forced).toMatchObject({ conflicts: [], changed: ['section "notes"'] });
  expect(forced.text).toContain("Theirs");
});

test("without knowledge of the last import every difference is a conflict", () => {
  const result = merged(FRESH.replace("Rope", "Cord"), CONTENT, { known: undefined });

  expect(result).toMatchObject({ changed: [], conflicts: ["title"] });
});

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
