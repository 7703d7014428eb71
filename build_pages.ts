/**
 * Builds the pages that the datacenter service shows in a browser: each becomes one file of `dist/web/` with its
 * scripts and styles inside, so that it asks nobody for anything more. `build.ts` does it first; alone it is
 * `bun build_pages.ts`, for those who run the source.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { PAGES } from "./src/runtime/pages.ts";

const ROOT = import.meta.dirname;
const OUT = join(ROOT, "dist", "web");

/** Builds every page anew. @throws Error naming the page that does not build */
export async function buildPages(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const folder = mkdtempSync(join(OUT, ".build-"));
  try {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      renameSync(join(folder, name), join(OUT, name));
    };
    for (const page of PAGES) {
      const html = await build(page);
      write(`${page}.html`, html);
      // As it is sent: 3 % smaller than a server would make it in passing.
      if (page === "console")
        write(`${page}.gz.txt`, Bun.gzipSync(html, { level: 12, library: "libdeflate" }).toBase64());
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

async function build(page: string): Promise<string> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [join(ROOT, "src", "web", page, "main.tsx"), join(ROOT, "src", "web", page, "main.css")],
    target: "browser",
    plugins: [CLASSIC_JSX],
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  for (const log of logs) process.stderr.write(`${log}\n`);
  if (!success) throw new Error(`The page "${page}" does not build`);
  const text = async (ending: string) => outputs.find(({ path }) => path.endsWith(ending))?.text() ?? "";
  const [script, style] = [await text(".js"), await text(".css")];
  // Replaced by functions, since a plain text would have its $ read as marks.
  return readFileSync(join(ROOT, "src", "web", page, "index.html"), "utf8")
    .replace("<!-- style -->", () => `<style>${style.replaceAll("</style", "<\\/style")}</style>`)
    .replace("<!-- script -->", () => `<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`);
}

if (import.meta.main) await buildPages();
