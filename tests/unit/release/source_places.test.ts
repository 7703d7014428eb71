import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourcePlaces } from "../../../release/source_places.ts";

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
