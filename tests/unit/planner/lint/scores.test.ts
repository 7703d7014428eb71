import { expect, test } from "bun:test";
import { countWords, removeOutput } from "#planner/lint/finding.ts";
import { parseSpec } from "#planner/lint/lint_project.ts";
import { findMembers, gradeSpec } from "#planner/lint/scores.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID, specText } from "../../../support/lint_world.ts";

function spec(body: string, fields = "status: pending", id = ID): Spec {
  const read = parseSpec(id as SpecId, `.planner/specs/${id}.md`, specText(fields, body));
  if (!("id" in read)) throw new Error(read.message);
  return read;
}

const criteria = (count: number): string => "- [ ] Add a test\n".repeat(count);
const files = (count: number): string =>
  `target_files: [${Array.from({ length: count }, (_, n) => `f${n}`).join(", ")}]`;

test("scores grades complexity by the worst of criteria, files and words", () => {
  const grade = (body: string, fields?: string): string => gradeSpec(spec(body, fields)).complexity;

  expect([3, 4, 5, 6, 7, 8].map((count) => grade(criteria(count))).join("")).toBe("ABBCCD");
  expect([2, 3, 4, 5].map((count) => grade("", files(count))).join("")).toBe("ABCD");
  expect([199, 200, 399, 400, 599, 600].map((count) => grade("word ".repeat(count))).join("")).toBe("ABBCCD");
});

test("scores grades acceptance criteria by their number", () => {
  expect([0, 1, 2, 3, 4, 5].map((count) => gradeSpec(spec(criteria(count))).ac_quality).join("")).toBe("DCBBAA");
});

test("scores grades confidence by steps, verbs and vague words", () => {
  const grade = (body: string): string => gradeSpec(spec(body)).confidence;

  expect(grade("- Add a check\n- Write a test\n")).toBe("A");
  expect(grade("- Add a check\n- Write a test, etc\n")).toBe("B");
  expect(grade("Prose.\n- Add a check\n- Write a test\n- the third\n")).toBe("B");
  expect(grade("- The check\n- A test\n")).toBe("C");
  expect(grade("Prose only.\n")).toBe("D");
  expect(grade(`- Add a check\n- Improve ${"various things somehow, ".repeat(3)}\n`)).toBe("D");
});

test("scores takes headings and fenced code for no prose", () => {
  expect(gradeSpec(spec("# Title\n\n## Steps\n\n- Add a check\n\n```\nsome\nprose\n```\n")).confidence).toBe("A");
});

test("scores grades splittability by parts and files, and believes an author who says it is one piece", () => {
  const grade = (body: string, count: number): string => gradeSpec(spec(body, files(count))).splittability;
  const parts = "# T\n\n## One\n\n## Two\n\n## Three\n";

  expect(grade(parts, 3)).toBe("A");
  expect(grade("# T\n\n## One\n", 2)).toBe("B");
  expect(grade("# T\n", 1)).toBe("C");
  expect(grade(`${parts}\nBoth are tightly coupled.\n`, 3)).toBe("D");
});

test("scores lights red for a D, green for A and B alone, else yellow, whatever splittability says", () => {
  const good = spec(`# T\n\n${criteria(4)}`);
  expect(gradeSpec(good)).toMatchObject({ traffic_light: "green", complexity: "B", confidence: "A", ac_quality: "A" });
  expect(gradeSpec(good).splittability).toBe("C");
  expect(gradeSpec(spec(`# T\n\n${criteria(1)}`)).traffic_light).toBe("yellow");
  expect(gradeSpec(spec("# T\n")).traffic_light).toBe("red");
});

test("scores gives one sentence for each weak grade, sorted", () => {
  const { suggestions } = gradeSpec(spec("# T\n"));

  expect(suggestions).toHaveLength(3);
  expect(suggestions).toEqual([...suggestions].sort());
  expect(gradeSpec(spec(`${criteria(2)}## One\n`, files(2))).suggestions).toEqual([
    "Add acceptance criteria that can be checked",
  ]);
});

test("scores grades the isolation of a driver's members, and of nothing else", () => {
  const driver = spec("# D\n", "type: driver");
  const member = (n: number, body: string, file: string): Spec => spec(body, `target_files: [${file}]`, `${ID}.${n}`);
  const apart = [member(1, "# A\n", "a"), member(2, "# B\n", "b"), member(3, "# C\n", "c"), member(4, "# D\n", "d")];

  expect(gradeSpec(driver, apart).isolation).toBe("A");
  expect(gradeSpec(driver, [...apart.slice(1), member(1, `# A\n\n${ID}.2\n`, "a")]).isolation).toBe("B");
  expect(gradeSpec(driver, [...apart.slice(2), member(1, "# A\n", "x"), member(2, "# B\n", "x")]).isolation).toBe("C");
  expect(gradeSpec(driver, [member(1, "After member 2.\n", "a"), member(2, "# B\n", "a")]).isolation).toBe("D");
  expect(gradeSpec(driver).isolation).toBeNull();
  expect(gradeSpec(spec("# S\n"), apart).isolation).toBeNull();
});

test("listMembers finds listed members and those named after the spec, no deeper", () => {
  const driver = spec("# D\n", "type: group\nmembers: [listed]");
  const all = [driver, ...["listed", `${ID}.1`, `${ID}.1.1`, `${ID}x.1`, "other"].map((id) => spec("", undefined, id))];

  expect(findMembers(driver, all).map(({ id }) => id as string)).toEqual(["listed", `${ID}.1`]);
  expect(findMembers(spec("# S\n"), all)).toEqual([]);
});

test("countWords counts what holds a letter or a digit", () => {
  expect(countWords("")).toBe(0);
  expect(countWords("# Title\n\n- [ ] one two\n- [x] three —\n")).toBe(5);
  expect(countWords("naïve 日本 a-b 3.5 «so»\tx")).toBe(6);
});

test("describingText leaves out every Output section and nothing else", () => {
  expect(removeOutput("# T\n\nOutput of it\n")).toBe("# T\n\nOutput of it\n");
  expect(removeOutput("a\n## Output\nb\n### Deep\nc\n## Next\nd\n## Output\ne\n")).toBe("a\n## Next\nd\n");
  expect(removeOutput("a\n## Output\nb\n## Output\nc\n# Top\nd\n")).toBe("a\n# Top\nd\n");
  expect(removeOutput("a\n```\n## Output\n```\nb\n")).toBe("a\n```\n## Output\n```\nb\n");
});
