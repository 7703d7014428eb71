import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const GOOD = "2026-11-01-001-goo";
const BAD = "2026-11-01-002-bad";
const BROKEN = "2026-11-01-003-bro";

const project = async () => {
  const made = await plannerProject();
  made.spec(GOOD, "---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# Good\n\n- [ ] Add one\n- [ ] Test it\n");
  made.spec(BAD, "---\nstatus: pending\nlabels: [a]\ntype: code\ndepends_on: [2026-01-01-001-zzz]\n---\n\nno title\n");
  return made;
};

test("planner_lint checks every active spec", async () => {
  using made = await project();

  const report = await made.json("lint", { grades: true });

  expect(report).toMatchObject({ specs_checked: 2, errors: 2, warnings: 0 });
  expect(report.diagnostics).toMatchObject([
    { spec_id: BAD, severity: "error", rule: "title", message: "missing title" },
    { spec_id: BAD, severity: "error", rule: "dependency", message: "depends_on '2026-01-01-001-zzz' does not exist" },
  ]);
  for (const { suggestion } of report.diagnostics) expect(["undefined", "string"]).toContain(typeof suggestion);
  expect(JSON.stringify(report)).not.toContain('"suggestion":null');
  expect(report.results).toMatchObject([
    { id: GOOD, title: "Good" },
    { id: BAD, title: null },
  ]);
});

test("planner_lint grades each spec", async () => {
  using made = await project();

  const { results } = await made.json("lint", { id: GOOD });

  expect(results).toEqual([
    {
      id: GOOD,
      title: "Good",
      traffic_light: "green",
      complexity: "A",
      confidence: "A",
      splittability: "C",
      ac_quality: "B",
      isolation: null,
      suggestions: expect.any(Array),
    },
  ]);
});

test("planner_lint checks one spec by a part of its id, against the whole project", async () => {
  using made = await project();
  made.spec(
    "2026-11-01-004-dep",
    `---\nstatus: pending\nlabels: [a]\ntype: code\ndepends_on: [${GOOD}]\n---\n\n# Depends\n`,
  );

  expect(await made.json("lint", { id: "dep" })).toMatchObject({ specs_checked: 1, errors: 0, diagnostics: [] });
  expect(await made.json("lint", { id: "bad" })).toMatchObject({ specs_checked: 1, errors: 2 });
  expect(await made.call("lint", { id: "zzz" })).toEqual({ text: "Spec not found: zzz", refused: true });
});

test("planner_lint reports a file that cannot be parsed under its id", async () => {
  using made = await project();
  made.spec(BROKEN, "---\nstatus: [\n---\n\n# Broken\n");

  const report = await made.json("lint", { grades: true });

  expect(report.specs_checked).toBe(3);
  expect(report.diagnostics.at(-1)).toMatchObject({ spec_id: BROKEN, severity: "error", rule: "parse" });
  expect(report.results).toHaveLength(2);
  expect(await made.json("lint", { id: BROKEN })).toMatchObject({ specs_checked: 1, errors: 1, results: [] });
});

test("planner_lint pages findings and leaves grades out unless they are asked for", async () => {
  using made = await project();
  for (let at = 0; at < 60; at++)
    made.spec(`2026-11-02-0${String(at).padStart(2, "0")}-aaa`, "---\nstatus: pending\ntype: code\n---\n\n# T\n");

  const first = await made.json("lint");
  const second = await made.json("lint", { offset: 50, limit: 100 });

  expect(first).toMatchObject({ warnings: 60, errors: 2, total: 62, offset: 0, returned: 50, results: [] });
  expect(second).toMatchObject({ total: 62, offset: 50, returned: 12 });
  expect([...first.diagnostics, ...second.diagnostics]).toHaveLength(62);
});

test("planner_lint gives no advice about closed specs unless it is asked for", async () => {
  using made = await plannerProject();
  made.spec(GOOD, "---\nstatus: completed\ntype: code\n---\n\n# Good\n");
  made.spec(BAD, "---\nstatus: cancelled\ntype: code\ndepends_on: [2026-01-01-001-zzz]\n---\n\n# Bad\n");

  expect(await made.json("lint")).toMatchObject({ specs_checked: 2, errors: 1, warnings: 0 });
  expect(await made.json("lint", { all: true })).toMatchObject({ errors: 1, warnings: 2 });
  expect(await made.json("lint", { id: GOOD })).toMatchObject({ errors: 0, warnings: 1 });
});

