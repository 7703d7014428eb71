/** YAML style of a scalar: plain, or in single or double quotes. */
export type ScalarStyle = "plain" | "single" | "double";

export interface ScalarForm {
  /** The preferred style; a text that needs other quotes gets them. */
  readonly style: ScalarStyle;
  /** True within `[]` or `{}`, where commas and brackets are syntax. */
  readonly inFlow: boolean;
}

// Words and numbers of YAML 1.1 and 1.2, which are quoted so that every parser reads them as text.
const NON_TEXT_PATTERN = new RegExp(
  [
    "^(?:y|yes|n|no|true|false|on|off|null|~|=|<<)$",
    String.raw`^[-+]?(?:\d[\d_,]*)?\.?[\d_]*(?:e[-+]?\d+)?$`,
    String.raw`^[-+]?0(?:o[0-7_]+|x[\da-f_]+|b[01_]+)$`,
    String.raw`^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$`,
    String.raw`^(?:[-+]?\.inf|\.nan)$`,
  ].join("|"),
  "i",
);
const PLAIN_PATTERN = /^[^\s\-?:,[\]{}#&*!|>'"%@`\p{C}](?:[^\p{C}\u2028\u2029]*[^\s:\p{C}])?$/u;

/** Formats a scalar on one line so that YAML parsers read the same value back. */
export function formatScalar(value: string | number | boolean, { style, inFlow }: ScalarForm): string {
  if (typeof value !== "string") return String(value);
  if (style === "plain" && isPlainText(value, inFlow)) return value;
  if (style === "single" && /^[^\p{C}\u2028\u2029]*$/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return quoteDouble(value);
}

/** Returns whether every YAML parser reads the text, written without quotes, as the same string. */
export function isPlainText(text: string, inFlow: boolean): boolean {
  if (!PLAIN_PATTERN.test(text) || NON_TEXT_PATTERN.test(text)) return false;
  return !/: |:\t| #|\t#/.test(text) && !(inFlow && /[,[\]{}]|:$/.test(text));
}

/** Formats the text in double quotes. A JSON string is valid YAML, except that YAML requires a few more escapes. */
function quoteDouble(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
