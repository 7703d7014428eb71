import { expect } from "bun:test";
import fc from "fast-check";
import { checkConfig } from "#planner/config/check_config.ts";
import { createLintReport } from "#planner/lint/finding.ts";
import { locateFindings } from "#planner/lint/lint_project.ts";
import type { UnlocatedFinding } from "#planner/lint/lint_specs.ts";
import { formatGithubReport, formatTextReport } from "#planner/lint/reports.ts";
import { createFrontmatterLocator } from "#planner/spec/full_frontmatter.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { ID, lintTexts, OTHER, THIRD } from "../../../support/lint_world.ts";
import { flowSpecText, ordinaryFrontmatter, specText } from "../../../support/spec_texts.ts";

const names = fc.constantFrom(ID, OTHER, THIRD, `${ID}.1`, "notes", "a b");
const anyFile = fc.oneof(
  specText.map(({ text }) => text),
  flowSpecText,
  ordinaryFrontmatter.map((yaml) => `---\n${yaml}---\n\n# T\n`),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "---\n", "---\nmembers: {a: b}\ndepends_on: [[x], 1, ~]\napproval: [x]\nlabels: {}\n---\n"),
);
const anyProject = fc.dictionary(names, anyFile, { maxKeys: 5 });

law(
  "lint judges any project without a fault of its own, and every report has the contract's form",
  [anyProject],
  async (texts) => {
    const report = await lintTexts(texts);

    expect(report.specsChecked).toBe(Object.keys(texts).length);
    const lines = formatTextReport(report).slice(0, -1).split("\n");
    expect(lines.pop()).toBe(`${report.errors} errors, ${report.warnings} warnings`);
    for (const line of lines) expect(line).toMatch(/^(?:\S.*:| {2}(?:error|warning): .*| {4}(?:at|→) .*)$/);
    expect(formatGithubReport(report).split("\n")).toHaveLength(report.errors + report.warnings + 2);
  },
);

const text = fc.oneof(
  specText.map(({ text: each }) => each),
  flowSpecText,
  ordinaryFrontmatter.map((yaml) => `---\n${yaml}---\n`),
);

law(
  "lint finds the same place for a value by a quick look as by parsing",
  [text, fc.constantFrom("status", "labels", "depends_on", "title", "model", "owner", "x-unknown", "id", "type")],
  async (content, field) => {
    const exact = createFrontmatterLocator(content)([field]);
    fc.pre(exact !== undefined);
    const finding: UnlocatedFinding = {
      rule: "required",
      severity: "error",
      field,
      message: "",
      allowed: [],
      path: [field],
    };
    const report = createLintReport(1, [{ file: "a.md", specId: "a", findings: [finding] }]);

    const placed = await locateFindings(report, async () => content);

    const [found] = placed.files[0]?.findings ?? [];
    expect({ line: found?.line, column: found?.column }).toEqual({ ...exact });
  },
  { numRuns: LAW_RUNS * 5 },
);

const anyConfig = fc.oneof(
  anyFile,
  fc.json().map((json) => `---\n${json}\n---\n`),
  fc
    .record(
      {
        project: fc.oneof(fc.record({ name: fc.string() }), fc.anything()),
        schema: fc.oneof(
          fc.record({ spec: fc.record({ required: fc.array(fc.string()), fields: fc.object() }) }),
          fc.anything(),
        ),
        lint: fc.oneof(fc.record({ thresholds: fc.object(), disable: fc.array(fc.string()) }), fc.anything()),
      },
      { requiredKeys: [] },
    )
    .map((value) => `---\n${JSON.stringify(value) ?? ""}\n---\n`),
);

law(
  "checkConfig judges any text without a fault of its own, and gives a configuration unless it names an error",
  [anyConfig],
  (text) => {
    const { config, errors, warnings } = checkConfig(text);

    expect(config === null).toBe(errors.length > 0);
    for (const { line, column } of [...errors, ...warnings]) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
  },
);
