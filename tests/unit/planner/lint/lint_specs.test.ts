import { expect, test } from "bun:test";
import { RULE_NAMES } from "#planner/config/config_values.ts";
import { parseConfig } from "#planner/config/parse_config.ts";
import { LINT_RULES } from "#planner/lint/lint_specs.ts";
import { ID, lintTexts, OTHER, specText, THIRD } from "../../../support/lint_world.ts";

const everythingWrong = specText(
  [
    "status: nearly",
    "type: nothing",
    "depends_on: [nobody]",
    "approval: {status: approved, by: ann}",
    "model: opus",
    "target_files: [a, b]",
  ].join("\n"),
  `${OTHER}\n`,
);

test("rules has every rule of the contract, in report order", () => {
  expect(LINT_RULES.map(({ name }) => name)).toEqual([...RULE_NAMES]);
});

test("lintSpecs reports in rule order and counts by severity", async () => {
  const report = await lintTexts({ [ID]: everythingWrong });

  expect(report.files[0]?.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
    "required error",
    "required warning",
    "title error",
    "type warning",
    "dependency error",
    "approval error",
    "coupling warning",
  ]);
  expect(report).toMatchObject({ specsChecked: 1, errors: 4, warnings: 3 });
});

test("lintSpecs leaves out what lint.disable names, parse included", async () => {
  const disable = `lint:\n  disable: [${RULE_NAMES.join(", ")}]`;
  const { config } = parseConfig(`---\n${disable}\n---\n`);

  const report = await lintTexts({ [ID]: everythingWrong, [OTHER]: "---\nstatus: [\n---\n" }, { config });

  expect(report).toEqual({ specsChecked: 2, errors: 0, warnings: 0, files: [] });
});

test("lintSpecs keeps every other rule when one is disabled", async () => {
  const { config } = parseConfig("---\nlint:\n  disable: [required, coupling]\n---\n");

  const report = await lintTexts({ [ID]: everythingWrong }, { config });

  expect(report.files[0]?.findings.map(({ rule }) => rule)).toEqual(["title", "type", "dependency", "approval"]);
});

test("lintSpecs lists only files with findings, sorted by id", async () => {
  const report = await lintTexts({
    [THIRD]: specText("status: x\nlabels: [a]\ntype: code"),
    [OTHER]: specText("status: pending\nlabels: [a]\ntype: code"),
    [ID]: "---\n- a\n---\n",
  });

  expect(report.specsChecked).toBe(3);
  expect(report.files.map(({ file }) => file)).toEqual([`.planner/specs/${ID}.md`, `.planner/specs/${THIRD}.md`]);
});
