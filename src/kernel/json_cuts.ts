import type { Steps } from "./steps.ts";

/** Bytes of JSON parsed at once; each object or list counts as more. Our choice: some milliseconds of work. */
const PIECE_BYTES = 32 * 1024;
/** Bytes of text that take as long to parse as an empty object or list. */
const BRACKET_BYTES = 64;
/** Bytes that are scanned in one step; a step takes some hundred microseconds. */
const SCANNED_BYTES = 128 * 1024;

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
  const search = new Search(bytes);
  while (!search.isOver) {
    search.step();
    yield;
  }
  return search.found;
}

class Search {
  readonly found: LargeMember[] = [];
  readonly #bytes: Uint8Array;
  #at = 0;
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
    return this.#at >= this.#bytes.length;
  }

  step(): void {
    const until = this.#at + SCANNED_BYTES;
    while (this.#at < until && !this.isOver) this.#take(this.#bytes[this.#at++]);
  }

  /** Parsing cost of the scanned bytes, in bytes of text: brackets count as `BRACKET_BYTES` more. */
  get #read(): number {
    return this.#at + this.#brackets * BRACKET_BYTES;
  }

  #take(byte: number | undefined): void {
    if (byte === QUOTE) this.#skipText();
    else if (byte === COLON && this.#depth === 1) this.#name = this.#text;
    else if (byte === COMMA) this.#comma();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close();
  }

  #skipText(): void {
    const from = this.#at - 1;
    for (; !this.isOver; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === BACKSLASH) this.#at++;
      else if (byte === QUOTE) break;
    }
    this.#at++;
    if (this.#depth === 1) this.#text = [from, this.#at];
  }

  #open(byte: number): void {
    this.#depth++;
    this.#brackets++;
    if (this.#depth > 2) this.#isNested = true;
    if (this.#depth !== 2) return;
    this.#isList = byte === OPEN_LIST;
    this.#isNested = false;
    this.#elements = [];
    this.#from = this.#at;
    this.#piece = this.#at;
    this.#element = this.#at;
    this.#beforeMember = this.#read;
    this.#beforePiece = this.#read;
    this.#beforeElement = this.#read;
  }

  #comma(): void {
    if (this.#depth === 2 && this.#isList) this.#endElement(this.#at - 1);
  }

  /** Ends the current element, and ends the current piece if it has reached `PIECE_BYTES`. */
  #endElement(to: number): void {
    const read = this.#read;
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

  #close(): void {
    this.#depth--;
    if (this.#depth !== 1) return;
    const to = this.#at - 1;
    if (this.#read - this.#beforeMember < PIECE_BYTES) return;
    if (this.#isList) {
      this.#endElement(to);
      if (this.#piece <= to) this.#elements.push({ from: this.#piece, to, isLarge: false });
    }
    this.found.push({
      name: this.#name,
      from: this.#from,
      to,
      isList: this.#isList,
      elements: this.#elements,
      isNested: this.#isNested,
    });
  }
}
