/** Text of the program as Markdown: names of pages are links, and what looks like a tag is none. */
export function linkedText(text: string): string {
  const parts = text.split(/(`[^`]*`)/);
  return parts.map((part) => (part.startsWith("`") ? part : linkPages(part.replaceAll("<", "\\<")))).join("");
}

/** Names of pages as links. */
export function linkPages(text: string): string {
  return text.replace(/\bdocs\/([\w/-]+\.md)(#[\w-]+)?/g, "[$1]($1$2)");
}
