import { closeSync, openSync, readSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import { wrapReadErrors } from "../import/encoding.ts";

const CHUNK_BYTES = 1 << 20;
/** Maximum size of an element in bytes, far above any inventory object: a broken file must not exhaust the memory. */
const MAX_ELEMENT_BYTES = 64 << 20;

export type JsonElement =
  | { readonly number: number; readonly value: unknown; readonly isDamaged: boolean }
  /** An element that is not JSON, with the parser's error. */
  | { readonly number: number; readonly reason: string };

const REPLACEMENT_CHARACTER = "\ufffd";
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
 * @param onCount receives the object's `count`, the number of elements on all pages of the list
 * @throws OperationError for a file that has no list, ends early, or has an element above the limit
 */
export function* readJsonElements(
  path: string,
  shown: string,
  onCount: (count: number) => void = () => {},
): Generator<JsonElement> {
  const reader = new ElementReader(shown);
  for (const chunk of readChunks(path, shown)) {
    reader.checkEncoding(chunk);
    yield* reader.read(chunk);
  }
  reader.assertComplete();
  if (reader.count !== undefined) onCount(reader.count);
}

function* readChunks(path: string, shown: string): Generator<Buffer> {
  const descriptor = wrapReadErrors(shown, () => openSync(path, "r"));
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const size = wrapReadErrors(shown, () => readSync(descriptor, chunk, 0, CHUNK_BYTES, null));
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(descriptor);
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
  #isInText = false;
  #escaped = false;
  /** Nesting depth of the list whose elements are read; 0 until it is found. */
  #listDepth = 0;
  #isListEnded = false;
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
    if (!this.#started && isUtf16(chunk)) throw this.#createError("it is in UTF-16, expected UTF-8");
  }

  *read(chunk: Buffer): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#isInText) {
        this.#readTextByte(byte);
        continue;
      }
      if (byte === QUOTE) {
        this.#isInText = true;
        this.#key = "";
        continue;
      }
      const inList = this.#listDepth !== 0;
      const isEnd = inList && this.#depth === this.#listDepth && (byte === COMMA || byte === CLOSE_LIST);
      if (isEnd) {
        this.#appendPiece(chunk.subarray(from, at));
        yield* this.#finishElement();
        from = at + 1;
      }
      this.#readStructureByte(byte);
      if (!inList && this.#listDepth !== 0) from = at + 1;
    }
    if (this.#listDepth !== 0) this.#appendPiece(chunk.subarray(from));
  }

  /** @throws OperationError if the list is missing or incomplete */
  assertComplete(): void {
    if (this.#isListEnded) return;
    if (!this.#started) throw this.#createError("it is empty");
    throw this.#createError(
      this.#listDepth === 0 ? "expected a list, or an object with the list results" : "the list does not end",
    );
  }

  #readTextByte(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#isInText = false;
    else if (this.#listDepth === 0 && this.#depth === 1 && this.#key.length < 16)
      this.#key += String.fromCharCode(byte);
  }

  #readStructureByte(byte: number): void {
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#openBracket(byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#closeBracket();
    else if (this.#depth === 1 && this.#listDepth === 0) this.#readMemberByte(byte);
    if (byte > 0x20) this.#started = true;
  }

  /** Reads a byte of the enclosing object, outside texts and nested values, to find the digits of `count`. */
  #readMemberByte(byte: number): void {
    if (byte === COMMA) this.#key = "";
    else if (this.#key === "count" && byte >= ZERO && byte <= NINE) this.#count += String.fromCharCode(byte);
  }

  #openBracket(byte: number): void {
    this.#depth += 1;
    const isWanted = byte === OPEN_LIST && (this.#depth === 1 || (this.#depth === 2 && this.#key === "results"));
    if (isWanted && !this.#isListEnded && this.#listDepth === 0) this.#listDepth = this.#depth;
  }

  #closeBracket(): void {
    if (this.#listDepth !== 0 && this.#depth === this.#listDepth) {
      this.#listDepth = 0;
      this.#isListEnded = true;
    }
    this.#depth -= 1;
  }

  #appendPiece(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > MAX_ELEMENT_BYTES)
      throw this.#createError(`element ${this.#number + 1} is longer than ${MAX_ELEMENT_BYTES} bytes`);
    // The chunk's buffer is reused, so the piece is copied.
    if (piece.length > 0) this.#pieces.push(Buffer.from(piece));
  }

  *#finishElement(): Generator<JsonElement> {
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
    yield { number: this.#number, value, isDamaged: text.includes(REPLACEMENT_CHARACTER) };
  }

  #createError(what: string): OperationError {
    return new OperationError("invalid_argument", `Cannot read "${this.#shown}" as JSON: ${what}`);
  }
}
