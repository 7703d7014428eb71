import { isJsonObject } from "#kernel/json_object.ts";
import type { JsonProblem, LocatedValue } from "./json_text.ts";
import { refuseUnparsed, type SourceLocation, type SourceNote } from "./source.ts";
import { parseDay, parseTime } from "./words.ts";

/** Yields the objects among the values of a file. Refuses problems and other values when it reaches them. */
export function* readRecords(
  file: string,
  values: Iterable<LocatedValue | JsonProblem>,
  notes: SourceNote[],
): Generator<JsonRecord> {
  for (const one of values) {
    const place = { file, line: one.line };
    if ("message" in one) notes.push(refuseUnparsed(place, one.message));
    else if (isJsonObject(one.value)) yield new JsonRecord(one.value, place, notes);
    else notes.push(refuseUnparsed(place, "expected an object"));
  }
}

/** An object of a source's JSON. A field with an unexpected type or invalid date counts as absent and is noted. */
export class JsonRecord {
  readonly location: SourceLocation;
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #notes: SourceNote[];

  constructor(object: Readonly<Record<string, unknown>>, place: SourceLocation, notes: SourceNote[]) {
    this.#object = object;
    this.location = place;
    this.#notes = notes;
  }

  hasValue(name: string): boolean {
    return Object.hasOwn(this.#object, name) && this.#object[name] !== null;
  }

  getValue(name: string): unknown {
    return this.hasValue(name) ? this.#object[name] : undefined;
  }

  /** Returns a text that is not blank; a number is converted to text. */
  getText(name: string): string | undefined {
    const value = this.getValue(name);
    if (value === undefined) return undefined;
    if (typeof value === "string") return value.trim() === "" ? undefined : value;
    if (typeof value === "number") return String(value);
    this.#noteWrongType(name, "text", value);
    return undefined;
  }

  /** Returns the day of the first of these fields that is present. */
  getDay(...names: readonly string[]): string | undefined {
    return this.#getDate(names, parseDay);
  }

  /** Returns the time of the first of these fields that is present. */
  getTime(...names: readonly string[]): string | undefined {
    return this.#getDate(names, parseTime);
  }

  isTrue(name: string): boolean {
    return this.getValue(name) === true;
  }

  getList(name: string): readonly unknown[] {
    const value = this.getValue(name);
    if (value === undefined || Array.isArray(value)) return value ?? [];
    this.#noteWrongType(name, "a list", value);
    return [];
  }

  /** Returns the texts of a list, and for each object in it the texts of the named fields. */
  getTexts(name: string, ...fields: readonly string[]): readonly string[] {
    return this.getList(name).flatMap((item) => {
      const value = isJsonObject(item) ? fields.map((field) => item[field]).find((inner) => inner !== undefined) : item;
      if (typeof value === "number") return [String(value)];
      if (typeof value === "string" && value.trim() !== "") return [value];
      this.#noteWrongType(name, "texts", item);
      return [];
    });
  }

  getObjects(name: string): readonly JsonRecord[] {
    return this.getList(name).flatMap((item) => {
      if (isJsonObject(item)) return [new JsonRecord(item, this.location, this.#notes)];
      this.#noteWrongType(name, "objects", item);
      return [];
    });
  }

  getObject(name: string): JsonRecord | undefined {
    const value = this.getValue(name);
    return isJsonObject(value) ? new JsonRecord(value, this.location, this.#notes) : undefined;
  }

  addNote(reason: string, detail: string): void {
    this.#notes.push({ ...this.location, reason, detail });
  }

  addRefusal(reason: string, detail: string): void {
    this.#notes.push({ ...this.location, reason, detail, refused: true });
  }

  #getDate(names: readonly string[], read: (text: string) => string | undefined): string | undefined {
    const name = names.find((one) => this.getText(one) !== undefined) ?? "";
    const text = this.getText(name);
    const date = text === undefined ? undefined : read(text);
    if (text !== undefined && date === undefined) this.addNote("unknown date", `${name}: ${text}`);
    return date;
  }

  #noteWrongType(name: string, expected: string, value: unknown): void {
    const got = Array.isArray(value) ? "a list" : value === null ? "null" : typeof value;
    this.addNote("field of another type", `${name}: expected ${expected}, got ${got}`);
  }
}
