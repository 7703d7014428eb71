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
const ENUM_PREFIX_PATTERN = new RegExp(
  `^(?:${Object.values(FORM_ENUMS)
    .map(({ prefix }) => prefix)
    .join("|")})_(?=[A-Z0-9_]+$)`,
);

/** Returns the values that differ between two states, one per scalar; list members are matched by name. */
export function listLeafChanges(before: unknown, after: unknown): readonly LeafChange[] {
  const [leavesBefore, leavesAfter] = [indexLeavesByPath(before), indexLeavesByPath(after)];
  return [...new Set([...leavesBefore.keys(), ...leavesAfter.keys()])]
    .filter((path) => leavesBefore.get(path) !== leavesAfter.get(path))
    .map((path) => ({ field: formatLeafPath(path), before: leavesBefore.get(path), after: leavesAfter.get(path) }));
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
  const members = Array.isArray(value) ? splitListMembers(value, path, leaves) : Object.entries(value);
  for (const [key, one] of members) collectLeaves(one, path === "" ? key : `${path}\n${key}`, leaves);
}

/** Stores the scalar members of a list as one text in `leaves`. Returns the object members with a name or number. */
function splitListMembers(list: readonly unknown[], path: string, leaves: Map<string, string>): [string, unknown][] {
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
  return ENUM_PREFIX_PATTERN.test(text) ? formatConstant(text.replace(ENUM_PREFIX_PATTERN, "")) : text;
}

/** Labels of fields whose names differ from the console's terms. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  allocated_draw_w: "planned draw",
  max_draw_w: "greatest draw",
};

/** Formats a path of steps separated by line breaks: `ports`, `psu2`, `power_in` become "Ports, psu2, power in". */
function formatLeafPath(path: string): string {
  const [first = "", ...rest] = path.split("\n").map((step) => {
    const { stem, unit } = splitUnit(step);
    const words = FIELD_LABELS[step] ?? stem.replaceAll("_", " ");
    return unit === "" ? words : `${words} in ${unit}`;
  });
  return [capitalize(first), ...rest].join(", ");
}
