import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/parse_config.ts";
import { findingsOf, ID, said, specText } from "../../../../support/lint_world.ts";

const simple = (fields: string): string => specText(fields, "# Fix typo\n");

test("model_waste warns of an expensive model on a simple spec", async () => {
  expect(await findingsOf("model_waste", { [ID]: simple("model: claude-Opus-4") })).toMatchObject([
    { severity: "warning", field: "model", message: "model 'claude-Opus-4' for a simple spec", line: 2, column: 8 },
  ]);
  expect(await said("model_waste", simple("model: sonnet\ntarget_files: [a]"))).toHaveLength(1);
});

test("model_waste has nothing against a cheap model, or none", async () => {
  expect(await said("model_waste", simple("model: haiku"))).toEqual([]);
  expect(await said("model_waste", simple("status: pending"))).toEqual([]);
});

test("model_waste grants an expensive model to whatever is not simple", async () => {
  expect(await said("model_waste", specText("model: opus", "# Fix a longer typo\n"))).toEqual([]);
  expect(await said("model_waste", simple("model: opus\ntarget_files: [a, b]"))).toEqual([]);
  expect(await said("model_waste", specText("model: opus", "# A\n\n- [ ] b\n- [ ] c\n"))).toEqual([]);
});

test("model_waste exempts drivers, groups and research", async () => {
  for (const type of ["driver", "group", "research"]) {
    expect(await said("model_waste", simple(`model: opus\ntype: ${type}`))).toEqual([]);
  }
});

test("model_waste follows the configured thresholds", async () => {
  const { config } = parseConfig("---\nlint:\n  thresholds: {simple_words: 100}\n---\n");

  expect(await said("model_waste", specText("model: opus", "# Fix a longer typo\n"), { config })).toHaveLength(1);
});

test("model_waste takes the configured model where the spec names none", async () => {
  const { config } = parseConfig("---\ndefaults: {model: opus}\n---\n");

  expect(await said("model_waste", simple("status: pending"), { config })).toEqual([
    "warning: model 'opus' for a simple spec",
  ]);
  expect(await said("model_waste", simple("model: haiku"), { config })).toEqual([]);
});
