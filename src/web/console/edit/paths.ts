import type { Values } from "./form_model.ts";

/** A step into a value: a field or key, a position in a list, or the element of a list that has this name. */
export type Step = string | number | { readonly named: string };
export type Path = readonly Step[];

/** Sets the value at a path in a copy; `undefined` removes it. Lists grow by what they do not hold yet. */
export function withValue(root: Values, path: Path, value: unknown): Values {
  return setAt(root, path, value) as Values;
}

function setAt(at: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "string" && !Array.isArray(at)) return setField((at ?? {}) as Values, step, rest, value);
  return setElement((at ?? []) as readonly unknown[], step, rest, value);
}

function setField(at: Values, name: string, rest: Path, value: unknown): Values {
  const inner = setAt(at[name], rest, value);
  const { [name]: _, ...others } = at;
  return inner === undefined ? others : { ...at, [name]: inner };
}

function setElement(at: readonly unknown[], step: Step, rest: Path, value: unknown): readonly unknown[] {
  const position = positionOf(at, step);
  const inner = setAt(at[position], rest, value);
  if (inner === undefined) return at.filter((_, index) => index !== position);
  return position >= at.length ? [...at, inner] : at.with(position, inner);
}

/** Position of an element, or the list's length when it is not there. */
function positionOf(list: readonly unknown[], step: Step): number {
  if (typeof step === "number") return step;
  const name = typeof step === "string" ? step : step.named;
  const found = list.findIndex((element) => (element as Values | null)?.["name"] === name);
  return found === -1 ? list.length : found;
}

/** A path as the server names it in violations: `ports[3].power_in.source_ref`. */
export function pathText(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = typeof step === "string" ? step : `{${step.named}}`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** The path of a violation inside the resource: without the request's fields around it. */
export function violationPath(field: string, around: string): string {
  const inside = field.replace(/^changes\[\d+\]\./, "");
  if (inside === around) return "";
  return inside.startsWith(`${around}.`) ? inside.slice(around.length + 1) : inside;
}
