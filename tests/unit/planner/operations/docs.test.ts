import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../../../../src/planner/operations/index.ts";

const text = readFileSync(join(import.meta.dirname, "../../../../docs/tools.md"), "utf8");

/** The part of the document about each tool, by name. */
const parts = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.split(/^## /m)[0] ?? ""]),
);

test("docs/tools.md describes every tool", () => {
  expect([...parts.keys()].sort()).toEqual(tools.map(({ name }) => name).sort());
});
