import { parseReadable } from "../spec/document.ts";
import { findHeadings, findTitleHeading } from "../spec/sections.ts";
import { detectLineBreak } from "../spec/text_lines.ts";

/** A part of a body: the text before its first heading (name ""), or a heading of level 1 or 2 with its text. */
export interface BodyPart {
  /** The heading's text in lower case, with a number appended if an earlier part has the same heading. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The trimmed text, with LF line breaks. */
  readonly text: string;
}

/** Splits a body into its parts, from the offset after the title. */
export function splitBody(body: string, from: number): readonly BodyPart[] {
  const starts = findHeadings(body).filter(({ level, start }) => level <= 2 && start >= from);
  const seen = new Map<string, number>();
  const parts: BodyPart[] = [];
  const addBodyPart = (heading: string, start: number, end: number): void => {
    const count = (seen.get(heading) ?? 0) + 1;
    seen.set(heading, count);
    const text = body.slice(start, end).replaceAll(/\r\n?/g, "\n").trim();
    parts.push({ name: count === 1 ? heading : `${heading} (${count})`, start, end, text });
  };
  const first = starts[0]?.start ?? body.length;
  if (body.slice(from, first).trim() !== "") addBodyPart("", from, first);
  for (const [index, { text, start }] of starts.entries()) {
    addBodyPart(text.toLowerCase(), start, starts[index + 1]?.start ?? body.length);
  }
  return parts;
}

/** Splits the body of a spec file, without its title, into parts. */
export function splitSpecBody(body: string): readonly BodyPart[] {
  return splitBody(body, findTitleHeading(body)?.next ?? 0);
}

/** New texts of parts by name; undefined removes a part. A new part is inserted before the output. */
export type PartChanges = ReadonlyMap<string, string | undefined>;

/** Replaces parts and the title of a spec file; every other line stays unchanged. */
export function editBodyParts(text: string, parts: PartChanges, title: string | undefined): string {
  const { body } = parseReadable(text);
  const lineBreak = detectLineBreak(text);
  const writer = new PartWriter(lineBreak);
  const heading = findTitleHeading(body);
  const from = heading?.next ?? 0;
  if (title === undefined || heading === undefined) writer.copyText(body.slice(0, from));
  else writer.copyText(`${body.slice(0, heading.start)}# ${title}${lineBreak}`);
  const here = splitSpecBody(body);
  const isNew = (name: string): boolean => !here.some((known) => known.name === name);
  const added = [...parts].flatMap(([name, part]) => (part !== undefined && isNew(name) ? [part] : []));
  let at = from;
  for (const { name, start, end } of here) {
    writer.copyText(body.slice(at, start));
    if (name === "output") for (const part of added.splice(0)) writer.addPart(part);
    const part = parts.get(name);
    if (!parts.has(name)) writer.copyText(body.slice(start, end));
    else if (part !== undefined) writer.addPart(part);
    at = end;
  }
  writer.copyText(body.slice(at));
  for (const part of added) writer.addPart(part);
  return text.slice(0, text.length - body.length) + writer.text.replace(/(?:\r\n|\n|\r)+$/, lineBreak);
}

class PartWriter {
  readonly #lineBreak: string;
  text = "";

  constructor(lineBreak: string) {
    this.#lineBreak = lineBreak;
  }

  copyText(text: string): void {
    this.text += text;
  }

  /** Adds a part, with a blank line before and after it. */
  addPart(part: string): void {
    const br = this.#lineBreak;
    if (this.text !== "" && !this.text.endsWith(br)) this.text += br;
    if (this.text !== "" && !this.text.endsWith(br + br)) this.text += br;
    this.text += part.replaceAll("\n", br) + br + br;
  }
}
