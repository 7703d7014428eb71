import stringWidth from "fast-string-width";
import { getOutputWidth, print } from "./print.ts";

/** Number of columns by which continuation lines are indented. */
const HANGING_COLUMNS = 2;

/** A word, including a command in backticks, because no line break may be inside a command. */
const WORD_OR_COMMAND = /(\s*)((?:[^\s`]*`[^`]*`[^\s`]*)+|\S+)/g;
/** A line that is a command, possibly after a label such as "Next:". */
const COMMAND_LINE = /^(?:\w+: )?(?:planner|git) [a-z-]/;

/** Returns the number of terminal cells of a text, without colour sequences. */
export function measureTextWidth(text: string): number {
  return stringWidth(text);
}

/** Breaks one line of prose between words; a word wider than `width` gets a separate line. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const [spaced, , word = ""] of text.matchAll(WORD_OR_COMMAND)) {
    if (current !== "" && measureTextWidth(current + spaced) > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : current + spaced;
    }
  }
  return [...lines, current];
}

/** Wraps lines wider than `width` with an indent. Does not wrap commands, so that they can be copied. */
export function wrapText(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .map((line) => (measureTextWidth(line) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const [indent = ""] = /^\s*/.exec(line) ?? [];
  const body = line.slice(indent.length);
  if (COMMAND_LINE.test(body)) return line;
  const hanging = indent + " ".repeat(HANGING_COLUMNS);
  const [first = "", ...rest] = wrapWords(body, width - hanging.length);
  return [indent + first, ...rest.map((each) => hanging + each)].join("\n");
}

/** Writes prose to standard output. A terminal gets it wrapped between words; a file or a pipe gets it unchanged. */
// It is not in print.ts, because every start of the program loads that file.
export function printText(text: string): void {
  print(wrapText(text, getOutputWidth()));
}