test("planner_lint reports folders and endings that no one reads", async () => {
  using made = await plannerProject();
  made.write(".planner/specs/later/2026-11-01-001-goo.md", "---\nstatus: pending\n---\n\n# Good\n");
  made.write(".planner/specs/2026-11-01-002-bad.MD", "---\nstatus: pending\n---\n\n# Bad\n");

  const report = await made.json("lint");

  expect(report).toMatchObject({ specs_checked: 0, errors: 0, warnings: 2 });
  expect(report.diagnostics.map(({ message }: { message: string }) => message)).toEqual([
    "a folder is not read",
    "a file without the ending '.md' is not read",
  ]);
});

test("the settings change a rule's severity or switch it off", async () => {
  using made = await plannerProject();
  made.write(".planner/config.md", "---\nlint:\n  severity:\n    required: error\n    title: off\n---\n");
  made.spec(GOOD, "---\nstatus: pending\ntype: code\n---\n\nno title\n");

  const report = await made.json("lint");

  expect(report.diagnostics).toMatchObject([
    { severity: "error", rule: "required", message: "missing optional field 'labels'" },
  ]);
});

const [INVALID_SPECS_GOOD, DRAFT, BARE, LOST, LIST] = [1, 2, 3, 4, 5].map((number) => `2026-11-01-00${number}-abc`) as [
  string,
  string,
  string,
  string,
  string,
];
const ENUM = ["pending", "in_progress", "completed", "failed"];
const BODY = "# A title\n\n- [x] It is done\n";

async function mixedProject() {
  const project = await plannerProject();
  project.spec(INVALID_SPECS_GOOD, `---\nstatus: in_progress\n---\n${BODY}`);
  project.spec(DRAFT, `---\nstatus: draft\n---\n${BODY}`);
  project.spec(BARE, `---\nlabels: [x]\n---\n${BODY}`);
  project.spec(LOST, `---\nstatus: in_progress\ndepends_on: [${INVALID_SPECS_GOOD}, 2026-11-01-099-zzz]\n---\n${BODY}`);
  project.spec(LIST, `---\nstatus: [completed]\n---\n${BODY}`);
  return project;
}

const INVALID: Readonly<Record<string, readonly object[]>> = {
  [DRAFT]: [{ field: "status", message: `status 'draft' not in enum [${ENUM.join(", ")}]`, allowed: ENUM }],
  [BARE]: [{ field: "status", message: "missing required field 'status'", allowed: [] }],
  [LOST]: [{ field: "depends_on", message: "depends_on '2026-11-01-099-zzz' does not exist", allowed: [] }],
  [LIST]: [{ field: "status", message: "status must be a string, got array", allowed: [] }],
};

test("get refuses a spec that is not valid, and every list says why", async () => {
  using project = await mixedProject();

  const { specs } = await project.json("spec_list");
  const found = await project.json("search", { query: "title" });
  const { specs: ready } = await project.json("ready");

  for (const rows of [specs, found.specs]) {
    for (const row of rows) expect([row.id, row.invalid]).toEqual([row.id, INVALID[row.id]]);
    expect(rows).toHaveLength(5);
  }
  expect(ready.map(({ id, invalid }: { id: string; invalid: unknown }) => [id, invalid])).toEqual([
    [BARE, INVALID[BARE]],
  ]);
  for (const [id, invalid] of Object.entries(INVALID)) {
    const { refused, text } = await project.call("spec_get", { id });
    expect([refused, text]).toEqual([true, expect.stringContaining(`error: ${Object(invalid[0]).message}`)]);
  }
  expect(await project.json("spec_get", { id: INVALID_SPECS_GOOD })).not.toHaveProperty("invalid");
});

test("verify and finalize refuse a spec that is not valid, and change nothing", async () => {
  using project = await mixedProject();

  for (const [id, [invalid]] of Object.entries(INVALID)) {
    const before = project.specText(id);
    for (const tool of ["verify", "finalize"]) {
      const { refused, text } = await project.call(tool, { id });
      expect([tool, refused, text]).toEqual([
        tool,
        true,
        `Cannot ${tool} spec '${id}': it is not valid: ${Object(invalid).message}`,
      ]);
    }
    expect(project.specText(id)).toBe(before);
  }
  expect((await project.call("finalize", { id: INVALID_SPECS_GOOD })).refused).toBe(false);
});

test("the configured schema decides what is valid, and a rule that is switched off finds nothing", async () => {
  using project = await mixedProject();
  project.write(
    ".planner/config.md",
    "---\nschema: {spec: {required: [status, owner], fields: {status: {type: string, enum: [draft]}}}}\nlint: {disable: [dependency]}\n---\n",
  );

  const { specs } = await project.json("spec_list");
  const messages = Object.fromEntries(
    specs.map(({ id, invalid = [] }: { id: string; invalid?: { message: string }[] }) => [
      id,
      invalid.map(({ message }) => message),
    ]),
  );

  expect(messages[DRAFT]).toEqual(["missing required field 'owner'"]);
  expect(messages[INVALID_SPECS_GOOD]).toEqual([
    "missing required field 'owner'",
    "status 'in_progress' not in enum [draft]",
  ]);
  expect(messages[LOST]).not.toContain("depends_on '2026-11-01-099-zzz' does not exist");
});

