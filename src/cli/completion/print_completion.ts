import { resolve } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { Command, CompletionSource, Flag, Positional } from "../command.ts";
import { findCommandIndex, findMemberIndex } from "../command_tree.ts";
import type { CommandTable } from "../commands.ts";
import { print, sanitizeLine } from "../output/print.ts";
import { formatFlagSummary, GLOBAL_FLAGS } from "../strict_command.ts";

/**
 * Prints candidates for a completion script: one per line, with a tab and its summary; `:file` or `:directory` if the
 * shell completes the word. Outside a project there are no specs to complete.
 * @param words the words after the program's name up to the cursor
 */
export async function printCompletion(table: CommandTable, words: readonly string[], cwd: string): Promise<void> {
  const completion = await completeWords(table, words);
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  if (completion.kind === "file" || completion.kind === "directory") return print(`:${completion.kind}\n`);
  if (completion.kind === "words")
    return print(formatCandidates(completion.candidates.filter(({ word }) => word.startsWith(current))));
  const context = await openContextQuietly(cwd, words);
  if (context === undefined) return;
  print(formatCandidates(await listSpecCandidates(context, current, completion.kind === "archived_spec")));
}

async function openContextQuietly(cwd: string, words: readonly string[]) {
  const at = words.indexOf("--root");
  const root = at === -1 ? undefined : words[at + 1];
  const { openPlanner } = await import("../compose.ts");
  const context = await openPlanner({ cwd, ...(root === undefined ? {} : { root: resolve(cwd, root) }) });
  return (await context.isInitialised()) ? context : undefined;
}

function formatCandidates(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, summary }) => `${word}\t${summary}\n`).join("");
}

/** Maximum number of specs whose titles are read, because reading every spec would delay the completion. */
const MAX_TITLES = 30;

/**
 * Returns the ids that begin with the given text or, if none does, those that contain it, because commands accept
 * partial ids. Omits ids with characters that a shell interprets. Cost: a listing of the folder, and one file per
 * candidate for its title unless there are many.
 */
async function listSpecCandidates(
  context: PlannerContext,
  current: string,
  archived: boolean,
): Promise<readonly Candidate[]> {
  const all = [...(await context.specs.listIds()), ...(archived ? await context.specs.listArchivedIds() : [])];
  const ids = all.filter((id) => /^[\w.+-]+$/.test(id));
  const begun = ids.filter((id) => id.startsWith(current));
  const found = begun.length > 0 ? begun : ids.filter((id) => id.includes(current));
  if (found.length > MAX_TITLES) return found.map((word) => ({ word, summary: "" }));
  return Promise.all(found.map(async (word) => ({ word, summary: await readSpecTitle(context, word) })));
}

async function readSpecTitle(context: PlannerContext, id: SpecId): Promise<string> {
  try {
    return sanitizeLine((await context.specs.load(id)).title ?? "");
  } catch {
    // A file that cannot be read still has an id to complete.
    return "";
  }
}

interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** Completion at the cursor: a list of words, or a kind that the shell or the project completes. */
type Completion =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: CompletionSource };

const NO_CANDIDATES: Completion = { kind: "words", candidates: [] };

/** Returns candidates for the last word. Ignores a single `=`, because bash passes `--flag=value` as three words. */
export async function completeWords(table: CommandTable, words: readonly string[]): Promise<Completion> {
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const place = findCommandIndex(before);
  const name = before[place];
  if (name === undefined) return completeCommandName(table, current, before);
  const rest = before.toSpliced(place, 1);
  if (name === "help") return completeHelpWords(table, rest);
  return completeSubcommand(table, name, { current, rest });
}

interface TypedWords {
  readonly current: string;
  /** The words before the cursor, without names of commands. */
  readonly rest: readonly string[];
}

async function completeSubcommand(
  table: CommandTable,
  name: string,
  { current, rest }: TypedWords,
): Promise<Completion> {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined) return NO_CANDIDATES;
  if (!("family" in entry)) return completeArgument((await entry.load()).command, current, rest);
  const { commands } = (await entry.family()).family;
  const at = findMemberIndex(commands, rest);
  const member = rest[at];
  if (member !== undefined) return completeSubcommand(commands, member, { current, rest: rest.toSpliced(at, 1) });
  return current.startsWith("-") ? completeFlagNames(GLOBAL_FLAGS, rest) : listMembers(commands);
}

