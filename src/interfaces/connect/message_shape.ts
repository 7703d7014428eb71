import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import type { Steps } from "#kernel/steps.ts";

/** Maximum nesting depth of a message. No message of the contracts is nested more than a dozen levels deep. */
export const MAX_DEPTH = 64;
/** Maximum number of values of a message: fields and elements of lists. The largest bulk request has some 500,000. */
export const MAX_VALUES = 1_000_000;
/** Maximum number of objects of a message. Source: docs/decisions.md#d-17. */
const MAX_OBJECTS = 400_000;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Maximum members of an object. Our choice: no message has a hundred, and a name takes about 1 microsecond to read. */
export const MAX_MEMBERS = 10_000;
/** Initial member count of a list, so low that counting its elements never reaches `MAX_MEMBERS`. */
const LIST_MEMBER_COUNT = -MAX_VALUES - 1;

/**
 * Checks depth, values, objects and the members of each object of a JSON text from its bytes, before it is parsed.
 * Accepts chunks as they arrive, so that the first excess byte of a hostile body is rejected. Does not check the syntax;
 * the parser does.
 *
 * Cost: one pass without allocation, about 2 ms per MiB.
 */
export class JsonShapeScan {
  #depth = 0;
  #values = 1;
  #objects = 0;
  #hasLargeObject = false;
  /** Number of members counted so far in the object at each depth; far below zero for a list. */
  readonly #members = new Int32Array(MAX_DEPTH + 2);
  #isInText = false;
  #isEscaped = false;

  /** Number of values so far; members count their value, not their name. */
  get values(): number {
    return this.#values;
  }

  /** Scans the next chunk. Returns a description of the exceeded limit, or undefined. */
  scanChunk(bytes: Uint8Array): string | undefined {
    const end = bytes.length;
    let at = this.#isInText ? this.#skipText(bytes, 0) : 0;
    while (at < end) {
      const byte = bytes[at++];
      if (byte === QUOTE) {
        this.#isInText = true;
        at = this.#skipText(bytes, at);
        continue;
      }
      if (byte === COMMA) this.#countElement();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#countBracket(byte);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
      else continue;
      const excess = this.#findExcess();
      if (excess !== undefined) return excess;
    }
    return undefined;
  }

  #findExcess(): string | undefined {
    if (this.#depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    if (this.#values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
    if (this.#objects > MAX_OBJECTS) return `more than ${MAX_OBJECTS} objects`;
    return this.#hasLargeObject ? `an object with more than ${MAX_MEMBERS} members` : undefined;
  }

  #countElement(): void {
    this.#values++;
    const members = (this.#members[this.#depth] ?? 0) + 1;
    this.#members[this.#depth] = members;
    if (members > MAX_MEMBERS) this.#hasLargeObject = true;
  }

  #countBracket(byte: number): void {
    this.#values++;
    this.#depth++;
    if (byte === OPEN_OBJECT) this.#objects++;
    this.#members[this.#depth] = byte === OPEN_OBJECT ? 1 : LIST_MEMBER_COUNT;
  }

  /** Returns the offset behind the closing quote, or the end of the chunk. */
  #skipText(bytes: Uint8Array, from: number): number {
    const end = bytes.length;
    let at = from;
    if (this.#isEscaped && at < end) {
      this.#isEscaped = false;
      at++;
    }
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInText = false;
        return at + 1;
      }
      if (byte === BACKSLASH && ++at >= end) this.#isEscaped = true;
    }
    return end;
  }
}

/** Number of bytes of JSON, and of values of a binary message, in one step. Our choice: some hundred microseconds. */
const STEP_BYTES = 128 * 1024;
const STEP_VALUES = 16_384;

/** Checks the shape of a complete JSON text. @throws Refusal MESSAGE_TOO_COMPLEX */
export function* checkJsonShape(bytes: Uint8Array): Steps<void> {
  const scan = new JsonShapeScan();
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    checkChunk(scan, bytes.subarray(at, at + STEP_BYTES));
    yield;
  }
}

/** Scans the next chunk of a JSON text. @throws Refusal MESSAGE_TOO_COMPLEX */
export function checkChunk(scan: JsonShapeScan, chunk: Uint8Array): void {
  const problem = scan.scanChunk(chunk);
  if (problem !== undefined) throw refuse("MESSAGE_TOO_COMPLEX", `Cannot read the JSON of the request: ${problem}`);
}

