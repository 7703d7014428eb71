/** A code, site, room, row, zone, feed or fabric identifier that was parsed. */
export type Code = string & { readonly __brand: "Code" };
/** A port name that was parsed; may hold '/'. */
export type PortName = string & { readonly __brand: "PortName" };

const CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// '~' joins the two ends of a cable reference, so no name may hold it; \p{C} are control characters and the like.
const PORT_NAME = /^[^\p{C}\p{Zl}\p{Zp}~]{1,64}$/u;
const SLUG = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const CODE_GRAMMAR = "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit";
export const PORT_NAME_GRAMMAR = "1 to 64 printable characters without '~' and without blanks at the ends";
export const SLUG_GRAMMAR = "1 to 64 lower-case letters, digits, '.', '_' or '-', beginning with a letter or digit";

/** Returns `text` as a code, or undefined when it lacks the shape. Source: docs/contract/datacenter-model.md#codes. */
export function parseCode(text: string): Code | undefined {
  return CODE.test(text) ? (text as Code) : undefined;
}

/** Returns `text` as a port name, or undefined when it lacks the shape. */
export function parsePortName(text: string): PortName | undefined {
  return PORT_NAME.test(text) && text.trim() === text ? (text as PortName) : undefined;
}

/** Whether `text` is a slug, as roles and tags are. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** The form under which codes are unique: codes are ASCII, so lower case is the whole of it. */
export function codeKey(code: string): string {
  return code.toLowerCase();
}
