import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TObject, TSchema } from "@sinclair/typebox";
import type { Command } from "#cli/command.ts";
import { COMMANDS, type CommandFamily, type CommandTable } from "#cli/commands.ts";
import { flagHead, flagText, placeText, usageLine } from "#cli/help.ts";
import { tools } from "#planner/operations/index.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** Documents whose tables follow from the program, with what writes them. */
export const TABLED_DOCS: Readonly<Record<string, (text: string) => Promise<string>>> = {
  "cli.md": withCommandTables,
  "tools.md": async (text) => withToolTables(text),
};

/** Path and text of a document, and its text with the tables that the program has now. */
export async function tabledDoc(name: string): Promise<{ path: string; text: string; current: string }> {
  const path = join(DOCS, name);
  const text = readFileSync(path, "utf8");
  return { path, text, current: (await TABLED_DOCS[name]?.(text)) ?? text };
}

export type Documented = readonly [string, { readonly command: Command } | { readonly family: CommandFamily }];

/** Every command and family with its full name, `dc token create`, in the order of the tables. */
export async function documentedCommands(
  table: CommandTable = COMMANDS,
  above: readonly string[] = [],
): Promise<readonly Documented[]> {
  const rows = Object.entries(table).map(async ([name, entry]): Promise<readonly Documented[]> => {
    const path = [...above, name];
    if (!("family" in entry)) return [[path.join(" "), await entry.load()]];
    const loaded = await entry.family();
    return [[path.join(" "), loaded], ...(await documentedCommands(loaded.family.commands, path))];
  });
  return (await Promise.all(rows)).flat();
}

async function withCommandTables(text: string): Promise<string> {
  let current = text;
  for (const [name, loaded] of await documentedCommands()) {
    if (!("command" in loaded)) continue;
    current = withSection(current, name, (section) => commandSection(section, name, loaded.command));
  }
  return current;
}

function commandSection(section: string, name: string, command: Command): string {
  const places = Object.entries(command.positionals).map(([place, declared]) => [
    declared.required ? `\`<${place}>\`` : `\`[${place}]\``,
    placeText(declared),
  ]);
  const flags = Object.entries(command.flags).map(([flag, declared]) => [
    flagHead(flag, declared)
      .trim()
      .replace(/^(-\w), (.*)$/, "`$1`, `$2`")
      .replace(/^--.*$/, "`$&`"),
    flagText(declared),
  ]);
  const rows = [...places, ...flags].map(([head = "", meaning = ""]) => `| ${head} | ${escaped(meaning)} |\n`);
  const table = rows.length === 0 ? "" : `| Argument or flag | Meaning |\n| --- | --- |\n${rows.join("")}`;
  const usage = section.replace(/^`planner .*`$/m, () => `\`${usageLine(name, command)}\``);
  return usage.replace(/^\| Argument or flag \| Meaning \|\n(\|.*\n)*/m, () => table);
}

/** A pipe in a cell, unless it is escaped, ends the cell. */
function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}

function withToolTables(text: string): string {
  return tools.reduce(
    (current, { name, params }) => withSection(current, name, (section) => toolSection(section, params)),
    text,
  );
}

/** Keeps the last column, which explains more than the descriptions that agents pay for. */
function toolSection(section: string, params: TObject): string {
  const meanings = new Map(
    [...section.matchAll(/^\| `(\w+)` .*\|(.*?)\|$/gm)].map(([line, name = ""]) => [name, lastCell(line)]),
  );
  const rows = Object.entries(params.properties).map(([name, schema]) => {
    const type = schema["items"] === undefined ? schema["type"] : `array of ${(schema["items"] as TSchema)["type"]}`;
    const meaning = meanings.get(name) ?? escaped(schema.description ?? "");
    const required = params.required?.includes(name) === true ? "yes" : "no";
    return `| \`${name}\` | ${type} | ${required} | ${schema.default ?? ""} | ${meaning} |\n`.replace("|  |", "| |");
  });
  const head = "| parameter | type | required | default | meaning |\n| --- | --- | --- | --- | --- |\n";
  return section.replace(/^\| parameter +\|.*\n(\|.*\n)*/m, () => head + rows.join(""));
}

function lastCell(line: string): string {
  return (
    line
      .split(/(?<!\\)\|/)
      .at(-2)
      ?.trim() ?? ""
  );
}

/** Replaces the part under `### name`; a text without it stays as it is. */
function withSection(text: string, name: string, replace: (section: string) => string): string {
  const parts = text.split(/^(?=#{2,3} )/m);
  return parts.map((part) => (part.startsWith(`### ${name}\n`) ? replace(part) : part)).join("");
}
