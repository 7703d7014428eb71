import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { importSpecs } from "../../exchange/import_specs.ts";
import { readImport } from "../../exchange/read_import.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { plainLine } from "../../plain_text.ts";
import { print, printJson } from "../../print.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Take in specs from an export or from Markdown files with frontmatter",
  details:
    "Nothing that exists is overwritten. A file named like a spec keeps its id and its bytes; any other gets a new id. Exit status 1 when an item was not taken in.",
  positionals: {
    path: { summary: "Export (.json), Markdown file, or folder of them", required: true, completes: "file" },
  },
  flags: {
    "dry-run": { type: "boolean", short: "n", summary: "Only tell what would happen" },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner import specs.json", shows: "what `planner export` wrote elsewhere" },
    { line: "planner import ../notes --dry-run", shows: "what would become of a folder of notes" },
  ],
  async run({ path, "dry-run": dryRun, json }, cli) {
    const project = await cli.project();
    const report = await importSpecs(project, readImport(resolve(cli.cwd, path)), dryRun);
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
  },
});
