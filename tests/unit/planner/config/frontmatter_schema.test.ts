import { expect, test } from "bun:test";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";
import { buildFrontmatterSchema } from "#planner/config/frontmatter_schema.ts";
import { parseConfig } from "#planner/config/parse_config.ts";

test("frontmatterSchema says what the configuration demands", () => {
  const { config } = parseConfig(
    "---\nschema:\n  spec:\n    required: [status, title, team]\n    fields:\n      status: {enum: [todo]}\n      team: {type: string, enum: [red, blue]}\n      sizes: {items: integer, enum: [1, 2]}\n---\n",
  );

  const schema = buildFrontmatterSchema(config);

  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["status", "team"],
    properties: {
      status: { type: "string", enum: ["todo", "blocked", "cancelled", "needs_attention", "ready"] },
      team: { type: "string", enum: ["red", "blue"] },
      sizes: { type: "array", items: { type: "integer", enum: [1, 2] } },
      labels: { type: "array", items: { type: "string" } },
    },
  });
});

test("frontmatterSchema lets a configured field stand in place of a known one", () => {
  const { config } = parseConfig("---\nschema:\n  spec:\n    fields:\n      tracks: {type: string}\n---\n");

  const { properties } = buildFrontmatterSchema(config) as { properties: Record<string, unknown> };

  expect(properties["tracks"]).toEqual({ type: "string" });
  expect((buildFrontmatterSchema(DEFAULT_CONFIG)["properties"] as Record<string, unknown>)["tracks"]).toMatchObject({
    type: "array",
  });
});
