/** The pages for the browser, as one file each; see `build_pages.ts`. */
export const PAGES = ["console", "graphiql", "picture_file"] as const;
export type PageName = (typeof PAGES)[number];

/** How each page's text is brought in: embedded in the executable, read from `dist/web` elsewhere. */
const LOADERS: Readonly<Record<PageName, () => Promise<{ readonly default: unknown }>>> = {
  console: () => import("../../dist/web/console.html", { with: { type: "text" } }),
  picture_file: () => import("../../dist/web/picture_file.html", { with: { type: "text" } }),
  graphiql: () => import("../../dist/web/graphiql.html", { with: { type: "text" } }),
};

/** A page's text; undefined when the source is run and the pages were never built. Loaded when it is first asked for. */
export async function loadPage(name: PageName): Promise<string | undefined> {
  try {
    return String((await LOADERS[name]()).default);
  } catch {
    return undefined;
  }
}
