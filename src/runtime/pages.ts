import { readFileSync } from "node:fs";

/** Names of the browser pages that `build_pages.ts` builds. */
export const PAGE_NAMES = ["console", "board", "graphiql", "picture_file"] as const;
export type PageName = (typeof PAGE_NAMES)[number];

/**
 * Paths of the built texts, which are embedded in the executable as files. Imports of type "text" would become
 * constants that the bytecode contains a second time: 2 MB.
 */
const BUILT_FILES = {
  "web/console.html": () => import("../../dist/web/console.html", { with: { type: "file" } }),
  "web/console.modules.json.txt": () => import("../../dist/web/console.modules.json.txt", { with: { type: "file" } }),
  "web/board.html": () => import("../../dist/web/board.html", { with: { type: "file" } }),
  "web/picture_file.html": () => import("../../dist/web/picture_file.html", { with: { type: "file" } }),
  "web/graphiql.html": () => import("../../dist/web/graphiql.html", { with: { type: "file" } }),
  "licences.txt": () => import("../../dist/licences.txt", { with: { type: "file" } }),
} satisfies Readonly<Record<string, () => Promise<{ readonly default: unknown }>>>;

/** Loads the console's modules by name, each compressed by gzip; undefined if they were never built. */
export async function loadConsoleModules(): Promise<ReadonlyMap<string, Buffer<ArrayBuffer>> | undefined> {
  const text = await loadTextFile("web/console.modules.json.txt");
  if (text === undefined) return undefined;
  const all = Object.entries<string>(JSON.parse(text));
  return new Map(all.map(([name, zipped]) => [name, Buffer.from(zipped, "base64")]));
}

/** Loads a page's text on first use; undefined if the program runs from source and the pages were never built. */
export const loadPage = (name: PageName): Promise<string | undefined> => loadTextFile(`web/${name}.html`);

/** Loads the licences of everything in the executable, as `build.ts` wrote them; undefined before the first build. */
export const loadLicences = (): Promise<string | undefined> => loadTextFile("licences.txt");

async function loadTextFile(name: keyof typeof BUILT_FILES): Promise<string | undefined> {
  try {
    // Only Bun imports files by their paths.
    const isBun = typeof Bun !== "undefined";
    const path = isBun ? String((await BUILT_FILES[name]()).default) : new URL(`../../dist/${name}`, import.meta.url);
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
