import { flagSummary } from "../argument_rules.ts";
import type { Command, Completes, Flag, Positional } from "../command.ts";
import type { CommandTable } from "../commands.ts";
import { commandPlace, memberAt } from "../find_command.ts";
import { GLOBAL_FLAGS } from "../strict_command.ts";

export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** Candidates at the cursor: words, or a kind that the shell or the project completes. */
export type Completion =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: Completes };

const NOTHING: Completion = { kind: "words", candidates: [] };

/**
 * Returns the candidates for the last of `words`, the words after the program's name up to the cursor.
 *
 * Bash passes `--flag=value` as three words; the single `=` is dropped here. Cost: loads only the named command.
 */
export async function completionAt(table: CommandTable, words: readonly string[]): Promise<Completion> {
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const place = commandPlace(before);
  const name = before[place];
  if (name === undefined) return beforeCommand(table, current, before);
  const rest = before.toSpliced(place, 1);
  if (name === "help") return afterHelp(table, rest);
  return belowName(table, name, { current, rest });
}

interface Typed {
  readonly current: string;
  /** The words before the cursor, without the names of commands. */
  readonly rest: readonly string[];
}

async function belowName(table: CommandTable, name: string, { current, rest }: Typed): Promise<Completion> {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined) return NOTHING;
  if (!("family" in entry)) return inCommand((await entry.load()).command, current, rest);
  const { commands } = (await entry.family()).family;
  const at = memberAt(commands, rest);
  const member = rest[at];
  if (member !== undefined) return belowName(commands, member, { current, rest: rest.toSpliced(at, 1) });
  return current.startsWith("-") ? flagNames(GLOBAL_FLAGS, rest) : members(commands);
}

async function afterHelp(table: CommandTable, path: readonly string[]): Promise<Completion> {
  const [name, ...rest] = path;
  if (name === undefined) return commandNames(table);
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined || !("family" in entry)) return NOTHING;
  const { commands } = (await entry.family()).family;
  return rest.length === 0 ? members(commands) : afterHelp(commands, rest);
}

function beforeCommand(table: CommandTable, current: string, before: readonly string[]): Completion {
  if (before.at(-1) === "--root") return { kind: "directory" };
  return current.startsWith("-") ? flagNames(GLOBAL_FLAGS, before) : commandNames(table);
}

async function inCommand(command: Command, current: string, before: readonly string[]): Promise<Completion> {
  const flags: Readonly<Record<string, Flag>> = { ...command.flags, ...GLOBAL_FLAGS };
  const inline = /^(--[^=]+)=/.exec(current)?.[1];
  const asking = flagOf(inline ?? before.at(-1), flags);
  if (asking !== undefined && asking.type !== "boolean")
    return valuesOf(asking, inline === undefined ? "" : `${inline}=`);
  if (current.startsWith("-")) return flagNames(flags, before);
  const declared = Object.values(command.positionals);
  const placed = positionalsIn(before, flags);
  const last = declared.at(-1);
  const next = declared[placed.length] ?? (last?.repeats === true ? last : undefined);
  const known = await next?.following?.(placed);
  if (known !== undefined) return wordList(known);
  return next === undefined ? NOTHING : placeOf(next);
}

function valuesOf(flag: Exclude<Flag, { type: "boolean" }>, prefix: string): Completion {
  if (flag.type === "enum") return wordList(flag.options.map((word) => prefix + word));
  return flag.completes === undefined ? NOTHING : { kind: flag.completes };
}

function placeOf({ options, completes }: Positional): Completion {
  if (options !== undefined) return wordList(options);
  return completes === undefined ? NOTHING : { kind: completes };
}

// A flag that was given is offered again only when it may be repeated.
function flagNames(flags: Readonly<Record<string, Flag>>, before: readonly string[]): Completion {
  const open = Object.entries(flags).filter(([name, flag]) => "multiple" in flag || !before.includes(`--${name}`));
  return { kind: "words", candidates: open.map(([name, flag]) => ({ word: `--${name}`, summary: flagSummary(flag) })) };
}

function commandNames(table: CommandTable): Completion {
  return { kind: "words", candidates: [...rows(table), { word: "help", summary: "Show what a command does" }] };
}

function members(table: CommandTable): Completion {
  return { kind: "words", candidates: rows(table) };
}

function rows(table: CommandTable): readonly Candidate[] {
  return Object.entries(table).map(([word, { summary }]) => ({ word, summary }));
}

function flagOf(word: string | undefined, flags: Readonly<Record<string, Flag>>): Flag | undefined {
  if (word === undefined || !/^--?[a-z]/.test(word)) return undefined;
  if (word.startsWith("--")) return Object.hasOwn(flags, word.slice(2)) ? flags[word.slice(2)] : undefined;
  return Object.values(flags).find(({ short }) => short === word.slice(-1));
}

function positionalsIn(before: readonly string[], flags: Readonly<Record<string, Flag>>): readonly string[] {
  const placed: string[] = [];
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? "";
    const flag = flagOf(word, flags);
    if (flag !== undefined && flag.type !== "boolean") index++;
    else if (!word.startsWith("-")) placed.push(word);
  }
  return placed;
}

function wordList(words: readonly string[]): Completion {
  return { kind: "words", candidates: words.map((word) => ({ word, summary: "" })) };
}
