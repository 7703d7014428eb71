import { SOURCE_FORMATS } from "#planner/exchange/formats.ts";
import type { SourceFormat } from "#planner/exchange/source.ts";

/** The tools whose tasks are imported: how each is named, what is read of it and what is not carried. */
export function sourcesTable(): string {
  const rows = SOURCE_FORMATS.map(({ kind, name, readFrom, leavesOut }) => {
    const anchor = name.toLowerCase().replaceAll(".", "").replaceAll(" ", "-");
    return `| [${name}](#${anchor}) | \`${kind}\` | ${readFrom} | ${leavesOut} |\n`;
  });
  return `| Tool | \`--from\` | Read from | Not carried |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}

/** What parts of tools' tasks become in specs. @param kinds of the tools; a single one has its heading in the document */
export function sourceParts(kinds: string): string {
  const named = kinds.split(" ");
  const formats = named.map((kind) => SOURCE_FORMATS.find((format) => format.kind === kind));
  return formats
    .map((format, index) => {
      if (format === undefined) throw new Error(`no tool is called ${named[index]}`);
      const head = formats.length === 1 ? "" : `## ${format.name}\n\n`;
      return `${head}${becomesTable(format)}${format.note === undefined ? "" : `\n${format.note}\n`}`;
    })
    .join("\n");
}

function becomesTable({ name, becomes }: SourceFormat): string {
  const rows = Object.entries(becomes).map(([part, spec]) => `| ${part} | ${spec} |\n`);
  return `| ${name} | Spec |\n| --- | --- |\n${rows.join("")}`;
}
