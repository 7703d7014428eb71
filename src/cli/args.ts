/**
 * Constraints between the flags and arguments of a command, each written as it is typed: `--json`, `--basis measured`,
 * `<id>`. `strict_command.ts` checks them, and help shows them.
 */
export interface ArgumentRules {
  /** Flags and arguments that must not be combined with this one. */
  readonly excludes?: readonly string[];
  /** Flags and arguments that this one requires. */
  readonly needs?: readonly string[];
}

interface ArgBase extends ArgumentRules {
  readonly description: string;
  /** Source of completions for values. */
  readonly completes?: CompletionSource;
}

interface FlagBase extends ArgBase {
  /** Letter of the short form, such as `l` for `-l`. */
  readonly alias?: string;
  /** Placeholder of the value in help, without brackets. */
  readonly valueHint?: string;
  /** True if the flag may be given several times and its value is a list; any other flag may be given once. */
  readonly multiple?: true;
  /** True if the command requires the flag. */
  readonly required?: true;
}

export interface BooleanFlag extends Pick<FlagBase, "description" | "alias" | keyof ArgumentRules> {
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

/** A positional argument. */
export interface Positional extends ArgBase {
  readonly type: "positional";
  readonly required: boolean;
  /** Flags that may replace the argument; without such a flag it is required, whatever `required` says. */
  readonly replacedBy?: readonly string[];
  /** The accepted words, if there are only a few. */
  readonly options?: readonly string[];
  /** Returns possible arguments after the given ones, if they are known; otherwise `completes` applies. */
  readonly following?: (before: readonly string[]) => Promise<readonly string[] | undefined>;
  /** True if the last positional argument accepts any number of words; its value is a list, which may be empty. */
  readonly repeats?: true;
}

/** The flags of a command by name. */
export type Flags = Readonly<Record<string, Flag>>;

/**
 * The positional arguments and flags of a command: in the form of citty's `args`, with integers and rules. The
 * order of the positional ones is their order on the command line.
 */
export type Args = Readonly<Record<string, Flag | Positional>>;

type SingleValue<A> = A extends IntegerFlag
  ? number
  : A extends { readonly options: readonly (infer Option)[] }
    ? Option
    : string;

/** Checked arguments: a boolean flag is always present, a list may be empty, any other value may be undefined. */
export type ArgValues<A extends Args> = {
  readonly [Name in keyof A]: A[Name] extends BooleanFlag
    ? boolean
    : A[Name] extends { readonly multiple: true } | { readonly repeats: true }
      ? readonly SingleValue<A[Name]>[]
      : A[Name] extends { readonly required: true }
        ? SingleValue<A[Name]>
        : SingleValue<A[Name]> | undefined;
};

export function selectFlags(args: Args): Flags {
  return Object.fromEntries(Object.entries(args).flatMap(([name, arg]) => (isFlag(arg) ? [[name, arg]] : [])));
}

export function selectPositionals(args: Args): Readonly<Record<string, Positional>> {
  return Object.fromEntries(Object.entries(args).flatMap(([name, arg]) => (isFlag(arg) ? [] : [[name, arg]])));
}

export function isFlag(arg: Flag | Positional): arg is Flag {
  return arg.type !== "positional";
}

/** Properties that few flags have. */
type FlagExtras = Omit<StringFlag, "type" | "description"> & Pick<IntegerFlag, "maximum">;
type PositionalExtras = Omit<Positional, "type" | "description" | "required">;

type NoExtras = Record<never, never>;

/** An argument with extra properties, whose types come only from the arguments of the call. */
type DeclaredArg<Base, Extras> = Readonly<Base> & NoInfer<Extras>;

function declareArg<Base, Extras>(base: Base, extras: Extras | undefined): DeclaredArg<Base, Extras> {
  return { ...base, ...(extras as NoInfer<Extras>) };
}

/** Declares a positional argument that must be given. */
export function requiredArgument<const Extras extends PositionalExtras = NoExtras>(
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "positional" as const, description, required: true as const }, extras);
}

/** Declares a positional argument that may be missing. */
export function optionalArgument<const Extras extends PositionalExtras = NoExtras>(
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "positional" as const, description, required: false as const }, extras);
}

/** Declares a flag without a value. */
export function booleanFlag<const Extras extends Omit<BooleanFlag, "type" | "description"> = NoExtras>(
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "boolean" as const, description }, extras);
}

/** Declares a flag with a text; `valueHint` is the placeholder of the text in help. */
export function textFlag<const Extras extends FlagExtras = NoExtras>(
  valueHint: string,
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "string" as const, valueHint, description }, extras);
}

/** Declares a flag with the path of a file. */
export function fileFlag<const Extras extends FlagExtras = NoExtras>(description: string, extras?: Extras) {
  return declareArg({ type: "string" as const, valueHint: "file", completes: "file" as const, description }, extras);
}

/** Declares a flag with an integer of at least `least`. */
export function integerFlag<const Extras extends FlagExtras = NoExtras>(
  least: number,
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "integer" as const, least, description }, extras);
}

/** Declares a flag with one of `options`. */
export function enumFlag<const Options extends readonly string[], const Extras extends FlagExtras = NoExtras>(
  options: Options,
  description: string,
  extras?: Extras,
) {
  return declareArg({ type: "enum" as const, options, description }, extras);
}

/** Positional argument with ids of active specs: `<id...>`. */
export const ACTIVE_IDS = requiredArgument("Full or partial ids of specs", { completes: "spec", repeats: true });

export const JSON_FLAG = booleanFlag("Print one JSON document instead of text");

/** Flag that completes specs without proof, for all commands that complete specs. */
export const UNPROVEN_FLAG = textFlag(
  "why",
  "Complete without proof, whatever the checks say; the reason stays in the spec",
);

/** Positional argument of commands that change a spec. */
export const ACTIVE_ID = requiredArgument("Full or partial id of a spec", { completes: "spec" });

/** Positional argument of commands that only read; it accepts archived specs too. */
export const ANY_ID = requiredArgument("Full or partial id of a spec, active or archived", {
  completes: "archived_spec",
});

/** Returns the given text, or all of standard input for `-`. */
export async function readTextOrInput(given: string): Promise<string> {
  if (given !== "-") return given;
  const { text } = await import("node:stream/consumers");
  return text(process.stdin);
}
