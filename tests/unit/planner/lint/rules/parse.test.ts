import { expect, test } from "bun:test";
import { findingsOf, ID, lintTexts, OTHER, specText } from "../../../../support/lint_world.ts";

test("parse names line and column of broken frontmatter and says nothing else about the file", async () => {
  const { files } = await lintTexts({ [ID]: "---\nstatus: pending\nlabels: [a\n---\n\n# T\n" });

  expect(files).toHaveLength(1);
  const [finding, ...more] = files[0]?.findings ?? [];
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ rule: "parse", severity: "error", field: "frontmatter", line: 4, column: 1 });
  expect(finding?.message).toStartWith("cannot be parsed: ");
});

test("parse lets the other files be judged", async () => {
  const report = await lintTexts({
    [ID]: "---\nstatus: [\n---\n",
    [OTHER]: specText("status: nearly\nlabels: [a]\ntype: code"),
  });

  expect(report.specsChecked).toBe(2);
  expect(report.files.map(({ specId, findings }) => [specId, findings.map(({ rule }) => rule)])).toEqual([
    [ID, ["parse"]],
    [OTHER, ["required"]],
  ]);
});

test("parse reports every kind of text that is no spec", async () => {
  const broken = {
    "a twice-named key": "---\nstatus: a\nstatus: b\n---\n",
    "another language": "---js\n{}\n---\n",
    "an open frontmatter": "---\nstatus: pending\n",
    "a list": "---\n- a\n---\n",
    "a NUL character": "---\nstatus: pending\n---\n\0",
  };
  for (const text of Object.values(broken)) {
    const findings = await findingsOf("parse", { [ID]: text });
    expect(findings.map(({ severity, line, column }) => [severity, typeof line, typeof column])).toEqual([
      ["error", "number", "number"],
    ]);
  }
});