/**
 * Checks depth, fields and messages of a binary message before a parser builds objects of them: two bytes can expand to
 * an object of a kilobyte. Malformed bytes end the count, and the parser reports them.
 *
 * Cost: one pass over the tags without allocation per field, in steps; at most 20 ms in all.
 * @throws Refusal MESSAGE_TOO_COMPLEX
 */
export function* checkBinaryShape(desc: DescMessage, bytes: Uint8Array): Steps<void> {
  const walk = new WireWalk(desc, bytes);
  while (!walk.isOver) {
    walk.countNextValues();
    yield;
  }
  if (walk.problem !== undefined)
    throw refuse("MESSAGE_TOO_COMPLEX", `Cannot read the message of the request: ${walk.problem}`);
}

/** The wire type of texts, messages and packed lists. Source: Protocol Buffers, Encoding. */
const DELIMITED_TYPE = 2;

/** Way to count the bytes of a field: as a message, as elements of a packed list, or as one value. */
type ContentKind = DescMessage | "packed" | undefined;

const contentKindsByMessage = new WeakMap<DescMessage, ReadonlyMap<number, ContentKind>>();

function mapContentKinds(desc: DescMessage): ReadonlyMap<number, ContentKind> {
  const known = contentKindsByMessage.get(desc);
  if (known !== undefined) return known;
  const made = new Map(desc.fields.map((field) => [field.number, findContentKind(field)]));
  contentKindsByMessage.set(desc, made);
  return made;
}

function findContentKind(field: DescField): ContentKind {
  return field.message ?? (field.fieldKind === "list" && field.packed ? "packed" : undefined);
}

/** A message whose fields are being counted. */
interface OpenMessage {
  readonly fields: ReadonlyMap<number, ContentKind>;
  readonly end: number;
}

class WireWalk {
  problem: string | undefined;
  readonly #bytes: Uint8Array;
  /** The messages around the current field, the innermost last. */
  readonly #open: OpenMessage[];
  #at = 0;
  #values = 0;
  #messages = 1;

  constructor(desc: DescMessage, bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#open = [{ fields: mapContentKinds(desc), end: bytes.length }];
  }

  get isOver(): boolean {
    return this.problem !== undefined || this.#open.length === 0;
  }

  /** Counts the next values. */
  countNextValues(): void {
    const until = this.#values + STEP_VALUES;
    while (!this.isOver && this.#values < until) {
      const inner = this.#open.at(-1);
      if (inner === undefined) return;
      if (this.#at < inner.end) {
        this.#countField(inner);
        continue;
      }
      this.#at = inner.end;
      this.#open.pop();
    }
  }

  #countField(inner: OpenMessage): void {
    const tag = this.#readVarint();
    this.#values += 1;
    const wireType = tag & 7;
    if (wireType === DELIMITED_TYPE) this.#countDelimited(inner.fields.get(tag >>> 3), inner.end);
    else this.#skipValue(wireType);
    if (this.#values > MAX_VALUES) this.problem ??= `more than ${MAX_VALUES} values`;
  }

  /** Skips a value. The fields of a group are counted as fields of the message. */
  #skipValue(wireType: number): void {
    if (wireType === 0) this.#readVarint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 5) this.#at += 4;
    else if (wireType > 5) this.#at = this.#bytes.length;
  }

  #countDelimited(content: ContentKind, end: number): void {
    const length = this.#readVarint();
    const until = Math.min(this.#at + length, end);
    if (content === "packed") this.#values += length;
    if (content === "packed" || content === undefined) {
      this.#at = until;
      return;
    }
    this.#messages += 1;
    this.#open.push({ fields: mapContentKinds(content), end: until });
    if (this.#messages > MAX_OBJECTS) this.problem = `more than ${MAX_OBJECTS} messages`;
    if (this.#open.length > MAX_DEPTH) this.problem = `nested deeper than ${MAX_DEPTH} levels`;
  }

  /** Reads a varint; returns the lower 32 bits. */
  #readVarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift >= 63) return value >>> 0;
    }
  }
}
