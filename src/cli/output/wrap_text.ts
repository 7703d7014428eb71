import stringWidth from "fast-string-width";
import { print } from "./print.ts";
import { outputWidth } from "./terminal.ts";

/** Columns by which the further lines of a wrapped line are indented. */
const HANGING = 2;

/** A word, with the command in backticks that belongs to it: no line ends inside a command. */
const WORD = /(\s*)((?:[^\s`]*`[^`]*`[^\s`]*)+|\S+)/g;
/** A line that is a command, perhaps after a label such as "Next:". */
const COMMAND_LINE = /^(?:\w+: )?(?:planner|git) [a-z-]/;

/** How many terminal cells a text takes; colours take none. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** Breaks one line of prose between words; a word wider than `width` gets a separate line. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const [spaced, , word = ""] of text.matchAll(WORD)) {
    if (current !== "" && textWidth(current + spaced) > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : current + spaced;
    }
  }
  return [...lines, current];
}

/**
 * Wraps the lines of a text that are wider than `width`. Further lines are indented below the first one; a line that is
 * a command stays whole, so that it can be copied.
 *
 * @param width columns to fit into; undefined changes nothing
 */
export function wrapText(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .map((line) => (textWidth(line) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const [indent = ""] = /^\s*/.exec(line) ?? [];
  const body = line.slice(indent.length);
  if (COMMAND_LINE.test(body)) return line;
  const hanging = indent + " ".repeat(HANGING);
  const [first = "", ...rest] = wrapWords(body, width - hanging.length);
  return [indent + first, ...rest.map((each) => hanging + each)].join("\n");
}

/** Writes prose to standard output. A terminal gets it wrapped between words; a file or a pipe gets it unchanged. */
// Apart from print.ts, which every start of the program loads.
export function printText(text: string): void {
  print(wrapText(text, outputWidth()));
}
