import { type Criterion, parseCriteria } from "../spec/criteria.ts";
import { findHeadings } from "../spec/sections.ts";
import type { Spec } from "../spec/spec.ts";

/** Data about a spec's body that several rules use, computed on first use. */
export class SpecFacts {
  readonly #spec: Spec;
  #criteria: readonly Criterion[] | undefined;
  #words: number | undefined;

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  get criteria(): readonly Criterion[] {
    this.#criteria ??= parseCriteria(this.#spec.body);
    return this.#criteria;
  }

  /** Number of words that describe the work: `countWords` of `removeOutput`. */
  get words(): number {
    this.#words ??= countWords(removeOutput(this.#spec.body));
    return this.#words;
  }
}

/** Returns the body without `## Output` sections: runs append to them, so they do not show the size of the work. */
export function removeOutput(body: string): string {
  if (!body.includes("Output")) return body;
  const all = findHeadings(body);
  let text = "";
  let from = 0;
  for (const [index, { level, text: name, start }] of all.entries()) {
    if (level !== 2 || name !== "Output" || start < from) continue;
    text += body.slice(from, start);
    from = all.slice(index + 1).find((next) => next.level <= 2)?.start ?? body.length;
  }
  return text + body.slice(from);
}

/** Counts runs of non-blank characters with a letter or digit, so that `-`, `#` and `[ ]` do not count as words. */
export function countWords(text: string): number {
  let words = 0;
  let counted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpaceCode(code)) counted = false;
    else if (!counted && isWordCharacter(code)) {
      counted = true;
      words++;
    }
  }
  return words;
}

function isSpaceCode(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x3000;
}

// Counts all non-ASCII characters except dashes, dots and quotes: exact Unicode classes cost more than they gain here.
function isWordCharacter(code: number): boolean {
  if (code > 127) return code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}
