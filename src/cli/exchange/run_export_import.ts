import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { OpenProject } from "../open_project.ts";
import { plainLine } from "../output/plain_text.ts";
import { print, printJson } from "../output/print.ts";
import { importSpecs } from "./import_specs.ts";
import { readImport } from "./read_import.ts";

/** Imports an export, a Markdown file or a folder of them, and prints the result for each item. */
export async function runExportImport(
  project: OpenProject,
  path: string,
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
): Promise<ExitStatus> {
  const report = await importSpecs(project, readImport(path), dryRun);
  const { imported, existing, refused } = report;
  if (json) printJson(report);
  else {
    const said = dryRun ? "would import" : "imported";
    const lines = [
      ...imported.map(({ source, id }) => `${said} ${id ?? "under a new id"} from ${source}`),
      ...existing.map(({ source, id }) => `kept ${id}, which exists already, for ${source}`),
      ...refused.map(({ source, reason }) => `refused ${source}: ${reason}`),
      `${imported.length} ${said}, ${existing.length} existing, ${refused.length} refused`,
    ];
    print(lines.map((line) => `${plainLine(line)}\n`).join(""));
  }
  return existing.length + refused.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}
