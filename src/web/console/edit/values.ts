import { getRefName } from "#words/names.ts";
import { moment } from "../labels.ts";
import { labelOf, limitText, unitOf } from "./field_labels.ts";
import { choiceWord, type FormField, fieldsOf, type Values } from "./form_model.ts";

/** Whether proto JSON leaves the value out or writes it as empty. */
export function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value === "string") return value.endsWith("_UNSPECIFIED");
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/**
 * A value without what is unset: two values that mean the same become equal. A number or flag that is not optional is
 * unset where it is zero, as proto JSON writes it.
 */
export function pruneValue(value: unknown, field: FormField): unknown {
  if (isUnset(value)) return undefined;
  if (field.shape === "list") {
    const one = { ...field, shape: "one" as const };
    return (value as readonly unknown[]).map((element) => prunedOne(element, one) ?? emptyOf(one));
  }
  if (field.shape === "map") return value;
  return prunedOne(value, field);
}

function prunedOne(value: unknown, field: FormField): unknown {
  if (field.type === "group") {
    const inner = prunedMessage(value as Values, field.of ?? "");
    return Object.keys(inner).length === 0 && field.optional !== true ? undefined : inner;
  }
  if (field.optional === true || field.required === true) return value;
  if (value === 0 && (field.type === "int" || field.type === "number")) return undefined;
  return value === false ? undefined : value;
}

function emptyOf(field: FormField): unknown {
  if (field.type === "group") return {};
  return field.type === "text" ? "" : 0;
}

/** A message with the fields that a person may set and has set. */
export function prunedMessage(values: Values, message: string): Values {
  const entries = fieldsOf(message)
    .map((field) => [field.name, pruneValue(values[field.name], field)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortKeys(one)) === JSON.stringify(sortKeys(other));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/** What is typed as a number; text that is no number stays text, so that nothing typed is lost. */
export function numberOf(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return /^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(trimmed) && Number.isFinite(value) ? value : text;
}

/** What is typed, with the stored references of codes that are left alone. */
export function valuesOf(text: string, { name, type }: FormField, stored: readonly unknown[]): readonly unknown[] {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (type !== "text") return parts.map((part) => numberOf(part));
  if (!REFERENCES.has(name)) return parts;
  const left = stored.map(String);
  return parts.map((part) => {
    const at = left.findIndex((ref) => getRefName(ref) === part);
    return at === -1 ? part : left.splice(at, 1)[0];
  });
}

/** What is wrong with a value by its type and limits alone; "" for nothing. */
export function problemOf(value: unknown, field: FormField): string {
  if (isUnset(value)) return field.required === true ? `${labelOf(field)} is required` : "";
  if (field.type === "int" || field.type === "number") {
    const values = field.shape === "list" ? (value as readonly unknown[]) : [value];
    return values.map((one) => numberProblem(one, field)).find((one) => one !== "") ?? "";
  }
  if (field.type === "time" && !String(value).endsWith("Z")) return "The clocks skip this time: expected another one";
  if (field.length !== undefined && String(value).length > field.length) return `Expected ${limitText(field)}`;
  return "";
}

function numberProblem(value: unknown, field: FormField): string {
  if (typeof value !== "number") return `"${value}" is not a number`;
  if (field.type === "int" && !Number.isInteger(value)) return `${value} is not a whole number`;
  const { min, max, above, step, numbers } = field;
  const wrong =
    (numbers !== undefined && !numbers.includes(value)) ||
    (min !== undefined && (above === true ? value <= min : value < min)) ||
    (max !== undefined && value > max) ||
    (step !== undefined && !Number.isInteger(value / step));
  return wrong ? `Expected ${limitText(field)}` : "";
}

/** A value in words, for a person who compares; "" when it is unset. */
export function valueText(value: unknown, field: FormField): string {
  if (isUnset(value)) return "";
  if (field.shape === "list" && Array.isArray(value)) {
    const one = { ...field, shape: "one" as const };
    return value.map((element) => valueText(element, one)).join(field.type === "group" ? "; " : ", ");
  }
  if (field.shape === "map") {
    return Object.entries(value as Values)
      .map(([key, inner]) => `${key}=${inner}`)
      .join(", ");
  }
  return oneText(value, field);
}

/** Fields that hold references, which a form shows as bare codes. */
export const REFERENCES: ReadonlySet<string> = new Set(["source_ref", "serves", "element_refs", "accepted_refs"]);

function oneText(value: unknown, field: FormField): string {
  switch (field.type) {
    case "choice":
      return choiceWord(field.of ?? "", String(value));
    case "flag":
      return value === true ? "yes" : "no";
    case "time":
      return moment(String(value));
    case "group":
      return groupText(value as Values, field.of ?? "");
    case "text":
      return REFERENCES.has(field.name) ? getRefName(String(value)) : String(value);
    default: {
      const unit = unitOf(field);
      return unit === "" ? String(value) : `${typeof value === "number" ? figure(value) : value} ${unit}`;
    }
  }
}

const figures = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

function figure(value: number): string {
  return figures.format(value);
}

function groupText(values: Values, message: string): string {
  if (message === "PortRef")
    return [values["device_code"], values["port_name"]].filter((one) => !isUnset(one)).join("/");
  return fieldsOf(message)
    .filter(({ name }) => !isUnset(values[name]))
    .map((field) => `${labelOf(field).toLowerCase()} ${valueText(values[field.name], field)}`)
    .join(", ");
}
