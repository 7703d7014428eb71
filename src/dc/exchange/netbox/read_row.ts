import { isJsonObject } from "#kernel/json_object.ts";
import { type FieldKind, NETBOX_TABLES, type TableName, type TableSchema } from "./tables.ts";

/** The end of a cable, such as `interface/12`. */
export type CableEnd = string;

/** A position of a front port and the rear port position connected to it. */
export interface PortLane {
  readonly front: number;
  readonly rearPort: string;
  readonly rear: number;
}

export type RowCell =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly PortLane[]
  | Readonly<Record<string, string>>;

/** A NetBox object with the fields that the mapping reads; references are ids. */
export interface NetboxRow {
  readonly id: string;
  readonly url?: string;
  readonly cells: Readonly<Record<string, RowCell>>;
  /** Fields whose values have an unexpected form. */
  readonly misread?: readonly string[];
}

/** An object of NetBox's JSON, from a REST list or from a dump. */
type JsonObject = Readonly<Record<string, unknown>>;

interface FieldReadPlan {
  readonly names: readonly string[];
  readonly target: string;
  readonly read: (value: unknown) => RowCell | undefined;
}

const readPlansByTable = new Map<TableName, readonly FieldReadPlan[]>();

/**
 * Reads an object of a REST list or a dump. Omits values of an unexpected form and lists their fields. @returns
 * undefined for an object without an id
 */
export function readRow(table: TableName, id: unknown, fields: JsonObject): NetboxRow | undefined {
  const key = readId(id);
  if (key === undefined) return undefined;
  const cells: Record<string, RowCell> = {};
  const misread: string[] = [];
  for (const { names, target, read } of findTableReadPlan(table)) {
    const name = names.find((one) => fields[one] !== undefined && fields[one] !== null);
    if (name === undefined) continue;
    const cell = read(fields[name]);
    if (cell !== undefined) cells[target] = cell;
    else if (fields[name] !== "") misread.push(name);
  }
  const url = fields["display_url"] ?? fields["url"];
  return { id: key, ...(typeof url === "string" && { url }), cells, ...(misread.length > 0 && { misread }) };
}

function findTableReadPlan(table: TableName): readonly FieldReadPlan[] {
  return readPlansByTable.getOrInsertComputed(table, () => {
    const { fields }: TableSchema = NETBOX_TABLES[table];
    return Object.entries(fields).map(([spelled, kind]) => {
      const names = spelled.split("|");
      return { names, target: names[0] ?? "", read: READER_BY_KIND[kind] };
    });
  });
}

function readId(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" && value.length <= 255 ? value : undefined;
}

const READER_BY_KIND: Readonly<Record<FieldKind, (value: unknown) => RowCell | undefined>> = {
  text: readText,
  number: readNumber,
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  ref: readRef,
  choice: readChoice,
  tags: readTags,
  map: readCustomFields,
  numbers: readNumbers,
  ends: readEnds,
  lanes: readLanes,
};

/** Returns a list; a dump writes the lists of PostgreSQL as JSON text, with numbers as texts: `["1", "2"]`. */
function readList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string" || !value.startsWith("[")) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Returns a text, or the name of a nested object such as a user. */
function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  // A dump writes a reference as a list of texts: ["alice"] for a user, ["dcim", "interface"] for a content type.
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join(".");
  if (!isJsonObject(value)) return undefined;
  const named = value["username"] ?? value["name"] ?? value["display"] ?? value["value"];
  return typeof named === "string" ? named : undefined;
}

/** Returns a number, also from text, because NetBox writes decimals as text. */
function readNumber(value: unknown): number | undefined {
  const number =
    typeof value === "string" && value.trim() !== "" ? Number(value) : isJsonObject(value) ? value["value"] : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function readRef(value: unknown): string | undefined {
  return readId(isJsonObject(value) ? value["id"] : value);
}

function readChoice(value: unknown): string | undefined {
  const plain = isJsonObject(value) ? value["value"] : value;
  return typeof plain === "string" && plain !== "" ? plain : undefined;
}

function readTags(value: unknown): readonly string[] | undefined {
  return readList(value)?.flatMap((one) => {
    const slug = isJsonObject(one) ? one["slug"] : one;
    return typeof slug === "string" ? [slug] : [];
  });
}

function readNumbers(value: unknown): readonly number[] | undefined {
  return readList(value)?.flatMap((one) => readNumber(one) ?? []);
}

/** Returns custom fields as texts; lists are joined, objects are written as JSON. */
function readCustomFields(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    if (one === null || one === undefined || one === "") continue;
    texts[name] = formatCustomValue(one);
  }
  return texts;
}

function formatCustomValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(formatCustomValue).join(", ");
  if (isJsonObject(value)) return readText(value["label"]) ?? readText(value) ?? JSON.stringify(value);
  return String(value);
}

function readEnds(value: unknown): readonly CableEnd[] | undefined {
  return readList(value)?.flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const id = readId(one["object_id"]);
    return id === undefined ? [] : [createCableEnd(one["object_type"], id)];
  });
}

/** Returns the cable end of an id and a content type, such as `dcim.interface`. */
export function createCableEnd(type: unknown, id: string): CableEnd {
  const text = typeof type === "string" ? type : "";
  return `${text.slice(text.indexOf(".") + 1)}/${id}`;
}

/** Reads the list of a front port of NetBox 4.5 and later: `[{position, rear_port, rear_port_position}]`. */
function readLanes(value: unknown): readonly PortLane[] | undefined {
  return readList(value)?.flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const rearPort = readRef(one["rear_port"]);
    const front = readNumber(one["position"] ?? one["front_port_position"]) ?? 1;
    return rearPort === undefined ? [] : [{ front, rearPort, rear: readNumber(one["rear_port_position"]) ?? 1 }];
  });
}
