/** A code, or a site, room, row, zone, feed or fabric identifier, that `parseCode` accepted. */
export type Code = string & { readonly __brand: "Code" };
/** A port name that `parsePortName` accepted; may contain '/'. */
export type PortName = string & { readonly __brand: "PortName" };

const CODE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// Excludes '~', which separates the ends in a cable reference, and \p{C}: control and unassigned characters.
const PORT_NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}~]{1,64}$/u;
const SLUG_PATTERN = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const CODE_GRAMMAR = "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit";
export const PORT_NAME_GRAMMAR = "1 to 64 printable characters without '~' and without blanks at the ends";
export const SLUG_GRAMMAR = "1 to 64 lower-case letters, digits, '.', '_' or '-', beginning with a letter or digit";

/** Returns a text as a code, or undefined if its syntax is invalid. Source: docs/contract/datacenter-model.md#codes. */
export function parseCode(text: string): Code | undefined {
  return CODE_PATTERN.test(text) ? (text as Code) : undefined;
}

/** Returns a text as a port name, or undefined if its syntax is invalid. */
export function parsePortName(text: string): PortName | undefined {
  return PORT_NAME_PATTERN.test(text) && text.trim() === text ? (text as PortName) : undefined;
}

/** Whether a text is a slug. Roles and tags are slugs. */
export function isSlugText(text: string): boolean {
  return SLUG_PATTERN.test(text);
}

/** Returns a key for comparing codes without regard to case. Codes are ASCII, so lower case suffices. */
export function codeKey(code: string): string {
  return code.toLowerCase();
}
