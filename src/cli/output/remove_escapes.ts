// Apart from `print.ts`: loading node:util takes a quarter of the time of `planner --version`.
import { stripVTControlCharacters } from "node:util";
import { sanitizeLines } from "./print.ts";

/** Removes colours and other terminal sequences from a program's output, then sanitizes it. */
export function removeEscapes(text: string): string {
  return sanitizeLines(stripVTControlCharacters(text));
}
