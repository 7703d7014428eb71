import { expect, test } from "bun:test";
import { RULE_NAMES } from "#planner/config/config.ts";
import { createLintReport } from "#planner/lint/finding.ts";
import { buildJsonReport, buildSarifReport, formatGithubReport, formatTextReport } from "#planner/lint/reports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID, lintTexts, OTHER, specText } from "../../../support/lint_world.ts";

test("githubReport writes one workflow command a finding and ends with the count", async () => {
  const report = await lintTexts({ [ID]: specText("status: pendin") });

  expect(formatGithubReport(report, "sub/")).toBe(
    [
      `::error file=sub/.planner/specs/${ID}.md,line=2,col=9,title=planner required::status 'pendin' not in enum [pending, in_progress, completed, failed]%0ADid you mean 'pending'?`,
      `::warning file=sub/.planner/specs/${ID}.md,line=1,title=planner required::missing optional field 'labels'`,
      `::warning file=sub/.planner/specs/${ID}.md,line=1,title=planner type::missing optional field 'type'`,
      "1 errors, 2 warnings\n",
    ].join("\n"),
  );
});

test("githubReport escapes what would end a command, a property or a line", () => {
  const report = createLintReport(1, [
    {
      file: "a,b:c%.md",
      specId: "a",
      findings: [
        { rule: "parse", severity: "error", field: "file", message: "100%\r\n::error::, a: b", allowed: [], line: 1 },
      ],
    },
  ]);

  expect(formatGithubReport(report).split("\n")[0]).toBe(
    "::error file=a%2Cb%3Ac%25.md,line=1,title=planner parse::100%25%0D%0A::error::, a: b",
  );
});

const file = `.planner/specs/${ID}.md`;

test("jsonReport has the contract's members, and warnings in the shape of errors", async () => {
  const report = await lintTexts({ [ID]: specText("status: nearly\ndepends_on: [nobody]\ntype: code") });

  expect(buildJsonReport(report)).toEqual({
    valid: false,
    errors: [
      {
        file,
        field: "status",
        message: "status 'nearly' not in enum [pending, in_progress, completed, failed]",
        allowed: ["pending", "in_progress", "completed", "failed"],
      },
      { file, field: "depends_on", message: "depends_on 'nobody' does not exist", allowed: [] },
    ],
    warnings: [{ file, field: "labels", message: "missing optional field 'labels'", allowed: [] }],
  });
});

test("jsonReport tells what was fixed where fixing was asked for", async () => {
  const report = await lintTexts({});

  expect(buildJsonReport(report, [])).toEqual({ valid: true, errors: [], warnings: [], fixed: [] });
  expect(buildJsonReport(report, [{ file, specId: ID as SpecId, fixes: ["mended"] }]).fixed).toEqual([
    { file, fixes: ["mended"] },
  ]);
});

interface Sarif {
  readonly $schema: string;
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly name: string;
        readonly version: string;
        readonly rules: readonly { id: string; fullDescription: { text: string } }[];
      };
    };
    readonly columnKind: string;
    readonly results: readonly { readonly ruleId: string; readonly ruleIndex: number }[];
  }[];
}

async function sarif(texts: Readonly<Record<string, string>>, prefix?: string): Promise<Sarif["runs"][number]> {
  const log = buildSarifReport(await lintTexts(texts), {
    version: "1.2.3",
    ...(prefix === undefined ? {} : { prefix }),
  }) as Sarif;
  expect(log.version).toBe("2.1.0");
  expect(log.$schema).toContain("sarif-schema-2.1.0.json");
  expect(log.runs).toHaveLength(1);
  return log.runs[0] as Sarif["runs"][number];
}

test("sarifReport names the tool and every rule, also without findings", async () => {
  const { tool, results, columnKind } = await sarif({});

  expect(tool.driver).toMatchObject({ name: "planner", version: "1.2.3" });
  expect(tool.driver.rules.map(({ id }) => id)).toEqual([...RULE_NAMES]);
  for (const { fullDescription } of tool.driver.rules)
    expect(fullDescription.text).toMatch(/^(?:Error|Warning): .*\.$/);
  expect(columnKind).toBe("utf16CodeUnits");
  expect(results).toEqual([]);
});

test("sarifReport gives each finding its rule, level, message and region", async () => {
  const { tool, results } = await sarif({ [ID]: specText("status: pendin\ntype: code") }, "my project/");

  const uri = `my%20project/.planner/specs/${ID}.md`;
  const location = (region: object): object => ({
    physicalLocation: { artifactLocation: { uri, uriBaseId: "%SRCROOT%" }, region },
  });
  expect(results).toEqual([
    {
      ruleId: "required",
      ruleIndex: 1,
      level: "error",
      message: {
        text: "status 'pendin' not in enum [pending, in_progress, completed, failed]\nDid you mean 'pending'?",
      },
      locations: [location({ startLine: 2, startColumn: 9 })],
    },
    {
      ruleId: "required",
      ruleIndex: 1,
      level: "warning",
      message: { text: "missing optional field 'labels'" },
      locations: [location({ startLine: 1 })],
    },
  ] as unknown as typeof results);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
});

test("sarifReport keeps projects of one repository apart by their names", async () => {
  const log = buildSarifReport(await lintTexts({}), { version: "1.2.3", project: "shop" });

  expect(log).toMatchObject({ runs: [{ automationDetails: { id: "planner/shop/" } }] });
});

// docs/contract/spec-tool.md#lint-text-report: "a line `<file>:`, then lines `  error: status '<value>' not in enum
// [<values>]`,
// `  error: depends_on '<id>' does not exist`, `  warning: missing optional field '<name>'`, and a final line
// `<n> errors, <m> warnings`".
test("textReport has the contract's lines to the letter, and places and advice on lines of their own", async () => {
  const report = await lintTexts({
    [ID]: specText("status: nearly\ndepends_on: [2026-01-01-001-zzz]"),
    [OTHER]: specText("status: pendin\nlabels: [a]\ntype: code"),
  });

  expect(formatTextReport(report)).toBe(`.planner/specs/${ID}.md:
  error: status 'nearly' not in enum [pending, in_progress, completed, failed]
    at .planner/specs/${ID}.md:2:9
  warning: missing optional field 'labels'
  warning: missing optional field 'type'
  error: depends_on '2026-01-01-001-zzz' does not exist
    at .planner/specs/${ID}.md:3:14
.planner/specs/${OTHER}.md:
  error: status 'pendin' not in enum [pending, in_progress, completed, failed]
    at .planner/specs/${OTHER}.md:2:9
    → Did you mean 'pending'?
3 errors, 2 warnings
`);
});

test("textReport shows fixes above findings, and files that have nothing else", async () => {
  const report = await lintTexts({ [ID]: specText("status: pending\ntype: code") });
  const fixed = [ID, OTHER].map((id) => ({ file: `.planner/specs/${id}.md`, specId: id as SpecId, fixes: ["mended"] }));

  expect(formatTextReport(report, fixed, "would fix")).toBe(`.planner/specs/${ID}.md:
  would fix: mended
  warning: missing optional field 'labels'
.planner/specs/${OTHER}.md:
  would fix: mended
0 errors, 1 warnings
`);
});

test("textReport keeps a value with line breaks on one line", async () => {
  const report = await lintTexts({ [ID]: specText('status: "near\\nly"\nlabels: [a]') });

  expect(formatTextReport(report)).toContain("\n  error: status 'near ly' not in enum [");
});
