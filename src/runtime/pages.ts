/** The pages for the browser, as one file each; see `build_pages.ts`. */
export const PAGES = ["console", "board", "graphiql", "picture_file"] as const;
export type PageName = (typeof PAGES)[number];

/** How each page's text is brought in: embedded in the executable, read from `dist/web` elsewhere. */
const LOADERS: Readonly<Record<PageName, () => Promise<{ readonly default: unknown }>>> = {
  console: () => import("../../dist/web/console.html", { with: { type: "text" } }),
  board: () => import("../../dist/web/board.html", { with: { type: "text" } }),
  picture_file: () => import("../../dist/web/picture_file.html", { with: { type: "text" } }),
  graphiql: () => import("../../dist/web/graphiql.html", { with: { type: "text" } }),
};

/** Loads the console as it is sent, compressed when it was built; undefined if it was never built. */
export async function loadZippedConsole(): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    const { default: text } = await import("../../dist/web/console.gz.txt", { with: { type: "text" } });
    return Buffer.from(String(text), "base64");
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
