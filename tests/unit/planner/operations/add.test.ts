import { expect, test } from "bun:test";
import { eachTest } from "../../../support/each_test.ts";
import { plannerProject } from "../../../support/planner_project.ts";

const idIn = (text: string): string => /^Created spec: (\S+)/.exec(text)?.[1] ?? expect.unreachable();

const project = eachTest(plannerProject);

test("planner_add writes a pending spec under a new id of today", async () => {
  const today = new Date();
  const day = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, "0")}-${String(today.getDate()).padStart(2, "0")}`;

  const first = idIn((await project.call("add", { description: "Sharpen the saw" })).text);
  const second = idIn((await project.call("add", { description: "Oil the chain" })).text);

  expect(first).toMatch(new RegExp(`^${day}-001-[0-9a-z]{3}$`));
  expect(second).toMatch(new RegExp(`^${day}-002-[0-9a-z]{3}$`));
  expect(project.specText(first)).toBe(
    `---\nid: ${first}\nstatus: pending\ntype: code\nlabels: []\n---\n\n# Sharpen the saw\n`,
  );
});

test("planner_add says nothing of lint when there is nothing to say", async () => {
  const { text } = await project.call("add", { description: "Sharpen the saw" });

  expect(text).toBe(`Created spec: ${idIn(text)}`);
});

test("planner_add refuses a prompt template that does not exist and creates nothing", async () => {
  expect((await project.call("add", { description: "x", prompt: "careful" })).text).toBe(
    'Prompt not found: "careful": expected a file in .planner/prompts, which has none',
  );
  project.write(".planner/prompts/careful.md", "Go slowly.\n");
  expect((await project.call("add", { description: "x", prompt: "carful" })).text).toBe(
    'Prompt not found: "carful": did you mean "careful"?',
  );
  expect((await project.call("add", { description: "x", prompt: "zzz" })).text).toBe(
    'Prompt not found: "zzz": expected one of careful',
  );
  expect((await project.call("add", { description: "x", prompt: "../config" })).refused).toBe(true);
  expect(await project.json("spec_list")).toMatchObject({ total: 0 });
});

test("planner_add refuses an empty description", async () => {
  for (const description of ["", " \n\t "]) {
    expect(await project.call("add", { description })).toEqual({
      text: "Invalid description: expected text to work from",
      refused: true,
    });
  }
  expect((await project.call("add")).text).toBe("Missing required parameter: description");
});

test("planner_add writes title, text, criteria, checks and fields in one call", async () => {
  const before = idIn((await project.call("add", { description: "Buy a saw" })).text);

  const { text } = await project.call("add", {
    description: "It has become blunt over the years.\n\nUse the fine file.",
    title: "Sharpen the saw",
    criteria: ["It cuts oak", "It is oiled"],
    checks: ["npm test -- saw", ""],
    labels: ["tools"],
    priority: "high",
    depends_on: [before.slice(-3)],
  });

  const id = idIn(text);
  expect(await project.json("spec_get", { id })).toMatchObject({
    title: "Sharpen the saw",
    labels: ["tools"],
    priority: "high",
    depends_on: [before],
    status: "blocked",
  });
  expect(project.specText(id)).toEndWith(
    "# Sharpen the saw\n\nIt has become blunt over the years.\n\nUse the fine file.\n\n## Acceptance Criteria\n\n" +
      "- [ ] It cuts oak\n  verify: npm test -- saw\n- [ ] It is oiled\n",
  );
});

test.each<[Record<string, unknown>, string]>([
  [{ title: "two\nlines" }, "Invalid title"],
  [{ criteria: ["two\nlines"] }, "Invalid criterion"],
  [{ criteria: ["one"], checks: ["a", "b"] }, "Invalid checks: 2 for 1 criteria"],
  [{ priority: "urgent" }, "Invalid priority: urgent"],
  [{ depends_on: ["nothing"] }, "nothing"],
])("planner_add refuses %p and creates nothing", async (given, why) => {
  expect(await project.call("add", { description: "Move it", ...given })).toMatchObject({
    refused: true,
    text: expect.stringContaining(why),
  });
  expect(await project.json("spec_list")).toMatchObject({ total: 0 });
});
