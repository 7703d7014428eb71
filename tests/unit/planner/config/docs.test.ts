import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TSchema, TypeGuard } from "@sinclair/typebox";
import { CONFIG_SCHEMA } from "#planner/config/config_schema.ts";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";

const DOCS = readFileSync(join(import.meta.dirname, "../../../../docs/config.md"), "utf8");
const ROWS = new Map([...DOCS.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, key = "", rest = ""]) => [key, rest]));

/** Every setting by its path, `<name>` where the key is free. */
/** One row stands for a setting that every rule has. */
const PER_RULE = "lint.severity";

function settings(schema: TSchema, path: readonly string[] = []): string[] {
  if (path.join(".") === PER_RULE) return [`${PER_RULE}.<name>`];
  if (TypeGuard.IsObject(schema)) {
    return Object.entries(schema.properties).flatMap(([key, inner]) => settings(inner, [...path, key]));
  }
  const [inner] = TypeGuard.IsRecord(schema) ? Object.values(schema.patternProperties) : [];
  return inner === undefined ? [path.join(".")] : settings(inner, [...path, "<name>"]);
}

test("docs/config.md tells of every setting and of no other", () => {
  expect([...ROWS.keys()].sort()).toEqual(settings(CONFIG_SCHEMA).sort());
});

test("docs/config.md tells the defaults that hold", () => {
  const plain = settings(CONFIG_SCHEMA).filter((path) => !path.includes("<name>"));
  for (const path of plain) {
    const value = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], DEFAULT_CONFIG);
    const told = (ROWS.get(path) ?? "").split(" | ")[1]?.trim();

    expect(`${path} ${told}`).toBe(`${path} ${value === null ? "none" : `\`${shown(value)}\``}`);
  }
});

function shown(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