async function completeHelpWords(table: CommandTable, path: readonly string[]): Promise<Completion> {
  const [name, ...rest] = path;
  if (name === undefined) return listCommands(table);
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined || !("family" in entry)) return NO_CANDIDATES;
  const { commands } = (await entry.family()).family;
  return rest.length === 0 ? listMembers(commands) : completeHelpWords(commands, rest);
}

function completeCommandName(table: CommandTable, current: string, before: readonly string[]): Completion {
  if (before.at(-1) === "--root") return { kind: "directory" };
  return current.startsWith("-") ? completeFlagNames(GLOBAL_FLAGS, before) : listCommands(table);
}

async function completeArgument(command: Command, current: string, before: readonly string[]): Promise<Completion> {
  const flags: Readonly<Record<string, Flag>> = { ...command.flags, ...GLOBAL_FLAGS };
  const inline = /^(--[^=]+)=/.exec(current)?.[1];
  const asking = findFlagByWord(inline ?? before.at(-1), flags);
  if (asking !== undefined && asking.type !== "boolean")
    return completeFlagValue(asking, inline === undefined ? "" : `${inline}=`);
  if (current.startsWith("-")) return completeFlagNames(flags, before);
  const declared = Object.values(command.positionals);
  const placed = selectPositionals(before, flags);
  const last = declared.at(-1);
  const next = declared[placed.length] ?? (last?.repeats === true ? last : undefined);
  const known = await next?.following?.(placed);
  if (known !== undefined) return createWordsCompletion(known);
  return next === undefined ? NO_CANDIDATES : completePositional(next);
}

function completeFlagValue(flag: Exclude<Flag, { type: "boolean" }>, prefix: string): Completion {
  if (flag.type === "enum") return createWordsCompletion(flag.options.map((word) => prefix + word));
  return flag.completes === undefined ? NO_CANDIDATES : { kind: flag.completes };
}

function completePositional({ options, completes }: Positional): Completion {
  if (options !== undefined) return createWordsCompletion(options);
  return completes === undefined ? NO_CANDIDATES : { kind: completes };
}

// Offers the names of flags; a flag that was given is offered again only if it may be repeated.
function completeFlagNames(flags: Readonly<Record<string, Flag>>, before: readonly string[]): Completion {
  const open = Object.entries(flags).filter(([name, flag]) => "multiple" in flag || !before.includes(`--${name}`));
  return createWordsCompletion(open.map(([name, flag]) => ({ word: `--${name}`, summary: formatFlagSummary(flag) })));
}

function listCommands(table: CommandTable): Completion {
  return listMembers({ ...table, help: { summary: "Show what a command does" } });
}

function listMembers(table: Readonly<Record<string, { readonly summary: string }>>): Completion {
  return createWordsCompletion(Object.entries(table).map(([word, { summary }]) => ({ word, summary })));
}

function findFlagByWord(word: string | undefined, flags: Readonly<Record<string, Flag>>): Flag | undefined {
  if (word === undefined || !/^--?[a-z]/.test(word)) return undefined;
  if (word.startsWith("--")) return Object.hasOwn(flags, word.slice(2)) ? flags[word.slice(2)] : undefined;
  return Object.values(flags).find(({ short }) => short === word.slice(-1));
}

function selectPositionals(before: readonly string[], flags: Readonly<Record<string, Flag>>): readonly string[] {
  const placed: string[] = [];
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? "";
    const flag = findFlagByWord(word, flags);
    if (flag !== undefined && flag.type !== "boolean") index++;
    else if (!word.startsWith("-")) placed.push(word);
  }
  return placed;
}

function createWordsCompletion(words: readonly (string | Candidate)[]): Completion {
  const candidates = words.map((word) => (typeof word === "string" ? { word, summary: "" } : word));
  return { kind: "words", candidates };
}
