/**
 * Builds the pages that the datacenter service shows in a browser: each becomes one file of `dist/web/` with its
 * scripts and styles inside, but for the console, whose scripts are modules that its server sends. `build.ts` does it
 * first; alone it is `bun build_pages.ts`, for those who run the source.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import { MODULES_PATH } from "./src/interfaces/http/pages.ts";
import { PAGE_NAMES } from "./src/runtime/pages.ts";

const ROOT = import.meta.dirname;
const OUT = join(ROOT, "dist", "web");

/** The mark of the navigation, as the icon of a tab. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18"><rect x="1" y="1" width="16" height="16" rx="4" fill="#2a55c9"/>' +
  '<path d="M5 5.5h8M5 9h8M5 12.5h5" stroke="#fff" stroke-width="1.6"/></svg>';

/** Builds every page anew. @throws Error naming the page that does not build */
export async function buildPages(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const folder = mkdtempSync(join(OUT, ".build-"));
  try {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      renameSync(join(folder, name), join(OUT, name));
    };
    for (const page of PAGE_NAMES) {
      const { html, modules } = await build(page);
      write(`${page}.html`, html);
      if (page === "console") write(`${page}.modules.json.txt`, JSON.stringify(modules));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Elements as calls with their children as arguments: the page is smaller than with an object that holds them. Not for
 * GraphiQL, whose elements are React's.
 */
const CLASSIC_JSX: BunPlugin = {
  name: "classic JSX",
  setup({ onLoad }) {
    onLoad({ filter: /src\/web\/(?!graphiql\/).*\.tsx$/ }, async ({ path }) => ({
      contents: `/** @jsxRuntime classic @jsx h @jsxFrag Fragment */ import { Fragment, h } from "preact"; ${await Bun.file(path).text()}`,
      loader: "tsx",
    }));
  },
};

interface Built {
  readonly html: string;
  /** Scripts that the page loads, by the names under which they are sent, compressed by gzip, in Base64. */
  readonly modules: Readonly<Record<string, string>>;
}

async function build(page: string): Promise<Built> {
  // Seldom used parts of the console are modules of their own; every other page is one file.
  const splitting = page === "console";
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [join(ROOT, "src", "web", page, "main.tsx"), join(ROOT, "src", "web", page, "main.css")],
    target: "browser",
    plugins: [CLASSIC_JSX],
    minify: true,
    splitting,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  for (const log of logs) process.stderr.write(`${log}\n`);
  if (!success) throw new Error(`The page "${page}" does not build`);
  const scripts = outputs.filter(({ path }) => path.endsWith(".js"));
  const main = scripts.find(({ kind }) => kind === "entry-point");
  const style = (await outputs.find(({ path }) => path.endsWith(".css"))?.text()) ?? "";
  const script = splitting
    ? `<script type="module" src="${MODULES_PATH}${basename(main?.path ?? "")}"></script>`
    : `<script type="module">${(await main?.text())?.replaceAll("</script", "<\\/script") ?? ""}</script>`;
  // Replaced by functions, since a plain text would have its $ read as marks.
  const html = readFileSync(join(ROOT, "src", "web", page, "index.html"), "utf8")
    .replace("<!-- style -->", () => `<style>${style.replaceAll("</style", "<\\/style")}</style>`)
    .replace("<!-- icon -->", () => `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`)
    .replace("<!-- script -->", () => script);
  const zipped = async (file: Bun.BuildArtifact) =>
    // 3 % smaller than a server would make it in passing.
    Bun.gzipSync(await file.text(), { level: 12, library: "libdeflate" }).toBase64();
  const modules = await Promise.all(scripts.map(async (file) => [basename(file.path), await zipped(file)] as const));
  return { html, modules: Object.fromEntries(modules) };
}

if (import.meta.main) await buildPages();
