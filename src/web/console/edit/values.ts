import { getRefName } from "#words/names.ts";
import type { CallError } from "../api/client.ts";
import { formatMoment } from "../labels.ts";
import { formatColumnFigure } from "../lists/list_kinds.ts";
import {
  describeFieldLimits,
  type EditableKind,
  type FormField,
  getChoiceLabel,
  getFieldLabel,
  getFieldUnit,
  listKindFields,
  listMessageFields,
  type ResourceValues,
} from "./form_model.ts";

/** Whether proto JSON omits the value or writes it as empty. */
export function isUnsetValue(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value === "string") return value.endsWith("_UNSPECIFIED");
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/**
 * Removes unset parts of a value, so that equivalent values become equal. A number or flag that is not optional counts
 * as unset if it is zero, as in proto JSON.
 */
export function removeUnsetParts(value: unknown, field: FormField): unknown {
  if (isUnsetValue(value)) return undefined;
  if (field.shape === "list") {
    const one = { ...field, shape: "one" as const };
    return (value as readonly unknown[]).map((element) => removeUnsetItem(element, one) ?? getEmptyValue(one));
  }
  if (field.shape === "map") return value;
  return removeUnsetItem(value, field);
}

function removeUnsetItem(value: unknown, field: FormField): unknown {
  if (field.type === "group") {
    const inner = removeUnsetFields(value as ResourceValues, field.of ?? "");
    return Object.keys(inner).length === 0 && field.optional !== true ? undefined : inner;
  }
  if (field.optional === true || field.required === true) return value;
  if (value === 0 && (field.type === "int" || field.type === "number")) return undefined;
  return value === false ? undefined : value;
}

function getEmptyValue(field: FormField): unknown {
  if (field.type === "group") return {};
  return field.type === "text" ? "" : 0;
}

/** Returns a message with only those fields that a person may set and has set. */
export function removeUnsetFields(values: ResourceValues, message: string): ResourceValues {
  const entries = listMessageFields(message)
    .map((field) => [field.name, removeUnsetParts(values[field.name], field)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

export function isEqualValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortObjectKeys(one)) === JSON.stringify(sortObjectKeys(other));
}

function sortObjectKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortObjectKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sortObjectKeys(inner)]),
  );
}

/** Parses a typed number; text that is no number stays text, so that no input is lost. */
export function parseTypedNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return /^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(trimmed) && Number.isFinite(value) ? value : text;
}

/** Parses typed values; codes that are unchanged keep their stored references. */
export function parseTypedValues(
  text: string,
  { name, type }: FormField,
  stored: readonly unknown[],
): readonly unknown[] {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (type !== "text") return parts.map((part) => parseTypedNumber(part));
  if (!REFERENCE_FIELDS.has(name)) return parts;
  const left = stored.map(String);
  return parts.map((part) => {
    const at = left.findIndex((ref) => getRefName(ref) === part);
    return at === -1 ? part : left.splice(at, 1)[0];
  });
}

/** Describes why the type or the limits of a field forbid a value; "" if they allow it. */
export function describeValueError(value: unknown, field: FormField): string {
  if (isUnsetValue(value)) return field.required === true ? `${getFieldLabel(field)} is required` : "";
  if (field.type === "int" || field.type === "number") {
    const values = field.shape === "list" ? (value as readonly unknown[]) : [value];
    return values.map((one) => describeNumberError(one, field)).find((one) => one !== "") ?? "";
  }
  if (field.type === "time" && !String(value).endsWith("Z")) return "The clocks skip this time: expected another one";
  if (field.length !== undefined && String(value).length > field.length)
    return `Expected ${describeFieldLimits(field)}`;
  return "";
}

function describeNumberError(value: unknown, field: FormField): string {
  if (typeof value !== "number") return `"${value}" is not a number`;
  if (field.type === "int" && !Number.isInteger(value)) return `${value} is not a whole number`;
  const { min, max, above, step, numbers } = field;
  const wrong =
    (numbers !== undefined && !numbers.includes(value)) ||
    (min !== undefined && (above === true ? value <= min : value < min)) ||
    (max !== undefined && value > max) ||
    (step !== undefined && !Number.isInteger(value / step));
  return wrong ? `Expected ${describeFieldLimits(field)}` : "";
}

/** Formats a value for a person who compares values; "" if it is unset. */
export function formatValue(value: unknown, field: FormField): string {
  if (isUnsetValue(value)) return "";
  if (field.shape === "list" && Array.isArray(value)) {
    const one = { ...field, shape: "one" as const };
    return value.map((element) => formatValue(element, one)).join(field.type === "group" ? "; " : ", ");
  }
  if (field.shape === "map") {
    return Object.entries(value as ResourceValues)
      .map(([key, inner]) => `${key}=${inner}`)
      .join(", ");
  }
  return formatSingleValue(value, field);
}

/** Names of fields that contain references. A form shows these references as codes without their kind. */
export const REFERENCE_FIELDS: ReadonlySet<string> = new Set(["source_ref", "serves", "element_refs", "accepted_refs"]);

function formatSingleValue(value: unknown, field: FormField): string {
  switch (field.type) {
    case "choice":
      return getChoiceLabel(field.of ?? "", String(value));
    case "flag":
      return value === true ? "yes" : "no";
    case "time":
      return formatMoment(String(value));
    case "group":
      return formatMessageValue(value as ResourceValues, field.of ?? "");
    case "text":
      return REFERENCE_FIELDS.has(field.name) ? getRefName(String(value)) : String(value);
    default: {
      const unit = getFieldUnit(field);
      return unit === ""
        ? String(value)
        : `${typeof value === "number" ? numberFormatter.format(value) : value} ${unit}`;
    }
  }
}

