import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { tools } from "../../../../src/planner/operations/index.ts";

const text = readFileSync(join(import.meta.dirname, "../../../../docs/tools.md"), "utf8");

/** The part of the document about each tool, by name. */
const parts = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.split(/^## /m)[0] ?? ""]),
);

/** The cells of a table's row but the last, whatever pads them. */
function cells(line: string): string[] {
  const all = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return all.slice(1, 5);
}

function row(name: string, schema: TSchema, required: boolean): string[] {
  const items = schema["items"] as TSchema | undefined;
  const type = items === undefined ? String(schema["type"]) : `array of ${String(items["type"])}`;
  return [`\`${name}\``, type, required ? "yes" : "no", schema.default === undefined ? "" : String(schema.default)];
}

test("docs/tools.md describes every tool", () => {
  expect([...parts.keys()].sort()).toEqual(tools.map(({ name }) => name).sort());
});

test("docs/tools.md describes every parameter with its type, duty and default, and no other", () => {
  for (const { name, params } of tools) {
    const rows = (parts.get(name) ?? "").split("\n").filter((line) => line.startsWith("| `"));
    const expected = Object.entries(params.properties).map(([parameter, schema]) =>
      row(parameter, schema, params.required?.includes(parameter) === true),
    );

    expect(rows.map(cells), name).toEqual(expected);
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
