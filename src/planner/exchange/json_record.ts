import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { isJsonObject } from "#kernel/json_object.ts";
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

/** A JSON value with its line number, from 1. */
export interface LocatedValue {
  readonly value: unknown;
  readonly line: number;
}

/** A parsed JSON text, with a function that returns the line of a value. */
export interface LocatedJson {
  readonly root: Node;
  readonly findLine: (node: Node) => number;
}

export interface JsonProblem {
  readonly line: number;
  readonly message: string;
}

/** Parses strict JSON; never throws. */
export function parseJsonWithLines(text: string): LocatedJson | JsonProblem {
  const findLineAt = createLineFinder(text);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { line: 1, message: "nested too deeply" };
  }
  const [error] = errors;
  if (error !== undefined)
    return { line: findLineAt(error.offset), message: `${printParseErrorCode(error.error)}: expected JSON` };
  if (root === undefined) return { line: 1, message: "expected JSON, got nothing" };
  return { root, findLine: ({ offset }) => findLineAt(offset) };
}

/** Returns the elements of a list with their lines, or an empty list for another value. */
export function listElements(node: Node | undefined, { findLine }: LocatedJson): readonly LocatedValue[] {
  if (node?.type !== "array") return [];
  return (node.children ?? []).map((child) => ({ value: getNodeValue(child), line: findLine(child) }));
}

/** Parses JSON Lines, one value a line; skips blank lines. */
export function* parseJsonLines(text: string): Generator<LocatedValue | JsonProblem> {
  let line = 0;
  for (const part of text.split("\n")) {
    line++;
    if (part.trim() === "") continue;
    try {
      yield { value: JSON.parse(part) as unknown, line };
    } catch (error) {
      yield { line, message: error instanceof RangeError ? "nested too deeply" : "expected a line of JSON" };
    }
  }
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
