import type { JsonValue } from "@bufbuild/protobuf";
import { DEVICE_KINDS, DEVICE_STATUSES, FACES } from "#dc/model/enum_values.ts";
import type { QuestionField, QuestionFields } from "#gen/datacenter/v1/questions.ts";
import { parsePortDemand } from "#words/wanted_ports.ts";
import {
  booleanFlag,
  enumFlag,
  type Flag,
  type Flags,
  fileFlag,
  integerFlag,
  requiredArgument,
  textFlag,
} from "../args.ts";
import { UsageError } from "../usage_error.ts";

/** Flag that sets a field of an RPC's request. The field determines the type and values of the flag. */
interface RequestFlag<Field> {
  readonly field: Field;
  readonly description: string;
  readonly valueHint?: string;
  /** Minimum of an integer flag; 1 if absent. */
  readonly least?: number;
  /** Other flags or arguments that the flag requires, written as in `ArgumentRules`. */
  readonly needs?: readonly string[];
  /** True if the flag sets its boolean field to false, and the absent flag sets it to true. */
  readonly clears?: true;
}

export type RequestFields = Readonly<Record<string, JsonValue>>;

interface RequestFlags<Name extends string> {
  readonly flags: Readonly<Record<Name, Flag>>;
  /** Converts checked arguments to fields of the request. @throws UsageError that names the flag. */
  readonly buildRequest: (words: Readonly<Record<Name, unknown>>) => RequestFields;
}

/** Flag that chooses the load of an analysis by the request's field `load_basis`. */
export const LOAD_BASIS_FLAG = { field: "load_basis", description: "Load (allocated)" } as const;

/** Flag that limits the age of readings by the request's field `max_age_s`. */
export const MAX_AGE_FLAG = {
  field: "max_age_s",
  valueHint: "seconds",
  description: "Maximum age of readings (900)",
  needs: ["--basis measured"],
} as const;

/** Flag that computes an analysis for the time of a stored window, by the request's field `during_window`. */
export const DURING_WINDOW_FLAG = {
  field: "during_window",
  valueHint: "window",
  description: "Answer as during this stored window",
} as const;

const MAX_INT32 = 2 ** 31 - 1;

/** Derives the flags of a command from the fields of its request. */
export function deriveRequestFlags<Fields extends QuestionFields, Name extends string>(
  fields: Fields,
  rows: Readonly<Record<Name, RequestFlag<keyof Fields & string>>>,
): RequestFlags<Name> {
  const entries = Object.entries<RequestFlag<keyof Fields & string>>(rows) as [
    Name,
    RequestFlag<keyof Fields & string>,
  ][];
  const getRequestField = ({ field }: RequestFlag<keyof Fields & string>) => fields[field] as QuestionField;
  return {
    flags: Object.fromEntries(entries.map(([name, row]) => [name, deriveFlag(getRequestField(row), row)])) as Record<
      Name,
      Flag
    >,
    buildRequest: (words) =>
      Object.fromEntries(
        entries
          .filter(([name]) => words[name] !== undefined)
          .map(([name, row]) => {
            const field = getRequestField(row);
            const value = (word: unknown) => parseFieldValue(name, field, row.clears === true ? word !== true : word);
            const word = words[name];
            return [row.field, Array.isArray(word) ? word.map(value) : value(word)] as const;
          }),
      ),
  };
}

function deriveFlag(field: QuestionField, { description, valueHint, needs, least = 1 }: RequestFlag<string>): Flag {
  const rules = needs !== undefined && { needs };
  const isList = field.isList && { multiple: true as const };
  const shown = { description, ...rules, ...(valueHint !== undefined && { valueHint }), ...isList };
  if (field.type === "flag") return { type: "boolean", description, ...rules };
  if (field.type === "int") return { type: "integer", least, maximum: MAX_INT32, ...shown };
  return field.type === "choice"
    ? { type: "enum", options: convertToEnumWords(field.values), ...shown }
    : { type: "string", ...shown };
}