test("a broken configuration hides no spec, and dependencies are judged without it", async () => {
  using project = await mixedProject();
  project.write(".planner/config.md", "---\nschema: [\n---\n");

  const { specs } = await project.json("spec_list");

  expect(specs.filter(({ invalid }: { invalid?: unknown }) => invalid !== undefined)).toMatchObject([
    { id: LOST, invalid: INVALID[LOST] },
  ]);
});

const ID = "2026-11-01-001-abc";
const HEAD = "---\nstatus: pending\ntype: code\nlabels: [x]\n---\n# A title\n\n";
const SIDES = "<<<<<<< HEAD\n- [x] one\n=======\n- [ ] two\n>>>>>>> planner/other\n";
const MESSAGE = "a conflict of git is not resolved: expected one of its two sides, and no line that git marked";

const IN_BODY: Readonly<Record<string, string>> = {
  "both sides": HEAD + SIDES,
  "with the base between them": HEAD + SIDES.replace("=======", "||||||| 1234567\n- [ ] none\n======="),
  "what is left of one": `${HEAD}- [ ] one\n>>>>>>> planner/other\n`,
  "windows line ends": (HEAD + SIDES).replaceAll("\n", "\r\n"),
  "behind a fence": `${HEAD}\`\`\`\ncode\n\`\`\`\n${SIDES}`,
};

for (const [name, text] of Object.entries(IN_BODY)) {
  test(`a conflict in the body is an error of rule parse, and the spec is not valid: ${name}`, async () => {
    using project = await plannerProject();
    project.spec(ID, text);

    const { specs } = await project.json("spec_list");
    const { refused } = await project.call("finalize", { id: ID });
    const { checks } = await project.json("diagnose", { id: ID });

    expect(await findings(project)).toContainEqual(["error", "parse", MESSAGE]);
    expect(specs[0].invalid).toEqual([{ field: "body", message: MESSAGE, allowed: [] }]);
    expect(refused).toBe(true);
    expect(checks[0]).toMatchObject({ passed: false, details: MESSAGE });
  });
}

const IN_FRONTMATTER: Readonly<Record<string, readonly [text: string, line: number]>> = {
  "one field": ["---\n<<<<<<< HEAD\nstatus: pending\n=======\nstatus: failed\n>>>>>>> b\n---\n# A title\n", 2],
  "the second field": ["---\nlabels: [x]\n<<<<<<< HEAD\nstatus: pending\n=======\n>>>>>>> b\n---\n# A title\n", 3],
  "the whole file": [`<<<<<<< HEAD\n${HEAD}=======\n${HEAD}>>>>>>> b\n`, 1],
};

for (const [name, [text, line]] of Object.entries(IN_FRONTMATTER)) {
  test(`a spec with a conflict in the frontmatter is unreadable with the line: ${name}`, async () => {
    using project = await plannerProject();
    project.spec(ID, text);

    const { unreadable } = await project.json("spec_list");

    expect(unreadable).toMatchObject([{ line, column: 1, message: MESSAGE }]);
    expect(await findings(project)).toEqual([["error", "parse", `cannot be parsed: ${MESSAGE}`]]);
  });
}

test("what only looks like a conflict is none", async () => {
  const bodies = [
    `\`\`\`\n${SIDES}\`\`\`\n`,
    `- [ ] a\n\n  ~~~text\n${SIDES}  ~~~\n`,
    "Heading\n=======\n\ntext\n",
    "a <<<<<<< b\n    <<<<<<< HEAD\n",
    "<<<<<<<< eight\n",
    `- [ ] one\n\n## Output\n\nIt was:\n\n${SIDES}`,
  ];
  for (const body of bodies) {
    using project = await plannerProject();
    project.spec(ID, HEAD + body);

    expect((await findings(project)).filter(([, rule]) => rule === "parse")).toEqual([]);
    expect((await project.json("spec_list")).specs[0].invalid).toBeUndefined();
  }
});

type Project = Awaited<ReturnType<typeof plannerProject>>;

async function findings(project: Project): Promise<unknown[][]> {
  const { diagnostics } = await project.json("lint", { id: ID });
  return diagnostics.map(({ severity, rule, message }: Record<string, unknown>) => [severity, rule, message]);
}
