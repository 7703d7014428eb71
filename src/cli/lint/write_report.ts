import type { PlannerContext } from "#planner/context.ts";
import type { LintReport } from "#planner/lint/finding.ts";
import type { FixedFile } from "#planner/lint/fix_text.ts";
import {
  buildJsonReport,
  buildSarifReport,
  formatGithubReport,
  formatTextReport,
  type SarifOptions,
} from "#planner/lint/reports.ts";
import { findRepository } from "../git/repository.ts";
import type { OpenedProject } from "../open_project.ts";
import { isTerminal, print, printError, printJson, sanitizeLines, sanitizeReport } from "../output/print.ts";
import { printText } from "../output/wrap_text.ts";
import { VERSION } from "../version.ts";

export const LINT_FORMATS = ["text", "json", "sarif", "github"] as const;

export type LintFormat = (typeof LINT_FORMATS)[number];

/** Results of a lint run. */
export interface LintOutcome {
  readonly report: LintReport;
  /** Fixes that `--fix` applied or proposed. */
  readonly fixed?: readonly FixedFile[];
  /** Changes that `--dry-run` shows, as a diff for git. */
  readonly diff?: string;
}

/** Prints the lint report on standard output, or on standard error below a diff, which can be piped into git. */
export async function printLintReport(
  { report, fixed, diff }: LintOutcome,
  format: LintFormat,
  { root, context }: OpenedProject,
): Promise<void> {
  switch (format) {
    case "json":
      return printJson({ ...buildJsonReport(report, fixed), ...(diff === undefined ? {} : { diff }) });
    case "sarif":
      return printJson(sanitizeReport(buildSarifReport(report, await readSarifOptions(root, context))));
    case "github":
      return print(formatGithubReport(sanitizeReport(report), await readProjectPrefix(root)));
    case "text": {
      const text = sanitizeLines(formatTextReport(report, fixed, diff === undefined ? "fixed" : "would fix"));
      if (diff === undefined) return printText(text);
      // git needs the exact bytes; a terminal must not interpret control characters.
      print(isTerminal("stdout") ? sanitizeLines(diff) : diff);
      return printError(text);
    }
  }
}

async function readSarifOptions(root: string, context: PlannerContext): Promise<SarifOptions> {
  const { project } = await context.readConfig();
  return { version: VERSION, prefix: await readProjectPrefix(root), project: project.name };
}

async function readProjectPrefix(root: string): Promise<string> {
  return (await findRepository(root))?.prefix ?? "";
}