function parseFieldValue(flag: string, field: QuestionField, word: unknown): JsonValue {
  const createValueError = (expected: string) =>
    new UsageError(`Wrong value "${word}" for "--${flag}": expected ${expected}`);
  if (field.type === "choice") return `${field.prefix}_${convertToEnumName(String(word))}`;
  if (field.type === "number") {
    const value = String(word).trim() === "" ? Number.NaN : Number(word);
    if (!Number.isFinite(value)) throw createValueError("a number");
    return value;
  }
  if (field.type !== "group") return word as JsonValue;
  const ports = parsePortDemand(String(word));
  if (ports === undefined) {
    throw createValueError("<count>x<speed or type>, such as 2x25G or 2x25gbase-x-sfp28");
  }
  if (ports.count > MAX_INT32 || (ports.speed_mbps ?? 0) > MAX_INT32)
    throw createValueError(`figures of at most ${MAX_INT32}`);
  return { ...ports };
}

/** Name of the enum value for a word of the command line: `RACK_PDU` for `rack-pdu`. */
type EnumName<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${EnumName<Rest>}`
  : Uppercase<Word>;

export function convertToEnumName<Word extends string>(word: Word): EnumName<Word> {
  return word.toUpperCase().replaceAll("-", "_") as EnumName<Word>;
}

/** Converts names of enum values to words of the command line: `rack-pdu` for RACK_PDU. */
export function convertToEnumWords(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase().replaceAll("_", "-"));
}

/** Flags that several `planner dc` commands share. */

export const DATABASE_FLAG = fileFlag("File (planner-dc.sqlite) or postgres:// URL");

export const CREATE_FLAG = booleanFlag("Replace a database that vanished");

export const WINDOW_ELEMENTS_ARGUMENT = requiredArgument("What is out: codes, or references such as row:AMS1/1/A", {
  repeats: true,
});

export const WINDOW_FLAGS = {
  from: textFlag("time", "Start, such as 2026-11-28 20:00 (now)"),
  for: textFlag("duration", "Length: 2h, 1h30m or 3d"),
  until: textFlag("time", "End of the window", { excludes: ["--for"] }),
  "time-zone": textFlag("name", "Zone of times without an offset (the site's)"),
  accept: textFlag("ref", "Accept this loss: a code, reference or role:<role>", { multiple: true }),
} as const satisfies Readonly<Record<string, Flag>>;

export const URL_FLAG = textFlag("address", "A running server (PLANNER_DC_URL)");

export const TOKEN_FLAG = textFlag("token", "Token for the server (PLANNER_DC_TOKEN)");

export const TOKEN_FILE_FLAG = fileFlag("The token file", { required: true });

export const RENDER_FLAGS = {
  format: enumFlag(["svg", "png", "html", "dot"], "Format (default: by the file's name)"),
  theme: enumFlag(["light", "dark", "print", "high_contrast"], "Colours (light)"),
  coloring: enumFlag(
    ["role", "status", "health", "power", "thermal", "utilization", "none", "risk"],
    "Meaning of the colours (default: by the screen)",
  ),
  view: enumFlag(["front", "rear", "both", "compact", "full"], "Side or amount of detail (default: by the screen)"),
  width: integerFlag(1, "Width of the picture, 64 to 8192", { valueHint: "pixels" }),
} as const satisfies Flags;

export const ADD_DEVICE_FLAGS = {
  db: DATABASE_FLAG,
  type: textFlag("code", "Type of the device"),
  kind: enumFlag(convertToEnumWords(DEVICE_KINDS), "Kind (default: of the type)"),
  rack: textFlag("code", "Rack"),
  position: textFlag("unit", "Lowest unit that it takes, in steps of 0.5"),
  face: enumFlag(convertToEnumWords(FACES), "Side of the rack (front with a position)"),
  chassis: textFlag("code", "Chassis with a bay for it"),
  bay: textFlag("name", "Bay of the chassis"),
  site: textFlag("site", "Site, for a device without a rack"),
  floor: textFlag("number", "Floor of the site (0)", { needs: ["--site"] }),
  room: textFlag("room", "Room of the floor", { needs: ["--site"] }),
  name: textFlag("text", "Name"),
  serial: textFlag("number", "Serial number"),
  "asset-tag": textFlag("tag", "Asset tag"),
  status: enumFlag(convertToEnumWords(DEVICE_STATUSES), "Status (active)"),
  tenant: textFlag("name", "Tenant that uses it"),
  message: textFlag("text", "Reason, for the change log"),
  "dry-run": booleanFlag("Check it, write nothing"),
  json: booleanFlag("Print the reply as JSON"),
} as const satisfies Readonly<Record<string, Flag>>;
