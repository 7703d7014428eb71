import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source_code.ts";

const MOVED = readFileSync(join(REPOSITORY, "docs", "moved.md"), "utf8");

/** Rows of paths: old, new and, for folders, the files that moved. */
const ROWS = [...MOVED.matchAll(/^\| `((?:src|tests)\/[^`]+)` \| `((?:src|tests)\/[^`]+)`(?: \| (.*))? \|$/gm)];

test("docs/moved.md names new places that exist and old ones that do not", () => {
  const moves = ROWS.flatMap(([, from = "", to = "", files]) =>
    files === undefined
      ? [[from, to] as const]
      : [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => [`${from}${file}`, `${to}${file}`] as const),
  );

  expect(moves.length).toBeGreaterThan(100);
  expect(moves.map(([, to]) => to).filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
  expect(moves.map(([from]) => from).filter((path) => existsSync(join(REPOSITORY, path)))).toEqual([]);
});
