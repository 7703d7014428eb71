import { isJsonObject } from "#kernel/json_object.ts";
import type { FieldKind, Table } from "./component_tables.ts";
import { TABLES, type TableName } from "./tables.ts";

/** The end of a cable: `interface/12`. */
export type End = string;

/** A position of a front port and the one of a rear port behind it. */
export interface Lane {
  readonly front: number;
  readonly rearPort: string;
  readonly rear: number;
}

export type Cell =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly Lane[]
  | Readonly<Record<string, string>>;

/** A NetBox object with the fields that the mapping reads; references are ids. */
export interface Row {
  readonly id: string;
  readonly url?: string;
  readonly cells: Readonly<Record<string, Cell>>;
  /** Fields whose values have a shape that is not read. */
  readonly misread?: readonly string[];
}

/** An object of NetBox's JSON, from a REST list or from a dump. */
type Json = Readonly<Record<string, unknown>>;

interface Plan {
  readonly names: readonly string[];
  readonly target: string;
  readonly read: (value: unknown) => Cell | undefined;
}

const plans = new Map<TableName, readonly Plan[]>();

/**
 * Reads an object of a REST list or a dump. Values of an unexpected shape are absent and named.
 * @returns undefined for an object without an id
 */
export function readRow(table: TableName, id: unknown, fields: Json): Row | undefined {
  const key = idOf(id);
  if (key === undefined) return undefined;
  const cells: Record<string, Cell> = {};
  const misread: string[] = [];
  for (const { names, target, read } of planOf(table)) {
    const name = names.find((one) => fields[one] !== undefined && fields[one] !== null);
    if (name === undefined) continue;
    const cell = read(fields[name]);
    if (cell !== undefined) cells[target] = cell;
    else if (fields[name] !== "") misread.push(name);
  }
  const url = fields["display_url"] ?? fields["url"];
  return { id: key, ...(typeof url === "string" && { url }), cells, ...(misread.length > 0 && { misread }) };
}

function planOf(table: TableName): readonly Plan[] {
  const known = plans.get(table);
  if (known !== undefined) return known;
  const { fields }: Table = TABLES[table];
  const plan = Object.entries(fields).map(([spelled, kind]) => {
    const names = spelled.split("|");
    return { names, target: names[0] ?? "", read: READERS[kind] };
  });
  plans.set(table, plan);
  return plan;
}

function idOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" && value.length <= 255 ? value : undefined;
}

const READERS: Readonly<Record<FieldKind, (value: unknown) => Cell | undefined>> = {
  text: readText,
  number: readNumber,
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  ref: readRef,
  refs: (value) => (Array.isArray(value) ? value.flatMap((one) => readRef(one) ?? []) : undefined),
  choice: readChoice,
  tags: readTags,
  map: readMap,
  numbers: readNumbers,
  ends: readEnds,
  lanes: readLanes,
};

/** A text, or the name of a nested object such as a user. */
function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  // A dump writes a reference as a list of texts: ["alice"] for a user, ["dcim", "interface"] for a content type.
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join(".");
  if (!isJsonObject(value)) return undefined;
  const named = value["username"] ?? value["name"] ?? value["display"] ?? value["value"];
  return typeof named === "string" ? named : undefined;
}

/** A number, also when it is written as a text: NetBox's decimals are. */
function readNumber(value: unknown): number | undefined {
  const number =
    typeof value === "string" && value.trim() !== "" ? Number(value) : isJsonObject(value) ? value["value"] : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function readRef(value: unknown): string | undefined {
  return idOf(isJsonObject(value) ? value["id"] : value);
}

function readChoice(value: unknown): string | undefined {
  const plain = isJsonObject(value) ? value["value"] : value;
  return typeof plain === "string" && plain !== "" ? plain : undefined;
}

function readTags(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => {
    const slug = isJsonObject(one) ? one["slug"] : one;
    return typeof slug === "string" ? [slug] : [];
  });
}

function readNumbers(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => readNumber(one) ?? []);
}

/** Custom fields as texts; lists and objects are joined or written as JSON. */
function readMap(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    if (one === null || one === undefined || one === "") continue;
    texts[name] = spellValue(one);
  }
  return texts;
}

function spellValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(spellValue).join(", ");
  if (isJsonObject(value)) return readText(value["label"]) ?? readText(value) ?? JSON.stringify(value);
  return String(value);
}

function readEnds(value: unknown): readonly End[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const id = idOf(one["object_id"]);
    return id === undefined ? [] : [endOf(one["object_type"], id)];
  });
}

/** Returns the end that a content type and an id name; the type is `dcim.interface`. */
export function endOf(type: unknown, id: string): End {
  const text = typeof type === "string" ? type : "";
  return `${text.slice(text.indexOf(".") + 1)}/${id}`;
}

/** What a front port of NetBox 4.5 and later lists: `[{position, rear_port, rear_port_position}]`. */
function readLanes(value: unknown): readonly Lane[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const rearPort = readRef(one["rear_port"]);
    const front = readNumber(one["position"] ?? one["front_port_position"]) ?? 1;
    return rearPort === undefined ? [] : [{ front, rearPort, rear: readNumber(one["rear_port_position"]) ?? 1 }];
  });
}
