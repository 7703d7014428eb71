import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { REPOSITORY, sourceFiles } from "../../support/source_code.ts";

const PAGE = "docs/architecture.md";
/** An empty map of a module, which fills while the process runs, and a class that is called a cache. */
const CACHE = /^(?:export )?const \w+ = new (?:Weak)?Map(?:<.*>)?\(\);$|^export class \w*Cache\b/m;
/** Maps that hold no results, but what runs. */
const NO_CACHES = ["src/planner/store/locks/project_lock.ts"];

const TEXT = readFileSync(join(REPOSITORY, PAGE), "utf8");
const CACHES = TEXT.slice(TEXT.indexOf("\n## Caches\n"), TEXT.indexOf("\n## Size\n"));

test("the architecture's table of caches names every map of a module and every class of a cache", () => {
  const files = sourceFiles("src").filter(({ path }) => !/^src\/(?:gen|web)\//.test(path) && !NO_CACHES.includes(path));
  const found = files.filter(({ text }) => CACHE.test(text)).map(({ path }) => path);

  const missing = found.filter((path) => !CACHES.includes(`\`${path.slice("src/".length)}\``) && !named(path));

  expect(found.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

/** A row that names several files of a folder gives their names without it. */
function named(path: string): boolean {
  return CACHES.includes(`\`${basename(path)}\``);
}
