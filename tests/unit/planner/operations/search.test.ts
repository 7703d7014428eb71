import { expect, test } from "bun:test";
import { eachTest } from "../../../support/each_test.ts";
import { plannerProject } from "../../../support/planner_project.ts";

const FIRST = "2026-11-01-001-fir";
const SECOND = "2026-11-01-002-sec";
const OLD = "2026-10-01-001-old";

const project = async () => {
  const made = await plannerProject();
  made.spec(FIRST, "---\nstatus: pending\n---\n\n# Cut the ROPE\n\nwith Marmalade\n");
  made.spec(SECOND, `---\nstatus: pending\ndepends_on: [${FIRST}]\ntitle: Rope in frontmatter\n---\n\ntext\n`);
  made.write(`.planner/archive/2026-10-01/${OLD}.md`, "---\nstatus: completed\n---\n\n# An old rope\n");
  return made;
};

const made = eachTest(project);

test("planner_search finds title and body and shows where", async () => {
  expect(await made.json("search", { query: "rope" })).toEqual({
    query: "rope",
    specs: [
      { id: FIRST, title: "Cut the ROPE", status: "pending", type: "code", snippet: "Cut the ROPE" },
      { id: SECOND, title: "Rope in frontmatter", status: "blocked", type: "code", snippet: "Rope in frontmatter" },
    ],
    total: 2,
    limit: 50,
    returned: 2,
  });
  expect((await made.json("search", { query: "MARMALADE" })).specs[0].snippet).toBe("with Marmalade");
});

test("planner_search looks into the archive when asked to", async () => {
  const { specs, total } = await made.json("search", { query: "old rope", archived: true });

  expect(total).toBe(1);
  expect(specs).toEqual([
    { id: OLD, title: "An old rope", status: "completed", type: "code", archived: true, snippet: "An old rope" },
  ]);
  expect(await made.json("search", { query: "old rope" })).toMatchObject({ total: 0 });
});

test("planner_search filters by the status that it shows", async () => {
  const found = async (status: string, archived = false) =>
    (await made.json("search", { query: "rope", status, archived })).specs.map(({ id }: { id: string }) => id);

  expect(await found("pending")).toEqual([FIRST]);
  expect(await found("blocked")).toEqual([SECOND]);
  expect(await found("ready")).toEqual([FIRST]);
  expect(await found("completed", true)).toEqual([OLD]);
  expect(await found("ready", true)).toEqual([FIRST]);
});

test("planner_search refuses an empty query", async () => {
  for (const query of ["", "  \n"]) {
    expect(await made.call("search", { query })).toEqual({
      text: "Invalid query: expected text to find",
      refused: true,
    });
  }
});

test("planner_search refuses a query that no engine could look for", async () => {
  expect(await made.call("search", { query: "(".repeat(5000) })).toEqual({
    text: "Invalid query: expected at most 4096 characters, got 5000",
    refused: true,
  });
  expect(await made.call("search", { query: "(".repeat(4096) })).toMatchObject({ refused: false });
});
