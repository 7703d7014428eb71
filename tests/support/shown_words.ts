import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./source_code.ts";
import { wireRefs, wireWords } from "./wire_words.ts";

const HEADING = "## On pages, in pictures and in messages";

/** Terms of the glossary for what people see, with the words that are not used for each. */
export const SHOWN_TERMS: readonly { readonly term: string; readonly not: readonly string[] }[] = readFileSync(
  join(REPOSITORY, "docs", "glossary.md"),
  "utf8",
)
  .split(HEADING)
  .slice(1)
  .flatMap((section) => section.split("\n## ")[0]?.split("\n") ?? [])
  .filter((line) => line.startsWith("| ") && !/^\| (?:Term|---)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, term = "", , not = ""]) => ({ term, not: not.split(", ").filter(Boolean) }));

const RULES = SHOWN_TERMS.flatMap(({ term, not }) =>
  not.map((word) => ({ term, pattern: new RegExp(`(?<![\\w-])${word}(?![\\w-])`, "i") })),
);

/** Words of a text that stand for a thing that has another word, each with that. */
export function otherWords(text: string): readonly string[] {
  return RULES.flatMap(({ term, pattern }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${found} instead of ${term}`];
  });
}

/** All that people should not see of a text: words of the wire, references, and second words for a thing. */
export function wordFaults(text: string): readonly string[] {
  return [...wireWords(text), ...wireRefs(text), ...otherWords(text)].map(
    (fault) => `${fault} in ${text.slice(0, 200)}`,
  );
}
