import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { documents } from "../../support/documents.ts";
import { REPOSITORY } from "../../support/source_code.ts";

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
