import { afterAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "../requirements/verifies.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { runPlanner } from "../support/planner_command.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const project = projectOfAllTests();
const client = new McpLines(project.root);
afterAll(() => client.end());
let counter = 0;

/** Writes a spec of its own for one test; returns its id. */
function spec(frontmatter: string, body = "# A title\n\nSome text.\n"): string {
  counter += 1;
  const id = `2026-11-07-${counter.toString(36).padStart(3, "0")}-abc`;
  project.spec(id, `---\n${frontmatter}\n---\n\n${body}`);
  return id;
}

const text = (id: string): string => project.read(`.planner/specs/${id}.md`);

verifies("spec_update.answer", async () => {
  const id = spec("status: pending");

  expect(await client.tool("planner_spec_update", { id, status: "failed" })).toEqual({
    text: `Updated spec: ${id}`,
    refused: false,
  });
});

verifies("spec_update.status", async () => {
  const id = spec("status: pending # by hand");
  for (const status of ["in_progress", "completed", "failed", "pending"]) {
    await client.tool("planner_spec_update", { id, status });

    expect(text(id)).toContain(`status: ${status} # by hand\n`);
  }
});

verifies("spec_update.invalid-status", async () => {
  const id = spec("status: pending");
  const before = text(id);

  const answer = await client.tool("planner_spec_update", { id, status: "done" });

  expect(answer.refused).toBe(true);
  expect(answer.text).toStartWith("Invalid status");
  expect(text(id)).toBe(before);
});

verifies("spec_update.nothing", async () => {
  const answer = await client.tool("planner_spec_update", { id: spec("status: pending") });

  expect(answer.refused).toBe(true);
  expect(answer.text).toStartWith("No updates specified");
});

verifies("spec_update.output-appended", async () => {
  const id = spec("status: pending");
  const output = `first line\n${"x".repeat(20_000)}\nlast line`;

  await client.tool("planner_spec_update", { id, output });

  expect(text(id)).toEndWith(`# A title\n\nSome text.\n\n## Output\n\n${output}\n`);
});

verifies("spec_update.replace-body", async () => {
  const kept = spec("status: pending");
  const replaced = spec("status: pending");

  await client.tool("planner_spec_update", { id: kept, output: "New text.", replace_body: true });
  await client.tool("planner_spec_update", { id: replaced, output: "# Other\n\nNew text.", replace_body: true });

  expect(text(kept)).toContain("# A title\n\nNew text.");
  expect(text(kept)).not.toContain("Some text.");
  expect(text(replaced)).toContain("# Other\n\nNew text.");
  expect(text(replaced)).not.toContain("# A title");
});

verifies("spec_update.fields", async () => {
  const other = spec("status: completed");
  const id = spec("status: pending");

  await client.tool("planner_spec_update", {
    id,
    depends_on: [other],
    labels: ["one", "two: three"],
    target_files: ["src/a.ts"],
    model: "small",
  });

  expect(await client.json("planner_spec_get", { id })).toMatchObject({
    depends_on: [other],
    labels: ["one", "two: three"],
    target_files: ["src/a.ts"],
    model: "small",
  });
});

verifies("spec.unknown-keys.kept", async () => {
  const id = spec("# who asked: Ann\nstatus: pending\nx-team: 'blue'\nnested: {a: [1, 2], b: ~}");

  await client.tool("planner_spec_update", { id, status: "completed", labels: ["done"] });

  expect(text(id)).toContain("# who asked: Ann\nstatus: completed\nx-team: 'blue'\nnested: {a: [1, 2], b: ~}\n");
});

async function added(args: Record<string, string>): Promise<{ id: string; answer: string }> {
  const { text: answer } = await client.tool("planner_add", args);
  return { id: /^Created spec: (\S+)/.exec(answer)?.[1] ?? "", answer };
}

verifies("add.answer", async () => {
  const { id } = await added({ description: "Sharpen the saw" });

  expect(id).toMatch(/^\d{4}-\d{2}-\d{2}-[0-9a-z]{3}-[0-9a-z]{3}$/);
  expect(text(id)).toContain(`id: ${id}\n`);
});

verifies("spec.title.from-description", async () => {
  const { id } = await added({ description: "Oil the chain" });

  expect(text(id)).toContain("# Oil the chain\n");
});

verifies("add.diagnostics", async () => {
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");

  const { answer } = await added({ description: `Too much at once\n\n${words}` });

  expect(answer).toMatch(/^Created spec: \S+\n\nLint diagnostics:\n/);
  expect(answer).toMatch(/\[WARNING\] complexity: .+\n\s*→ .+/);
});

verifies("add.prompt", async () => {
  project.write(".planner/prompts/careful.md", "---\nname: careful\n---\n\nGo slowly.\n");

  const { id } = await added({ description: "Move the piano", prompt: "careful" });

  expect(text(id)).toContain("prompt: careful\n");
});

const CRITERIA = (mark: string): string => `# Done?\n\n## Acceptance Criteria\n\n- [x] One\n- [${mark}] Two\n`;

verifies("finalize.completes", async () => {
  const id = spec("status: in_progress", CRITERIA("x"));

  const answer = await client.tool("planner_finalize", { id });

  expect(answer).toEqual({ text: `Finalized spec: ${id}`, refused: false });
  expect(text(id)).toContain("status: completed\n");
});

verifies("finalize.open-criteria", async () => {
  const id = spec("status: in_progress", CRITERIA(" "));
  const before = text(id);

  const answer = await client.tool("planner_finalize", { id });

  expect(answer).toEqual({
    text: `Spec '${id}' has 1 unchecked acceptance criteria. All criteria must be checked before finalization.`,
    refused: true,
  });
  expect(text(id)).toBe(before);
});

verifies("reset.failed", async () => {
  const id = spec("status: failed");

  expect((await client.tool("planner_reset", { id })).text).toBe(`Reset spec: ${id}`);
  expect(text(id)).toContain("status: pending\n");
});

verifies("cancel.cancels", async () => {
  const id = spec("status: pending");

  expect((await client.tool("planner_cancel", { id })).text).toBe(`Cancelled spec: ${id}`);
  expect(text(id)).toContain("status: cancelled\n");
});

verifies("archive.moves", async () => {
  const id = spec("status: completed");
  const before = text(id);

  const answer = await client.tool("planner_archive", { id });

  expect(answer.text).toBe(`Archived spec: ${id} -> .planner/archive/2026-11-07/${id}.md`);
  expect(existsSync(join(project.root, `.planner/specs/${id}.md`))).toBe(false);
  expect(project.read(`.planner/archive/2026-11-07/${id}.md`)).toBe(before);
});

verifies("archive.only-completed", async () => {
  const id = spec("status: pending");

  expect((await client.tool("planner_archive", { id })).refused).toBe(true);
  expect(existsSync(join(project.root, `.planner/specs/${id}.md`))).toBe(true);
});

verifies("cli.add", async () => {
  const { code, stdout, stderr } = await runPlanner(["add", "Plant a tree"], { cwd: project.root });
  const id = /^Created spec: (\S+)\n/.exec(stdout)?.[1] ?? "";

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(text(id)).toContain("# Plant a tree\n");
});
