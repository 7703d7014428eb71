import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { normalizeBlanks, readFieldFigure } from "#words/spreadsheet.ts";
import { type CsvColumn, listCsvColumns } from "../csv_columns.ts";
import type { CsvMapping } from "./csv_mapping.ts";

const TEXT_TYPES: readonly (ScalarType | undefined)[] = [ScalarType.STRING, ScalarType.BYTES, ScalarType.BOOL];
const FRACTION_TYPES: readonly (ScalarType | undefined)[] = [ScalarType.DOUBLE, ScalarType.FLOAT];

/** Reads the cells of a spreadsheet's rows as a mapping says. */
export class CellReader {
  readonly #mapping: CsvMapping;
  readonly #fields: ReadonlyMap<string, CsvColumn>;

  constructor(mapping: CsvMapping) {
    this.#mapping = mapping;
    this.#fields = new Map(listCsvColumns(mapping.kind).map((column) => [column.name, column]));
  }

  /** Returns a row as proto JSON. @throws Error that names the cell that cannot be read */
  readRow(cells: ReadonlyMap<string, string>): Record<string, JsonValue> {
    const json: Record<string, JsonValue> = {};
    const { defaults, columns, values } = this.#mapping;
    for (const [field, text] of Object.entries(defaults)) this.#setField(`defaults.${field}`, field, text, json);
    let height: number | undefined;
    for (const [column, field] of Object.entries(columns)) {
      const cell = cells.get(normalizeBlanks(column)) ?? "";
      const meanings = values[column] ?? {};
      const meant = Object.hasOwn(meanings, cell) ? (meanings[cell] ?? "") : cell;
      if (meant !== "")
        height =
          this.#setField(`cell "${column}"${column === field ? "" : ` (${field})`}`, field, meant, json, column) ??
          height;
    }
    if (height !== undefined) this.#setHeight(height, cells, json);
    return json;
  }

  /** Sets a field to the value of a text. Returns the height of a range of units. */
  #setField(
    place: string,
    name: string,
    text: string,
    json: Record<string, JsonValue>,
    column = "",
  ): number | undefined {
    const known = this.#fields.get(name);
    if (known === undefined) return undefined;
    try {
      if (isNumeric(known.field)) {
        const isWhole = !FRACTION_TYPES.includes(known.field.scalar);
        const read = readFieldFigure(text, name, { heading: column, decimal: this.#mapping.decimal, isWhole });
        if ("problem" in read) throw new Error(read.problem);
        known.setValue(read.value, json);
        return read.height;
      }
      known.parseCell(convertToEnumValue(known.field, text), json);
      return undefined;
    } catch (error) {
      throw new Error(`${place}: ${(error as Error).message}`);
    }
  }

  /** Sets the height that a range of units says. @throws Error if the row says another one */
  #setHeight(height: number, cells: ReadonlyMap<string, string>, json: Record<string, JsonValue>): void {
    const { columns } = this.#mapping;
    const [column] = Object.entries(columns).find(([, field]) => field === "u_height") ?? [];
    const cell = column === undefined ? "" : (cells.get(normalizeBlanks(column)) ?? "");
    if (cell !== "" && json["u_height"] !== height)
      throw new Error(`the position takes ${height} units, but "${column}" says ${cell}`);
    if (this.#fields.has("position_u") && this.#fields.has("u_height")) json["u_height"] = height;
  }
}

function isNumeric({ fieldKind, scalar }: DescField): boolean {
  return fieldKind === "scalar" && !TEXT_TYPES.includes(scalar);
}

/** Converts the text of an enum field to its value, such as `DEVICE_STATUS_ACTIVE` for `active`. Keeps other texts. */
function convertToEnumValue({ enum: desc }: DescField, text: string): string {
  if (desc === undefined) return text;
  const wanted = text.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  const found = desc.values.find(({ name }) => name === wanted || name.endsWith(`_${wanted}`));
  if (found === undefined || found.number === 0) {
    const words = desc.values.filter(({ number }) => number > 0).map(({ localName }) => localName.toLowerCase());
    throw new Error(`"${text}" is none of its values: expected ${words.join(", ")}`);
  }
  return found.name;
}
