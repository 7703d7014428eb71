import { FORM_ENUMS } from "#gen/datacenter/v1/forms.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, formatConstant, splitUnit } from "#words/names.ts";

/** A value that a change set, altered or removed; an absent side is undefined. */
export interface LeafChange {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Matches the prefixes of enum values in the change log. */
const ENUMERATION = new RegExp(
  `^(?:${Object.values(FORM_ENUMS)
    .map(({ prefix }) => prefix)
    .join("|")})_(?=[A-Z0-9_]+$)`,
);

/** Returns the values that differ between two states, one per scalar; list members are matched by name. */
export function listLeafChanges(before: unknown, after: unknown): readonly LeafChange[] {
  const [was, is] = [indexLeavesByPath(before), indexLeavesByPath(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => was.get(path) !== is.get(path))
    .map((path) => ({ field: formatLeafPath(path), before: was.get(path), after: is.get(path) }));
}

function indexLeavesByPath(state: unknown): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  collectLeaves(state, "", leaves);
  return leaves;
}

function collectLeaves(value: unknown, path: string, leaves: Map<string, string>): void {
  if (value === null || value === undefined) return;
  if (typeof value !== "object") {
    leaves.set(path, formatLeafValue(value));
    return;
  }
  const members = Array.isArray(value) ? collectScalarMembers(value, path, leaves) : Object.entries(value);
  for (const [key, one] of members) collectLeaves(one, path === "" ? key : `${path}\n${key}`, leaves);
}

/** Stores the scalar members of a list as one text in `leaves`. Returns the object members with a name or number. */
function collectScalarMembers(
  list: readonly unknown[],
  path: string,
  leaves: Map<string, string>,
): [string, unknown][] {
  const isPlain = (one: unknown) => typeof one !== "object";
  const plain = list.filter(isPlain);
  if (plain.length > 0) leaves.set(path, plain.map(formatLeafValue).join(", "));
  return list.flatMap((one, index): [string, unknown][] =>
    isPlain(one) ? [] : [[getMemberName(one) ?? String(index + 1), one]],
  );
}

function getMemberName(member: unknown): string | undefined {
  const { name } = (member ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : undefined;
}

function formatLeafValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value) : formatCount(value);
  const text = String(value);
  return ENUMERATION.test(text) ? formatConstant(text.replace(ENUMERATION, "")) : text;
}

/** Labels of fields whose names differ from the console's terms. */
const NAMES: Readonly<Record<string, string>> = { allocated_draw_w: "planned draw", max_draw_w: "greatest draw" };

/** Formats a path of steps separated by line breaks: `ports`, `psu2`, `power_in` become "Ports, psu2, power in". */
function formatLeafPath(path: string): string {
  const [first = "", ...rest] = path.split("\n").map((step) => {
    const { stem, unit } = splitUnit(step);
    const words = NAMES[step] ?? stem.replaceAll("_", " ");
    return unit === "" ? words : `${words} in ${unit}`;
  });
  return [capitalize(first), ...rest].join(", ");
}
