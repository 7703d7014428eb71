import type { Steps } from "./clock.ts";
import { parseUniqueJson } from "./json_object.ts";

/** Bytes of JSON parsed at once; each object or list counts as more. Our choice: some milliseconds of work. */
const PIECE_BYTES = 32 * 1024;
/** Bytes of text that take as long to parse as an empty object or list. */
const BRACKET_BYTES = 64;
/** Bytes that are scanned in one step; a step takes some hundred microseconds. */
const SCAN_STEP_BYTES = 128 * 1024;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Byte range of consecutive elements of a list, without the commas around them. */
export interface ElementRange {
  readonly from: number;
  readonly to: number;
  /** Whether the range is one element of at least `PIECE_BYTES`. */
  readonly isLarge: boolean;
}

/** A large list or object that is a member of the outermost object. */
export interface LargeMember {
  /** Byte range of the member's name, including the quotes. */
  readonly name: readonly [from: number, to: number];
  /** Offset of the first byte of the content, behind the opening bracket; `to` is the offset of the closing bracket. */
  readonly from: number;
  readonly to: number;
  readonly isList: boolean;
  /** Byte ranges of the elements, if the member is a list; otherwise empty. */
  readonly elements: readonly ElementRange[];
  /** Whether the member contains a list or an object. */
  readonly isNested: boolean;
}

/**
 * Finds the large members of a JSON object from its bytes, so that they can be parsed in pieces. Does not check the
 * syntax; parsing the pieces does. Cost: about 2 ms per MiB, in steps.
 */
export function* findLargeMembers(bytes: Uint8Array): Steps<readonly LargeMember[]> {
  const search = new LargeMemberSearch(bytes);
  while (!search.isOver) {
    search.scanStep();
    yield;
  }
  return search.largeMembers;
}

class LargeMemberSearch {
  readonly largeMembers: LargeMember[] = [];
  readonly #bytes: Uint8Array;
  #offset = 0;
  #depth = 0;
  /** Byte range of the last string in the outermost object; `#name` is the range of the last string before a colon. */
  #text: readonly [number, number] = [0, 0];
  #name: readonly [number, number] = [0, 0];
  #from = 0;
  #isList = false;
  #isNested = false;
  /** Number of opening brackets scanned. */
  #brackets = 0;
  #elements: ElementRange[] = [];
  /** Start offset of the current piece, which no range covers yet; `#element` is the start of its last element. */
  #piece = 0;
  #element = 0;
  /** Value of `#read` at the start of the current member; the next two fields hold it for the piece and the element. */
  #beforeMember = 0;
  #beforePiece = 0;
  #beforeElement = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  scanStep(): void {
    const until = this.#offset + SCAN_STEP_BYTES;
    while (this.#offset < until && !this.isOver) this.#handleByte(this.#bytes[this.#offset++]);
  }

