/**
 * Writes a text that a simple regular expression matches: literals, classes, groups, alternatives and repetitions, each
 * in its shortest form. Returns undefined for lookarounds, back-references, word boundaries and properties.
 * @param extra number of additional repetitions for each repetition without an upper limit
 */
export function writePatternText(pattern: string, extra = 0): string | undefined {
  try {
    return new PatternWriter(pattern, extra).write();
  } catch (error) {
    if (error instanceof NotSimple || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Maximum length of a text for a pattern, in characters, because people read the example. */
const MAX_TEXT = 2000;

class NotSimple extends Error {}

const CLASSES: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" };
/** Candidate characters for a negated class, in order. */
const COMMON = 'a1A-_ .,:;/+*#@!?="x0Zé';

class PatternWriter {
  readonly #pattern: string;
  readonly #extra: number;
  #at = 0;

  constructor(pattern: string, extra: number) {
    this.#pattern = pattern;
    this.#extra = extra;
  }

  write(): string {
    const text = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new NotSimple();
    return text;
  }

  /** Writes the first alternative; the others are only parsed. */
  #alternatives(): string {
    const first = this.#sequence();
    while (this.#take("|")) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && this.#peek() !== "|" && this.#peek() !== ")") {
      const piece = this.#atom();
      text += piece.repeat(this.#repetitions());
      if (text.length > MAX_TEXT) throw new NotSimple();
    }
    return text;
  }

  #atom(): string {
    const letter = this.#next();
    switch (letter) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case ".":
        return "a";
      case "^":
        if (this.#at !== 1) throw new NotSimple();
        return "";
      case "$":
        if (this.#at !== this.#pattern.length) throw new NotSimple();
        return "";
      default:
        return letter;
    }
  }

  #group(): string {
    if (this.#peek() === "?" && !this.#take("?:")) throw new NotSimple();
    const text = this.#alternatives();
    if (!this.#take(")")) throw new NotSimple();
    return text;
  }

  #escape(): string {
    const letter = this.#next();
    const known = CLASSES[letter] ?? CONTROLS[letter];
    if (known !== undefined) return known;
    if (/[a-z1-9]/i.test(letter)) throw new NotSimple();
    return letter;
  }

  #class(): string {
    const from = this.#at;
    while (this.#peek() !== "]") this.#at += this.#peek() === "\\" ? 2 : 1;
    const inside = this.#pattern.slice(from, this.#at);
    this.#at += 1;
    // A single class matches exactly one character.
    const expression = new RegExp(`^[${inside}]$`, "u");
    const own = inside.replace(/^\^/, "").replaceAll("\\", "");
    const found = [...(inside.startsWith("^") ? COMMON : own + COMMON)].find((letter) => expression.test(letter));
    if (found === undefined) throw new NotSimple();
    return found;
  }

  #repetitions(): number {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (match === null) return 1;
    this.#at += match[0].length;
    const [quantifier, least = "", comma, most = ""] = match;
    if (quantifier.startsWith("?")) return 0;
    const needed = least === "" ? Number(quantifier.startsWith("+")) : Number(least);
    const limit = least !== "" && comma === "" ? needed : most === "" ? Number.POSITIVE_INFINITY : Number(most);
    if (needed > MAX_TEXT) throw new NotSimple();
    return Math.min(needed + this.#extra, limit);
  }

  #peek(): string {
    const letter = this.#pattern[this.#at];
    if (letter === undefined) throw new NotSimple();
    return letter;
  }

  #next(): string {
    const letter = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#pattern.length) throw new NotSimple();
    this.#at += letter.length;
    return letter;
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
