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

test("docs/tools.md describes the parameters of every tool and no others", () => {
  for (const { name, params } of tools) {
    const rows = [...(parts.get(name) ?? "").matchAll(/^\| `(\w+)`/gm)].map(([, parameter]) => parameter);

    expect(rows as unknown[], name).toEqual(Object.keys(params.properties));
  }
});

test("docs/tools.md names every word of an enumerated parameter", () => {
  for (const { name, params } of tools) {
    for (const [parameter, schema] of Object.entries(params.properties)) {
      if (schema["enum"] === undefined || name === "planner_search") continue;
      const line = parts
        .get(name)
        ?.split("\n")
        .find((one) => one.startsWith(`| \`${parameter}\``));
      expect(line).toContain(schema["enum"].join(", "));
    }
  }
});
