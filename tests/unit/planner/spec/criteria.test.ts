import { expect, test } from "bun:test";
import { formatCriterionText, parseCriteria, readCriteria } from "#planner/spec/criteria.ts";

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

/** The criteria as `+1 label` or `-1 label`, dropped ones as `~1 label (reason)`, and others as `!1 line`. */
function read(body: string): string {
  const { criteria, dropped, near } = readCriteria(body);
  return [
    ...criteria.map(({ number, label, checked }) => `${checked ? "+" : "-"}${number} ${label}`),
    ...dropped.map(({ number, label, reason }) => `~${number} ${label} (${reason})`),
    ...near.map(({ number, text }) => `!${number ?? ""} ${text}`),
  ].join(" | ");
}

const IN_SECTION: readonly (readonly [text: string, found: string])[] = [
  ["- []", "!1 - []"],
  ["- [ x] a", "!1 - [ x] a"],
  ["- [x ] a", "!1 - [x ] a"],
  ["- [✓] a", "!1 - [✓] a"],
  ["- [\u00a0] a", "!1 - [\u00a0] a"],
  ["-\u00a0[ ] a", "!1 -\u00a0[ ] a"],
  ["- ［ ］ a", "!1 - ［ ］ a"],
  ["- 【x】 a", "!1 - 【x】 a"],
  ["-[ ] a", "!1 -[ ] a"],
  ["• [ ] a", "!1 • [ ] a"],
  ["[x] a", "!1 [x] a"],
  ["- \\[ \\] a", "!1 - \\[ \\] a"],
  ["- **[ ]** a", "!1 - **[ ]** a"],
  ["- ☐ a", "!1 - ☐ a"],
  ["> - [ ] a", "!1 > - [ ] a"],
  ["| [x] | a |", "!1 | [x] | a |"],
  ["- a\n2. b\n• c", "!1 - a | !2 2. b | !3 • c"],
  ["- [ ] a\n  - [] b\n- [x] c", "-1 a | +3 c | !2 - [] b"],
  ["- [ ] a\n- verify: make", "-1 a | ! - verify: make"],
  ["- [ ] a\nverify: make", "-1 a | ! verify: make"],
  ["- [ ] a\n  verify: make a\n  verify: make b", "-1 a | ! verify: make b"],
  ["- [-] a", "!1 - [-] a"],
  ["- [~] a\n- [x] b", "+2 b | !1 - [~] a"],
  ["- [-] a – not sold any more\n- [x] b", "+2 b | ~1 a (not sold any more)"],
  ["- [~] a\n  not sold any more\n", "~1 a (not sold any more)"],
  ["- [-] a\n  verify: make a\n  - nobody asks", "~1 a (nobody asks)"],
  // These stay silent.
  ["- [ ] a\n  - by hand\n  - with [x](y)\n\n  Text that goes on\n  1. step", "-1 a"],
  ["- [ ] a\n\n  > quoted\n\n- [x] b <!-- a note -->", "-1 a | +2 b <!-- a note -->"],
  ["- [x](https://a.b)\n- [Design](d.md)\n- See [x][1]\n- [RFC 2119]\n- <https://a.b>\n- Mock: https://a.b", ""],
  ["- [ ] a[^1]\n\n[^1]: - [] a footnote\n[x]: https://a.b", "-1 a[^1]"],
  ["<!-- - [] a -->\n<!--\n- [ ] b\n- c\n-->\n- [x] d", "+1 d"],
  ["```\n- [] a\n```\n\n    - [ ] code\n\n<pre>\n- [ ] b\n</pre>\n- [x] d", "+1 d"],
  ["- [ ] a\n    - [ ] b\n\n          - [ ] code of b", "-1 a | -2 b"],
  ["- [ ] a\n\n### Notes\n\n- a word\n", "-1 a"],
  ["- [ ] a\n\n**Out of scope:**\n\n- b\n\nReferences:\n- c", "-1 a"],
  ["Text, *then* a rule\n\n---\n\n* * *\n**Bold:** text\n> [!NOTE]\n> text", ""],
];

test.each(IN_SECTION)("readCriteria takes every item of the section for a criterion or names it: %j", (text, found) => {
  expect(read(`## Acceptance Criteria\n\n${text}\n\n## Other\n\n- [] b\n`)).toBe(found);
});

test("readCriteria names boxes of any list without a section, and plain items below what looks like its heading", () => {
  expect(read("# T\n- [✓] a\n- [] b\n- plain\n- [1] c\n- [!] d\n**✓ Bold**\n> - [ ] e\n## Output\n- [] f\n")).toBe(
    "!1 - [✓] a | !2 - [] b",
  );
  for (const heading of [
    "## Acceptance Criterion",
    "**Acceptance criteria**",
    "Acceptance criteria",
    "# Acceptance Criteria (v2)",
  ]) {
    expect([heading, read(`# T\n\n- x\n\n${heading}\n\n- a\n\n# Next\n- b\n`)]).toEqual([heading, "!1 - a"]);
  }
  expect(read("Acceptance criteria are in the plan.\n\n- a\n")).toBe("");
  expect(read("<!-- not closed\n- [ ] a\n")).toBe("-1 a");
});

test("readCriteria gives the check below an item to this item alone", () => {
  const checks = (body: string) => parseCriteria(body).map(({ label, verify }) => [label, verify]);

  expect(checks("- [ ] a\n- [] b\n  verify: make b\n- [ ] c\n- [-] d – no\n  verify: make d\n")).toEqual([
    ["a", null],
    ["c", null],
  ]);
});

test.each<[name: string, body: string, texts: readonly string[]]>([
  ["one line", "- [ ] a\n- [x] b\n", ["a", "b"]],
  ["an indented second line", "- [ ] The list\n  is sorted\n- [ ] b\n", ["The list is sorted", "b"]],
  ["three lines before a check", "- [ ] a\n  b\n\tc\n  verify: true\n", ["a b c"]],
  ["a second line without indentation, as Markdown shows it", "- [ ] a\nb\n", ["a b"]],
  ["a numbered item", "1. [ ] a\n   b\n2. [ ] c\n", ["a b", "c"]],
  ["text after a blank line", "- [ ] a\n\n  Why it matters.\n", ["a"]],
  ["an explanation in a nested list", "- [ ] a\n  - because\n    of this\n", ["a"]],
  ["text below a check", "- [ ] a\n  verify: true\n  more\n", ["a"]],
  ["a heading", "- [ ] a\n## Output\n", ["a"]],
  ["a fence", "- [ ] a\n  ```\n  code\n  ```\n", ["a"]],
  ["a nested criterion", "- [ ] a\n  - [ ] b\n    c\n", ["a", "b c"]],
  ["lines of Windows", "- [ ] a\r\n  b\r\n", ["a b"]],
])("parseCriteria reads the whole text of a criterion with %s", (_, body, texts) => {
  expect(parseCriteria(`## Acceptance Criteria\n${body}`).map(formatCriterionText)).toEqual([...texts]);
});
