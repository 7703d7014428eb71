import { closeSync, openSync, readSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import { describeSystemError, isMissingError } from "#planner/store/files/disk_error.ts";

const CHUNK = 1 << 20;
/** Maximum size of an element in bytes, far above any inventory object: a broken file must not exhaust the memory. */
const MAX_ELEMENT = 64 << 20;

export type JsonElement =
  | { readonly number: number; readonly value: unknown; readonly isDamaged: boolean }
  /** An element that is not JSON, with the parser's error. */
  | { readonly number: number; readonly reason: string };

const REPLACEMENT = "\ufffd";
/** Remark about text that is not UTF-8. */
export const NOT_UTF8_REMARK = "it holds bytes that are not UTF-8, which are shown as \ufffd";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads the elements of a JSON file one by one: those of its list, or of the list `results` in its object. Elements are
 * numbered from 1. Memory: one chunk and one element.
 * @param counted receives the object's `count`, the number of elements on all pages of the list
 * @throws OperationError for a file that has no list, ends early, or has an element above the limit
 */
export function* readJsonElements(
  path: string,
  shown: string,
  counted: (count: number) => void = () => {},
): Generator<JsonElement> {
  const reader = new ElementReader(shown);
  for (const chunk of readChunks(path, shown)) {
    reader.checkEncoding(chunk);
    yield* reader.read(chunk);
  }
  reader.end();
  if (reader.count !== undefined) counted(reader.count);
}

function* readChunks(path: string, shown: string): Generator<Buffer> {
  const descriptor = wrapReadErrors(shown, () => openSync(path, "r"));
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const size = wrapReadErrors(shown, () => readSync(descriptor, chunk, 0, CHUNK, null));
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(descriptor);
  }
}

function wrapReadErrors<Result>(shown: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const kind = isMissingError(error) ? "not_found" : "unavailable";
    throw new OperationError(kind, `Cannot read "${shown}": ${describeSystemError(error)}`, { cause: error });
  }
}

/** Detects UTF-16 by a byte order mark, or by exactly one zero byte in the first two bytes. */
function isUtf16(chunk: Buffer): boolean {
  const [first = 0, second = 0] = chunk;
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (chunk.length > 1 && (first === 0) !== (second === 0))
  );
}

class ElementReader {
  readonly #shown: string;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Nesting depth of the list whose elements are read; 0 until it is found. */
  #list = 0;
  #ended = false;
  #number = 0;
  /** Chunks of the element that is being read. */
  #pieces: Buffer[] = [];
  #size = 0;
  /** Last key at depth 1, to find the key `results`. */
  #key = "";
  #started = false;
  #count = "";

  constructor(shown: string) {
    this.#shown = shown;
  }

  /** Total number of elements of all pages according to the enclosing object, or undefined. */
  get count(): number | undefined {
    return this.#count === "" ? undefined : Number(this.#count);
  }

  checkEncoding(chunk: Buffer): void {
    if (!this.#started && isUtf16(chunk)) throw this.#wrong("it is in UTF-16, expected UTF-8");
  }

  *read(chunk: Buffer): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inText) {
        this.#text(byte);
        continue;
      }
      if (byte === QUOTE) {
        this.#inText = true;
        this.#key = "";
        continue;
      }
      const inList = this.#list !== 0;
      const isEnd = inList && this.#depth === this.#list && (byte === COMMA || byte === CLOSE_LIST);
      if (isEnd) {
        this.#hold(chunk.subarray(from, at));
        yield* this.#element();
        from = at + 1;
      }
      this.#structure(byte);
      if (!inList && this.#list !== 0) from = at + 1;
    }
    if (this.#list !== 0) this.#hold(chunk.subarray(from));
  }

  /** @throws OperationError if the list is missing or incomplete */
  end(): void {
    if (this.#ended) return;
    if (!this.#started) throw this.#wrong("it is empty");
    throw this.#wrong(
      this.#list === 0 ? "expected a list, or an object with the list results" : "the list does not end",
    );
  }

  #text(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inText = false;
    else if (this.#list === 0 && this.#depth === 1 && this.#key.length < 16) this.#key += String.fromCharCode(byte);
  }

  #structure(byte: number): void {
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close();
    else if (this.#depth === 1 && this.#list === 0) this.#beside(byte);
    if (byte > 0x20) this.#started = true;
  }

  /** Reads a byte of the enclosing object, outside texts and nested values, to find the digits of `count`. */
  #beside(byte: number): void {
    if (byte === COMMA) this.#key = "";
    else if (this.#key === "count" && byte >= ZERO && byte <= NINE) this.#count += String.fromCharCode(byte);
  }

  #open(byte: number): void {
    this.#depth += 1;
    const isWanted = byte === OPEN_LIST && (this.#depth === 1 || (this.#depth === 2 && this.#key === "results"));
    if (isWanted && !this.#ended && this.#list === 0) this.#list = this.#depth;
  }

  #close(): void {
    if (this.#list !== 0 && this.#depth === this.#list) {
      this.#list = 0;
      this.#ended = true;
    }
    this.#depth -= 1;
  }

  #hold(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > MAX_ELEMENT) throw this.#wrong(`element ${this.#number + 1} is longer than ${MAX_ELEMENT} bytes`);
    // The chunk's buffer is reused, so the piece is copied.
    if (piece.length > 0) this.#pieces.push(Buffer.from(piece));
  }

  *#element(): Generator<JsonElement> {
    const text = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#size = 0;
    if (!/\S/.test(text)) return;
    this.#number += 1;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      yield { number: this.#number, reason: (error as Error).message };
      return;
    }
    // The decoder replaces invalid UTF-8 by this character.
    yield { number: this.#number, value, isDamaged: text.includes(REPLACEMENT) };
  }

  #wrong(what: string): OperationError {
    return new OperationError("invalid_argument", `Cannot read "${this.#shown}" as JSON: ${what}`);
  }
}
