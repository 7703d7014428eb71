import { resolve } from "node:path";
import { FILTER_STATUSES } from "#planner/spec/status.ts";
import { defineCommand } from "../../command.ts";
import { collectExport } from "../../exchange/collect_export.ts";
import { EXPORT_FORMATS, renderExport } from "../../exchange/render_export.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { plainLines } from "../../output/plain_text.ts";
import { print } from "../../output/print.ts";
import { isTerminal } from "../../output/terminal.ts";
import { writeFile } from "../../output/write_file.ts";

export const command = defineCommand({
  summary: "Write specs as JSON, which `planner import` reads, as CSV or as a Markdown table",
  positionals: {},
  flags: {
    format: { type: "enum", short: "f", options: EXPORT_FORMATS, summary: "Format (default: json)" },
    output: { type: "string", short: "o", value: "file", completes: "file", summary: "Write to this file" },
    status: { type: "enum", short: "s", options: FILTER_STATUSES, summary: "Only specs of this status" },
    type: { type: "string", short: "t", multiple: true, summary: "Only specs of this type" },
    label: { type: "string", short: "l", multiple: true, summary: "Only specs with this label, or one of several" },
    archived: { type: "boolean", short: "a", summary: "Include archived specs" },
  },
  examples: [
    { line: "planner export --archived -o specs.json", shows: "Write all specs, as a backup or for another project" },
    { line: "planner export --format csv --status completed", shows: "Write a table for a spreadsheet" },
    { line: "planner export --format markdown --label api", shows: "Write a table for a report" },
  ],
  async run({ format = "json", output, status, type, label, archived }, cli) {
    const exported = await collectExport(await cli.planner(), { status, types: type, labels: label, archived });
    const rendered = renderExport(exported, format);
    // Markdown is shown by pages; JSON and CSV are data, which only a terminal would carry out.
    const isShown = format === "markdown" || (format === "csv" && output === undefined && isTerminal("stdout"));
    const text = isShown ? plainLines(rendered) : rendered;
    if (output === undefined) print(text);
    else writeFile(resolve(cli.cwd, output), text);
    for (const { file, line, message } of exported.unreadable ?? []) {
      cli.warn(`Left out ${file}${line === null ? "" : `:${line}`}: ${message}`);
    }
    return exported.unreadable === undefined ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});
