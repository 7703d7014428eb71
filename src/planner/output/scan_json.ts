/** Result of one scan; `end` is the offset after the value, or of the first character that cannot belong to it. */
interface ScanResult {
  readonly isComplete: boolean;
  readonly end: number;
  /** On failure: the complete objects and arrays within the scanned text, outermost only, in text order. */
  readonly closedValues: readonly TextRange[];
  /** On failure: the strings within the scanned text that contain an opening bracket. */
  readonly strings: readonly TextRange[];
}

/** A half-open range of a text, in UTF-16 code units. */
interface TextRange {
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

interface ExtractedJson {
  readonly value: unknown;
  /** The part of the text that contains the JSON. */
  readonly text: string;
}

interface FencedBlock {
  readonly tag: string;
  readonly content: string;
}

const FENCE_PATTERN = /^(`{3,}|~{3,})[ \t]*(.*)$/s;

/**
 * Ways to find the output, the most reliable first. The first that finds a value is used. Among several values the last
 * one is used, because an agent's drafts come before its answer.
 *
 * Source: docs/contract/spec-tool.md#output-2. A scalar in an untagged block is most often a program's output, so it
 * counts only if nothing else is found.
 */
const EXTRACTION_STRATEGIES: readonly ((text: string, fences: readonly FencedBlock[]) => ExtractedJson | undefined)[] =
  [
    (_, fences) => findLastFence(fences, "json"),
    (_, fences) => findLastFence(fences, "", isContainerValue),
    (text) => parseWholeJson(text),
    (text) => findEmbeddedJson(text),
    (_, fences) => findLastFence(fences, ""),
  ];

/**
 * Finds the JSON value in an agent's output; undefined without one.
 * @param output plain text, without the times of the log
 *
 * Never throws. Cost: linear in the text.
 */
export function extractJson(output: string): ExtractedJson | undefined {
  const text = output.startsWith("\uFEFF") ? output.slice(1) : output;
  const fences = parseFences(text);
  for (const strategy of EXTRACTION_STRATEGIES) {
    const found = strategy(text, fences);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseWholeJson(text: string): ExtractedJson | undefined {
  // The first character rules out most texts, and a thrown error costs a thousand times as much as this test.
  if (!/^\s*[{["\-\dtfn]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text), text: text.trim() };
  } catch {
    return undefined;
  }
}

function isContainerValue({ value }: ExtractedJson): boolean {
  return typeof value === "object" && value !== null;
}

function findLastFence(
  fences: readonly FencedBlock[],
  wanted: string,
  accept: (found: ExtractedJson) => boolean = () => true,
) {
  for (const { tag, content } of fences.toReversed()) {
    const found = tag === wanted ? parseWholeJson(content) : undefined;
    if (found !== undefined && accept(found)) return found;
  }
  return undefined;
}

/** Parses fenced blocks in order, with tags in lower case. A block without a closing fence ends with the text. */
function parseFences(text: string): readonly FencedBlock[] {
  const fences: FencedBlock[] = [];
  let open: { readonly mark: string; readonly tag: string; readonly from: number } | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const fence = parseFenceMark(text, start, end);
    if (open === undefined) {
      if (fence !== undefined) open = { mark: fence.mark, tag: parseFenceTag(fence.info), from: end + 1 };
    } else if (fence?.info === "" && fence.mark.startsWith(open.mark)) {
      fences.push({ tag: open.tag, content: text.slice(open.from, start) });
      open = undefined;
    }
    start = end + 1;
  }
  if (open !== undefined) fences.push({ tag: open.tag, content: text.slice(open.from) });
  return fences;
}

function parseFenceMark(text: string, start: number, end: number): { mark: string; info: string } | undefined {
  // Most lines are not fences and some have megabytes, so the first character is tested before the whole line.
  let first = start;
  while (first < end && (text.charCodeAt(first) === 0x20 || text.charCodeAt(first) === 0x09)) first++;
  if (text.charCodeAt(first) !== 0x60 && text.charCodeAt(first) !== 0x7e) return undefined;
  const match = FENCE_PATTERN.exec(text.slice(first, end).trimEnd());
  if (match === null) return undefined;
  const [, mark = "", info = ""] = match;
  return mark.startsWith("`") && info.includes("`") ? undefined : { mark, info };
}

function parseFenceTag(info: string): string {
  return (/^[^\s{]*/.exec(info)?.[0] ?? "").toLowerCase();
}

/** Finds a text's last object or array, with a string if any has one: prose and code contain many `[1]` and `{}`. */
function findEmbeddedJson(text: string): ExtractedJson | undefined {
  const values = findJsonRanges(text).map(({ start, end }) => text.slice(start, end));
  const best = values.findLast((value) => value.includes('"')) ?? values.at(-1);
  return best === undefined ? undefined : parseWholeJson(best);
}

/** Finds every object and array in the text that is complete JSON, outermost only, in text order. */
function findJsonRanges(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  const scanner = new JsonScanner(text);
  const strings = collectValues(text, scanner, [{ start: 0, end: text.length }], found);
  // A part of an incomplete value that looks like a string may be prose that contains a complete value.
  if (strings.length > 0) collectValues(text, new JsonScanner(text), strings, found);
  return selectOutermost(found);
}

/** Adds values that begin within `places` (in text order) to `found`; returns the strings inside incomplete values. */
function collectValues(text: string, scanner: JsonScanner, places: readonly TextRange[], found: TextRange[]) {
  const strings: TextRange[] = [];
  let from = 0;
  for (const { start, end } of places) {
    for (let at = findBracket(text, Math.max(from, start)); at < end; at = findBracket(text, from)) {
      const scan = scanner.scanValue(at);
      if (scan.isComplete) found.push({ start: at, end: scan.end });
      for (const range of scan.closedValues) found.push(range);
      for (const range of scan.strings) strings.push(range);
      from = Math.max(scan.end, at + 1);
    }
  }
  return strings;
}

const BRACKET_PATTERN = /[{[]/g;

function findBracket(text: string, from: number): number {
  BRACKET_PATTERN.lastIndex = from;
  return BRACKET_PATTERN.exec(text)?.index ?? text.length;
}

function selectOutermost(ranges: readonly TextRange[]): readonly TextRange[] {
  const kept: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || range.start >= last.end) kept.push(range);
  }
  return kept;
}
