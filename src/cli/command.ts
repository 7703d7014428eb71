import type { PlannerContext } from "#planner/context.ts";
import type { ExitStatus } from "./exit_status.ts";
import type { OpenProject } from "./open_project.ts";
import type { StderrLogger } from "./output/stderr_logger.ts";

/**
 * What a flag or an argument demands of the others of its command, in their words: `--json`, `--basis measured`, `<id>`.
 * `argument_rules.ts` checks it, and help shows it.
 */
export interface ArgumentRules {
  /** Must not be given beside it. */
  readonly excludes?: readonly string[];
  /** Must all be given beside it. */
  readonly needs?: readonly string[];
}

interface FlagBase extends ArgumentRules {
  readonly summary: string;
  /** One letter for the short form, `l` for `-l`. */
  readonly short?: string;
  /** Placeholder of the value in help, without brackets. */
  readonly value?: string;
  /** The flag may be given several times and its value is a list; any other flag is refused the second time. */
  readonly multiple?: true;
  /** Source of completions for values. */
  readonly completes?: Completes;
  /** The command cannot run without it. */
  readonly required?: true;
}

export interface BooleanFlag extends Pick<FlagBase, "summary" | "short" | keyof ArgumentRules> {
  readonly type: "boolean";
}

export interface StringFlag extends FlagBase {
  readonly type: "string";
}

export interface IntegerFlag extends FlagBase {
  readonly type: "integer";
  readonly least: number;
  /** Default: the largest safe integer. */
  readonly most?: number;
}

export interface EnumFlag extends FlagBase {
  readonly type: "enum";
  readonly options: readonly string[];
}

export type Flag = BooleanFlag | StringFlag | IntegerFlag | EnumFlag;

/** Sources of completions beside fixed options. */
export type Completes = "spec" | "archived_spec" | "file" | "directory";

/** A word without a dash, by its place; the order of the record's keys is the order on the line. */
export interface Positional extends ArgumentRules {
  readonly summary: string;
  readonly required: boolean;
  /** Flags of which one may stand for it; without any of them it is required, whatever `required` says. */
  readonly replacedBy?: readonly string[];
  /** The only words allowed here. */
  readonly options?: readonly string[];
  readonly completes?: Completes;
  /** Possible arguments after the given ones, if known; otherwise `completes` applies. */
  readonly following?: (before: readonly string[]) => Promise<readonly string[] | undefined>;
  /** The last positional may take every further word; its value is a list, empty when it is not required. */
  readonly repeats?: true;
}

export type Flags = Readonly<Record<string, Flag>>;
export type Positionals = Readonly<Record<string, Positional>>;

type FlagValue<F extends Flag> = F extends IntegerFlag
  ? number
  : F extends { readonly type: "enum"; readonly options: readonly (infer Option)[] }
    ? Option
    : string;

type PositionalValue<P extends Positional> = P extends { readonly options: readonly (infer Option)[] }
  ? Option
  : string;

/** Checked arguments of a call: a boolean flag is always present, a list may be empty, any other may be undefined. */
export type Args<P extends Positionals, F extends Flags> = {
  readonly [Name in keyof P]: P[Name] extends { readonly repeats: true }
    ? readonly PositionalValue<P[Name]>[]
    : P[Name]["required"] extends true
      ? PositionalValue<P[Name]>
      : PositionalValue<P[Name]> | undefined;
} & {
  readonly [Name in keyof F]: F[Name] extends BooleanFlag
    ? boolean
    : F[Name] extends { readonly multiple: true }
      ? readonly FlagValue<F[Name]>[]
      : F[Name] extends { readonly required: true }
        ? FlagValue<F[Name]>
        : FlagValue<F[Name]> | undefined;
};

/** Context of every command beside its arguments. */
export interface Cli extends StderrLogger {
  /** The caller's working directory. */
  readonly cwd: string;
  /** `--root`, an absolute path, or undefined when the project is to be looked for. */
  readonly root: string | undefined;
  /** Opens the project around `cwd`, or in `root`; fails with status 2 if there is no project. */
  project(): Promise<OpenProject>;
  /** The same for commands that need no more than the context. */
  planner(): Promise<PlannerContext>;
}

/** Names of flags in the order of their declaration, at least one, and their common summary. */
export interface JoinedFlags {
  readonly flags: readonly string[];
  readonly summary: string;
}

export interface Example {
  readonly line: string;
  readonly shows: string;
}

/** One command: its words, its help and its behaviour. Help, completion and the strict check all read it from here. */
export interface Command<P extends Positionals = Positionals, F extends Flags = Flags> {
  readonly summary: string;
  /** Further paragraphs of `--help`. */
  readonly details?: string;
  readonly positionals: P;
  readonly flags: F;
  /** Related flags that help shows on one line, with a summary for all of them. */
  readonly joined?: readonly JoinedFlags[];
  /** Values come from other sources too, so the command itself checks what its flags demand of each other. */
  readonly checksRules?: true;
  readonly examples: readonly Example[];
  /**
   * Prints results with `print` and messages with `cli`; nothing returned means status 0. Throws `OperationError` to refuse.
   * A method, not a property, so that commands of several word types fit into one table.
   */
  run(args: Args<P, F>, cli: Cli): Promise<ExitStatus | undefined> | Promise<void>;
}

/** Infers the types of the arguments, so that `run` receives them typed. */
export function defineCommand<const P extends Positionals, const F extends Flags>(
  command: Command<P, F>,
): Command<P, F> {
  return command;
}

/** A row of a family's table with its command, for commands in the file of their family. */
export function defineMember<const P extends Positionals, const F extends Flags>(
  command: Command<P, F>,
  summary = command.summary,
): { readonly summary: string; readonly load: () => Promise<{ readonly command: Command<P, F> }> } {
  return { summary, load: async () => ({ command }) };
}
