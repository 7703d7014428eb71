import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const SPECS = [
  ["2026-11-01-001-aaa", "labels: [api, web]\npriority: high\nassignee: ada\n", "Cut the rope"],
  ["2026-11-01-002-bbb", "labels: [api]\npriority: low\nassignee: ben\n", "Sell rope"],
  ["2026-11-01-003-ccc", "labels: [web]\npriority: high\nassignee: ben\n", "Sharpen the saw"],
  ["2026-11-01-004-ddd", "", "Tie the rope"],
] as const;

async function project() {
  const made = await plannerProject();
  for (const [id, fields, title] of SPECS) made.spec(id, `---\nstatus: pending\n${fields}---\n\n# ${title}\n`);
  return made;
}

const ends = (text: string): string =>
  (JSON.parse(text) as { specs: { id: string }[] }).specs.map(({ id }) => id.slice(-3)).join(" ");

// The most urgent first in `ready`; `search` finds "the" in three titles.
test.each<[Record<string, unknown>, list: string, ready: string, search: string]>([
  [{ label: "api" }, "aaa bbb", "aaa bbb", "aaa"],
  [{ priority: "high" }, "aaa ccc", "aaa ccc", "aaa ccc"],
  [{ assignee: "ben" }, "bbb ccc", "ccc bbb", "ccc"],
  [{ label: "web", priority: "high", assignee: "ben" }, "ccc", "ccc", "ccc"],
  [{ label: "ap" }, "", "", ""],
  [{ offset: 1 }, "bbb ccc ddd", "ccc bbb ddd", "ccc ddd"],
  [{ offset: 1, limit: 1 }, "bbb", "ccc", "ccc"],
  [{ offset: 9 }, "", "", ""],
])("lists narrowed by %p", async (given, list, ready, search) => {
  using made = await project();

  expect(ends((await made.call("spec_list", given)).text)).toBe(list);
  expect(ends((await made.call("ready", given)).text)).toBe(ready);
  expect(ends((await made.call("search", { query: "THE", ...given })).text)).toBe(search);
});

test("planner_spec_list and planner_ready narrow by a text in any case", async () => {
  using made = await project();

  expect(ends((await made.call("spec_list", { text: "ROPE" })).text)).toBe("aaa bbb ddd");
  expect(ends((await made.call("ready", { text: "rope", label: "api" })).text)).toBe("aaa bbb");
});

test("a page names its offset and the total before it", async () => {
  using made = await project();

  const page = JSON.parse((await made.call("spec_list", { offset: 1, limit: 2 })).text);

  expect(page).toMatchObject({ total: 4, limit: 2, offset: 1, returned: 2 });
  expect(JSON.parse((await made.call("spec_list", {})).text)).not.toHaveProperty("offset");
});

test.each<[Record<string, unknown>, string]>([
  [{ label: " " }, "Invalid label"],
  [{ assignee: "" }, "Invalid assignee"],
  [{ text: "" }, "Invalid text"],
  [{ priority: "urgent" }, "Invalid priority: urgent. Must be one of: critical, high, medium, low"],
  [{ offset: -1 }, 'Invalid parameter "offset": expected integer of at least 0'],
])("lists refuse %p", async (given, why) => {
  using made = await project();

  await expect(made.call("spec_list", given)).resolves.toMatchObject({
    refused: true,
    text: expect.stringContaining(why),
  });
});
