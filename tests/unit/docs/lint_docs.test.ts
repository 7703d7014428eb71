import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RULE_NAMES } from "#planner/config/config.ts";
import { formatGithubReport, formatTextReport } from "#planner/lint/reports.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { lintExampleText } from "../../support/docs/lint_examples.ts";
import { ID, lintTexts, OTHER, specText } from "../../support/lint_world.ts";

const doc = (name: string): string => readFileSync(join(import.meta.dirname, "../../../docs", name), "utf8");
const lint = doc("lint.md");

const block = (text: string, language: string): string | undefined =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];

test("docs/lint.md has a part for every rule, in report order", () => {
  expect([...lint.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual([...RULE_NAMES]);
});

test.each(RULE_NAMES.filter((name) => name !== "output"))(
  "docs/lint.md has an example that %s reports",
  async (rule) => {
    const report = await lintTexts({ [ID]: lintExampleText(rule) });

    expect(lint).toContain(lintExampleText(rule));
    expect(report.files.flatMap(({ findings }) => findings).map((finding) => finding.rule)).toContain(rule);
  },
);

test("docs/lint.md shows a report as lint prints it", async () => {
  const report = await lintTexts({ [ID]: `---\nid: ${ID}\nstatus: pendin\n---\n\n# T\n` });

  expect(block(lint, "text")).toBe(formatTextReport(report));
});

test("docs/editors.md has a problem matcher that takes every finding", async () => {
  const { tasks } = JSON.parse(block(doc("editors.md"), "json") ?? "");
  const { regexp, ...groups } = tasks[0].problemMatcher.pattern;
  const report = await lintTexts({ [ID]: specText("status: nearly\ntype: code"), [OTHER]: "---\nstatus: [\n---\n" });

  const lines = formatGithubReport(report).split("\n").slice(0, -2);
  const found = lines.map((line) => new RegExp(regexp).exec(line));

  expect(found.map((match) => [match?.[groups.severity], match?.[groups.line], match?.[groups.code]])).toEqual([
    ["error", "2", "required"],
    ["warning", "1", "required"],
    ["error", "3", "parse"],
  ]);
  expect(found[0]?.[groups.file]).toBe(`.planner/specs/${ID}.md`);
  expect(found[0]?.[groups.column]).toBe("9");
  expect(found[1]?.[groups.message]).toBe("missing optional field 'labels'");
});

test("docs/editors.md has a snippet that writes a criterion with its check", () => {
  const section = doc("editors.md").slice(doc("editors.md").indexOf("## Criteria with checks"));
  const [snippet] = Object.values<{ readonly body: readonly string[] }>(JSON.parse(block(section, "json") ?? ""));
  const typed = snippet?.body.map((line) => line.replace(/\$\{\d:(.*)\}/, "$1")).join("\n") ?? "";

  expect(parseCriteria(typed)).toMatchObject([{ label: "What is true once it is done", verify: "npm test -- name" }]);
});
