import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/parse_config.ts";
import { findingsOf, ID, lintTexts, said, specText } from "../../../../support/lint_world.ts";

const configured = (yaml: string) => ({ config: parseConfig(`---\n${yaml}\n---\n`).config });

test("required misses a status that is absent, empty or null", async () => {
  for (const written of ["type: code", "status:", 'status: ""', "status: ~"]) {
    expect(await said("required", specText(`${written}\nlabels: [a]`))).toEqual([
      "error: missing required field 'status'",
    ]);
  }
});

test("required warns of missing labels in the contract's words", async () => {
  expect(await said("required", specText("status: pending"))).toEqual(["warning: missing optional field 'labels'"]);
  expect(await said("required", specText("status: pending\nlabels: []"))).toEqual([]);
});

test("required demands the configured fields", async () => {
  const config = configured("schema:\n  spec:\n    required: [status, model, id, labels]");

  expect(await said("required", specText("status: pending"), config)).toEqual([
    "error: missing required field 'model'",
    "error: missing required field 'id'",
    "error: missing required field 'labels'",
  ]);
});

test("required takes the heading for a required title", async () => {
  const config = configured("schema:\n  spec:\n    required: [title]");

  expect(await said("required", specText("labels: [a]"), config)).toEqual([]);
});

test("required names a status outside the enum with the allowed values and its place", async () => {
  const [finding, ...more] = await findingsOf("required", { [ID]: specText("labels: [a]\nstatus: pendign # soon") });

  expect(more).toEqual([]);
  expect(finding).toEqual({
    rule: "required",
    severity: "error",
    field: "status",
    message: "status 'pendign' not in enum [pending, in_progress, completed, failed]",
    allowed: ["pending", "in_progress", "completed", "failed"],
    suggestion: "Did you mean 'pending'?",
    line: 3,
    column: 9,
  });
});

test("required accepts the statuses that the tool writes and ready, and no older or other one", async () => {
  for (const status of ["cancelled", "blocked", "needs_attention", "ready"]) {
    expect(await said("required", specText(`status: ${status}\nlabels: [a]`))).toEqual([]);
  }
  for (const status of ["paused", "Pending", "done"]) {
    expect(await said("required", specText(`status: ${status}\nlabels: [a]`))).toHaveLength(1);
  }
});

test("required tells how an older word for a status is read", async () => {
  const [finding] = await findingsOf("required", { [ID]: specText("status: paused\nlabels: [a]") });

  expect(finding?.suggestion).toBe("Write in_progress, which it is read as");
});

test("required holds the configured enum for any field, item by item for a list", async () => {
  const config = configured(
    "schema:\n  spec:\n    fields:\n      team: {type: string, enum: [red, blue]}\n      labels: {enum: [api, web]}\n      size: {type: integer, enum: [1, 2]}",
  );

  expect(await said("required", specText("status: failed\nteam: green\nlabels: [api, ap]\nsize: 3"), config)).toEqual([
    "error: labels 'ap' not in enum [api, web]",
    "error: team 'green' not in enum [red, blue]",
    "error: size '3' not in enum [1, 2]",
  ]);
});

test("required names the type that came and the one that was expected", async () => {
  const config = configured(
    "schema:\n  spec:\n    fields:\n      owners: {type: array, items: string}\n      count: {type: integer}\n      ratio: {type: number}\n      on: {type: boolean}\n      more: {type: object}\n      version: {type: string}\n      tags: {items: integer}",
  );
  const wrong = specText(
    "status: failed\nlabels: [a, {b: c}]\nowners: ann\ncount: 1.5\nratio: much\non: 1\nmore: []\nversion: 1.10\ntags: [1, x]",
  );

  expect(await said("required", wrong, config)).toEqual([
    "error: labels[1] must be a string, got object",
    "error: owners must be an array of string, got string",
    "error: count must be an integer, got number",
    "error: ratio must be a number, got string",
    "error: on must be a boolean, got number",
    "error: more must be an object, got array",
    "error: version must be a string, got number",
    "error: tags[1] must be an integer, got string",
  ]);
});

test("required places an item of a list at its own line", async () => {
  const [finding] = await findingsOf("required", { [ID]: specText("status: failed\nlabels:\n  - a\n  - b: c") });

  expect(finding).toMatchObject({ field: "labels", line: 5, column: 5 });
});

test("required keeps what the document's known texts were written as", async () => {
  expect(await said("required", specText("status: pending\nlabels: [007, 1.10, true]\nmodel: 4"))).toEqual([]);
});

test("required refuses an id that is not the file's", async () => {
  const [finding] = await findingsOf("required", {
    [ID]: specText("id: 2026-11-21-009-xyz\nstatus: pending\nlabels: [a]"),
  });

  expect(finding).toMatchObject({
    severity: "error",
    field: "id",
    message: `id '2026-11-21-009-xyz' differs from the file name '${ID}'`,
    line: 2,
    column: 5,
  });
});

test("required takes a missing id for no fault", async () => {
  expect(await said("required", specText("status: pending\nlabels: [a]"))).toEqual([]);
});

test("required warns of a file name without the dated shape", async () => {
  const { files } = await lintTexts({ notes: specText("status: pending\nlabels: [a]\ntype: code") });

  expect(files[0]?.findings).toMatchObject([
    {
      rule: "required",
      severity: "warning",
      field: "id",
      message: "id 'notes' does not have the shape <YYYY-MM-DD>-<NNN>-<suffix>",
    },
  ]);
});

test("required judges a file without frontmatter as one without fields", async () => {
  expect(await said("required", "# Title\n")).toEqual([
    "error: missing required field 'status'",
    "warning: missing optional field 'labels'",
  ]);
});
