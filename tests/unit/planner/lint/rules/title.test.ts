import { expect, test } from "bun:test";
import { said, specText } from "../../../../support/lint_world.ts";

test("title misses a heading that names the spec", async () => {
  expect(await said("title", specText("status: pending", "Text only.\n"))).toEqual(["error: missing title"]);
  expect(await said("title", specText("status: pending", "## Acceptance Criteria\n\n- [ ] a\n"))).toEqual([
    "error: missing title",
  ]);
  expect(await said("title", specText("status: pending", "```\n# Code\n```\n"))).toEqual(["error: missing title"]);
});

test("title is content with a heading or with the field", async () => {
  expect(await said("title", specText("status: pending", "Before.\n\n# Title\n"))).toEqual([]);
  expect(await said("title", specText("status: pending", "### Title\n"))).toEqual([]);
  expect(await said("title", specText("status: pending\ntitle: Named", "Text only.\n"))).toEqual([]);
});
