import type { Command } from "./command.ts";
import type { CommandFamily, CommandTable } from "./commands.ts";
import { formatHelpHint, formatSuggestion, UsageError } from "./usage_error.ts";

/** The command that a command line names, or a family if no member is named. */
export interface FoundCommand {
  /** Names of the families and the command, such as `["dc", "token", "create"]`. */
  readonly path: readonly string[];
  /** Words of the command line without the names in `path`. */
  readonly rest: readonly string[];
  readonly found: { readonly command: Command } | { readonly family: CommandFamily };
}

/** Returns the index of the first word that is no flag and no value of `--root`; both may precede the command. */
export function findCommandIndex(words: readonly string[]): number {
  let index = 0;
  while (words[index]?.startsWith("-") === true) index += words[index] === "--root" ? 2 : 1;
  return index;
}

/** Returns the command that the words name, or the family's `fallback`. @throws UsageError for an unknown name */
export async function findCommand(table: CommandTable, name: string, words: readonly string[]): Promise<FoundCommand> {
  const path = [name];
  let rest = words;
  let entry = findCommandEntry(table, path);
  while ("family" in entry) {
    const { family } = await entry.family();
    const at = findMemberIndex(family.commands, rest);
    const member = rest[at] ?? (hasHelpFlag(rest) ? undefined : family.fallback);
    if (member === undefined) return { path, rest, found: { family } };
    path.push(member);
    entry = findCommandEntry(family.commands, path);
    rest = rest[at] === undefined ? rest : rest.toSpliced(at, 1);
  }
  return { path, rest, found: await entry.load() };
}

/** Returns the index of a family's member: the first word that is no flag and cannot be a flag's value, or -1. */
export function findMemberIndex(table: CommandTable, words: readonly string[]): number {
  return words.findIndex((word, index) => {
    if (word.startsWith("-")) return false;
    const before = words[index - 1];
    const mayBeValue = before?.startsWith("-") === true && !before.includes("=");
    return !mayBeValue || Object.hasOwn(table, word);
  });
}

function hasHelpFlag(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

function findCommandEntry(table: CommandTable, path: readonly string[]): CommandTable[string] {
  const name = path.at(-1) ?? "";
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined) return entry;
  const parent = path.slice(0, -1).join(" ");
  const names = Object.keys(table);
  const near = formatSuggestion(name, parent === "" ? [...names, "help"] : names);
  const message = `Unknown command "${path.join(" ")}"`;
  if (near !== "") throw new UsageError(`${message}: ${near}`, null);
  throw new UsageError(
    parent === "" ? message : `${message}: expected one of ${names.join(", ")}`,
    formatHelpHint(parent),
  );
}
