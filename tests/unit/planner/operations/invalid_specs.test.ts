import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const [GOOD, DRAFT, BARE, LOST, LIST] = [1, 2, 3, 4, 5].map((number) => `2026-11-01-00${number}-abc`) as [
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
  project.spec(GOOD, `---\nstatus: in_progress\n---\n${BODY}`);
  project.spec(DRAFT, `---\nstatus: draft\n---\n${BODY}`);
  project.spec(BARE, `---\nlabels: [x]\n---\n${BODY}`);
  project.spec(LOST, `---\nstatus: in_progress\ndepends_on: [${GOOD}, 2026-11-01-099-zzz]\n---\n${BODY}`);
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
  expect(await project.json("spec_get", { id: GOOD })).not.toHaveProperty("invalid");
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
  expect((await project.call("finalize", { id: GOOD })).refused).toBe(false);
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
  expect(messages[GOOD]).toEqual(["missing required field 'owner'", "status 'in_progress' not in enum [draft]"]);
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
