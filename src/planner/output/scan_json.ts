/** Result of one scan; `end` is the offset after the value, or of the first character that cannot belong to it. */
export interface ScanResult {
  readonly isComplete: boolean;
  readonly end: number;
  /** On failure: the complete objects and arrays within the scanned text, outermost only, in text order. */
  readonly closedValues: readonly TextRange[];
  /** On failure: the strings within the scanned text that contain an opening bracket. */
  readonly strings: readonly TextRange[];
}

/** A half-open range of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

type Expectation = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end";

const NUMBER_PATTERN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const UNICODE_ESCAPE_PATTERN = /[\da-fA-F]{4}/y;
const JSON_LITERALS = ["true", "false", "null"] as const;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Follows the JSON grammar from `start` to the end of the value, without building the value and without recursion.
 *
 * Over many calls with increasing starts the total work is linear in the text if no start is before the last `end`.
 * Only an unclosed string would be read twice, so its range is stored.
 */
export class JsonScanner {
  readonly #text: string;
  #unclosed: TextRange = { start: 0, end: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  scanValue(start: number): ScanResult {
    return new ScanAttempt(this.#text, start, (from) => this.#findStringEnd(from)).run();
  }

  /** Returns the end of the string that opens at `start`, or -1 if it is not closed. */
  #findStringEnd(start: number): number {
    // A quote inside an unclosed string was an escaped one, so a string that begins there fails at the same offset.
    if (start > this.#unclosed.start && start < this.#unclosed.end) return -1;
    const text = this.#text;
    let at = start + 1;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code < 0x20) break;
      if (code !== BACKSLASH) continue;
      const width = countEscapeChars(text, at + 1);
      if (width === 0) break;
      at += width;
    }
    this.#unclosed = { start, end: at };
    return -1;
  }
}

/** Returns the number of characters after the backslash that belong to the escape; 0 for an invalid escape. */
function countEscapeChars(text: string, at: number): number {
  const letter = text.charAt(at);
  if (letter === "u") {
    UNICODE_ESCAPE_PATTERN.lastIndex = at + 1;
    return UNICODE_ESCAPE_PATTERN.test(text) ? 5 : 0;
  }
  return letter !== "" && '"\\/bfnrt'.includes(letter) ? 1 : 0;
}

class ScanAttempt {
  readonly #text: string;
  readonly #findStringEnd: (start: number) => number;
  readonly #openBrackets: number[] = [];
  readonly #closed: TextRange[] = [];
  readonly #strings: TextRange[] = [];
  #at: number;
  #expectation: Expectation = "value";

  constructor(text: string, start: number, string: (start: number) => number) {
    this.#text = text;
    this.#at = start;
    this.#findStringEnd = string;
  }

  run(): ScanResult {
    for (;;) {
      this.#skipSpace();
      const next = this.#readToken(this.#text.charCodeAt(this.#at));
      if (next < 0) return { isComplete: false, end: this.#at, closedValues: this.#closed, strings: this.#strings };
      this.#at = next;
      if (this.#openBrackets.length === 0) return { isComplete: true, end: next, closedValues: [], strings: [] };
    }
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  /** Reads one token; returns the offset after it, or -1 if the grammar does not allow it here. */
  #readToken(code: number): number {
    switch (this.#expectation) {
      case "value":
        return this.#readValue(code);
      case "value or end":
        return code === CLOSE_ARRAY ? this.#closeBracket() : this.#readValue(code);
      case "key":
        return this.#readKey(code);
      case "key or end":
        return code === CLOSE_OBJECT ? this.#closeBracket() : this.#readKey(code);
      case "colon":
        this.#expectation = "value";
        return code === COLON ? this.#at + 1 : -1;
      case "comma or end":
        return this.#readSeparator(code);
    }
  }

  #readValue(code: number): number {
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      this.#openBrackets.push(this.#at);
      this.#expectation = code === OPEN_OBJECT ? "key or end" : "value or end";
      return this.#at + 1;
    }
    this.#expectation = "comma or end";
    return code === QUOTE ? this.#readString() : this.#readLiteral();
  }

  #readKey(code: number): number {
    this.#expectation = "colon";
    return code === QUOTE ? this.#readString() : -1;
  }

  #readString(): number {
    const start = this.#at;
    const end = this.#findStringEnd(start);
    if (end >= 0 && /[{[]/.test(this.#text.slice(start, end))) this.#strings.push({ start, end });
    return end;
  }

  #readLiteral(): number {
    for (const literal of JSON_LITERALS) {
      if (this.#text.startsWith(literal, this.#at)) return this.#at + literal.length;
    }
    NUMBER_PATTERN.lastIndex = this.#at;
    return NUMBER_PATTERN.test(this.#text) ? NUMBER_PATTERN.lastIndex : -1;
  }

  #readSeparator(code: number): number {
    const inObject = this.#text.charCodeAt(this.#openBrackets.at(-1) ?? -1) === OPEN_OBJECT;
    if (code === COMMA) {
      this.#expectation = inObject ? "key" : "value";
      return this.#at + 1;
    }
    return code === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY) ? this.#closeBracket() : -1;
  }

  #closeBracket(): number {
    const start = this.#openBrackets.pop() ?? this.#at;
    while ((this.#closed.at(-1)?.start ?? -1) > start) this.#closed.pop();
    this.#closed.push({ start, end: this.#at + 1 });
    this.#expectation = "comma or end";
    return this.#at + 1;
  }
}

/** Returns the levels of nesting in a JSON text; 0 for a scalar. Cost: linear, without recursion. */
export function countNestingLevels(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString && code === BACKSLASH) at++;
    else if (code === QUOTE) inString = !inString;
    else if (inString) continue;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
  }
  return deepest;
}
