import { join, relative, sep } from "node:path";
import { createLintReport, type FileReport, type LintReport } from "#planner/lint/finding.ts";
import type { LintSelection } from "#planner/lint/lint_project.ts";
import { findSpecIds } from "#planner/operations/shared/find_spec.ts";
import { findRoot, isInitialisedProject, isInsideFolder } from "#planner/store/project/places.ts";
import { booleanFlag, enumFlag, integerFlag, JSON_FLAG, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { findRepository } from "../../git/repository.ts";
import { findConfigWarnings } from "../../lint/config_warnings.ts";
import type { FixOutcome } from "../../lint/lint_fix.ts";
import { LINT_FORMATS, type LintOutcome, printLintReport } from "../../lint/write_report.ts";
import { type OpenedProject, openProject } from "../../open_project.ts";

interface LintOptions {
  readonly all: boolean;
  readonly ids: readonly string[];
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly staged: boolean;
}

export const command = defineCommand({
  meta: { name: "lint", description: "Check specs against the schema and the rules of the project" },
  details:
    "Exits with 1 for errors, more warnings than --max-warnings, a broken configuration, or a file that could not be fixed. --fix adds a missing status and id, trims trailing white space, indents the frontmatter by two spaces and adds a final newline; nothing else changes. For completed and cancelled specs only errors and findings about their output are reported, unless --all or their id is given. If no project is around the working directory, every project that the repository has below it is checked.",
  args: {
    id: optionalArgument("Full or partial ids of specs (default: all active specs)", {
      completes: "spec",
      repeats: true,
    }),
    all: booleanFlag("Report all findings of completed and cancelled specs too", { alias: "a" }),
    fix: booleanFlag("Fix problems that need no decision"),
    "dry-run": booleanFlag("Print the changes as a diff and write nothing", { alias: "n", needs: ["--fix"] }),
    format: enumFlag(LINT_FORMATS, "Format of the report (default: text)", { alias: "f" }),
    json: {
      ...JSON_FLAG,
      excludes: LINT_FORMATS.filter((format) => format !== "json").map((format) => `--format ${format}`),
    },
    staged: booleanFlag("Check the staged files in git's index", { excludes: ["--fix", "<id>"] }),
    "max-warnings": integerFlag(0, "Exit with 1 if there are more warnings", { valueHint: "n" }),
  },
  examples: {
    "planner lint": "List all findings by file",
    "planner lint 003 004 --fix": "Fix two specs",
    "planner lint --fix --dry-run | git apply": "Apply the fixes through git",
    "planner lint --format sarif > lint.sarif": "Write a report for code scanning",
  },
  async run({ args: { id: ids, all, fix, "dry-run": dryRun, format, json, staged, "max-warnings": most }, cli }) {
    const options = { ids, all, fix, dryRun, staged };
    const below = ids.length > 0 || fix ? [] : await findProjectsBelow(cli, staged);
    const project = below === null ? null : (below[0] ?? (await cli.openProject()));
    // A repository without a project has no specs that a commit could break.
    if (project === null) return EXIT_STATUS.ok;
    const outcome =
      below === null || below.length === 0
        ? await runLint(options, project, cli)
        : await lintSeveral(options, below, cli);
    for (const each of below?.length ? below : [project])
      for (const warning of await findConfigWarnings(each)) cli.warn(warning);
    const shown = below?.length ? { ...project, root: cli.cwd } : project;
    await printLintReport(outcome, json ? "json" : (format ?? "text"), shown);
    return chooseExitStatus(outcome, most, cli);
  },
});

/**
 * Finds the projects of the repository below the working directory, if none is around it, as for a hook that runs at
 * the top of the repository. Returns an empty list if a project is around it or named.
 * @param staged whether null is returned for a repository without a project
 */
async function findProjectsBelow(cli: Cli, staged: boolean): Promise<readonly OpenedProject[] | null> {
  const around = findRoot(cli.cwd);
  if (cli.root !== undefined || around === cli.cwd || (around !== undefined && !staged)) return [];
  // A hook of a working tree inside another project's folder, as of a submodule, is not about that project.
  const repository = await findRepository(cli.cwd);
  if (repository === undefined || (around !== undefined && isInsideFolder(repository.top, around))) return [];
  const files = await repository.git.run(["ls-files", "-z", "--", ":(glob)**/.planner/specs/*.md"]);
  const folders = files.split("\0").flatMap((file) => (file === "" ? [] : [file.slice(0, file.indexOf("/.planner/"))]));
  const roots = [...new Set(folders)].map((folder) => join(cli.cwd, folder)).filter(isInitialisedProject);
  if (roots.length === 0) return staged ? null : [];
  return Promise.all(roots.map((root) => openProject(cli.cwd, root)));
}

/** Lints several projects; the paths of the report begin at the working directory. */
async function lintSeveral(
  options: LintOptions,
  projects: readonly OpenedProject[],
  cli: Cli,
): Promise<LintRunOutcome> {
  const files: FileReport[] = [];
  let checked = 0;
  for (const project of projects) {
    const { report } = await runLint(options, project, cli);
    const prefix = relative(cli.cwd, project.root).split(sep).join("/");
    files.push(...report.files.map((file) => ({ ...file, file: `${prefix}/${file.file}` })));
    checked += report.specsChecked;
  }
  return { report: createLintReport(checked, files) };
}

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
  const { createProjectSource, lintProject } = await import("#planner/lint/lint_project.ts");
  return { report: await lintProject(await createProjectSource(context), { ids: specIds, all }) };
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
