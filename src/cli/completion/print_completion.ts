import { resolve } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import {
  type Args,
  type CompletionSource,
  type Flag,
  type Flags,
  type Positional,
  selectFlags,
  selectPositionals,
} from "../args.ts";
import { describeMember, type FamilyDeclaration, findNameIndex, getMember, loadMember } from "../declaration.ts";
import { print, sanitizeLine } from "../output/print.ts";
import { formatFlagSummary, GLOBAL_FLAGS } from "../strict_command.ts";

/**
 * Prints candidates for a completion script: one per line, with a tab and its summary; `:file` or `:directory` if the
 * shell completes the word. Outside a project there are no specs to complete.
 * @param words the words after the program's name up to the cursor
 */
export async function printCompletion(
  program: FamilyDeclaration,
  words: readonly string[],
  cwd: string,
): Promise<void> {
  const completion = await completeWords(program, words);
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
export async function completeWords(program: FamilyDeclaration, words: readonly string[]): Promise<Completion> {
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  return completeMember(
    program,
    current,
    words.slice(0, -1).filter((word) => word !== "="),
  );
}

/** @param before the words before the cursor, without the names of the family */
async function completeMember(
  family: FamilyDeclaration,
  current: string,
  before: readonly string[],
): Promise<Completion> {
  const isProgram = family.meta.name === "";
  const at = findNameIndex(family, before);
  const name = before[at];
  if (name === undefined) {
    if (isProgram && before.at(-1) === "--root") return { kind: "directory" };
    return current.startsWith("-") ? completeFlagNames(GLOBAL_FLAGS, before) : listMembers(family);
  }
  const rest = before.toSpliced(at, 1);
  if (isProgram && name === "help") return completeHelpWords(family, rest);
  const member = getMember(family, name);
  if (member === undefined) return NO_CANDIDATES;
  const loaded = await loadMember(member);
  if ("family" in loaded) return completeMember(loaded.family, current, rest);
  return completeArgument(loaded.declaration.args ?? {}, current, rest);
}

async function completeHelpWords(family: FamilyDeclaration, path: readonly string[]): Promise<Completion> {
  const [name, ...rest] = path;
  if (name === undefined) return listMembers(family);
  const member = getMember(family, name);
  const loaded = member && (await loadMember(member));
  return loaded !== undefined && "family" in loaded ? completeHelpWords(loaded.family, rest) : NO_CANDIDATES;
}

async function completeArgument(args: Args, current: string, before: readonly string[]): Promise<Completion> {
  const flags: Flags = { ...selectFlags(args), ...GLOBAL_FLAGS };
  const inline = /^(--[^=]+)=/.exec(current)?.[1];
  const asking = findFlagByWord(inline ?? before.at(-1), flags);
  if (asking !== undefined && asking.type !== "boolean")
    return completeFlagValue(asking, inline === undefined ? "" : `${inline}=`);
  if (current.startsWith("-")) return completeFlagNames(flags, before);
  const declared = Object.values(selectPositionals(args));
  const placed = selectPlacedWords(before, flags);
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
function completeFlagNames(flags: Flags, before: readonly string[]): Completion {
  const open = Object.entries(flags).filter(([name, flag]) => "multiple" in flag || !before.includes(`--${name}`));
  return createWordsCompletion(open.map(([name, flag]) => ({ word: `--${name}`, summary: formatFlagSummary(flag) })));
}

function listMembers({ meta, subCommands }: FamilyDeclaration): Completion {
  const members = Object.entries(subCommands).map(([word, member]) => ({ word, summary: describeMember(member) }));
  const help = { word: "help", summary: "Show what a command does" };
  return createWordsCompletion(meta.name === "" ? [...members, help] : members);
}

function findFlagByWord(word: string | undefined, flags: Flags): Flag | undefined {
  if (word === undefined || !/^--?[a-z]/.test(word)) return undefined;
  if (word.startsWith("--")) return Object.hasOwn(flags, word.slice(2)) ? flags[word.slice(2)] : undefined;
  return Object.values(flags).find(({ alias }) => alias === word.slice(-1));
}

function selectPlacedWords(before: readonly string[], flags: Flags): readonly string[] {
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
