import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { licenceTexts, readLicences } from "../../../release/licences.ts";
import { sourcePlaces } from "../../../release/source_places.ts";
import { REPOSITORY } from "../../support/source_code.ts";

test("every package in the executable has a licence text that fits what it declares", () => {
  const licences = readLicences();
  const without = licences.filter(({ text, declared }) => text === null || (text.length < 200 && declared !== "0BSD"));

  expect(licences.length).toBeGreaterThan(100);
  expect(licences.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["bun", "hono", "graphql", "@resvg/resvg-wasm"]),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
  expect(licences.find(({ name }) => name === "@resvg/resvg-wasm")?.text).toContain("Mozilla Public License");
});

test("the printed licences name every package once, and say where to get what is linked under the LGPL", () => {
  const text = licenceTexts();

  for (const { name, version } of readLicences()) expect(text.split(`\n${name} ${version} (`)).toHaveLength(2);
  expect(text).toContain("https://github.com/oven-sh/WebKit");
  expect(text).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
});

/** What people copy and what pipelines run. */
const PLACES = "README.md action.yml .pre-commit-hooks.yaml .github docs plugins examples release".split(" ");
/** npm's package `planner` belongs to another person. */
const RUNS_ANOTHERS =
  /\b(?:npx(?: --?\S+)*|npm (?:i|install|exec)(?: --?\S+)*|bunx|pnpm dlx|yarn dlx) ["']?planner(?![\w-])/;

function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile());
}

test("no document, workflow or action runs or installs npm's package planner", () => {
  const found = PLACES.flatMap((place) => filesBelow(join(REPOSITORY, place))).filter((path) =>
    RUNS_ANOTHERS.test(readFileSync(path, "utf8")),
  );

  expect(found).toEqual([]);
  expect("npx --yes planner lint").toMatch(RUNS_ANOTHERS);
  expect("npm install --global planner").toMatch(RUNS_ANOTHERS);
});

async function builtChunk(): Promise<{ readonly code: string; readonly maps: string }> {
  const folder = mkdtempSync(join(tmpdir(), "source-places-"));
  const source = join(folder, "answer.ts");
  writeFileSync(
    source,
    "interface Unused {}\n\nexport function answer(): never {\n  throw new Error('known words');\n}\n",
  );
  const built = await Bun.build({
    entrypoints: [source],
    minify: { whitespace: true },
    sourcemap: "linked",
    outdir: folder,
  });
  expect(built.success).toBe(true);
  cpSync(join(folder, "answer.js.map"), join(folder, "chunk-1a2b.js.map"));
  return { code: await Bun.file(join(folder, "answer.js")).text(), maps: folder };
}

test("sourcePlaces names file and line of the source, on Linux and Windows, and keeps what no map names", async () => {
  const { code, maps } = await builtChunk();
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes("known words"));
  const column = (lines[line] ?? "").indexOf("Error(") + 1;
  const place = `chunk-1a2b.js:${line + 1}:${column}`;

  const text = sourcePlaces(
    `at answer (/$bunfs/root/${place})\nat b (B:\\~BUN\\root\\${place})\nat c (/$bunfs/root/chunk-zzzz.js:1:2)\nat native:1:11`,
    maps,
  );

  expect(text.replaceAll(/\(\S*answer\.ts/g, "(answer.ts")).toBe(
    "at answer (answer.ts:4:13)\nat b (answer.ts:4:13)\nat c (/$bunfs/root/chunk-zzzz.js:1:2)\nat native:1:11",
  );
});
