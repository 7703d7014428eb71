import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/parse_config.ts";
import { findingsOf, ID, said, specText } from "../../../../support/lint_world.ts";

const words = (count: number): string => `# T\n\n${"word ".repeat(count - 1).trimEnd()}\n`;
const criteria = (count: number): string => `# T\n\n## Acceptance Criteria\n\n${"- [ ] a\n".repeat(count)}`;
const files = (count: number): string =>
  specText(`target_files: [${Array.from({ length: count }, (_, n) => `f${n}`).join(", ")}]`);

test("complexity speaks above each threshold and not at it", async () => {
  expect(await said("complexity", specText("x: y", words(150)))).toEqual([]);
  expect(await said("complexity", specText("x: y", words(151)))).toEqual(["warning: 151 words, more than 150"]);
  expect(await said("complexity", specText("x: y", criteria(10)))).toEqual([]);
  expect(await said("complexity", specText("x: y", criteria(11)))).toEqual([
    "warning: 11 acceptance criteria, more than 10",
  ]);
  expect(await said("complexity", files(5))).toEqual([]);
  expect(await said("complexity", files(6))).toEqual(["warning: 6 target files, more than 5"]);
});

test("complexity points at the first criterion that is too many and suggests a split", async () => {
  expect(await findingsOf("complexity", { [ID]: specText("x: y", criteria(11)) })).toMatchObject([
    { field: "body", line: 19, suggestion: "Split it with `planner split`" },
  ]);
  expect(await findingsOf("complexity", { [ID]: files(6) })).toMatchObject([{ field: "target_files", line: 2 }]);
});

test("complexity follows the configured thresholds", async () => {
  const { config } = parseConfig(
    "---\nlint:\n  thresholds: {complexity_criteria: 0, complexity_files: 0, complexity_words: 0}\n---\n",
  );
  const small = specText("target_files: [a]", "# T\n\n- [ ] a\n");

  expect(await said("complexity", small, { config })).toEqual([
    "warning: 1 acceptance criteria, more than 0",
    "warning: 1 target files, more than 0",
    "warning: 2 words, more than 0",
  ]);
});

test("complexity counts no words of the output that a run appended", async () => {
  const body = `${words(100)}\n## Output\n\n${"word ".repeat(500)}\n\n## Notes\n\n${"word ".repeat(49)}\n`;

  expect(await said("complexity", specText("x: y", body))).toEqual([]);
  expect(await said("complexity", specText("x: y", `${body}two more\n`))).toEqual([
    "warning: 152 words, more than 150",
  ]);
});
