import type { PlannerContext } from "#planner/context.ts";
import type { LintReport } from "#planner/lint/finding.ts";
import type { FixedFile } from "#planner/lint/fix/fix_text.ts";
import { formatGithubReport } from "#planner/lint/reports/github.ts";
import { buildJsonReport } from "#planner/lint/reports/json.ts";
import { buildSarifReport, type SarifOptions } from "#planner/lint/reports/sarif.ts";
import { formatTextReport } from "#planner/lint/reports/text.ts";
import { findRepository } from "../git/repository.ts";
import type { OpenProject } from "../open_project.ts";
import { plainLines, plainTexts } from "../output/plain_text.ts";
import { print, printError, printJson } from "../output/print.ts";
import { isTerminal } from "../output/terminal.ts";
import { printText } from "../output/wrap_text.ts";
import { VERSION } from "../version.ts";

export const LINT_FORMATS = ["text", "json", "sarif", "github"] as const;

export type LintFormat = (typeof LINT_FORMATS)[number];

/** Everything that a run of lint may have to say. */
export interface LintOutcome {
  readonly report: LintReport;
  /** With `--fix`: the fixes, applied or proposed. */
  readonly fixed?: readonly FixedFile[];
  /** With `--dry-run`: the change, for git to apply. */
  readonly diff?: string;
}

/**
 * Prints what lint found on standard output. With a diff that one goes there, so that it can be piped into git, and the text
 * report goes to standard error.
 */
export async function writeReport(
  { report, fixed, diff }: LintOutcome,
  format: LintFormat,
  { root, context }: OpenProject,
): Promise<void> {
  switch (format) {
    case "json":
      return printJson({ ...buildJsonReport(report, fixed), ...(diff === undefined ? {} : { diff }) });
    case "sarif":
      return printJson(plainTexts(buildSarifReport(report, await sarifOptions(root, context))));
    case "github":
      return print(formatGithubReport(plainTexts(report), await prefixOf(root)));
    case "text": {
      const text = plainLines(formatTextReport(report, fixed, diff === undefined ? "fixed" : "would fix"));
      if (diff === undefined) return printText(text);
      // git takes the change as it is; a terminal does not.
      print(isTerminal("stdout") ? plainLines(diff) : diff);
      return printError(text);
    }
  }
}

async function sarifOptions(root: string, context: PlannerContext): Promise<SarifOptions> {
  const { project } = await context.config();
  return { version: VERSION, prefix: await prefixOf(root), project: project.name };
}

async function prefixOf(root: string): Promise<string> {
  return (await findRepository(root))?.prefix ?? "";
}
