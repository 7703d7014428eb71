import { createHash } from "node:crypto";

/** A spec's text of about `size` characters whose last line is the hash of everything before it. */
export function provenText(name: string, size: number): string {
  const head = `---\nstatus: pending\nname: ${name}\n---\n# ${name}\n\n${`${name} `.repeat(Math.ceil(size / name.length))}\n`;
  return `${head}${hashOf(head)}\n`;
}

/** Whether the text is one of those, from its first character to its last. */
export function isProven(text: string): boolean {
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  return end > 0 && text.slice(end) === `${hashOf(text.slice(0, end))}\n`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
