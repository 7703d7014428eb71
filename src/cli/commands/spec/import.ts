import { resolve } from "node:path";
import { SOURCE_KINDS } from "#planner/exchange/source.ts";
import { booleanFlag, enumFlag, JSON_FLAG, requiredArgument, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { importSpecs, readImportBatch } from "../../exchange/import_specs.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import type { OpenedProject } from "../../open_project.ts";
import { print, printJson, sanitizeLine } from "../../output/print.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  meta: {
    name: "import",
    description: "Import specs from another tool's tasks, from an export, or from Markdown files with frontmatter",
  },
  details:
    "Tasks of Backlog.md, OpenSpec, Spec Kit, Kiro, beads, Task Master, chant and GitHub issues are detected by their files. A repeated import updates what changed at the source; local changes stay and are reported. Specs of an export, and Markdown files named like specs, keep their id and bytes and never overwrite existing ones. Of a folder, only the Markdown files directly in it count. Those that are named unlike a spec get a new id, `status: pending` and, without a title, their name; dependencies on the old name follow. Files that do not parse, have no frontmatter or are not UTF-8 are rejected one by one. Exits with 1 if a spec was rejected, exists already, or was changed both here and at the source.",
  args: {
    path: requiredArgument("Project, folder or file of the other tool, an export (.json), or Markdown", {
      completes: "file",
    }),
    from: enumFlag(SOURCE_KINDS, "Tool that wrote the tasks (default: detected)"),
    origin: textFlag("name", "Name of the source, if there are several of one tool"),
    overwrite: booleanFlag("Use the source's text if both sides changed"),
    "dry-run": booleanFlag("Print what would happen, write nothing", { alias: "n" }),
    json: JSON_FLAG,
  },
  examples: {
    "planner import ../shop --dry-run": "Show what an import of another project would do",
    "planner import --from github issues.json": "Import issues that `gh issue list --json` printed",
    "planner import specs.json": "Import specs that `planner export` wrote",
  },
  async run({ args: { path, from, origin, overwrite, "dry-run": dryRun, json }, cli }) {
    const project = await cli.openProject();
    const full = resolve(cli.cwd, path);
    const { runTaskImport } = await import("../../exchange/source/run_source_import.ts");
    const status = await runTaskImport(project, full, { from, origin, overwrite, dryRun, json }, cli);
    if (status !== undefined) return status;
    for (const [name, given] of Object.entries({ origin, overwrite: overwrite || undefined })) {
      if (given !== undefined)
        throw new UsageError(`"--${name}" needs the tasks of another tool: found none in "${path}"`, null);
    }
    return runExportImport(project, full, { dryRun, json });
  },
});

/** Imports an export, a Markdown file or a folder of them, and prints the result for each item. */
async function runExportImport(
  project: OpenedProject,
  path: string,
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
): Promise<ExitStatus> {
  const report = await importSpecs(project, readImportBatch(path), dryRun);
  const { imported, existing, refused, notes = [] } = report;
  if (json) printJson(report);
  else {
    const said = dryRun ? "would import" : "imported";
    const lines = [
      ...imported.map(({ source, id }) => `${said} ${id ?? "under a new id"} from ${source}`),
      ...existing.map(({ source, id }) => `kept ${id}, which exists already, for ${source}`),
      ...notes.map(({ source, reason }) => `note on ${source}: ${reason}`),
      ...refused.map(({ source, reason }) => `refused ${source}: ${reason}`),
      `${imported.length} ${said}, ${existing.length} existing, ${refused.length} refused`,
    ];
    print(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
  }
  return existing.length + refused.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}
