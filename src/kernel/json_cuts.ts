import type { Steps } from "./steps.ts";

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