  /** Parsing cost of the scanned bytes, in bytes of text: brackets count as `BRACKET_BYTES` more. */
  get #scannedCost(): number {
    return this.#offset + this.#brackets * BRACKET_BYTES;
  }

  #handleByte(byte: number | undefined): void {
    if (byte === QUOTE) this.#skipText();
    else if (byte === COLON && this.#depth === 1) this.#name = this.#text;
    else if (byte === COMMA) this.#handleComma();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#openBracket(byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#closeBracket();
  }

  #skipText(): void {
    const from = this.#offset - 1;
    for (; !this.isOver; this.#offset++) {
      const byte = this.#bytes[this.#offset];
      if (byte === BACKSLASH) this.#offset++;
      else if (byte === QUOTE) break;
    }
    this.#offset++;
    if (this.#depth === 1) this.#text = [from, this.#offset];
  }

  #openBracket(byte: number): void {
    this.#depth++;
    this.#brackets++;
    if (this.#depth > 2) this.#isNested = true;
    if (this.#depth !== 2) return;
    this.#isList = byte === OPEN_LIST;
    this.#isNested = false;
    this.#elements = [];
    this.#from = this.#offset;
    this.#piece = this.#offset;
    this.#element = this.#offset;
    this.#beforeMember = this.#scannedCost;
    this.#beforePiece = this.#scannedCost;
    this.#beforeElement = this.#scannedCost;
  }

  #handleComma(): void {
    if (this.#depth === 2 && this.#isList) this.#endElement(this.#offset - 1);
  }

  /** Ends the current element, and ends the current piece if it has reached `PIECE_BYTES`. */
  #endElement(to: number): void {
    const read = this.#scannedCost;
    const isLarge = read - this.#beforeElement >= PIECE_BYTES;
    if (isLarge && this.#element > this.#piece) {
      this.#elements.push({ from: this.#piece, to: this.#element - 1, isLarge: false });
      this.#piece = this.#element;
    }
    if (isLarge || read - this.#beforePiece >= PIECE_BYTES) {
      this.#elements.push({ from: this.#piece, to, isLarge });
      this.#piece = to + 1;
      this.#beforePiece = read;
    }
    this.#element = to + 1;
    this.#beforeElement = read;
  }

  #closeBracket(): void {
    this.#depth--;
    if (this.#depth !== 1) return;
    const to = this.#offset - 1;
    if (this.#scannedCost - this.#beforeMember < PIECE_BYTES) return;
    if (this.#isList) {
      this.#endElement(to);
      if (this.#piece <= to) this.#elements.push({ from: this.#piece, to, isLarge: false });
    }
    this.largeMembers.push({
      name: this.#name,
      from: this.#from,
      to,
      isList: this.#isList,
      elements: this.#elements,
      isNested: this.#isNested,
    });
  }
}

/** Bytes up to which JSON is parsed in one step. */
const SMALL_JSON_BYTES = 16 * 1024;
const BLANK = 32;

/** Prefix that turns a list into the only member of an object, so that `findLargeMembers` can split it. */
const LIST_PREFIX = Buffer.from('{"":');
const LIST_SUFFIX = Buffer.from("}");

const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses JSON in steps, because 300,000 objects take some tenths of a second, during which no other work would run.
 * Returns the value that `JSON.parse` returns. Accepts a byte order mark at the start.
 *
 * @throws SyntaxError or TypeError for anything but JSON in UTF-8, and for an object with a name twice
 */
export function* parseJson(bytes: Uint8Array): Steps<unknown> {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return yield* parseValue(isMarked ? bytes.subarray(3) : bytes);
}

function* parseValue(bytes: Uint8Array): Steps<unknown> {
  const first = bytes.length < SMALL_JSON_BYTES ? undefined : findFirstNonBlankByte(bytes);
  if (first === OPEN_OBJECT) return yield* parseObject(bytes);
  if (first !== OPEN_LIST) return parseUniqueJson(utf8Decoder.decode(bytes));
  const object = yield* parseObject(Buffer.concat([LIST_PREFIX, bytes, LIST_SUFFIX]));
  const names = Object.keys(object);
  // Any other number of members means that the text was not a list.
  if (names.length !== 1 || names[0] !== "") throw new SyntaxError("Expected one list");
  return object[""];
}

function* parseObject(bytes: Uint8Array): Steps<Record<string, unknown>> {
  const members = yield* findLargeMembers(bytes);
  let rest = "";
  let at = 0;
  for (const { from, to } of members) {
    rest += utf8Decoder.decode(bytes.subarray(at, from));
    at = to;
  }
  rest += utf8Decoder.decode(bytes.subarray(at));
  const object = parseUniqueJson(rest) as Record<string, unknown>;
  for (const member of members) {
    yield;
    const name: string = JSON.parse(utf8Decoder.decode(bytes.subarray(...member.name)));
    const value = member.isList
      ? yield* parseList(bytes, member)
      : yield* parseObject(bytes.subarray(member.from - 1, member.to + 1));
    // Assigning `__proto__` would set the prototype instead of adding a member.
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

function* parseList(bytes: Uint8Array, { from, to, elements }: LargeMember): Steps<unknown[]> {
  const list: unknown[] = [];
  if (elements.length === 1 && utf8Decoder.decode(bytes.subarray(from, to)).trim() === "") return list;
  for (const element of elements) {
    yield;
    const content = bytes.subarray(element.from, element.to);
    if (element.isLarge) list.push(yield* parseValue(content));
    else {
      const text = utf8Decoder.decode(content);
      // A piece without an element must fail to parse, but `[]` would be a valid empty list.
      for (const item of parseUniqueJson(`[${text.trim() === "" ? "," : text}]`) as unknown[]) list.push(item);
    }
  }
  return list;
}

/** Returns the first byte that is not white space. */
function findFirstNonBlankByte(bytes: Uint8Array): number | undefined {
  let at = 0;
  while ((bytes[at] ?? BLANK + 1) <= BLANK) at++;
  return bytes[at];
}

/** Maximum nesting depth of accepted JSON. No message of the contracts is nested more than a dozen levels deep. */
export const MAX_JSON_DEPTH = 64;
/** Maximum number of values in one JSON text. The largest bulk request has some 500,000. */
export const MAX_JSON_VALUES = 1_000_000;

/** Maximum members of an object. Our choice: no message has a hundred, and a name takes about 1 microsecond to read. */
export const MAX_JSON_MEMBERS = 10_000;
/** Initial member count of a list, so low that counting its elements never reaches `MAX_JSON_MEMBERS`. */
const LIST_MEMBER_COUNT = -MAX_JSON_VALUES - 1;

/**
 * Checks the depth, the number of values and the members of each object of a JSON text from its bytes, before it is
 * parsed. Accepts chunks as they arrive, so that the first excess byte of a hostile body is rejected. Does not check
 * the syntax; the parser does.
 *
 * Cost: one pass without allocation, about 2 ms per MiB.
 */
export class JsonShapeScan {
  #depth = 0;
  #values = 1;
  #objects = 0;
  #hasLargeObject = false;
  /** Number of members counted so far in the object at each depth; far below zero for a list. */
  readonly #members = new Int32Array(MAX_JSON_DEPTH + 2);
  #isInText = false;
  #isEscaped = false;

  /** Number of values so far; members count their value, not their name. */
  get values(): number {
    return this.#values;
  }

  get objects(): number {
    return this.#objects;
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
    if (this.#depth > MAX_JSON_DEPTH) return `nested deeper than ${MAX_JSON_DEPTH} levels`;
    if (this.#values > MAX_JSON_VALUES) return `more than ${MAX_JSON_VALUES} values`;
    return this.#hasLargeObject ? `an object with more than ${MAX_JSON_MEMBERS} members` : undefined;
  }

  #countElement(): void {
    this.#values++;
    const members = (this.#members[this.#depth] ?? 0) + 1;
    this.#members[this.#depth] = members;
    if (members > MAX_JSON_MEMBERS) this.#hasLargeObject = true;
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
