import type { Command, Flag, Positional } from "./command.ts";
import { oneOf } from "./flag_value.ts";
import { helpHint, UsageError } from "./usage_error.ts";

/** Values of flags and arguments by their names; one that was not given is undefined, false or an empty list. */
type Given = Readonly<Record<string, unknown>>;

/**
 * Checks what the flags and arguments of a call demand of each other.
 *
 * @param name the command's
 * @throws UsageError naming both sides, and what was expected
 */
export function checkArgumentRules(
  name: string,
  { positionals, flags }: Pick<Command, "positionals" | "flags">,
  given: Given,
): void {
  const rows: readonly (readonly [string, Flag | Positional])[] = Object.entries({ ...positionals, ...flags });
  const present = rows.filter(([word]) => isGiven(given[word]));
  for (const [word, row] of present) {
    const other = row.excludes?.find((rule) => isMet(rule, given));
    if (other === undefined) continue;
    const { word: beside } = parseRule(other);
    const shown = [shownArgument(word, row, given), shownArgument(beside, { ...positionals, ...flags }[beside], given)];
    throw new UsageError(`${shown.join(" and ")} exclude each other: expected one of them`, null);
  }
  for (const [word, row] of present) {
    const missing = row.needs?.filter((rule) => !isMet(rule, given)) ?? [];
    if (missing.length === 0) continue;
    const wanted = missing.map((rule) => shownNeed(rule, { positionals, flags })).join(" and ");
    throw new UsageError(`${shownArgument(word, row, given)} needs ${wanted}`, null);
  }
  for (const [word, row] of rows) {
    if (isGiven(given[word])) continue;
    if ("type" in row) demandFlag(name, word, row);
    else if (row.replacedBy?.some((rule) => isMet(rule, given)) === false) throw missingArgument(name, word, row);
  }
}

function demandFlag(name: string, word: string, flag: Flag): void {
  if (flag.type === "boolean" || flag.required !== true) return;
  throw new UsageError(`Missing "${flagUse(word, flag)}": ${lowerFirst(flag.summary)}`, helpHint(name));
}

/** Refuses a call without an argument that it requires. */
export function missingArgument(name: string, place: string, declared: Positional): UsageError {
  const { options } = declared;
  const wanted = options === undefined ? lowerFirst(argumentSummary(declared)) : `expected ${oneOf(options)}`;
  return new UsageError(`Missing argument <${place}>: ${wanted}`, helpHint(name));
}

/** Summary of an argument, with the flags that may stand for it. */
export function argumentSummary({ summary, replacedBy = [] }: Positional): string {
  return replacedBy.length === 0 ? summary : `${summary}; or ${replacedBy.join(", ")}`;
}

/** Summary of a flag, behind the flags that it needs. */
export function flagSummary({ summary, needs = [] }: Flag): string {
  const flags = needs.filter((rule) => rule.startsWith("--"));
  return flags.length === 0 ? summary : `With ${flags.join(" and ")}: ${lowerFirst(summary)}`;
}

/** What a flag excludes, behind its summary; several values of a flag follow its name. */
export function exclusionText({ excludes = [] }: Flag): string {
  const words = excludes.map((rule, index) => {
    const [head = "", value] = rule.split(" ");
    return value !== undefined && excludes[index - 1]?.startsWith(`${head} `) === true ? value : rule;
  });
  return words.length === 0 ? "" : `; not with ${words.join(", ")}`;
}

/** A flag as it is typed, with the placeholder of its value: `--label <label>`. */
export function flagUse(name: string, flag: Flag): string {
  if (flag.type === "boolean") return `--${name}`;
  return `--${name} <${flag.value ?? (flag.type === "integer" ? "n" : name)}>`;
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** `--json` and `<id>` are met by any value, `--basis measured` by this one. */
function isMet(rule: string, given: Given): boolean {
  const { word, value } = parseRule(rule);
  return isGiven(given[word]) && (value === undefined || [given[word]].flat().includes(value));
}

function parseRule(rule: string): { readonly word: string; readonly value: string | undefined } {
  const [head = "", value] = rule.split(" ");
  return { word: head.replace(/^--|[<>]/g, ""), value };
}

/** What is missing, as it is typed; of an argument also what it is. */
function shownNeed(rule: string, { positionals, flags }: Pick<Command, "positionals" | "flags">): string {
  const { word, value } = parseRule(rule);
  const [place, flag] = [positionals[word], flags[word]];
  if (!rule.startsWith("--")) return place === undefined ? rule : `${rule}: ${lowerFirst(place.summary)}`;
  return `"${flag === undefined || value !== undefined ? rule : flagUse(word, flag)}"`;
}

function shownArgument(word: string, row: Flag | Positional | undefined, given: Given): string {
  return row !== undefined && "type" in row ? shownFlag(word, row, given) : shownPlace(word, given);
}

/** A text may be long or secret, so the value is shown of fixed words and numbers only. */
function shownFlag(word: string, { type }: Flag, given: Given): string {
  return type === "enum" || type === "integer" ? `"--${word} ${[given[word]].flat()[0]}"` : `"--${word}"`;
}

function shownPlace(word: string, given: Given): string {
  return `<${word}> "${[given[word]].flat()[0]}"`;
}

/** An abbreviation at the beginning keeps its letters. */
function lowerFirst(text: string): string {
  return /^.[A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
