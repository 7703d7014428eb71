/**
 * Writes a text that a simple regular expression matches: literals, classes, groups, alternatives and repetitions, each
 * in its shortest form. Returns undefined for lookarounds, back-references, word boundaries and properties.
 * @param extra number of additional repetitions for each repetition without an upper limit
 */
export function writePatternText(pattern: string, extra = 0): string | undefined {
  try {
    return new MatchingTextWriter(pattern, extra).writeText();
  } catch (error) {
    if (error instanceof UnsupportedPattern || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Maximum length of a text for a pattern, in characters, because people read the example. */
const MAX_PATTERN_TEXT_CHARS = 2000;

class UnsupportedPattern extends Error {}

const CLASS_CHARACTERS: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };
const CONTROL_CHARACTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" };
/** Candidate characters for a negated class, in order. */
const CANDIDATE_CHARACTERS = 'a1A-_ .,:;/+*#@!?="x0Zé';

class MatchingTextWriter {
  readonly #pattern: string;
  readonly #extra: number;
  #at = 0;

  constructor(pattern: string, extra: number) {
    this.#pattern = pattern;
    this.#extra = extra;
  }

  writeText(): string {
    const text = this.#writeAlternatives();
    if (this.#at < this.#pattern.length) throw new UnsupportedPattern();
    return text;
  }

  /** Writes the first alternative; the others are only parsed. */
  #writeAlternatives(): string {
    const first = this.#writeSequence();
    while (this.#tryTake("|")) this.#writeSequence();
    return first;
  }

  #writeSequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && this.#peekLetter() !== "|" && this.#peekLetter() !== ")") {
      const piece = this.#writeAtom();
      text += piece.repeat(this.#readRepetitions());
      if (text.length > MAX_PATTERN_TEXT_CHARS) throw new UnsupportedPattern();
    }
    return text;
  }

  #writeAtom(): string {
    const letter = this.#readLetter();
    switch (letter) {
      case "(":
        return this.#writeGroup();
      case "[":
        return this.#writeClass();
      case "\\":
        return this.#writeEscape();
      case ".":
        return "a";
      case "^":
        if (this.#at !== 1) throw new UnsupportedPattern();
        return "";
      case "$":
        if (this.#at !== this.#pattern.length) throw new UnsupportedPattern();
        return "";
      default:
        return letter;
    }
  }

  #writeGroup(): string {
    if (this.#peekLetter() === "?" && !this.#tryTake("?:")) throw new UnsupportedPattern();
    const text = this.#writeAlternatives();
    if (!this.#tryTake(")")) throw new UnsupportedPattern();
    return text;
  }

  #writeEscape(): string {
    const letter = this.#readLetter();
    const known = CLASS_CHARACTERS[letter] ?? CONTROL_CHARACTERS[letter];
    if (known !== undefined) return known;
    if (/[a-z1-9]/i.test(letter)) throw new UnsupportedPattern();
    return letter;
  }

  #writeClass(): string {
    const from = this.#at;
    while (this.#peekLetter() !== "]") this.#at += this.#peekLetter() === "\\" ? 2 : 1;
    const inside = this.#pattern.slice(from, this.#at);
    this.#at += 1;
    // A single class matches exactly one character.
    const expression = new RegExp(`^[${inside}]$`, "u");
    const own = inside.replace(/^\^/, "").replaceAll("\\", "");
    const found = [...(inside.startsWith("^") ? CANDIDATE_CHARACTERS : own + CANDIDATE_CHARACTERS)].find((letter) =>
      expression.test(letter),
    );
    if (found === undefined) throw new UnsupportedPattern();
    return found;
  }

  #readRepetitions(): number {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (match === null) return 1;
    this.#at += match[0].length;
    const [quantifier, least = "", comma, most = ""] = match;
    if (quantifier.startsWith("?")) return 0;
    const needed = least === "" ? Number(quantifier.startsWith("+")) : Number(least);
    const limit = least !== "" && comma === "" ? needed : most === "" ? Number.POSITIVE_INFINITY : Number(most);
    if (needed > MAX_PATTERN_TEXT_CHARS) throw new UnsupportedPattern();
    return Math.min(needed + this.#extra, limit);
  }

  #peekLetter(): string {
    const letter = this.#pattern[this.#at];
    if (letter === undefined) throw new UnsupportedPattern();
    return letter;
  }

  #readLetter(): string {
    const letter = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#pattern.length) throw new UnsupportedPattern();
    this.#at += letter.length;
    return letter;
  }

  #tryTake(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
