import { labelOf } from "./field_labels.ts";
import { type FormField, fieldsOf, keyOfList, type Values } from "./form_model.ts";
import { type Path, pathText, withValue } from "./paths.ts";
import { isSame, pruneValue, valueText } from "./values.ts";

/** One value that differs between two states of a resource. */
export interface Difference {
  /** Identifies the value in both states. */
  readonly key: string;
  readonly path: Path;
  /** The field in words, such as `Port psu2, source`. */
  readonly label: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The values in words; "" for an unset one. */
  readonly beforeText: string;
  readonly afterText: string;
}

/** Compares two states of a resource field by field, ports by their names, labels by their keys. */
export function differences(before: Values, after: Values, message: string): readonly Difference[] {
  return compareMessages({ before, after, message, path: [], label: "" });
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: Path;
  readonly label: string;
}

function compareMessages({ before, after, message, path, label }: Pair & { readonly message: string }): Difference[] {
  return fieldsOf(message).flatMap((field) => {
    const pair = {
      before: pruneValue((before as Values | undefined)?.[field.name], field),
      after: pruneValue((after as Values | undefined)?.[field.name], field),
      path: [...path, field.name],
      label: joinPath(label, labelOf(field)),
    };
    return isSame(pair.before, pair.after) ? [] : compareField(pair, field);
  });
}

function compareField(pair: Pair, field: FormField): Difference[] {
  if (field.shape === "map") return compareMaps(pair, field);
  if (field.type !== "group" || field.of === "PortRef") return [wholeDifference(pair, field)];
  if (field.shape === "list") return compareLists(pair, field);
  if (pair.before === undefined || pair.after === undefined) return [wholeDifference(pair, field)];
  return compareMessages({ ...pair, message: field.of ?? "" });
}

function compareMaps(pair: Pair, field: FormField): Difference[] {
  const [before, after] = [(pair.before ?? {}) as Values, (pair.after ?? {}) as Values];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      const one = { ...pair, before: before[key], after: after[key], path: [...pair.path, key] };
      return wholeDifference({ ...one, label: `${pair.label} ${key}` }, { ...field, shape: "one" });
    });
}

/** Elements with names are compared by name, others by position while none is added or removed. */
function compareLists(pair: Pair, field: FormField): Difference[] {
  const [before, after] = [(pair.before ?? []) as readonly Values[], (pair.after ?? []) as readonly Values[]];
  const message = field.of ?? "";
  const noun = labelOf(field).replace(/s$/, "");
  const key = keyOfList(message);
  if (key === undefined) {
    if (before.length !== after.length) return [wholeDifference(pair, field)];
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
    const find = (list: readonly Values[]) => list.find((element) => String(element[key] ?? "") === name);
    const one = {
      before: find(before),
      after: find(after),
      path: [...pair.path, { named: name }],
      label: `${noun} ${name}`,
    };
    if (isSame(one.before, one.after)) return [];
    if (one.before !== undefined && one.after !== undefined) return compareMessages({ ...one, message });
    return [wholeDifference(one, { ...field, shape: "one" })];
  });
  // The same elements in another order are a change as well.
  return rows.length === 0 ? [wholeDifference(pair, field)] : rows;
}

function wholeDifference({ before, after, path, label }: Pair, field: FormField): Difference {
  return {
    key: pathText(path),
    path,
    label,
    before,
    after,
    beforeText: valueText(before, field),
    afterText: valueText(after, field),
  };
}

function joinPath(outer: string, inner: string): string {
  return outer === "" ? inner : `${outer}, ${inner.charAt(0).toLowerCase()}${inner.slice(1)}`;
}

/** Applies differences to a state. */
export function applyDifferences(state: Values, rows: readonly Difference[]): Values {
  return rows.reduce((result, { path, after }) => withValue(result, path, after), state);
}
