import type { Notice } from "#dc/operations/notices/notice.ts";

/** How chat tools read the text of a message. */
export const MARKUPS = ["slack", "markdown", "none"] as const;
export type Markup = (typeof MARKUPS)[number];

/** A text with names in braces, for a chat tool. */
export interface PlainTemplate {
  readonly text: string;
  /** Field of the message that holds the text: `text` for most tools, `content` for some. */
  readonly field: string;
  /** What values are escaped for. The template's own text is the operator's and may use markup. */
  readonly markup: Markup;
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

/** Returns the first name in braces that is unknown as what was expected instead, or undefined. */
export function templateFault(text: string): string | undefined {
  const names = Object.keys(VALUES);
  const unknown = [...text.matchAll(NAMED)].find(([, name = ""]) => !names.includes(name));
  return unknown === undefined ? undefined : `in braces one of ${names.join(", ")}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const ZERO_WIDTH_SPACE = "\u200B";

/**
 * Returns a value that shows as it is: names of the inventory may hold links, mentions and tags. Every tool but those of plain text
 * takes entities for `&`, `<` and `>`; none takes `@` before a zero-width space for a mention, nor `https:` or `www` for an address.
 * Source: Slack, formatting text for app surfaces; CommonMark 0.31, backslash escapes and entity references; GFM 0.29, 6.9.
 */
export function literalText(value: string, markup: Markup): string {
  if (markup === "none") return value;
  const line = value.replaceAll(/\s+|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");
  // A digit or a mark at the start of a line would begin a list, a heading or a rule.
  const escaped =
    markup === "markdown"
      ? line.replaceAll(/[\\`*_[\]~|]|^ *[-+#=]|(?<=^ *\d{1,9})[.)]/g, (found) => found.replace(/\S/, "\\$&"))
      : line.replaceAll(/\](?=\(|$)/g, `]${ZERO_WIDTH_SPACE}`);
  return escaped
    .replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(/@|:(?=\/\/)|www(?=\.)/gi, `$&${ZERO_WIDTH_SPACE}`);
}

/** The body of the request that sends a notice: by the template, else all of it. */
export function messageText(notice: Notice, template: PlainTemplate | undefined): string {
  if (template === undefined) {
    const { type, at, ...data } = notice.body;
    return JSON.stringify({ type, timestamp: at, data });
  }
  const values: Readonly<Record<string, (notice: Notice) => string>> = VALUES;
  const text = template.text.replace(NAMED, (whole, name: string) =>
    literalText(values[name]?.(notice) ?? whole, template.markup),
  );
  return JSON.stringify({ [template.field]: text });
}
