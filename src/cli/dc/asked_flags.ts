import type { JsonValue } from "@bufbuild/protobuf";
import type { QuestionField, QuestionFields } from "#gen/datacenter/v1/questions.ts";
import { parseWantedPorts } from "#words/wanted_ports.ts";
import type { Flag } from "../command.ts";
import { usageError } from "../usage_error.ts";

/** A flag of a command that asks an RPC; its type and values are those of the field that it sets. */
interface AskedRow<Field> {
  readonly field: Field;
  readonly summary: string;
  readonly value?: string;
  /** Of a whole number; 1 if absent. */
  readonly least?: number;
  /** Words of the command that the flag needs, as `ArgumentRules` has them. */
  readonly needs?: readonly string[];
  /** The flag clears the field, which is set without it. */
  readonly clears?: true;
}

export type AskedRequest = Readonly<Record<string, JsonValue>>;

interface AskedFlags<Name extends string> {
  readonly flags: Readonly<Record<Name, Flag>>;
  /** The fields that the checked words of a call set. @throws UsageError naming the flag */
  readonly request: (words: Readonly<Record<Name, unknown>>) => AskedRequest;
}

/** The row of a field `load_basis`. */
export const BASIS_ROW = { field: "load_basis", summary: "Load (allocated)" } as const;

/** The row of a field `max_age_s`. */
export const AGE_ROW = {
  field: "max_age_s",
  value: "seconds",
  summary: "Maximum age of readings (900)",
  needs: ["--basis measured"],
} as const;

/** The row of a field `during_window`. */
export const DURING_ROW = {
  field: "during_window",
  value: "window",
  summary: "Answer as during this stored window",
} as const;

const MAX_INT32 = 2 ** 31 - 1;

/** Derives the flags of a command from the fields of the request that it sends. */
export function askedFlags<Fields extends QuestionFields, Name extends string>(
  command: string,
  fields: Fields,
  rows: Readonly<Record<Name, AskedRow<keyof Fields & string>>>,
): AskedFlags<Name> {
  const entries = Object.entries<AskedRow<keyof Fields & string>>(rows) as [Name, AskedRow<keyof Fields & string>][];
  const fieldOf = ({ field }: AskedRow<keyof Fields & string>) => fields[field] as QuestionField;
  return {
    flags: Object.fromEntries(entries.map(([name, row]) => [name, flagOf(fieldOf(row), row)])) as Record<Name, Flag>,
    request: (words) =>
      Object.fromEntries(
        entries
          .filter(([name]) => words[name] !== undefined)
          .map(([name, row]) => {
            const field = fieldOf(row);
            const value = (word: unknown) =>
              fieldValue(command, name, field, row.clears === true ? word !== true : word);
            const word = words[name];
            return [row.field, Array.isArray(word) ? word.map(value) : value(word)] as const;
          }),
      ),
  };
}

function flagOf(field: QuestionField, { summary, value, needs, least = 1 }: AskedRow<string>): Flag {
  const rules = needs !== undefined && { needs };
  const isList = field.isList && { multiple: true as const };
  const shown = { summary, ...rules, ...(value !== undefined && { value }), ...isList };
  if (field.type === "flag") return { type: "boolean", summary, ...rules };
  if (field.type === "int") return { type: "integer", least, most: MAX_INT32, ...shown };
  return field.type === "choice"
    ? { type: "enum", options: enumWords(field.values), ...shown }
    : { type: "string", ...shown };
}

function fieldValue(command: string, flag: string, field: QuestionField, word: unknown): JsonValue {
  const refuse = (expected: string) =>
    usageError(command, `Wrong value "${word}" for "--${flag}": expected ${expected}`);
  if (field.type === "choice") return `${field.prefix}_${enumName(String(word))}`;
  if (field.type === "number") {
    const value = String(word).trim() === "" ? Number.NaN : Number(word);
    if (!Number.isFinite(value)) throw refuse("a number");
    return value;
  }
  if (field.type !== "group") return word as JsonValue;
  const ports = parseWantedPorts(String(word));
  if (ports === undefined) {
    throw refuse("<count>x<speed or type>, such as 2x25G or 2x25gbase-x-sfp28");
  }
  if (ports.count > MAX_INT32 || (ports.speed_mbps ?? 0) > MAX_INT32) throw refuse(`figures of at most ${MAX_INT32}`);
  return { ...ports };
}

/** The name of an enum value whose word on the command line is `Word`: `rack-pdu` is RACK_PDU. */
type EnumName<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${EnumName<Rest>}`
  : Uppercase<Word>;

export function enumName<Word extends string>(word: Word): EnumName<Word> {
  return word.toUpperCase().replaceAll("-", "_") as EnumName<Word>;
}

/** The words of enum values on the command line: RACK_PDU is `rack-pdu`. */
export function enumWords(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase().replaceAll("_", "-"));
}
