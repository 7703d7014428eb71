import { COLUMN_FIELDS } from "#words/column_fields.ts";
import { labelOf, unitOf } from "../edit/field_labels.ts";
import { choicesOf, endOf, type FormField, fieldsOf, fieldsOfKind, type Kind } from "../edit/form_model.ts";
import { withValue } from "../edit/paths.ts";
import { numberOf, problemOf } from "../edit/values.ts";
import type { CsvTable } from "./csv.ts";
import type { FieldProblem, Item, Parsed } from "./parse_items.ts";
import { KINDS } from "./parse_items.ts";

/** A field that a column can fill. */
export interface Target {
  /** Path such as `location.site_id`; labels have their key as the last step. */
  readonly path: string;
  readonly label: string;
  readonly field: FormField;
}

/** Fields of a kind that every item needs and no column fills; of a location, its site. */
export function missingFields(kind: Kind, columns: readonly string[]): readonly Target[] {
  const targets = targetsOf(kind);
  const needed = fieldsOfKind(kind)
    .filter(({ required }) => required === true)
    .map(({ name }) => targets.find(({ path }) => path === name || path.startsWith(`${name}.`)));
  const isFilled = (path: string) => columns.some((one) => one === path || one.startsWith(`${path}.`));
  return needed.filter((target) => target !== undefined && !isFilled(target.path)) as readonly Target[];
}

/** Whether devices have a unit and no column says on which side: they are placed at the front. */
export function isFaceGuessed(kind: Kind, columns: readonly string[]): boolean {
  return kind === "device" && columns.includes("position_u") && !columns.includes("face");
}

/** Every field that one cell can hold. */
export function targetsOf(kind: Kind): readonly Target[] {
  return fieldsOfKind(kind).flatMap((field): readonly Target[] => {
    const label = labelOf(field);
    if (field.shape === "map") return [];
    if (field.type !== "group") return [{ path: field.name, label, field }];
    if (field.of === "PortRef") {
      const whole: Target = { path: field.name, label: `${label} as device/port`, field };
      return [whole, ...targetsWithin(field, label)];
    }
    return field.shape === "list" ? [] : targetsWithin(field, label);
  });
}

function targetsWithin(field: FormField, label: string): readonly Target[] {
  return fieldsOf(field.of ?? "")
    .filter(({ type, shape }) => type !== "group" && shape !== "map")
    .map((inner) => ({
      path: `${field.name}.${inner.name}`,
      label: `${label}, ${labelOf(inner).toLowerCase()}`,
      field: inner,
    }));
}

const LABEL = /^labels?[.:\s]\s*(.+)$/i;

/** The field that a column's name means; "" for none. */
export function guessColumn(header: string, targets: readonly Target[]): string {
  const key = LABEL.exec(header.trim())?.[1];
  if (key !== undefined) return `labels.${key}`;
  const bare = plainText(header);
  const named = targets.find(({ path, label, field }) =>
    [path, label, `${label} ${unitOf(field)}`, `${label} (${unitOf(field)})`].some((name) => plainText(name) === bare),
  );
  const last = targets.find(({ path }) => plainText(path.slice(path.indexOf(".") + 1)) === bare);
  const known = targets.find(({ path }) => path === COLUMN_FIELDS[bare]);
  return (named ?? known ?? last)?.path ?? "";
}

