import { getFieldLabel } from "./field_labels.ts";
import { type FormField, getElementKeyField, listMessageFields, type ResourceValues } from "./form_model.ts";
import { formatPath, setValueAtPath, type ValuePath } from "./paths.ts";
import { formatValue, isEqualValue, removeUnsetParts } from "./values.ts";

/** A value that differs between two states of a resource. */
export interface ValueDifference {
  /** Path that identifies the value in both states. */
  readonly key: string;
  readonly path: ValuePath;
  /** Label of the field, such as `Port psu2, source`. */
  readonly label: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The two values as text; "" for an unset one. */
  readonly beforeText: string;
  readonly afterText: string;
}

/** Compares two states of a resource field by field, ports by their names, labels by their keys. */
export function listDifferences(
  before: ResourceValues,
  after: ResourceValues,
  message: string,
): readonly ValueDifference[] {
  return compareMessages({ before, after, message, path: [], label: "" });
}

interface ValuePair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: ValuePath;
  readonly label: string;
}

function compareMessages({
  before,
  after,
  message,
  path,
  label,
}: ValuePair & { readonly message: string }): ValueDifference[] {
  return listMessageFields(message).flatMap((field) => {
    const pair = {
      before: removeUnsetParts((before as ResourceValues | undefined)?.[field.name], field),
      after: removeUnsetParts((after as ResourceValues | undefined)?.[field.name], field),
      path: [...path, field.name],
      label: joinFieldLabels(label, getFieldLabel(field)),
    };
    return isEqualValue(pair.before, pair.after) ? [] : compareField(pair, field);
  });
}

function compareField(pair: ValuePair, field: FormField): ValueDifference[] {
  if (field.shape === "map") return compareMaps(pair, field);
  if (field.type !== "group" || field.of === "PortRef") return [createDifference(pair, field)];
  if (field.shape === "list") return compareLists(pair, field);
  if (pair.before === undefined || pair.after === undefined) return [createDifference(pair, field)];
  return compareMessages({ ...pair, message: field.of ?? "" });
}

function compareMaps(pair: ValuePair, field: FormField): ValueDifference[] {
  const [before, after] = [(pair.before ?? {}) as ResourceValues, (pair.after ?? {}) as ResourceValues];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      const one = { ...pair, before: before[key], after: after[key], path: [...pair.path, key] };
      return createDifference({ ...one, label: `${pair.label} ${key}` }, { ...field, shape: "one" });
    });
}

/** Compares elements with names by name, and others by position if none is added or removed. */
function compareLists(pair: ValuePair, field: FormField): ValueDifference[] {
  const [before, after] = [
    (pair.before ?? []) as readonly ResourceValues[],
    (pair.after ?? []) as readonly ResourceValues[],
  ];
  const message = field.of ?? "";
  const noun = getFieldLabel(field).replace(/s$/, "");
  const key = getElementKeyField(message);
  if (key === undefined) {
    if (before.length !== after.length) return [createDifference(pair, field)];
    return before.flatMap((element, index) => {
      const inner = {
        before: element,
        after: after[index],
        path: [...pair.path, index],
        label: `${noun} ${index + 1}`,
      };
      return compareMessages({ ...inner, message });
    });
  }
  const names = [...new Set([...before, ...after].map((element) => String(element[key] ?? "")))];
  const rows = names.flatMap((name) => {
    const find = (list: readonly ResourceValues[]) => list.find((element) => String(element[key] ?? "") === name);
    const one = {
      before: find(before),
      after: find(after),
      path: [...pair.path, { named: name }],
      label: `${noun} ${name}`,
    };
    if (isEqualValue(one.before, one.after)) return [];
    if (one.before !== undefined && one.after !== undefined) return compareMessages({ ...one, message });
    return [createDifference(one, { ...field, shape: "one" })];
  });
  // A different order of the same elements is a change too.
  return rows.length === 0 ? [createDifference(pair, field)] : rows;
}

function createDifference({ before, after, path, label }: ValuePair, field: FormField): ValueDifference {
  return {
    key: formatPath(path),
    path,
    label,
    before,
    after,
    beforeText: formatValue(before, field),
    afterText: formatValue(after, field),
  };
}

function joinFieldLabels(outer: string, inner: string): string {
  return outer === "" ? inner : `${outer}, ${inner.charAt(0).toLowerCase()}${inner.slice(1)}`;
}

/** Returns the state with the new values of differences. */
export function applyDifferences(state: ResourceValues, rows: readonly ValueDifference[]): ResourceValues {
  return rows.reduce((result, { path, after }) => setValueAtPath(result, path, after), state);
}
