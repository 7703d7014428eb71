/**
 * Returns the anchors of a Markdown document: the headings' ids as GitHub makes them, and explicit `<a id="…">`.
 * Lines in code fences are no headings.
 */
export function markdownAnchors(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  let fenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    for (const [, id = ""] of line.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) anchors.add(unique(slug(heading), anchors));
  }
  return anchors;
}

function slug(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

function unique(id: string, taken: ReadonlySet<string>): string {
  let free = id;
  for (let n = 1; taken.has(free); n++) free = `${id}-${n}`;
  return free;
}
