import { OperationError } from "#kernel/errors.ts";

/** A line of a calendar: `NAME;PARAMETER=value:value`. Names are in upper case. */
export interface ContentLine {
  /** Number of the entry's first line in the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Parameter values without their quotes. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Unparsed value. */
  readonly value: string;
  /** Why the line cannot be read. */
  readonly problem?: string;
}

/** Returns the error for an invalid line of a calendar. */
export function createCalendarLineError(line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `Line ${line}: ${message}`);
}

const LINE_HEAD_PATTERN = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):/;
const PARAMETER_PATTERN = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";])*)/g;
const MAX_QUOTED_CHARS = 60;

/**
 * Reads the lines of a calendar. Joins folded lines before their octets are decoded, since a fold may divide a character.
 * Source: RFC 5545, 3.1.
 */
export function readContentLines(bytes: Uint8Array): readonly ContentLine[] {
  const joined: { line: number; octets: string }[] = [];
  const octets = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "");
  for (const [index, part] of octets.split(/\r\n|[\r\n]/).entries()) {
    const last = joined.at(-1);
    if (/^[ \t]/.test(part) && last !== undefined) last.octets += part.slice(1);
    else if (part !== "") joined.push({ line: index + 1, octets: part });
  }
  return joined.map(({ line, octets: whole }) => parseLine(line, Buffer.from(whole, "latin1")));
}

function parseLine(line: number, bytes: Buffer): ContentLine {
  const whole = bytes.toString("utf8");
  const [head, name = "", parameters = ""] = LINE_HEAD_PATTERN.exec(whole) ?? [];
  const unread = { line, name: "", parameters: {}, value: "" };
  if (whole.includes("\uFFFD") && !Buffer.from(whole).equals(bytes))
    return { ...unread, problem: `"${whole.slice(0, MAX_QUOTED_CHARS)}" holds bytes that are not UTF-8` };
  if (head === undefined)
    return {
      ...unread,
      problem: `"${whole.slice(0, MAX_QUOTED_CHARS)}" is no line of a calendar: expected NAME:value`,
    };
  const pairs = [...parameters.matchAll(PARAMETER_PATTERN)].map(([, key = "", value = ""]): [string, string] => [
    key.toUpperCase(),
    value.replaceAll('"', ""),
  ]);
  return { line, name: name.toUpperCase(), parameters: Object.fromEntries(pairs), value: whole.slice(head.length) };
}

/** Removes the escapes of a value of the type TEXT. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\s\S])/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}
