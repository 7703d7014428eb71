/** The pages for the browser; see `build_pages.ts`. */
export const PAGES = ["console", "board", "graphiql", "picture_file"] as const;
export type PageName = (typeof PAGES)[number];

/** How each page's text is brought in: embedded in the executable, read from `dist/web` elsewhere. */
const LOADERS: Readonly<Record<PageName, () => Promise<{ readonly default: unknown }>>> = {
  console: () => import("../../dist/web/console.html", { with: { type: "text" } }),
  board: () => import("../../dist/web/board.html", { with: { type: "text" } }),
  picture_file: () => import("../../dist/web/picture_file.html", { with: { type: "text" } }),
  graphiql: () => import("../../dist/web/graphiql.html", { with: { type: "text" } }),
};

/** Loads the console's modules by their names, each compressed by gzip; undefined if they were never built. */
export async function loadConsoleModules(): Promise<ReadonlyMap<string, Buffer<ArrayBuffer>> | undefined> {
  try {
    const { default: text } = await import("../../dist/web/console.modules.json.txt", { with: { type: "text" } });
    const all = Object.entries<string>(JSON.parse(String(text)));
    return new Map(all.map(([name, zipped]) => [name, Buffer.from(zipped, "base64")]));
  } catch {
    return undefined;
  }
}

/**
 * Loads the text of a page on first use. Returns undefined if the program runs from source and the pages were never
 * built.
 */
export async function loadPage(name: PageName): Promise<string | undefined> {
  try {
    return String((await LOADERS[name]()).default);
  } catch {
    return undefined;
  }
}

/** Loads the licences of everything in the executable, as `build.ts` wrote them; undefined if the program was never built. */
export async function loadLicences(): Promise<string | undefined> {
  try {
    return String((await import("../../dist/licences.txt", { with: { type: "text" } })).default);
  } catch {
    return undefined;
  }
}
