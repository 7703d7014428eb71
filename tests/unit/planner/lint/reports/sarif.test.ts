import { expect, test } from "bun:test";
import { RULE_NAMES } from "#planner/config/config_values.ts";
import { buildSarifReport } from "#planner/lint/reports/sarif.ts";
import { ID, lintTexts, specText } from "../../../../support/lint_world.ts";

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