const numberFormatter = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

function formatMessageValue(values: ResourceValues, message: string): string {
  if (message === "PortRef")
    return [values["device_code"], values["port_name"]].filter((one) => !isUnsetValue(one)).join("/");
  return listMessageFields(message)
    .filter(({ name }) => !isUnsetValue(values[name]))
    .map((field) => `${getFieldLabel(field).toLowerCase()} ${formatValue(values[field.name], field)}`)
    .join(", ");
}

/** A step into a value: a field or key, a position in a list, or the list element with this name. */
type PathStep = string | number | { readonly named: string };
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

/** Errors of a draft, by field path such as `ports[3].speed_mbps`. */
export type ProblemsByPath = ReadonlyMap<string, string>;

/** Returns the violations of the fields' types and limits. The server checks for missing required values. */
export function listLimitProblems(values: ResourceValues, message: string, around = ""): ProblemsByPath {
  const found = new Map<string, string>();
  for (const field of listMessageFields(message)) {
    const value = values[field.name];
    if (isUnsetValue(value) || field.shape === "map") continue;
    const path = around === "" ? field.name : `${around}.${field.name}`;
    for (const [key, problem] of listFieldProblems(value, field, path)) found.set(key, problem);
  }
  return found;
}

function listFieldProblems(value: unknown, field: FormField, path: string): ProblemsByPath {
  if (field.type !== "group") {
    const problem = describeValueError(value, field);
    return new Map(problem === "" ? [] : [[path, problem]]);
  }
  if (field.shape === "one") return listLimitProblems(value as ResourceValues, field.of ?? "", path);
  const elements = value as readonly ResourceValues[];
  return new Map(elements.flatMap((one, index) => [...listLimitProblems(one, field.of ?? "", `${path}[${index}]`)]));
}

/** Returns the problems together with the server's refusals, by field. */
export function addRefusalProblems(
  problems: ProblemsByPath,
  kind: EditableKind,
  errors: readonly CallError[],
): ProblemsByPath {
  const found = new Map(problems);
  for (const { field, description } of errors.flatMap(({ violations }) => violations)) {
    found.set(trimViolationPath(field, kind), description);
  }
  return found;
}

/** Returns the error at a path, or "" for none. `ports[3].*` matches any field inside `ports[3]`. */
export function findProblem(problems: ProblemsByPath, path: string): string {
  if (!path.endsWith(".*")) return problems.get(path) ?? "";
  const above = path.slice(0, -1);
  return [...problems].find(([key]) => key.startsWith(above))?.[1] ?? "";
}

/** Whether a field of the resource, or any field inside it, has an error. */
export function hasProblem(problems: ProblemsByPath, name: string): boolean {
  return [...problems.keys()].some((key) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`));
}

/**
 * Returns labels and values of a resource, by the fields of its form; values contain their unit, and are "" if unset.
 * @param names the fields in their order, separated by spaces
 * @throws Error for a name that the form does not have
 */
export function listResourceFacts(
  kind: EditableKind,
  resource: object,
  names: string,
): readonly (readonly [string, string])[] {
  const fields = new Map(listKindFields(kind).map((field) => [field.name, field]));
  return names.split(" ").map((name) => {
    const [field, value] = [fields.get(name), (resource as ResourceValues)[name]];
    if (field === undefined) throw new Error(`The form of a ${kind} has no field "${name}"`);
    return [
      getFieldLabel(field),
      typeof value === "number" ? formatColumnFigure(name, value) : formatValue(value, field),
    ];
  });
}

/** Fields that a device copies from its type; an import and `planner dc add device --type` copy the same fields. */
const COPIED_FIELDS = "kind manufacturer model part_number airflow weight_kg max_draw_w u_height depth ports".split(
  " ",
);

/** A value of a device that differs from the value of its type. */
export interface TypeDeviation {
  readonly name: string;
  readonly ownText: string;
  readonly typeText: string;
}

/** Returns the device with its missing fields copied from its type; `depth` only if the device has a unit. */
export function fillMissingFields(device: ResourceValues, type: ResourceValues): ResourceValues {
  const missing = listTypeFields(device, type).filter(({ name }) => isUnsetValue(device[name]));
  return { ...device, ...Object.fromEntries(missing.map(({ name }) => [name, type[name]])) };
}

/** Returns the device's values that differ from its type's. Ports are not compared. */
export function listTypeDeviations(device: ResourceValues, type: ResourceValues): readonly TypeDeviation[] {
  return listTypeFields(device, type)
    .filter(({ name }) => name !== "ports" && !isUnsetValue(device[name]))
    .filter(
      (field) => !isEqualValue(removeUnsetParts(device[field.name], field), removeUnsetParts(type[field.name], field)),
    )
    .map((field) => ({
      name: field.name,
      ownText: formatValue(device[field.name], field),
      typeText: formatValue(type[field.name], field),
    }));
}

function listTypeFields(device: ResourceValues, type: ResourceValues) {
  return listKindFields("device").filter(
    ({ name }) =>
      COPIED_FIELDS.includes(name) &&
      !isUnsetValue(type[name]) &&
      (name !== "depth" || device["position_u"] !== undefined),
  );
}
