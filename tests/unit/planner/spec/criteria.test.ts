import { expect, test } from "bun:test";
import { parseCriteria } from "#planner/spec/criteria.ts";

function shown(body: string): readonly string[] {
  return parseCriteria(body).map(({ line, text, checked }) => `${line} ${checked ? "+" : "-"} ${text}`);
}

test.each<[name: string, body: string, expected: readonly string[]]>([
  [
    "reads every form of checkbox, nested ones too",
    "## Acceptance Criteria\n- [ ] a\n* [ ] b\n- [x] c\n  + [X] d\n-   [ ] e\n- [ ]\n- [x]f\n",
    ["2 - - [ ] a", "3 - * [ ] b", "4 + - [x] c", "5 + + [X] d", "6 - -   [ ] e", "7 - - [ ]", "8 + - [x]f"],
  ],
  ["takes no link, plain item or paragraph for a checkbox", "- [x](url)\n- [y] a\n- []\n-[ ] a\n[ ] a\n- a [ ]\n", []],
  [
    "looks at the first section only",
    "## Acceptance Criteria\n- [ ] old\n## Plan\n- [ ] step\n## Acceptance Criteria\n- [x] new\n## Output\n- [ ] no\n",
    ["2 - - [ ] old"],
  ],
  [
    "counts a section of level 3, up to the next heading of its level or above",
    "## Member\n### Acceptance Criteria\n- [ ] a\n#### Detail\n- [ ] b\n### Other\n- [ ] no\n",
    ["3 - - [ ] a", "5 - - [ ] b"],
  ],
  [
    "looks at the whole body when there is no such section",
    "# T\n- [ ] a\n## Else\n- [x] b\n",
    ["2 - - [ ] a", "4 + - [x] b"],
  ],
  [
    "looks past fenced code, for the section's heading too",
    "## Acceptance Criteria\n- [ ] a\n```\n- [ ] no\n## Acceptance Criteria\n```\n  ~~~~~ md\n- [ ] no\n~~~~\n  ~~~~~\n- [x] b",
    ["2 - - [ ] a", "11 + - [x] b"],
  ],
  ["finds none in an empty section", "- [ ] before\n## Acceptance Criteria\n", []],
  [
    "takes the section behind the output when it is the only one",
    "## Output\n- [x] no\n## Acceptance Criteria\n- [ ] a\n",
    ["4 - - [ ] a"],
  ],
  ["takes no box of the output", "- [ ] a\n## Output\n- [x] no\n## More\n- [ ] b\n", ["1 - - [ ] a", "5 - - [ ] b"]],
])("criteriaOf %s", (_, body, expected) => {
  expect(shown(body)).toEqual(expected);
});

test("criteriaOf counts checkboxes of numbered lists, and their checks", () => {
  const body = "1. [ ] a\n   verify: make a\n2) [x] b\n   1. verify: make b\n12. [ ] c\n1.[ ] d\n1. e\n";

  expect(shown(body)).toEqual(["1 - 1. [ ] a", "3 + 2) [x] b", "5 - 12. [ ] c"]);
  expect(parseCriteria(body).map(({ label, verify }) => [label, verify])).toEqual([
    ["a", "make a"],
    ["b", "make b"],
    ["c", null],
  ]);
});

test("criteriaOf is the same for every kind of line ending", () => {
  const body = "# T\n## Acceptance criteria:\n- [ ] a\n- [x] b\n";

  for (const eol of ["\n", "\r\n", "\r"])
    expect(shown(body.replaceAll("\n", eol))).toEqual(["3 - - [ ] a", "4 + - [x] b"]);
});

test("criteriaOf reads the command below a criterion, and no other line for one", () => {
  const body = [
    "## Acceptance Criteria",
    "- [ ] a  long",
    "  words that go on",
    "  verify: `npm test -- a`",
    "  verify: second",
    "- [ ] b",
    "verify: not indented",
    "  - verify: make b",
    "  - [ ] nested",
    "  verify: not deeper",
    "      Verify:  make nested | cat",
    "- [ ] c",
    "  ```",
    "  verify: fenced",
    "  ```",
  ].join("\n");

  expect(parseCriteria(body).map(({ label, verify }) => [label, verify])).toEqual([
    ["a long", "npm test -- a"],
    ["b", "make b"],
    ["nested", "make nested | cat"],
    ["c", null],
  ]);
});
