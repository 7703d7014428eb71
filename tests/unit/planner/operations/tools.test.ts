import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tools } from "#planner/operations/index.ts";
import { type PlannerProject, plannerProject } from "../../../support/planner_project.ts";

test("tools describes every parameter in a short line", () => {
  for (const { params } of tools) {
    for (const [name, schema] of Object.entries(params.properties)) {
      expect(schema.description, name).toBeString();
      expect(schema.description?.length, name).toBeLessThanOrEqual(90);
    }
  }
});

const text = readFileSync(join(import.meta.dirname, "../../../../docs/tools.md"), "utf8");

/** The part of the document about each tool, by name. */
const parts = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.split(/^## /m)[0] ?? ""]),
);

test("docs/tools.md describes every tool", () => {
  expect([...parts.keys()].sort()).toEqual(tools.map(({ name }) => name).sort());
});

const ID = "2026-11-01-001-abc";

/** Every file of the project with its content and the time of its last change; a writer also touches its lock. */
function snapshot({ root }: PlannerProject): Record<string, string> {
  const files = readdirSync(join(root, ".planner"), { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    files
      .filter((name) => !name.startsWith("locks/"))
      .map((name) => join(root, ".planner", name))
      .filter((path) => statSync(path).isFile())
      .map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}`]),
  );
}

async function project(status: string): Promise<PlannerProject> {
  const made = await plannerProject();
  made.spec(ID, `---\nstatus: ${status}\n---\n\n# T\n\n- [x] One\n`);
  made.write(`.planner/logs/${ID}.log`, "2026-11-01T10:00:00.000Z hello\n");
  return made;
}

test("tools that read change nothing on the disk", async () => {
  using made = await project("in_progress");
  const before = snapshot(made);

  for (const { name } of tools.filter(({ effect }) => effect === "read")) {
    const args = { planner_search: { query: "T" }, planner_status: { include_activity: true } }[name];
    const takesId = !["spec_list", "ready", "status", "search", "work_list", "watch_status"].includes(name.slice(8));
    const { refused } = await made.call(name.replace("planner_", ""), args ?? (takesId ? { id: ID } : {}));

    expect(refused, name).toBe(false);
  }

  expect(snapshot(made)).toEqual(before);
});

test("tools that call themselves idempotent change nothing more the second time", async () => {
  const starts: Record<string, string> = {
    finalize: "in_progress",
    reset: "failed",
    cancel: "pending",
    archive: "completed",
    pause: "in_progress",
    takeover: "in_progress",
    split: "pending",
  };
  for (const { name } of tools.filter(({ effect, idempotent }) => effect !== "read" && idempotent)) {
    const tool = name.replace("planner_", "");
    using made = await project(starts[tool] ?? "pending");
    const args = tool.startsWith("watch") ? {} : { id: ID };
    await made.call(tool, args);
    const once = snapshot(made);

    await made.call(tool, args);

    expect(snapshot(made), name).toEqual(once);
  }
});
