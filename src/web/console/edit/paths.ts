import type { ResourceValues } from "./form_model.ts";

/** A step into a value: a field or key, a position in a list, or the list element with this name. */
export type PathStep = string | number | { readonly named: string };
export type ValuePath = readonly PathStep[];

/** Returns a copy with the value at a path; `undefined` removes it. A position past a list's end extends the list. */
export function setValueAtPath(root: ResourceValues, path: ValuePath, value: unknown): ResourceValues {
  return setValueAtStep(root, path, value) as ResourceValues;
}

function setValueAtStep(at: unknown, [step, ...rest]: ValuePath, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "string" && !Array.isArray(at)) return setField((at ?? {}) as ResourceValues, step, rest, value);
  return setElement((at ?? []) as readonly unknown[], step, rest, value);
}

function setField(at: ResourceValues, name: string, rest: ValuePath, value: unknown): ResourceValues {
  const inner = setValueAtStep(at[name], rest, value);
  const { [name]: _, ...others } = at;
  return inner === undefined ? others : { ...at, [name]: inner };
}

function setElement(at: readonly unknown[], step: PathStep, rest: ValuePath, value: unknown): readonly unknown[] {
  const position = findElementPosition(at, step);
  const inner = setValueAtStep(at[position], rest, value);
  if (inner === undefined) return at.filter((_, index) => index !== position);
  return position >= at.length ? [...at, inner] : at.with(position, inner);
}

/** Returns the position of an element, or the list's length if the element is missing. */
function findElementPosition(list: readonly unknown[], step: PathStep): number {
  if (typeof step === "number") return step;
  const name = typeof step === "string" ? step : step.named;
  const found = list.findIndex((element) => (element as ResourceValues | null)?.["name"] === name);
  return found === -1 ? list.length : found;
}

/** Formats a path in the syntax of the server's violations: `ports[3].power_in.source_ref`. */
export function formatPath(path: ValuePath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = typeof step === "string" ? step : `{${step.named}}`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** Returns a violation's path relative to the resource; "" for a violation of the whole resource. */
export function trimViolationPath(field: string, resourceName: string): string {
  const inside = field.replace(/^changes\[\d+\]\./, "");
  if (inside === resourceName) return "";
  return inside.startsWith(`${resourceName}.`) ? inside.slice(resourceName.length + 1) : inside;
}
