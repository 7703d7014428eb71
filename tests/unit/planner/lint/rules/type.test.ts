import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/parse_config.ts";
import { findingsOf, ID, said, specText } from "../../../../support/lint_world.ts";

test("type takes every known type", async () => {
  for (const type of ["type: code", "type: task", "type: fix"]) {
    expect(await said("type", specText(`status: pending\n${type}`))).toEqual([]);
  }
});

test("type warns of an unknown type and names the nearest", async () => {
  expect(await findingsOf("type", { [ID]: specText("type: docz") })).toMatchObject([
    {
      severity: "warning",
      field: "type",
      message: "type 'docz' not in enum [code, task, docs, documentation, fix, research, driver, group]",
      allowed: ["code", "task", "docs", "documentation", "fix", "research", "driver", "group"],
      suggestion: "Did you mean 'docs'?",
      line: 2,
      column: 7,
    },
  ]);
});

test("type warns of a missing type in the contract's words, be the field absent, empty or null", async () => {
  for (const written of ["status: pending", "type:", 'type: ""', "type: ~"]) {
    expect(await said("type", specText(written))).toEqual(["warning: missing optional field 'type'"]);
  }
});

test("type leaves a required type to rule required", async () => {
  const { config } = parseConfig("---\nschema:\n  spec:\n    required: [type]\n---\n");

  expect(await said("type", specText("status: pending"), { config })).toEqual([]);
  expect(await said("required", specText("labels: []"), { config })).toEqual(["error: missing required field 'type'"]);
});

test("type lists the configured types for a missing one", async () => {
  const { config } = parseConfig("---\nschema:\n  spec:\n    fields:\n      type: {enum: [epic]}\n---\n");

  expect(await findingsOf("type", { [ID]: specText("status: pending") }, { config })).toMatchObject([
    { message: "missing optional field 'type'", allowed: ["epic"] },
  ]);
});

test("type leaves unknown types to a configured enum", async () => {
  const { config } = parseConfig("---\nschema:\n  spec:\n    fields:\n      type: {enum: [epic]}\n---\n");

  expect(await said("type", specText("type: epic"), { config })).toEqual([]);
  expect(await said("type", specText("type: code"), { config })).toEqual([]);
  expect(await said("required", specText("status: pending\nlabels: [a]\ntype: code"), { config })).toEqual([
    "error: type 'code' not in enum [epic]",
  ]);
});

test("type wants of documentation what it describes and where it stands", async () => {
  for (const type of ["docs", "documentation"]) {
    expect(await said("type", specText(`type: ${type}`))).toEqual([
      `warning: type '${type}' without tracks`,
      `warning: type '${type}' without target_files`,
    ]);
    expect(await said("type", specText(`type: ${type}\ntracks: [src/a.ts]\ntarget_files: [a.md]`))).toEqual([]);
  }
});

test("type wants of research a source and a target", async () => {
  expect(await said("type", specText("type: research\ninformed_by: []"))).toEqual([
    "warning: type 'research' without informed_by or origin",
    "warning: type 'research' without target_files",
  ]);
  expect(await said("type", specText("type: research\norigin: [a.pdf]\ntarget_files: [a.md]"))).toEqual([]);
  expect(await said("type", specText("type: research\ninformed_by: [a.md]\ntarget_files: [a.md]"))).toEqual([]);
});

test("type wants members of a driver and a group, listed or by their file names", async () => {
  for (const type of ["driver", "group"]) {
    expect(await said("type", specText(`type: ${type}\nmembers: []`))).toEqual([
      `warning: type '${type}' without members`,
    ]);
    expect(await said("type", specText(`type: ${type}\nmembers: [${ID}.1]`))).toEqual([]);
    expect(await said("type", specText(`type: ${type}`), { others: { [`${ID}.1`]: "# M\n" } })).toEqual([]);
  }
});
