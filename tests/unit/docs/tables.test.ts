import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { BLOCK_NAMES } from "../../support/docs/blocks.ts";
import { GENERATED_DOCS, tabledDoc } from "../../support/docs/doc_tables.ts";
import { type Document, documents } from "../../support/documents.ts";
import { markdownAnchors } from "../../support/markdown_anchors.ts";
import { REPOSITORY, sourceFiles } from "../../support/source_code.ts";
import { sourceSize } from "../../support/source_size.ts";

for (const name of GENERATED_DOCS) {
  test(`docs/${name} is as \`bun tests/doc_tables.ts\` writes`, async () => {
    const { text, current } = await tabledDoc(name);

    expect(text).toBe(current);
  });
}

test("the documents have a block of each kind that the program writes", async () => {
  const texts = await Promise.all(GENERATED_DOCS.map(async (name) => (await tabledDoc(name)).text));

  expect(
    BLOCK_NAMES.filter((name) => !texts.some((text) => new RegExp(`<!-- generated: ${name} `).test(text))),
  ).toEqual([]);
});

const TEXT = readFileSync(join(REPOSITORY, "docs/architecture.md"), "utf8");

/** Counts whose stated number is a ceiling: a change that exceeds it takes lines away elsewhere first. */
const CEILINGS: ReadonlySet<string> = new Set(["lines of src", "files of src", "circles of imports", "lines of tests"]);

function statedCount(name: string): number {
  return Number(new RegExp(`^\\| ${name} \\| ([\\d,]+) \\|$`, "m").exec(TEXT)?.[1]?.replaceAll(",", ""));
}

test.each(Object.entries(sourceSize()))("docs/architecture.md states the %s: %p", (name, count) => {
  const stated = statedCount(name);

  if (CEILINGS.has(name)) expect([name, count, count <= stated]).toEqual([name, count, true]);
  // A ceiling follows the size down.
  expect(Math.abs(count - stated)).toBeLessThanOrEqual((CEILINGS.has(name) ? 0.005 : 0.02) * count);
});

/** An empty map of a module, which fills while the process runs, and a class that is called a cache. */
const CACHE = /^(?:export )?const \w+ = new (?:Weak)?Map(?:<.*>)?\(\);$|^export class \w*Cache\b/m;
/** Maps that hold no results, but what runs. */
const NO_CACHES = ["src/planner/store/locks/project_lock.ts"];

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

// A word that is right belongs into docs/spelling/words.txt.
test("the documents have no unknown words", () => {
  const files = documents().map(({ path }) => path);
  const cspell = join(REPOSITORY, "node_modules", "cspell", "bin.mjs");

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cspell, "lint", "--no-progress", "--no-summary", "--no-color", ...files],
    { cwd: REPOSITORY, encoding: "utf8" },
  );

  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});

/** `[text](target)`, outside of code. */
const LINK = /\]\((?<target>[^()\s]+)\)/g;

/** Returns what is wrong with a link, or undefined. Links to other hosts are not followed. */
function fault({ path }: Document, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [file = "", anchor] = target.split("#");
  const to = file === "" ? path : normalize(join(dirname(path), file));
  const full = join(REPOSITORY, to);
  if (!existsSync(full)) return `${path}: ${target} is missing`;
  if (anchor === undefined || !to.endsWith(".md")) return undefined;
  return markdownAnchors(readFileSync(full, "utf8")).has(anchor) ? undefined : `${path}: ${target} has no such anchor`;
}

test("every link of the documents leads to a file and an anchor that exist", () => {
  const links = documents().flatMap((document) =>
    [...document.text.replaceAll(/^```[\s\S]*?^```|`[^`]*`/gm, "").matchAll(LINK)].map(({ groups }) => ({
      document,
      target: groups?.["target"] ?? "",
    })),
  );

  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap(({ document, target }) => fault(document, target) ?? [])).toEqual([]);
});
