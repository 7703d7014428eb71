import { stripVTControlCharacters } from "node:util";
import { getVisibleSign } from "#kernel/control_pictures.ts";

// Control characters can change a terminal's state, bidirectional embeddings and overrides can make a line look
// different from its content, and the two separators break a line in some terminals.
const UNSAFE_CHARACTERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;
const UNSAFE_BUT_LINES = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Returns a text as one line that can neither control a terminal nor be a workflow command in a GitHub job. */
export function sanitizeLine(text: string): string {
  return breakWorkflowCommands(
    text.replace(UNSAFE_CHARACTERS, (character) => (/\s/.test(character) ? " " : getVisibleSign(character))),
  );
}

/** Sanitizes a text of several lines: line feeds and tabs stay, and a carriage return before a line feed is removed. */
export function sanitizeLines(text: string): string {
  return breakWorkflowCommands(text.replaceAll("\r\n", "\n").replace(UNSAFE_BUT_LINES, getVisibleSign));
}

function breakWorkflowCommands(lines: string): string {
  return process.env["GITHUB_ACTIONS"] === "true" ? lines.replace(RUNNER_COMMAND, "$& ") : lines;
}

// Matches `::` at the start of a line, after any blanks, and `##[` anywhere. Source: github.com/actions/runner,
// ActionCommand.
const RUNNER_COMMAND = /^[^\S\n]*:(?=:)|##(?=\[)/gm;

/** Returns a copy of a report in which all texts are sanitized. */
export function sanitizeReport<Report>(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === "string" ? sanitizeLines(value) : value,
  );
}

/** Removes colours and other terminal sequences from a program's output, then sanitizes it. */
export function removeEscapes(text: string): string {
  return sanitizeLines(stripVTControlCharacters(text));
}
