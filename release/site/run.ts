/**
 * Writes the documents as a site into `dist/site/`: `npm run site`, or into the folder that is named. It needs no server and no network: pages, style, search
 * and pictures are files beside each other. PLANNER_RELEASE_REPOSITORY is where links to files that are no pages lead.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT, repositoryAddress } from "../release.ts";
import { type Heading, plainText, type Rendered, render } from "./markdown.ts";
import { readPages, type SitePage, targetOf } from "./pages.ts";

const OUT = process.argv[2] ?? join(ROOT, "dist", "site");
const PICTURES = "docs/images";

/** A part of a page as the search finds it. */
type Found = readonly [page: string, title: string, heading: string, text: string];

function writeSite(): void {
  const pages = readPages();
  const sources = new Set(pages.map(({ source }) => source));
  rmSync(OUT, { recursive: true, force: true });
  const found: Found[] = [];
  for (const page of pages) {
    const rendered = render(page.text, (address) => addressOf(page, address, sources));
    found.push(...sectionsOf(page, rendered));
    write(page.target, documentOf(page, rendered, pages));
  }
  write("search-index.js", `window.searchIndex=${JSON.stringify(found)};\n`);
  write("llms.txt", summaryOf(pages));
  for (const name of ["site.css", "site.js"]) cpSync(join(import.meta.dirname, name), join(OUT, name));
  cpSync(join(ROOT, PICTURES), join(OUT, PICTURES), { recursive: true });
  process.stdout.write(`${join(OUT, "index.html")}: ${pages.length} pages\n`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  writeFileSync(join(OUT, path), text);
}

/** Where a link of a document leads on the site: to a page, a picture, or a file of the repository. */
function addressOf({ source }: SitePage, address: string, sources: ReadonlySet<string>): string {
  if (/^(?:[a-z]+:|#)/.test(address)) return address;
  const [file = "", anchor] = address.split("#");
  const path = normalize(join(dirname(source), file));
  if (path.startsWith(PICTURES)) return address;
  if (!sources.has(path)) return `${repositoryAddress()}/blob/v${manifest.version}/${path}`;
  const to = relative(dirname(targetOf(source)), targetOf(path));
  return anchor === undefined ? to : `${to}#${anchor}`;
}

function sectionsOf({ target, title }: SitePage, { html, headings }: Rendered): readonly Found[] {
  return html.split(/(?=<h[1-6] id=)/).map((part) => {
    const anchor = /^<h[1-6] id="([^"]*)"/.exec(part)?.[1] ?? "";
    const heading = headings.find((one) => one.anchor === anchor);
    const text = plainText(part.replace(/^<h[1-6].*?<\/h[1-6]>/s, "").replace(/<\/(?:p|li|td|th|tr|pre)>/g, " "));
    const here = heading === undefined || heading.level === 1 ? target : `${target}#${anchor}`;
    return [here, title, heading?.text ?? title, text.replace(/\s+/g, " ").trim()];
  });
}

function documentOf(page: SitePage, { html, headings }: Rendered, pages: readonly SitePage[]): string {
  const up = relative(dirname(page.target), "") || ".";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · planner</title>
<link rel="stylesheet" href="${up}/site.css">
<script src="${up}/site.js" defer></script>
</head>
<body data-root="${up}">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="${up}/index.html">planner</a> <span class="version">${manifest.version}</span>
<input type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off">
<button type="button" class="theme" aria-label="Switch between light and dark">◐</button>
</header>
<div class="results" role="region" aria-label="Search results" aria-live="polite" hidden></div>
<div class="columns">
<nav aria-label="Pages">${navigation(page, pages)}</nav>
<main id="content">${html}</main>
<aside aria-label="On this page">${outline(headings)}</aside>
</div>
</body>
</html>
`;
}

function navigation(page: SitePage, pages: readonly SitePage[]): string {
  const item = (other: SitePage) => {
    const href = relative(dirname(page.target), other.target);
    const current = other === page ? ' aria-current="page"' : "";
    return `<li><a href="${href}"${current}>${escaped(other.title)}</a></li>`;
  };
  return [...Map.groupBy(pages, ({ part }) => part)]
    .map(([part, members]) => `<h2>${part}</h2><ul>${members.map(item).join("")}</ul>`)
    .join("");
}

function outline(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return "";
  const items = shown.map(({ anchor, text }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`);
  return `<h2>On this page</h2><ul>${items.join("")}</ul>`;
}

/** The pages for programs that read text: https://llmstxt.org */
function summaryOf(pages: readonly SitePage[]): string {
  const parts = [...Map.groupBy(pages, ({ part }) => part)].map(([part, members]) => {
    const lines = members.map(({ title, target }) => `- [${title}](${target})`);
    return `## ${part}\n\n${lines.join("\n")}\n`;
  });
  return `# planner ${manifest.version}\n\n> ${manifest.description}\n\n${parts.join("\n")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

writeSite();
