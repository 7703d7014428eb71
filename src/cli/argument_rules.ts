import type { Command, Flag, Positional } from "./command.ts";
import { formatOptionList } from "./flag_value.ts";
import { formatHelpHint, UsageError } from "./usage_error.ts";

/** Values of flags and arguments by name; an absent one is undefined, false or an empty list. */
type GivenValues = Readonly<Record<string, unknown>>;

/**
 * Checks that the flags and arguments of a call may be combined, and that required ones are given.
 * @param name name of the command
 * @throws UsageError that names both arguments and the expected value
 */
export function checkArgumentRules(
  name: string,
  { positionals, flags }: Pick<Command, "positionals" | "flags">,
  given: GivenValues,
): void {
  const rows: readonly (readonly [string, Flag | Positional])[] = Object.entries({ ...positionals, ...flags });
  const present = rows.filter(([word]) => isValueGiven(given[word]));
  for (const [word, row] of present) {
    const other = row.excludes?.find((rule) => isRuleMet(rule, given));
    if (other === undefined) continue;
    const { word: beside } = parseRule(other);
    const shown = [
      formatArgument(word, row, given),
      formatArgument(beside, { ...positionals, ...flags }[beside], given),
    ];
    throw new UsageError(`${shown.join(" and ")} exclude each other: expected one of them`, null);
  }
  for (const [word, row] of present) {
    const missing = row.needs?.filter((rule) => !isRuleMet(rule, given)) ?? [];
    if (missing.length === 0) continue;
    const wanted = missing.map((rule) => formatMissingArgument(rule, { positionals, flags })).join(" and ");
    throw new UsageError(`${formatArgument(word, row, given)} needs ${wanted}`, null);
  }
  for (const [word, row] of rows) {
    if (isValueGiven(given[word])) continue;
    if ("type" in row) requireGivenFlag(name, word, row);
    else if (row.replacedBy?.some((rule) => isRuleMet(rule, given)) === false)
      throw createMissingArgumentError(name, word, row);
  }
}

function requireGivenFlag(name: string, word: string, flag: Flag): void {
  if (flag.type === "boolean" || flag.required !== true) return;
  throw new UsageError(
    `Missing "${formatFlagUse(word, flag)}": ${lowerFirstLetter(flag.summary)}`,
    formatHelpHint(name),
  );
}

/** Creates the error for a call without a required argument. */
export function createMissingArgumentError(name: string, place: string, declared: Positional): UsageError {
  const { options } = declared;
  const wanted =
    options === undefined ? lowerFirstLetter(formatArgumentSummary(declared)) : `expected ${formatOptionList(options)}`;
  return new UsageError(`Missing argument <${place}>: ${wanted}`, formatHelpHint(name));
}

/** Returns the summary of an argument, with the flags that may replace it. */
export function formatArgumentSummary({ summary, replacedBy = [] }: Positional): string {
  return replacedBy.length === 0 ? summary : `${summary}; or ${replacedBy.join(", ")}`;
}

/** Returns the summary of a flag, preceded by the flags that it requires. */
export function formatFlagSummary({ summary, needs = [] }: Flag): string {
  const flags = needs.filter((rule) => rule.startsWith("--"));
  return flags.length === 0 ? summary : `With ${flags.join(" and ")}: ${lowerFirstLetter(summary)}`;
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
  return `--${name} <${flag.value ?? (flag.type === "integer" ? "n" : name)}>`;
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
function formatMissingArgument(rule: string, { positionals, flags }: Pick<Command, "positionals" | "flags">): string {
  const { word, value } = parseRule(rule);
  const [place, flag] = [positionals[word], flags[word]];
  if (!rule.startsWith("--")) return place === undefined ? rule : `${rule}: ${lowerFirstLetter(place.summary)}`;
  return `"${flag === undefined || value !== undefined ? rule : formatFlagUse(word, flag)}"`;
}

function formatArgument(word: string, row: Flag | Positional | undefined, given: GivenValues): string {
  return row !== undefined && "type" in row ? formatGivenFlag(word, row, given) : formatGivenPositional(word, given);
}

/** Formats a given flag. Its value is included only for enums and numbers, because a text may be long or secret. */
function formatGivenFlag(word: string, { type }: Flag, given: GivenValues): string {
  return type === "enum" || type === "integer" ? `"--${word} ${[given[word]].flat()[0]}"` : `"--${word}"`;
}

function formatGivenPositional(word: string, given: GivenValues): string {
  return `<${word}> "${[given[word]].flat()[0]}"`;
}

/** Converts the first letter to lower case, unless an abbreviation begins the text. */
function lowerFirstLetter(text: string): string {
  return /^.[A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
