import type { CommandDef } from "citty";
import type { PlannerContext } from "#planner/context.ts";
import type { Args, ArgValues } from "./args.ts";
import type { ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import type { StderrLogger } from "./output/stderr_logger.ts";
import { formatHelpHint, formatSuggestion, UsageError } from "./usage_error.ts";

/** Services for a command: the working directory, the project and messages. */
export interface Cli extends StderrLogger {
  /** The caller's working directory. */
  readonly cwd: string;
  /** Absolute path of `--root`, or undefined to search for the project. */
  readonly root: string | undefined;
  /** Opens the project around `cwd`, or in `root`; fails with status 2 if there is no project. */
  openProject(): Promise<OpenedProject>;
  /** Opens the same project and returns its context. */
  openContext(): Promise<PlannerContext>;
}

/** One or more flags in the order of their declaration, and their common summary. */
export interface JoinedFlags {
  readonly flags: readonly string[];
  readonly summary: string;
}

/** What each line of an example shows. */
export type Examples = Readonly<Record<string, string>>;

/** A command: its arguments, its help and its behaviour. Help, completion and argument checks are derived from it. */
export interface Declaration<A extends Args = Args> {
  /** The name is the whole name as it is typed: `dc audit verify`. */
  readonly meta: { readonly name: string; readonly description: string };
  /** Description in the help of its family, if that is shorter. */
  readonly listed?: string;
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  readonly args?: A;
  /** Related flags that help shows on one line with one summary. */
  readonly joined?: readonly JoinedFlags[];
  /** True if values also come from other sources, so that the command itself checks the constraints between flags. */
  readonly checksRules?: true;
  /** True for a server whose client waits for its first reply: the logger of `cli`, which it must not use, is not loaded. */
  readonly isServedAtOnce?: true;
  readonly examples: Examples;
  /**
   * Runs the command: prints results with `print` and messages with `cli`. Returns undefined for status 0. A method
   * rather than a property, so that commands with different argument types fit into one family.
   * @throws OperationError for an invalid or impossible request
   */
  run(call: { readonly args: ArgValues<A>; readonly cli: Cli }): Promise<ExitStatus | undefined> | Promise<void>;
}

/** A command of citty, which only runs it, with its declaration. */
export type Command = CommandDef & { readonly declaration: Declaration };

/** A command that only groups others, such as `planner dc`. */
export interface FamilyDeclaration {
  /** The whole name as it is typed; empty for the program. */
  readonly meta: { readonly name: string };
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  readonly subCommands: Members;
  /** Name of the member that runs if none is named; without it a name is required. */
  readonly fallback?: string;
  readonly examples: Examples;
}

export type Family = CommandDef & { readonly family: FamilyDeclaration };

/** A member that is loaded when it runs. Its description is here so that help of its family need not load it. */
export type LazyMember = (() => Promise<Command | Family>) & { readonly description: string };

export type Member = Command | LazyMember;
export type Members = Readonly<Record<string, Member>>;

/** Returns what the help of its family says about a member. */
export function describeMember(member: Member): string {
  if (typeof member === "function") return member.description;
  return member.declaration.listed ?? member.declaration.meta.description;
}

export async function loadMember(member: Member): Promise<Command | Family> {
  return typeof member === "function" ? member() : member;
}

/**
 * Returns the index of the member's name. In a family it is the first word that is no flag and cannot be a flag's value,
 * or -1; in the program the first word that is no flag and no value of `--root`.
 */
export function findNameIndex({ meta, subCommands }: FamilyDeclaration, words: readonly string[]): number {
  return words.findIndex((word, index) => {
    if (word.startsWith("-")) return false;
    const before = words[index - 1];
    if (meta.name === "") return before !== "--root";
    const mayBeValue = before?.startsWith("-") === true && !before.includes("=");
    return !mayBeValue || Object.hasOwn(subCommands, word);
  });
}

export function getMember({ subCommands }: FamilyDeclaration, name: string): Member | undefined {
  return Object.hasOwn(subCommands, name) ? subCommands[name] : undefined;
}

/** Returns the member of this name. @throws UsageError for an unknown name */
export function findMember(family: FamilyDeclaration, name: string): Member {
  const member = getMember(family, name);
  if (member !== undefined) return member;
  const { meta, subCommands } = family;
  const names = Object.keys(subCommands);
  const isProgram = meta.name === "";
  const near = formatSuggestion(name, isProgram ? [...names, "help"] : names);
  const message = `Unknown command "${isProgram ? name : `${meta.name} ${name}`}"`;
  if (near !== "") throw new UsageError(`${message}: ${near}`, null);
  throw new UsageError(
    isProgram ? message : `${message}: expected one of ${names.join(", ")}`,
    formatHelpHint(meta.name),
  );
}
