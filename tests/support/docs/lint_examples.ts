import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "#planner/lint/finding.ts";
import { LINT_RULES } from "#planner/lint/lint_specs.ts";
import { formatTextReport } from "#planner/lint/reports.ts";
import { ID, lintTexts, OTHER, specText, THIRD } from "../lint_world.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "fixtures", "lint_examples");

/** A spec that a rule reports. */
export function lintExampleText(rule: string): string {
  return readFileSync(join(EXAMPLES, `${rule}.md`), "utf8");
}

/** Parts of docs/lint.md: what each rule reports, a spec as example, and what `planner lint` prints of that. */
export async function lintRules(): Promise<string> {
  return (await Promise.all(LINT_RULES.map(rulePart))).join("\n\n");
}

async function rulePart({ name, reports }: Rule): Promise<string> {
  const linked = reports.replace(/\bdocs\/([\w/-]+\.md)/g, "[$1]($1)");
  const head = `### ${name}\n\n${linked}`;
  if (name === "output") return head;
  const spec = lintExampleText(name);
  return `${head}\n\n\`\`\`markdown\n${spec}\`\`\`\n\n\`\`\`text\n${await printed(spec)}\n\`\`\``;
}

async function printed(spec: string): Promise<string> {
  const report = await lintTexts({
    [ID]: spec,
    [OTHER]: specText("status: pending\nlabels: [a]\ntype: code"),
    [THIRD]: specText(`status: pending\nlabels: [a]\ndepends_on: [${ID}]\ntype: code`),
  });
  const own = { ...report, files: report.files.filter(({ specId }) => specId === ID) };
  return formatTextReport(own).split("\n").slice(1, -2).join("\n");
}
