import { readPages, type SitePage } from "../../../release/site/pages.ts";

const PATH = "docs/README.md";

/** The page of all documents, by what a reader comes for, each with its first sentence. */
export function indexPage(): string {
  const pages = readPages().filter(({ source }) => source !== PATH && source !== "README.md");
  const parts = Object.entries(Object.groupBy(pages, ({ part }) => part)).map(
    ([part, own = []]) => `## ${part}\n\n${own.map((page) => entryOf(page)).join("")}`,
  );
  const head = "# Documents\n\nEvery document with its first sentence. `bun tests/doc_tables.ts` writes this page.\n";
  return [head, ...parts].join("\n");
}

/** The pages of a folder of documents in the order of the site, with their first sentences. */
export function folderIndex(folder: string): string {
  const own = readPages().filter(
    ({ source }) => source.startsWith(`docs/${folder}/`) && !source.endsWith("/README.md"),
  );
  return own.map((page) => entryOf(page, `docs/${folder}/`)).join("");
}

function entryOf({ source, title, text }: SitePage, folder = "docs/"): string {
  const path = source.startsWith(folder) ? source.slice(folder.length) : `../${source}`;
  const sentence = firstSentence(text);
  return `- [${title}](${path})${sentence === "" ? "" : `: ${sentence}`}\n`;
}

/** The first sentence below the title or its first code block, without its links: they are relative to their page. */
function firstSentence(text: string): string {
  const [paragraph = ""] = text.split("\n\n").filter((part) => !/^(?:# |```)/.test(part));
  if (!/^[A-Za-z`[]/.test(paragraph)) return "";
  const plain = paragraph.replaceAll("\n", " ").replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? "";
}
