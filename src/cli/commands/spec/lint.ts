import type { LintReport } from "#planner/lint/finding.ts";
import type { LintSelection } from "#planner/lint/lint_project.ts";
import { findSpecIds } from "#planner/operations/shared/find_spec.ts";
import { type Cli, defineCommand } from "../../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { booleanFlag, enumFlag, integerFlag } from "../../flags.ts";
import { findConfigWarnings } from "../../lint/config_warnings.ts";
import type { FixOutcome } from "../../lint/lint_fix.ts";
import { LINT_FORMATS, type LintOutcome, printLintReport } from "../../lint/write_report.ts";
import type { OpenedProject } from "../../open_project.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";

interface LintOptions {
  readonly all: boolean;
  readonly ids: readonly string[];
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly staged: boolean;
}

export const command = defineCommand({
  summary: "Check specs against the schema and the rules of the project",
  details:
    "Exits with 1 for errors, more warnings than --max-warnings, a broken configuration, or a file that could not be fixed. --fix adds a missing status and id, trims trailing white space, indents the frontmatter by two spaces and adds a final newline; nothing else changes. For completed and cancelled specs only errors and findings about their output are reported, unless --all or their id is given.",
  positionals: {
    id: {
      summary: "Full or partial ids of specs (default: all active specs)",
      required: false,
      completes: "spec",
      repeats: true,
    },
  },
  flags: {
    all: booleanFlag("Report all findings of completed and cancelled specs too", { short: "a" }),
    fix: booleanFlag("Fix problems that need no decision"),
    "dry-run": booleanFlag("Print the changes as a diff and write nothing", { short: "n", needs: ["--fix"] }),
    format: enumFlag(LINT_FORMATS, "Format of the report (default: text)", { short: "f" }),
    json: {
      ...JSON_FLAG,
      excludes: LINT_FORMATS.filter((format) => format !== "json").map((format) => `--format ${format}`),
    },
    staged: booleanFlag("Check the staged files in git's index", { excludes: ["--fix", "<id>"] }),
    "max-warnings": integerFlag(0, "Exit with 1 if there are more warnings", { value: "n" }),
  },
  examples: [
    { line: "planner lint", shows: "List all findings by file" },
    { line: "planner lint 003 004 --fix", shows: "Fix two specs" },
    { line: "planner lint --fix --dry-run | git apply", shows: "Apply the fixes through git" },
    { line: "planner lint --format sarif > lint.sarif", shows: "Write a report for code scanning" },
  ],
  async run({ id: ids, all, fix, "dry-run": dryRun, format, json, staged, "max-warnings": most }, cli) {
    const project = await cli.openProject();
    const outcome = await runLint({ ids, all, fix, dryRun, staged }, project, cli);
    for (const warning of await findConfigWarnings(project)) cli.warn(warning);
    await printLintReport(outcome, json ? "json" : (format ?? "text"), project);
    return chooseExitStatus(outcome, most, cli);
  },
});

interface LintRunOutcome extends LintOutcome {
  readonly unwritten?: boolean;
}

async function runLint(
  { ids, all, fix, dryRun, staged }: LintOptions,
  { context, root }: OpenedProject,
  cli: Cli,
): Promise<LintRunOutcome> {
  if (staged) {
    const { lintStaged } = await import("../../lint/lint_staged.ts");
    return { report: await lintStaged(context, root) };
  }
  const specIds = ids.length === 0 ? undefined : await findSpecIds(context, ids, { archived: false });
  if (fix) {
    const outcome = await runLintFix(context, { ids: specIds, all }, { dryRun, cli });
    for (const { file, message } of outcome.failed) cli.warn(`${file} is not mended: ${message}`);
    return { ...outcome, unwritten: outcome.failed.length > 0 };
  }
  const [{ lintProject }, { createProjectSource: projectSource }] = await Promise.all([
    import("#planner/lint/lint_project.ts"),
    import("#planner/lint/lint_source.ts"),
  ]);
  return { report: await lintProject(await projectSource(context), { ids: specIds, all }) };
}

type FixRunOutcome = FixOutcome & { readonly diff?: string };

async function runLintFix(
  context: OpenedProject["context"],
  choice: LintSelection,
  { dryRun, cli }: { readonly dryRun: boolean; readonly cli: Cli },
): Promise<FixRunOutcome> {
  const [{ lintAndFix, previewFix }, { openProgressBar }] = await Promise.all([
    import("../../lint/lint_fix.ts"),
    import("../../output/progress_bar.ts"),
  ]);
  const bar = openProgressBar(cli);
  try {
    return await (dryRun ? previewFix : lintAndFix)(context, choice, bar?.show);
  } finally {
    bar?.clear();
  }
}

function chooseExitStatus({ report, unwritten }: LintRunOutcome, most: number | undefined, cli: Cli): ExitStatus {
  if (hasTooManyWarnings(report, most)) cli.warn(`${report.warnings} warnings, more than --max-warnings ${most}`);
  return report.errors > 0 || unwritten === true || hasTooManyWarnings(report, most)
    ? EXIT_STATUS.refused
    : EXIT_STATUS.ok;
}

function hasTooManyWarnings({ warnings }: LintReport, most: number | undefined): boolean {
  return most !== undefined && warnings > most;
}
