import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Flags, selectFlags, selectPositionals } from "#cli/args.ts";
import { program } from "#cli/commands.ts";
import { type Declaration, describeMember, type FamilyDeclaration, loadMember } from "#cli/declaration.ts";
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

/** Every command and family, in the order of the families. */
export async function documentedCommands(
  family: FamilyDeclaration = program.family,
): Promise<readonly (Declaration | FamilyDeclaration)[]> {
  const rows = Object.values(family.subCommands).map(async (member) => {
    const loaded = await loadMember(member);
    return "family" in loaded ? [loaded.family, ...(await documentedCommands(loaded.family))] : [loaded.declaration];
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
  const sections = (await documentedCommands()).map((one) =>
    "subCommands" in one ? familySection(one) : commandSection(one),
  );
  return [COMMANDS_HEAD, ...sections].join("\n");
}

function familySection({ meta: { name }, details, subCommands }: FamilyDeclaration): string {
  const rows = Object.entries(subCommands).map(([member, loaded]) => {
    const link = `#${`${name} ${member}`.replaceAll(" ", "-")}`;
    return `| [\`${member}\`](${link}) | ${escaped(describeMember(loaded))} |\n`;
  });
  const about = details === undefined ? "" : `${linkedText(details)}\n\n`;
  return `## ${name}\n\n\`planner ${name} <command>\`\n\n${about}| Command | Meaning |\n| --- | --- |\n${rows.join("")}`;
}

function commandSection({ meta: { name, description }, details = "", args = {}, examples }: Declaration): string {
  const places = Object.entries(selectPositionals(args)).map(([place, declared]) => [
    declared.required ? `\`<${place}>\`` : `\`[${place}]\``,
    formatPositional(declared),
  ]);
  const rows = places.map(([head = "", meaning = ""]) => `| ${head} | ${escaped(linkedText(meaning))} |\n`).join("");
  const table = flagsTable(selectFlags(args), rows);
  const about = `${description}. ${details}`.trim();
  const lines = Object.entries(examples).map(([line, shows]) => `- \`${line}\`: ${linkedText(shows)}\n`);
  return `## ${name}\n\n\`${formatUsage(name, args)}\`\n\n${linkedText(about)}\n\n${table}${lines.join("")}`;
}

/** A table of flags below the rows of arguments. */
function flagsTable(flags: Flags, above = ""): string {
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
