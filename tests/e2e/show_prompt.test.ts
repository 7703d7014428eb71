import { expect, test } from "bun:test";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const ID = "2026-01-05-001-abc";
const project = projectOfAllTests();
project.write("notes.md", "Mind the door.\n");
project.write(
  ".planner/schemas/out.json",
  '{"type": "object", "required": ["floor"], "properties": {"floor": {"type": "integer"}}}',
);
project.spec(ID, "---\nstatus: pending\ncontext: [notes.md]\noutput_schema: out.json\n---\n# Move the piano\n\nUp.\n");

test("show --prompt prints the whole prompt of a run and nothing else", async () => {
  const { code, stdout, stderr } = await runPlanner(["show", "abc", "--prompt"], { cwd: project.root });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toStartWith(`# Work on ${ID}: Move the piano\n`);
  expect(stdout).toContain("### notes.md\n\n```md\nMind the door.\n```\n");
  expect(stdout).toContain(join(project.root, project.tree(ID)));
  expect(stdout).toContain(`on the branch \`planner/${ID}\``);
  expect(stdout).toContain("## Output Format\n");
  expect(stdout).toContain("- `floor` (integer)");
});

test("show --prompt follows the settings, warns on standard error and answers as JSON", async () => {
  project.write(
    ".planner/config.md",
    "---\nproject: {name: movers}\ndefaults: {prompt: short, branch_prefix: w-}\n---\n",
  );
  project.write(".planner/prompts/short.md", "{{project.name}}: {{spec.titel}} \u001b[31m\n");

  const plain = await runPlanner(["show", "abc", "--prompt"], { cwd: project.root });
  const json = await runPlanner(["show", "abc", "--prompt", "--json"], { cwd: project.root });

  expect(plain.stdout).toStartWith("movers: {{spec.titel}} \u001b[31m\n");
  expect(plain.stdout).toContain(`\`w-${ID}\``);
  expect(plain.stderr).toContain('Did you mean "{{spec.title}}"?');
  expect(JSON.parse(json.stdout)).toMatchObject({ spec_id: ID, template: "short", prompt: plain.stdout });
  expect(JSON.parse(json.stdout).warnings).toHaveLength(1);
});

test("show --prompt refuses what cannot be assembled, and --raw beside it", async () => {
  project.write(".planner/config.md", "---\ndefaults: {prompt: shrt}\n---\n");

  const missing = await runPlanner(["show", "abc", "--prompt"], { cwd: project.root });
  const both = await runPlanner(["show", "abc", "--prompt", "--raw"], { cwd: project.root });

  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toContain('Prompt not found: "shrt": did you mean "short"?');
  expect(both).toMatchObject({ code: 2, stdout: "" });
});
