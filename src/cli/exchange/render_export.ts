import { criteriaOf } from "#planner/spec/criteria.ts";
import type { ExportedSpec, ExportFile } from "./export_file.ts";

export const EXPORT_FORMATS = ["json", "csv", "markdown"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The columns of the tables; a list is one cell, its items behind semicolons as spreadsheets expect. */
const COLUMNS: readonly { readonly title: string; readonly text: (spec: ExportedSpec) => string }[] = [
  { title: "id", text: ({ id }) => id },
  { title: "status", text: ({ status }) => status },
  { title: "type", text: ({ type }) => type },
  { title: "title", text: ({ title }) => title ?? "" },
  { title: "labels", text: ({ labels }) => labels.join("; ") },
  { title: "depends_on", text: ({ depends_on }) => depends_on.join("; ") },
  { title: "target_files", text: ({ target_files }) => target_files.join("; ") },
  { title: "model", text: ({ model }) => model ?? "" },
  { title: "criteria", text: ({ body }) => criteriaText(body) },
  { title: "archived", text: ({ archived }) => String(archived) },
];

const RENDERERS: Record<ExportFormat, (file: ExportFile) => string> = {
  json: (file) => `${JSON.stringify(file, null, 2)}\n`,
  csv: ({ specs }) => csvLines([COLUMNS.map(({ title }) => title), ...specs.map(cells)]),
  markdown: ({ specs }) => markdownTable([COLUMNS.map(({ title }) => title), ...specs.map(cells)]),
};

/** The export as text in one of the formats. */
export function renderExport(file: ExportFile, format: ExportFormat): string {
  return RENDERERS[format](file);
}

function cells(spec: ExportedSpec): readonly string[] {
  return COLUMNS.map(({ text }) => text(spec));
}

function criteriaText(body: string): string {
  const criteria = criteriaOf(body);
  return `${criteria.filter(({ checked }) => checked).length}/${criteria.length}`;
}

// RFC 4180: CRLF, and quotes around what holds a comma, a quote or a line break.
function csvLines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function markdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.map(markdownCell).join(" | ")} |\n`;
  return line(header) + line(header.map(() => "---")) + rows.map(line).join("");
}

function markdownCell(text: string): string {
  return text.replace(/[\\|<>]/g, (character) => `\\${character}`).replace(/\s+/g, " ");
}