function plainText(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Columns that only one kind is likely to have. */
const KIND_PATTERNS: readonly (readonly [Kind, RegExp])[] = [
  ["fabric_link", /^(?:fabric|fabricid|capacitymbps|ecmpgroup)$/],
  ["cable", /^(?:a|b|enda|endb|adevice|bdevice|adevicecode|bdevicecode|lengthm|length)$/],
  ["crac", /^(?:sensiblecapacitykw|sensiblecapacity|derate|deratepct|serves)$/],
  ["device", /^(?:position|positionu|u|unit|rack|rackcode|allocateddraww|planneddraw|serial)$/],
];

/** The kind that a table's columns speak of. */
export function guessKind(headers: readonly string[]): (typeof KINDS)[number] {
  const bare = headers.map(plainText);
  const found = KIND_PATTERNS.find(([, pattern]) => bare.some((header) => pattern.test(header)))?.[0];
  return KINDS.find((kind) => kind === found) ?? "rack";
}

/** Turns rows into resources. What cannot be read of a row stays with its item, so that the server checks the rest of it. */
export function itemsOf(
  table: CsvTable,
  kind: (typeof KINDS)[number],
  columns: readonly string[],
  /** Texts by path that every row gets. */
  defaults: Readonly<Record<string, string>> = {},
): Parsed {
  const given = Object.entries(defaults).filter(([path]) => !columns.includes(path));
  const paths = [...columns, ...given.map(([path]) => path)];
  const targets = new Map(targetsOf(kind).map((target) => [target.path, target]));
  const withDefaults = (cells: readonly string[]) =>
    given.length === 0 ? cells : [...columns.map((_, at) => cells[at] ?? ""), ...given.map(([, text]) => text)];
  const atFront = isFaceGuessed(kind, paths);
  const items = table.rows.map(({ line, cells }): Item => {
    const { resource, problems } = readRow(withDefaults(cells), paths, targets);
    if (cells.length > table.headers.length)
      problems.push({ field: "", message: `${cells.length} cells, but ${table.headers.length} columns` });
    const placed = atFront && "position_u" in resource ? { ...resource, face: "FACE_FRONT" } : resource;
    return { kind, line, resource: placed, ...(problems.length > 0 && { problems }) };
  });
  const filled = columns.map((path, at) => ({ path, at, header: table.headers[at] ?? "" }));
  return { items, unreadable: [], columns: filled.filter(({ path }) => path !== "") };
}

function readRow(cells: readonly string[], columns: readonly string[], targets: ReadonlyMap<string, Target>) {
  let resource: Readonly<Record<string, unknown>> = {};
  const problems: FieldProblem[] = [];
  for (const [index, path] of columns.entries()) {
    const text = (cells[index] ?? "").trim();
    if (path === "" || text === "") continue;
    const other = columns.findIndex((one, at) => at < index && one === path && (cells[at] ?? "").trim() !== "");
    if (other !== -1 && cells[other]?.trim() !== text) {
      problems.push({
        field: path,
        message: `Two columns fill this field, with "${shortened(cells[other]?.trim() ?? "")}" and "${shortened(text)}"`,
      });
      continue;
    }
    const { value, problem } = readCell(text, targets.get(path)?.field);
    if (problem === undefined) resource = withValue(resource, stepsOf(path), value);
    else problems.push({ field: path, message: problem.replaceAll(text, () => shortened(text)) });
  }
  return { resource, problems };
}

/** Longest text of a cell within a message. */
const MOST_SHOWN = 60;

function shortened(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function stepsOf(path: string): readonly string[] {
  const at = path.indexOf(".");
  return at === -1 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

interface Cell {
  readonly value?: unknown;
  readonly problem?: string;
}

/** What is wrong with a text as the value of a field; "" for nothing. */
export function problemOfText(text: string, { field }: Target): string {
  return readCell(text, field).problem ?? "";
}

/** A cell's text as a value of its field. A path without a field is a label's. */
function readCell(text: string, field: FormField | undefined): Cell {
  if (field === undefined) return { value: text };
  if (field.of === "PortRef") return { value: endOf(text) };
  if (field.type === "choice") return readChoice(text, field.of ?? "");
  if (field.type === "flag") return readFlag(text);
  const value =
    field.shape === "list" ? text.split(/[,;|]/).map((part) => readOne(part.trim(), field)) : readOne(text, field);
  const problem = problemOf(value, field);
  return problem === "" ? { value } : { problem };
}

function readOne(text: string, { type }: FormField): unknown {
  return type === "int" || type === "number" ? numberOf(text) : text;
}

function readChoice(text: string, name: string): Cell {
  const choices = choicesOf(name);
  const found = choices.find(
    ([value, word]) => plainText(value) === plainText(text) || plainText(word) === plainText(text),
  );
  if (found !== undefined) return { value: found[0] };
  return { problem: `"${text}" is none of ${choices.map(([, word]) => word).join(", ")}` };
}

const FLAGS: Readonly<Record<string, boolean>> = { yes: true, true: true, 1: true, no: false, false: false, 0: false };

function readFlag(text: string): Cell {
  const value = FLAGS[text.toLowerCase()];
  return value === undefined ? { problem: `"${text}" is neither yes nor no` } : { value };
}
