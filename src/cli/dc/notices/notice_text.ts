import type { Notice } from "#dc/operations/notices/notice.ts";

/** Markup that chat tools read in the text of a message. */
export const MARKUPS = ["slack", "markdown", "none"] as const;
export type Markup = (typeof MARKUPS)[number];

/** A message text with placeholders in braces, for a chat tool. */
export interface MessageTemplate {
  readonly text: string;
  /** Field of the message that contains the text: `text` for most tools, `content` for some. */
  readonly field: string;
  /** Markup for which values are escaped. The template's own text comes from the operator and may use markup. */
  readonly markup: Markup;
}

/** Values of a notice by placeholder. */
const PLACEHOLDER_VALUES = {
  type: ({ body }) => body.type,
  subject: ({ body }) => body.subject,
  severity: ({ body }) => body.severity,
  state: ({ body }) => body.state,
  was: ({ body }) => body.was,
  summary: ({ body }) => body.summary,
  elements: ({ body }) => body.elements.join(", "),
  at: ({ body }) => body.at,
} satisfies Record<string, (notice: Notice) => string>;

const PLACEHOLDER = /\{(\w*)\}/g;

/** Returns the expected placeholders if the text contains an unknown one, otherwise undefined. */
export function findTemplateError(text: string): string | undefined {
  const names = Object.keys(PLACEHOLDER_VALUES);
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = ""]) => !names.includes(name));
  return unknown === undefined ? undefined : `in braces one of ${names.join(", ")}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const ZERO_WIDTH_SPACE = "\u200B";

/**
 * Escapes a value so that it is displayed literally, because names in the inventory may contain links, mentions and
 * tags. Tools with markup read entities for `&`, `<` and `>`. A zero-width space prevents that a tool reads `@` as a
 * mention, and `https:` or `www` as an address. Source: Slack, formatting text for app surfaces;
 * CommonMark 0.31, backslash escapes and entity references; GFM 0.29, 6.9.
 */
export function escapeValue(value: string, markup: Markup): string {
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

/** Builds the body of the request that sends a notice: the template's text, or the whole notice as JSON. */
export function buildMessageBody(notice: Notice, template: MessageTemplate | undefined): string {
  if (template === undefined) {
    const { type, at, ...data } = notice.body;
    return JSON.stringify({ type, timestamp: at, data });
  }
  const values: Readonly<Record<string, (notice: Notice) => string>> = PLACEHOLDER_VALUES;
  const text = template.text.replace(PLACEHOLDER, (whole, name: string) =>
    escapeValue(values[name]?.(notice) ?? whole, template.markup),
  );
  return JSON.stringify({ [template.field]: text });
}
