import { micromark } from "micromark";

/** A heading of a page, with the name that links to it. */
export interface Heading {
  readonly level: number;
  readonly anchor: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/**
 * Renders a document as GitHub does: CommonMark with tables, headings with anchors.
 *
 * @param link maps a link's or a picture's address
 */
export function render(text: string, link: (address: string) => string): Rendered {
  const headings: Heading[] = [];
  const seen = new Map<string, number>();
  const html = micromark(withTables(text), { allowDangerousHtml: true })
    .replace(/<h([1-6])>(.*?)<\/h\1>/gs, (_, level: string, inner: string) => {
      const plain = plainText(inner);
      const anchor = anchorOf(plain, seen);
      headings.push({ level: Number(level), anchor, text: plain });
      return `<h${level} id="${anchor}"><a href="#${anchor}">${inner.replace(/<\/?a\b[^>]*>/g, "")}</a></h${level}>`;
    })
    .replace(/ (href|src|srcset)="([^"]*)"/g, (_, name: string, address: string) => ` ${name}="${link(address)}"`);
  return { html, headings };
}

/** Text of HTML without tags. */
export function plainText(html: string): string {
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return html.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot);/g, (_, name: string) => names[name] ?? "");
}

// GitHub's anchors: lower case, words with hyphens, a number for a repeated one.
function anchorOf(text: string, seen: Map<string, number>): string {
  const anchor = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const count = seen.get(anchor) ?? 0;
  seen.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Replaces tables, which CommonMark has not, by HTML. Lines in fences stay. */
function withTables(text: string): string {
  const lines = text.split("\n");
  const made: string[] = [];
  let fence = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^\s*(?:```|~~~)/.test(line)) fence = !fence;
    if (fence || !line.startsWith("|") || !/^\|[\s:|-]+\|$/.test(lines[at + 1] ?? "")) {
      made.push(line);
      continue;
    }
    let end = at + 2;
    while (lines[end]?.startsWith("|")) end++;
    const [head = "", , ...rows] = lines.slice(at, end);
    const body = rows.map((row) => `<tr>${cellsOf(row, "td")}</tr>`).join("");
    made.push(
      `<div class="table"><table><thead><tr>${cellsOf(head, "th")}</tr></thead><tbody>${body}</tbody></table></div>`,
      "",
    );
    at = end - 1;
  }
  return made.join("\n");
}

function cellsOf(row: string, tag: string): string {
  const cells = row.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
  const inline = (cell: string) =>
    micromark(cell.trim().replaceAll("\\|", "|"), { allowDangerousHtml: true }).replace(/^<p>|<\/p>$/g, "");
  return cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("");
}
