import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textReport } from "#planner/lint/reports/text.ts";
import { ID, lintTexts, OTHER, specText, THIRD } from "../lint_world.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "fixtures", "lint_examples");

/** A spec that a rule reports. */
export function lintExampleText(rule: string): string {
  return readFileSync(join(EXAMPLES, `${rule}.md`), "utf8");
}

/** A spec that a rule reports, and what `planner lint` prints of it beside two specs without a fault. */
export async function lintExample(rule: string): Promise<string> {
  const spec = lintExampleText(rule);
  return `\`\`\`markdown\n${spec}\`\`\`\n\n\`\`\`text\n${await printed(spec)}\n\`\`\``;
}

async function printed(spec: string): Promise<string> {
  const report = await lintTexts({
    [ID]: spec,
    [OTHER]: specText("status: pending\nlabels: [a]\ntype: code"),
    [THIRD]: specText(`status: pending\nlabels: [a]\ndepends_on: [${ID}]\ntype: code`),
  });
  const own = { ...report, files: report.files.filter(({ specId }) => specId === ID) };
  return textReport(own).split("\n").slice(1, -2).join("\n");
}
