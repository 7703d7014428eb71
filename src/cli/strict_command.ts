import { parseArgs } from "node:util";
import { type Args, type Flag, type Flags, isFlag, type Positional, selectFlags, selectPositionals } from "./args.ts";
import type { Declaration } from "./declaration.ts";
import { formatSuggestion, UsageError } from "./usage_error.ts";

/** Flags of every command, before or after its name. */
export const GLOBAL_FLAGS = {
  root: {
    type: "string",
    valueHint: "dir",
    completes: "directory",
    description: "Project directory (default: searched upwards)",
  },
  quiet: { type: "boolean", alias: "q", description: "Print only results, warnings and errors" },
  help: { type: "boolean", alias: "h", description: "Print this help" },
} as const satisfies Flags;

/** Flags of the program itself, without a command. */
export const PROGRAM_FLAGS = {
  version: { type: "boolean", alias: "V", description: "Print the version, its commit and the engine" },
} as const satisfies Flags;

interface ParsedArguments {
  readonly help: boolean;
  readonly quiet: boolean;
  readonly root: string | undefined;
  /** Value of every declared flag and positional argument by name, for `Command.run`. */
  readonly args: Readonly<Record<string, unknown>>;
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

/**
 * Checks the arguments of a call against the command's declaration and returns their values. Rejects unknown flags,
 * missing or extra values, a flag given twice, extra words, values of the wrong type and flags that exclude or require
 * each other. `--` ends the flags; `--help` takes precedence over every error.
 * @throws UsageError that names the word, its value and what was expected. Source: docs/decisions.md#s-28
 */
export function parseArguments(
  { args: declared = {}, checksRules }: Pick<Declaration, "args" | "checksRules">,
  words: readonly string[],
): ParsedArguments {
  const flags: Flags = { ...selectFlags(declared), ...GLOBAL_FLAGS };
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(Object.entries(flags).map(([flag, row]) => [flag, createNodeOption(row)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = tokens.filter((token) => token.kind === "option");
  if (options.some((token) => token.name === "help")) return { help: true, quiet: false, root: undefined, args: {} };
  const given = tokens.filter((token) => token.kind === "positional").map((token) => token.value);
  const { root, quiet, help: _, ...values } = parseFlags(flags, options);
  const args = { ...values, ...parsePositionals(selectPositionals(declared), given) };
  if (checksRules !== true) checkArgumentRules(declared, args);
  return { help: false, quiet: quiet === true, root: typeof root === "string" ? root : undefined, args };
}

/** Returns the values of flags: an absent boolean is false, a repeatable one a list, any other absent one undefined. */
function parseFlags(flags: Flags, tokens: readonly OptionToken[]): Record<string, unknown> {
  const given = new Map<string, unknown[]>();
  for (const token of tokens) {
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) throw createUnknownFlagError(flags, token);
    const values = given.get(token.name) ?? [];
    if (values.length > 0 && !("multiple" in flag)) throw new UsageError(`Flag "--${token.name}" is given twice`);
    given.set(token.name, [...values, parseFlagValue(token, flag)]);
  }
  const entries = Object.entries(flags).map(([name, flag]) => {
    const values = given.get(name) ?? [];
    if (flag.type === "boolean") return [name, values.length > 0];
    return [name, flag.multiple === true ? values.flatMap((value) => splitIds(flag, value)) : values[0]];
  });
  return Object.fromEntries(entries);
}

function parseFlagValue({ name, value, inlineValue }: OptionToken, flag: Flag): unknown {
  if (flag.type === "boolean") {
    if (value !== undefined) throw new UsageError(`Flag "--${name}" takes no value: got "${value}"`);
    return true;
  }
  const expected = `for "--${name}": expected ${describeExpectedValue(flag)}`;
  if (value === undefined) throw new UsageError(`Missing value ${expected}`);
  // A word that begins with "-" was probably meant as a flag; `--flag=-value` passes it as a value.
  if (inlineValue === false && /^-./.test(value))
    throw new UsageError(`Missing value ${expected}, got the flag "${value}"`);
  const read = parseFlagText(flag, value);
  if (isFlagValue(flag, read)) return read;
  if (flag.type === "enum") throw createOptionError(`"--${name}"`, value, flag.options);
  throw new UsageError(`${value === "" ? "Empty value" : `Wrong value "${value}"`} ${expected}`);
}

function createUnknownFlagError(flags: Flags, { rawName }: OptionToken): UsageError {
  const near = rawName.startsWith("--") ? Object.keys(flags).map((name) => `--${name}`) : [];
  const likely = formatSuggestion(rawName, near);
  const message = `Unknown flag "${rawName}"`;
  return likely === "" ? new UsageError(message) : new UsageError(`${message}: ${likely}`, null);
}

function parsePositionals(
  positionals: Readonly<Record<string, Positional>>,
  given: readonly string[],
): Record<string, string | readonly string[] | undefined> {
  assertNoExtraWords(Object.values(positionals), given);
  const values: Record<string, string | readonly string[] | undefined> = {};
  for (const [index, [place, declared]] of Object.entries(positionals).entries()) {
    const words = given.slice(index, declared.repeats === true ? undefined : index + 1);
    if (words.length === 0 && declared.required) throw createMissingArgumentError(place, declared);
    const { options } = declared;
    const wrong = options === undefined ? undefined : words.find((word) => !options.includes(word));
    if (wrong !== undefined) throw createOptionError(`<${place}>`, wrong, options ?? []);
    values[place] = declared.repeats === true ? words.flatMap((word) => splitIds(declared, word)) : words[0];
  }
  return values;
}

/** Splits several ids in one word, such as `003,004`, because no id contains a comma. */
function splitIds<Word>({ completes }: Pick<Positional, "completes">, word: Word): readonly (Word | string)[] {
  if (typeof word !== "string" || (completes !== "spec" && completes !== "archived_spec")) return [word];
  const parts = word
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.length === 0 ? [word] : parts;
}

function assertNoExtraWords(positionals: readonly Positional[], given: readonly string[]): void {
  const extra = given[positionals.length];
  if (extra === undefined || positionals.at(-1)?.repeats === true) return;
  const quoting = positionals.length > 0 ? "; put quotes around a text of several words" : "";
  const most = positionals.length === 0 ? "none" : `at most ${positionals.length}`;
  throw new UsageError(`Unexpected argument "${extra}": expected ${most}${quoting}`);
}

function createOptionError(subject: string, value: string, options: readonly string[]): UsageError {
  const message = `Wrong value "${value}" for ${subject}: expected ${formatOptionList(options)}`;
  const near = formatSuggestion(value, options);
  return near === "" ? new UsageError(message) : new UsageError(`${message} (${near})`, null);
}

function createNodeOption(flag: Flag): { type: "boolean" | "string"; multiple: true; short?: string } {
  const type = flag.type === "boolean" ? "boolean" : "string";
  return { type, multiple: true, ...(flag.alias === undefined ? {} : { short: flag.alias }) };
}

/** Values of flags and arguments by name; an absent one is undefined, false or an empty list. */
type GivenValues = Readonly<Record<string, unknown>>;

/**
 * Checks that the flags and arguments of a call may be combined, and that required ones are given.
 * @throws UsageError that names both arguments and the expected value
 */
export function checkArgumentRules(args: Args, given: GivenValues): void {
  const rows = Object.entries(args);
  const present = rows.filter(([word]) => isValueGiven(given[word]));
  for (const [word, row] of present) {
    const other = row.excludes?.find((rule) => isRuleMet(rule, given));
    if (other === undefined) continue;
    const { word: beside } = parseRule(other);
    const shown = [formatArgument(word, row, given), formatArgument(beside, args[beside], given)];
    throw new UsageError(`${shown.join(" and ")} exclude each other: expected one of them`, null);
  }
  for (const [word, row] of present) {
    const missing = row.needs?.filter((rule) => !isRuleMet(rule, given)) ?? [];
    if (missing.length === 0) continue;
    const wanted = missing.map((rule) => formatMissingArgument(rule, args)).join(" and ");
    throw new UsageError(`${formatArgument(word, row, given)} needs ${wanted}`, null);
  }
  for (const [word, row] of rows) {
    if (isValueGiven(given[word])) continue;
    if (isFlag(row)) requireGivenFlag(word, row);
    else if (row.replacedBy?.some((rule) => isRuleMet(rule, given)) === false)
      throw createMissingArgumentError(word, row);
  }
}

function requireGivenFlag(word: string, flag: Flag): void {
  if (flag.type === "boolean" || flag.required !== true) return;
  throw new UsageError(`Missing "${formatFlagUse(word, flag)}": ${lowerFirstLetter(flag.description)}`);
}

/** Creates the error for a call without a required argument. */
function createMissingArgumentError(place: string, declared: Positional): UsageError {
  const { options } = declared;
  const wanted =
    options === undefined ? lowerFirstLetter(formatArgumentSummary(declared)) : `expected ${formatOptionList(options)}`;
  return new UsageError(`Missing argument <${place}>: ${wanted}`);
}

/** Returns the summary of an argument, with the flags that may replace it. */
export function formatArgumentSummary({ description, replacedBy = [] }: Positional): string {
  return replacedBy.length === 0 ? description : `${description}; or ${replacedBy.join(", ")}`;
}

/** Returns the summary of a flag, preceded by the flags that it requires. */
export function formatFlagSummary({ description, needs = [] }: Flag): string {
  const flags = needs.filter((rule) => rule.startsWith("--"));
  return flags.length === 0 ? description : `With ${flags.join(" and ")}: ${lowerFirstLetter(description)}`;
}

/** Formats the flags that a flag excludes, for its summary. Several values of a flag are listed after its name. */
export function formatExclusions({ excludes = [] }: Flag): string {
  const words = excludes.map((rule, index) => {
    const [head = "", value] = rule.split(" ");
    return value !== undefined && excludes[index - 1]?.startsWith(`${head} `) === true ? value : rule;
  });
  return words.length === 0 ? "" : `; not with ${words.join(", ")}`;
}

/** Formats a flag as it is typed, with the placeholder of its value: `--label <label>`. */
export function formatFlagUse(name: string, flag: Flag): string {
  if (flag.type === "boolean") return `--${name}`;
  return `--${name} <${flag.valueHint ?? (flag.type === "integer" ? "n" : name)}>`;
}

function isValueGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Returns whether a rule is met: by any value for `--json` or `<id>`, only by `measured` for `--basis measured`. */
function isRuleMet(rule: string, given: GivenValues): boolean {
  const { word, value } = parseRule(rule);
  return isValueGiven(given[word]) && (value === undefined || [given[word]].flat().includes(value));
}

function parseRule(rule: string): { readonly word: string; readonly value: string | undefined } {
  const [head = "", value] = rule.split(" ");
  return { word: head.replace(/^--|[<>]/g, ""), value };
}

/** Formats a missing flag or argument as it is typed, and an argument with its description. */
function formatMissingArgument(rule: string, args: Args): string {
  const { word, value } = parseRule(rule);
  const arg = args[word];
  if (arg === undefined) return rule.startsWith("--") ? `"${rule}"` : rule;
  if (!isFlag(arg)) return `${rule}: ${lowerFirstLetter(arg.description)}`;
  return `"${value === undefined ? formatFlagUse(word, arg) : rule}"`;
}

/** Formats a given argument. A flag's value is included only for enums and numbers: a text may be long or secret. */
function formatArgument(word: string, arg: Flag | Positional | undefined, given: GivenValues): string {
  const [value] = [given[word]].flat();
  if (arg === undefined || !isFlag(arg)) return `<${word}> "${value}"`;
  return arg.type === "enum" || arg.type === "integer" ? `"--${word} ${value}"` : `"--${word}"`;
}

/** Converts the first letter to lower case, unless an abbreviation begins the text. */
function lowerFirstLetter(text: string): string {
  return /^.[A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** Converts a text to a flag's type. Returns an inconvertible text unchanged, so that `isFlagValue` rejects it. */
export function parseFlagText({ type }: Flag, text: string): unknown {
  if (type === "integer") return /^\d+$/.test(text) ? Number(text) : text;
  if (type !== "boolean") return text;
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  return /^(?:false|0|no|off|)$/i.test(text) ? false : text;
}

/** Returns whether the value is valid for a flag; for a repeatable flag, whether it is valid as one of its values. */
export function isFlagValue(flag: Flag, value: unknown): boolean {
  switch (flag.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= flag.least && Number(value) <= (flag.maximum ?? Infinity);
    case "enum":
      return flag.options.some((option) => option === value);
    case "string":
      return typeof value === "string" && value !== "";
  }
}

/** Describes the valid values of a flag, such as "one of red, green" after "expected". */
export function describeExpectedValue(flag: Flag): string {
  switch (flag.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number ${flag.maximum === undefined ? `of at least ${flag.least}` : `from ${flag.least} to ${flag.maximum}`}`;
    case "enum":
      return formatOptionList(flag.options);
    case "string":
      return flag.valueHint === undefined ? "a text" : `<${flag.valueHint}>`;
  }
}

function formatOptionList(options: readonly string[]): string {
  return `one of ${options.join(", ")}`;
}
