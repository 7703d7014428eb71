import type { Notice } from "#dc/operations/notices/notice.ts";

/** A text with names in braces, for a chat tool. */
export interface PlainTemplate {
  readonly text: string;
  /** Field of the message that holds the text: `text` for most tools, `content` for some. */
  readonly field: string;
}

/** What a template may name. */
const VALUES = {
  type: ({ body }) => body.type,
  subject: ({ body }) => body.subject,
  severity: ({ body }) => body.severity,
  state: ({ body }) => body.state,
  was: ({ body }) => body.was,
  summary: ({ body }) => body.summary,
  elements: ({ body }) => body.elements.join(", "),
  at: ({ body }) => body.at,
} satisfies Record<string, (notice: Notice) => string>;

const NAMED = /\{(\w*)\}/g;

/** Reads a template. Returns what was expected instead if it names something unknown. */
export function readTemplate(text: string, field = "text"): PlainTemplate | string {
  const names = Object.keys(VALUES);
  const unknown = [...text.matchAll(NAMED)].find(([, name = ""]) => !names.includes(name));
  return unknown === undefined ? { text, field } : `in braces one of ${names.join(", ")}`;
}

/** The body of the request that sends a notice: by the template, else all of it. */
export function messageText(notice: Notice, template: PlainTemplate | undefined): string {
  if (template === undefined) {
    const { type, at, ...data } = notice.body;
    return JSON.stringify({ type, timestamp: at, data });
  }
  const values: Readonly<Record<string, (notice: Notice) => string>> = VALUES;
  const text = template.text.replace(NAMED, (whole, name: string) => values[name]?.(notice) ?? whole);
  return JSON.stringify({ [template.field]: text });
}
