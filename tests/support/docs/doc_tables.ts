import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Flag } from "#cli/command.ts";
import { COMMANDS, type CommandFamily, type CommandTable } from "#cli/commands.ts";
import { formatFlagHead, formatFlagText, formatPositional, formatUsage } from "#cli/help.ts";
import { formatExclusions, GLOBAL_FLAGS, PROGRAM_FLAGS } from "#cli/strict_command.ts";
import { documents } from "../documents.ts";
import { withBlocks } from "./blocks.ts";
import { indexPage } from "./index_page.ts";
import { linkedText } from "./linked_text.ts";
import { rpcsPage } from "./rpc_pages.ts";

const DOCS = join(import.meta.dirname, "..", "..", "..", "docs");

/** Documents that the program writes as a whole. */
const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "README.md": indexPage,
  "commands.md": commandsPage,
  "rpcs.md": rpcsPage,
};

/** Documents that the program writes, as a whole or in blocks. */
export const GENERATED_DOCS: readonly string[] = [
  ...Object.keys(PAGES),
  ...documents().flatMap(({ path, text }) =>
    path.startsWith("docs/") && text.includes("\n<!-- generated: ") ? path.slice("docs/".length) : [],
  ),
];

/** Path and text of a document, and its text with the tables that the program has now. */
export async function tabledDoc(name: string): Promise<{ path: string; text: string; current: string }> {
  const path = join(DOCS, name);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return { path, text, current: await (PAGES[name]?.() ?? withBlocks(text)) };
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

const COMMANDS_HEAD = `# Commands

What \`planner <command> --help\` prints, of every command. \`bun tests/doc_tables.ts\` writes this page from the program.
[cli.md](cli.md) describes what commands have in common, their exit statuses, \`--json\` and what the help has no room for.
Each command has these flags too, and the program itself the last one:

${flagsTable({ ...GLOBAL_FLAGS, ...PROGRAM_FLAGS }).trimEnd()}
`;

async function commandsPage(): Promise<string> {
  const sections = (await documentedCommands()).map(([name, loaded]) =>
    "command" in loaded ? commandSection(name, loaded.command) : familySection(name, loaded.family),
  );
  return [COMMANDS_HEAD, ...sections].join("\n");
}

function familySection(name: string, { details, commands }: CommandFamily): string {
  const rows = Object.entries(commands).map(
    ([member, { summary }]) =>
      `| [\`${member}\`](#${`${name} ${member}`.replaceAll(" ", "-")}) | ${escaped(summary)} |\n`,
  );
  const about = details === undefined ? "" : `${linkedText(details)}\n\n`;
  return `## ${name}\n\n\`planner ${name} <command>\`\n\n${about}| Command | Meaning |\n| --- | --- |\n${rows.join("")}`;
}

function commandSection(name: string, command: Command): string {
  const places = Object.entries(command.positionals).map(([place, declared]) => [
    declared.required ? `\`<${place}>\`` : `\`[${place}]\``,
    formatPositional(declared),
  ]);
  const rows = places.map(([head = "", meaning = ""]) => `| ${head} | ${escaped(linkedText(meaning))} |\n`).join("");
  const table = flagsTable(command.flags, rows);
  const about = `${command.summary}. ${command.details ?? ""}`.trim();
  const examples = command.examples.map(({ line, shows }) => `- \`${line}\`: ${linkedText(shows)}\n`).join("");
  return `## ${name}\n\n\`${formatUsage(name, command)}\`\n\n${linkedText(about)}\n\n${table}${examples}`;
}

/** A table of flags below the rows of arguments. */
function flagsTable(flags: Readonly<Record<string, Flag>>, above = ""): string {
  const rows = Object.entries(flags).map(([flag, declared]) => {
    const head = formatFlagHead(flag, declared)
      .trim()
      .replace(/^(-\w), (.*)$/, "`$1`, `$2`")
      .replace(/^--.*$/, "`$&`");
    return `| ${head} | ${escaped(linkedText(formatFlagText(declared) + formatExclusions(declared)))} |\n`;
  });
  const all = above + rows.join("");
  return all === "" ? "" : `| Argument or flag | Meaning |\n| --- | --- |\n${all}\n`;
}

/** A pipe in a cell, unless it is escaped, ends the cell. */
function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
