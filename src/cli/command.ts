import type { PlannerContext } from "#planner/context.ts";
import type { ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import type { StderrLogger } from "./output/stderr_logger.ts";

/**
 * Constraints between the flags and arguments of a command, each written as it is typed: `--json`, `--basis measured`,
 * `<id>`. `argument_rules.ts` checks them, and help shows them.
 */
export interface ArgumentRules {
  /** Flags and arguments that must not be combined with this one. */
  readonly excludes?: readonly string[];
  /** Flags and arguments that this one requires. */
  readonly needs?: readonly string[];
}

interface FlagBase extends ArgumentRules {
  readonly summary: string;
  /** Letter of the short form, such as `l` for `-l`. */
  readonly short?: string;
  /** Placeholder of the value in help, without brackets. */
  readonly value?: string;
  /** True if the flag may be given several times and its value is a list; any other flag may be given once. */
  readonly multiple?: true;
  /** Source of completions for values. */
  readonly completes?: CompletionSource;
  /** True if the command requires the flag. */
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
  /** Maximum value; the largest safe integer if absent. */
  readonly maximum?: number;
}

export interface EnumFlag extends FlagBase {
  readonly type: "enum";
  readonly options: readonly string[];
}

export type Flag = BooleanFlag | StringFlag | IntegerFlag | EnumFlag;

/** Sources of completions, besides a fixed list of options. */
export type CompletionSource = "spec" | "archived_spec" | "file" | "directory";

/** A positional argument. The order of the record's keys is the order on the command line. */
export interface Positional extends ArgumentRules {
  readonly summary: string;
  readonly required: boolean;
  /** Flags that may replace the argument; without such a flag it is required, whatever `required` says. */
  readonly replacedBy?: readonly string[];
  /** The accepted words, if there are only a few. */
  readonly options?: readonly string[];
  readonly completes?: CompletionSource;
  /** Returns possible arguments after the given ones, if they are known; otherwise `completes` applies. */
  readonly following?: (before: readonly string[]) => Promise<readonly string[] | undefined>;
  /** True if the last positional argument accepts any number of words; its value is a list, which may be empty. */
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

/** Checked arguments: a boolean flag is always present, a list may be empty, any other value may be undefined. */
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

export interface Example {
  readonly line: string;
  readonly shows: string;
}

/** A command: its arguments, its help and its behaviour. Help, completion and argument checks are derived from it. */
interface CommandDeclaration<P extends Positionals, F extends Flags> {
  readonly summary: string;
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  /** Absent if the command has no positional arguments. */
  readonly positionals?: P;
  /** Absent if the command has no flags. */
  readonly flags?: F;
  /** Related flags that help shows on one line with one summary. */
  readonly joined?: readonly JoinedFlags[];
  /** True if values also come from other sources, so that the command itself checks the constraints between flags. */
  readonly checksRules?: true;
  /** True for a server whose client waits for its first reply: the logger of `cli`, which it must not use, is not loaded. */
  readonly isServedAtOnce?: true;
  readonly examples: readonly Example[];
  /**
   * Runs the command: prints results with `print` and messages with `cli`. Returns undefined for status 0. A method
   * rather than a property, so that commands with different argument types fit into one table.
   * @throws OperationError for an invalid or impossible request
   */
  run(args: Args<P, F>, cli: Cli): Promise<ExitStatus | undefined> | Promise<void>;
}

/** A command with all of its arguments and flags. */
export interface Command<P extends Positionals = Positionals, F extends Flags = Flags>
  extends CommandDeclaration<P, F> {
  readonly positionals: P;
  readonly flags: F;
}

type None = Record<never, never>;

/** Creates a command, and infers the types of the arguments of its `run`. */
export function defineCommand<const P extends Positionals = None, const F extends Flags = None>(
  declaration: CommandDeclaration<P, F>,
): Command<P, F> {
  return { positionals: {} as P, flags: {} as F, ...declaration };
}

/** Returns a row of a family's table with its command, for families whose commands are in one file. */
export function defineFamilyMember<const P extends Positionals = None, const F extends Flags = None>(
  declaration: CommandDeclaration<P, F>,
  summary = declaration.summary,
): { readonly summary: string; readonly load: () => Promise<{ readonly command: Command<P, F> }> } {
  return { summary, load: async () => ({ command: defineCommand(declaration) }) };
}
