import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/check_config.ts";
import { findingsOf, ID, lintTexts, OTHER, said, specText, THIRD } from "../../../../support/lint_world.ts";

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

const approval = (...lines: readonly string[]): string =>
  specText(["approval:", ...lines.map((line) => `  ${line}`)].join("\n"));

test("approval takes a block that is whole", async () => {
  expect(await said("approval", approval("required: true", "status: pending"))).toEqual([]);
  expect(await said("approval", approval("required: true"))).toEqual([]);
  expect(await said("approval", approval("status: approved", "by: ann", "at: 2026-11-20T10:00:00Z"))).toEqual([]);
  expect(await said("approval", specText("approval:"))).toEqual([]);
});

test("approval wants of a decision who and when", async () => {
  expect(await said("approval", approval("status: approved"))).toEqual([
    "error: approval.status is 'approved' but approval.by is missing",
    "error: approval.status is 'approved' but approval.at is missing",
  ]);
  expect(await said("approval", approval("status: rejected", "by: ann"))).toEqual([
    "error: approval.status is 'rejected' but approval.at is missing",
  ]);
});

test("approval refuses a name on what nobody decided", async () => {
  expect(
    await findingsOf("approval", { [ID]: approval("required: true", "status: pending", "by: ann") }),
  ).toMatchObject([
    {
      severity: "error",
      field: "approval.by",
      message: "approval.by is 'ann' while approval.status is 'pending'",
      line: 5,
      column: 7,
    },
  ]);
  expect(await said("approval", approval("by: ann"))).toHaveLength(1);
});

test("approval names an unknown status and the allowed ones", async () => {
  expect(await findingsOf("approval", { [ID]: approval("status: aproved") })).toMatchObject([
    {
      field: "approval.status",
      message: "approval.status 'aproved' not in enum [pending, approved, rejected]",
      allowed: ["pending", "approved", "rejected"],
      suggestion: "Did you mean 'approved'?",
      line: 3,
    },
  ]);
});

test("approval must be a block with a boolean in it", async () => {
  expect(await said("approval", specText("approval: yes"))).toEqual(["error: approval must be an object, got string"]);
  expect(await said("approval", approval('required: "true"'))).toEqual([
    "error: approval.required must be a boolean, got string",
  ]);
});

const dependsOn = (...ids: readonly string[]): string => specText(`status: pending\ndepends_on: [${ids.join(", ")}]`);

test("dependency names an unknown id in the contract's words, with its place and the nearest known one", async () => {
  const findings = await findingsOf("dependency", {
    [ID]: dependsOn(OTHER, "2026-11-21-003-gho"),
    [OTHER]: "# T\n",
    [THIRD]: "# T\n",
  });

  expect(findings).toEqual([
    {
      rule: "dependency",
      severity: "error",
      field: "depends_on",
      message: "depends_on '2026-11-21-003-gho' does not exist",
      allowed: [],
      suggestion: `Did you mean '${THIRD}'?`,
      line: 3,
      column: 34,
    },
  ]);
});

test("dependency suggests the full id of a partial one", async () => {
  const [finding] = await findingsOf("dependency", { [ID]: dependsOn("def"), [OTHER]: "# T\n" });

  expect(finding?.suggestion).toBe(`Did you mean '${OTHER}'?`);
});

test("dependency knows archived specs and files that do not parse", async () => {
  const others = { [OTHER]: "---\nstatus: [\n---\n" };

  expect(await said("dependency", dependsOn(OTHER, THIRD), { others, archived: [THIRD] })).toEqual([]);
});

test("dependency warns of an id that is listed twice", async () => {
  expect(await said("dependency", dependsOn(OTHER, OTHER), { others: { [OTHER]: "# T\n" } })).toEqual([
    `warning: depends_on '${OTHER}' is listed twice`,
  ]);
});

test("dependency refuses a spec that waits for itself, without calling it a cycle", async () => {
  expect(await said("dependency", dependsOn(ID))).toEqual([`error: depends_on '${ID}' is the spec itself`]);
});

//  ID ──> OTHER ──> THIRD ──> ID
test("dependency shows a cycle on each of its specs, whole and once", async () => {
  const { files } = await lintTexts({ [ID]: dependsOn(OTHER), [OTHER]: dependsOn(THIRD), [THIRD]: dependsOn(ID) });

  const cycles = files.map(({ findings }) => findings.filter(({ rule }) => rule === "dependency"));
  expect(cycles.map((each) => each.map(({ message }) => message))).toEqual([
    [`depends_on cycle: ${ID} -> ${OTHER} -> ${THIRD} -> ${ID}`],
    [`depends_on cycle: ${OTHER} -> ${THIRD} -> ${ID} -> ${OTHER}`],
    [`depends_on cycle: ${THIRD} -> ${ID} -> ${OTHER} -> ${THIRD}`],
  ]);
  expect(cycles.flat().map(({ line, column }) => [line, column])).toEqual([
    [3, 14],
    [3, 14],
    [3, 14],
  ]);
});

test("dependency takes a shared dependency for no cycle", async () => {
  const { errors } = await lintTexts({
    [ID]: dependsOn(OTHER, THIRD),
    [OTHER]: dependsOn(THIRD),
    [THIRD]: specText("status: pending"),
  });

  expect(errors).toBe(0);
});

test("dependency checks members in the same way", async () => {
  const driver = specText(`status: pending\ntype: driver\nmembers:\n  - ${OTHER}\n  - ${OTHER}\n  - nobody\n  - ${ID}`);

  expect(await findingsOf("dependency", { [ID]: driver, [OTHER]: "# T\n" })).toMatchObject([
    { severity: "warning", message: `members '${OTHER}' is listed twice`, line: 6 },
    { severity: "error", message: "members 'nobody' does not exist", line: 7, column: 5 },
    { severity: "error", message: `members '${ID}' is the spec itself`, line: 8 },
  ]);
});

test("dependency reads a list that is written as one text", async () => {
  expect(await findingsOf("dependency", { [ID]: specText("depends_on: nobody") })).toMatchObject([
    { message: "depends_on 'nobody' does not exist", line: 2, column: 13 },
  ]);
});
