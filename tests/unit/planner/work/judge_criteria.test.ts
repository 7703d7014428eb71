import { expect, test } from "bun:test";
import { judgeCriteria } from "#planner/work/acceptance.ts";

const BEFORE = "# T\n## Acceptance Criteria\n- [ ] a\n  verify: make a\n- [ ] b\n- [ ] b\n";

function judged(after: string): readonly string[] {
  return judgeCriteria(BEFORE, after).map(
    ({ label, checked, lost }) => `${checked ? "+" : "-"}${lost ? " lost" : ""} ${label}`,
  );
}

test("judgeCriteria takes the boxes of the spec that was brought", () => {
  expect(judged(BEFORE.replaceAll("[ ]", "[x]"))).toEqual(["+ a", "+ b", "+ b"]);
  expect(judged(BEFORE.replace("- [ ] b", "* [X]  b "))).toEqual(["- a", "+ b", "- b"]);
});

test("judgeCriteria counts one that was removed, reworded or fenced as unchecked", () => {
  expect(judged("# T\n")).toEqual(["- lost a", "- lost b", "- lost b"]);
  expect(judged("# T\n## Acceptance Criteria\n- [x] a little\n- [x] b\n")).toEqual([
    "- lost a",
    "+ b",
    "- lost b",
    "+ a little",
  ]);
  expect(judged(`\`\`\`\n${BEFORE.replaceAll("[ ]", "[x]")}\`\`\`\n`)).toEqual(["- lost a", "- lost b", "- lost b"]);
});

test("judgeCriteria lets no run drop a criterion or leave out what looked like one", () => {
  expect(judged("# T\n- [-] a – not asked for\n- [x] b\n- [x] b\n")).toEqual(["- lost a", "+ b", "+ b"]);

  const judgedFrom = (before: string, after: string) =>
    judgeCriteria(before, after).map(({ label, checked, lost }) => [label, checked, lost]);
  expect(judgedFrom("- [] a\n- [x] b\n", "- [x] b\n")).toEqual([
    ["b", true, false],
    ["a", false, true],
  ]);
  expect(judgedFrom("- [] a\n", "- [x] a\n")).toEqual([["a", true, false]]);
  expect(judgedFrom("- [-] a – no\n- [ ] b", "- [-] a – no\n- [x] b")).toEqual([["b", true, false]]);
});

test("judgeCriteria is not misled by a section that the run puts before or behind the real one", () => {
  const own = "## Acceptance Criteria\n- [x] a\n- [x] b\n- [x] b\n";

  expect(judged(`${BEFORE}## Output\n${own}`)).toEqual(["- a", "- b", "- b"]);
  expect(judged(`## Acceptance Criteria\n- [x] done\n${BEFORE}`)).toEqual([
    "- lost a",
    "- lost b",
    "- lost b",
    "+ done",
  ]);
});

test("judgeCriteria keeps the command that was brought, and counts one that the run added", () => {
  const after = "## Acceptance Criteria\n- [x] a\n  verify: true\n- [x] b\n- [x] b\n- [x] c\n  verify: true\n";

  expect(judgeCriteria(BEFORE, after).map(({ verify }) => verify)).toEqual(["make a", null, null, "true"]);
});
