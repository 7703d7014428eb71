import { OperationError } from "#kernel/errors.ts";

/** A line of a calendar: `NAME;PARAMETER=value:value`. Names are in capitals. */
export interface ContentLine {
  /** Number of its first line in the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Without their quotes. */
  readonly parameters: Readonly<Record<string, string>>;
  /** As written. */
  readonly value: string;
}

/** A fault of a calendar, with its line. */
export function faultAt(line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `Line ${line}: ${message}`);
}

const HEAD = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):/;
const PARAMETER = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";])*)/g;
const SHOWN_CHARS = 60;

/** Reads the lines of a calendar, joining those that are broken. Source: RFC 5545, 3.1. @throws OperationError with the line */
export function readContentLines(text: string): readonly ContentLine[] {
  const joined: { line: number; text: string }[] = [];
  for (const [index, part] of text.split(/\r\n|[\r\n]/).entries()) {
    const last = joined.at(-1);
    if (/^[ \t]/.test(part) && last !== undefined) last.text += part.slice(1);
    else if (part !== "") joined.push({ line: index + 1, text: part });
  }
  return joined.map(({ line, text: whole }) => readLine(line, whole));
}

function readLine(line: number, whole: string): ContentLine {
  const [head, name = "", parameters = ""] = HEAD.exec(whole) ?? [];
  if (head === undefined)
    throw faultAt(line, `"${whole.slice(0, SHOWN_CHARS)}" is no line of a calendar: expected NAME:value`);
  const pairs = [...parameters.matchAll(PARAMETER)].map(([, key = "", value = ""]): [string, string] => [
    key.toUpperCase(),
    value.replaceAll('"', ""),
  ]);
  return { line, name: name.toUpperCase(), parameters: Object.fromEntries(pairs), value: whole.slice(head.length) };
}

/** A value of the type TEXT without its escapes. */
export function plainText(value: string): string {
  return value.replaceAll(/\\([\s\S])/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}
