import { stripVTControlCharacters } from "node:util";
import { toVisibleSign } from "#kernel/control_pictures.ts";

// Control characters drive a terminal; bidirectional embeddings and overrides make a line show something else than it
// says; the two separators break a line in some terminals.
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;
const UNSAFE_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/**
 * Returns text from a file as one line that cannot drive a terminal: control characters become visible signs. In a job of
 * GitHub it is no command to the runner.
 */
export function plainLine(text: string): string {
  return withoutCommands(text.replace(UNSAFE, (character) => (/\s/.test(character) ? " " : toVisibleSign(character))));
}

/** The same for a text of several lines: line feeds and tabs stay, a carriage return before a line feed goes. */
export function plainLines(text: string): string {
  return withoutCommands(text.replaceAll("\r\n", "\n").replace(UNSAFE_BUT_LINES, toVisibleSign));
}

function withoutCommands(lines: string): string {
  return process.env["GITHUB_ACTIONS"] === "true" ? lines.replace(RUNNER_COMMAND, "$& ") : lines;
}

// `::` at the start of a line, behind any blanks, or `##[` anywhere. Source: github.com/actions/runner, ActionCommand.
const RUNNER_COMMAND = /^[^\S\n]*:(?=:)|##(?=\[)/gm;

/** The same for all texts of a report, whatever format they are written in then. */
export function plainTexts<Report>(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (_key, value) => (typeof value === "string" ? plainLines(value) : value));
}

/** Takes colours and other terminal sequences out of a program's output, then makes the rest safe. */
export function withoutEscapes(text: string): string {
  return plainLines(stripVTControlCharacters(text));
}
