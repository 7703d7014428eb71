import { resolve } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import { createFilterTest, type SpecFilter } from "#planner/operations/shared/spec_filter.ts";
import { loadSpecWorld } from "#planner/operations/shared/world.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { FILTER_STATUSES, type FilterStatus, type Spec } from "#planner/spec/spec.ts";
import { quoteCsvCell } from "#words/quoting.ts";
import { booleanFlag, enumFlag, fileFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { createExportedSpec, type ExportedSpec, type ExportFile } from "../../exchange/export_file.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { isTerminal, print, sanitizeLines } from "../../output/print.ts";
import { writeFile } from "../../output/write_file.ts";

const EXPORT_FORMATS = ["json", "csv", "markdown"] as const;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Columns of the tables. A list is one cell with its items separated by semicolons, as spreadsheets expect. */
const EXPORT_COLUMNS: readonly { readonly title: string; readonly text: (spec: ExportedSpec) => string }[] = [
  { title: "id", text: ({ id }) => id },
  { title: "status", text: ({ status }) => status },
  { title: "type", text: ({ type }) => type },
  { title: "title", text: ({ title }) => title ?? "" },
  { title: "labels", text: ({ labels }) => labels.join("; ") },
  { title: "depends_on", text: ({ depends_on }) => depends_on.join("; ") },
  { title: "target_files", text: ({ target_files }) => target_files.join("; ") },
  { title: "model", text: ({ model }) => model ?? "" },
  { title: "criteria", text: ({ body }) => formatCriteria(body) },
  { title: "archived", text: ({ archived }) => String(archived) },
];

const RENDERERS: Record<ExportFormat, (file: ExportFile) => string> = {
  json: (file) => `${JSON.stringify(file, null, 2)}\n`,
  csv: ({ specs }) => formatCsvRows([EXPORT_COLUMNS.map(({ title }) => title), ...specs.map(formatSpecCells)]),
  markdown: ({ specs }) =>
    formatMarkdownTable([EXPORT_COLUMNS.map(({ title }) => title), ...specs.map(formatSpecCells)]),
};

function formatSpecCells(spec: ExportedSpec): readonly string[] {
  return EXPORT_COLUMNS.map(({ text }) => text(spec));
}

function formatCriteria(body: string): string {
  const criteria = parseCriteria(body);
  return `${criteria.filter(({ checked }) => checked).length}/${criteria.length}`;
}

// Formats rows by RFC 4180: CRLF, and quotes around cells with a comma, a quote or a line break.
function formatCsvRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((cell) => quoteCsvCell(cell)).join(",")}\r\n`).join("");
}

function formatMarkdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.map(escapeMarkdownCell).join(" | ")} |\n`;
  return line(header) + line(header.map(() => "---")) + rows.map(line).join("");
}

function escapeMarkdownCell(text: string): string {
  return text.replace(/[\\|<>]/g, (character) => `\\${character}`).replace(/\s+/g, " ");
}

export const command = defineCommand({
  meta: {
    name: "export",
    description: "Write specs as JSON, which `planner import` reads, as CSV or as a Markdown table",
  },
  details:
    "JSON is `{format, version: 1, specs, unreadable}` with the format `planner-export`; `frontmatter_text` and `body` of a spec are the file's text byte for byte. CSV follows RFC 4180. Cells are not escaped: a spreadsheet may run formulas in specs from untrusted sources.",
  args: {
    format: enumFlag(EXPORT_FORMATS, "Format (default: json)", { alias: "f" }),
    output: fileFlag("Write to this file", { alias: "o" }),
    status: enumFlag(FILTER_STATUSES, "Only specs of this status", { alias: "s" }),
    type: { type: "string", alias: "t", multiple: true, description: "Only specs of this type" },
    label: { type: "string", alias: "l", multiple: true, description: "Only specs with this label, or one of several" },
    archived: booleanFlag("Include archived specs", { alias: "a" }),
  },
  examples: {
    "planner export --archived -o specs.json": "Write all specs, as a backup or for another project",
    "planner export --format csv --status completed": "Write a table for a spreadsheet",
    "planner export --format markdown --label api": "Write a table for a report",
  },
  async run({ args: { format = "json", output, status, type, label, archived }, cli }) {
    const filter = { types: type, labels: label };
    const exported = await collectExportedSpecs(await cli.openContext(), filter, { status, archived });
    const rendered = RENDERERS[format](exported);
    // Markdown is text for reading; JSON and CSV are data, in which a terminal would interpret control characters.
    const isShown = format === "markdown" || (format === "csv" && output === undefined && isTerminal("stdout"));
    const text = isShown ? sanitizeLines(rendered) : rendered;
    if (output === undefined) print(text);
    else writeFile(resolve(cli.cwd, output), text);
    for (const { file, line, message } of exported.unreadable ?? []) {
      cli.warn(`Left out ${file}${line === null ? "" : `:${line}`}: ${message}`);
    }
    return exported.unreadable === undefined ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});

/** Reads the specs that meet the filter, active ones first, each group sorted by id. */
async function collectExportedSpecs(
  context: PlannerContext,
  filter: SpecFilter,
  { status, archived }: { readonly status: FilterStatus | undefined; readonly archived: boolean },
): Promise<ExportFile> {
  const world = await loadSpecWorld(context);
  const archive = archived ? await context.specs.readArchived() : { specs: [], unreadable: [] };
  const hasStatus = (spec: Spec): boolean => {
    if (status === undefined) return true;
    return spec.archived ? spec.status === status : world.readiness.matchesFilter(spec, status);
  };
  const meets = createFilterTest<Spec>(filter);
  const found = [...world.specs, ...archive.specs].filter((spec) => hasStatus(spec) && meets(spec));
  const specs = [];
  for (const spec of found) specs.push(createExportedSpec(spec, (await context.specs.readText(spec.id)).text));
  const unreadable = [...world.unreadable, ...archive.unreadable];
  return { format: "planner-export", version: 1, specs, ...(unreadable.length === 0 ? {} : { unreadable }) };
}
