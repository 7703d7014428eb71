import { expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { runPlanner } from "../support/planner_command.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const SCHEMA = ".planner/schemas/report.json";
const GOOD = '{"name":"saw","teeth":24}';

const project = projectOfAllTests();
let counter = 0;
project.write(
  SCHEMA,
  JSON.stringify({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["name", "teeth"],
    properties: { name: { type: "string", pattern: "^[a-z]+$" }, teeth: { type: "integer" } },
  }),
);

/** A spec whose agent printed `output`; returns its id. */
function spec(status: string, output: string): string {
  counter += 1;
  const id = `2026-11-01-${counter.toString(36).padStart(3, "0")}-out`;
  project.spec(
    id,
    `---\nstatus: ${status}\nlabels: [a]\noutput_schema: ${SCHEMA}\n---\n\n# T\n\n## Acceptance Criteria\n\n- [x] Done\n`,
  );
  const logged = output.split("\n").map((line) => `2026-11-01T10:00:00.000Z ${line}\n`);
  project.write(`.planner/logs/${id}.log`, logged.join(""));
  return id;
}

async function verified(output: string): Promise<{ code: number | null; stdout: string; id: string }> {
  const id = spec("in_progress", output);
  const { code, stdout } = await runPlanner(["verify", id, "--output"], { cwd: project.root });
  return { code, stdout, id };
}

verifies("output.passed", async () => {
  const { code, stdout } = await verified(GOOD);

  expect(stdout).toContain(`Output validation passed (schema: ${SCHEMA})`);
  expect(code).toBe(0);
});

verifies("output.failed", async () => {
  const { code, stdout, id } = await verified('{"teeth":"many"}');

  expect(stdout).toContain(`Output validation failed (schema: ${SCHEMA})`);
  expect(stdout).toContain("missing required field 'name'");
  expect(stdout).toContain("/teeth: expected integer, got string");
  expect(stdout).toContain(`.planner/logs/${id}.log`);
  expect(code).toBe(1);
});

verifies("output.fenced", async () => {
  expect((await verified(`Here {not it} is:\n\`\`\`json\n${GOOD}\n\`\`\`\nBye`)).code).toBe(0);
  expect((await verified(`Here {not it} is:\n\`\`\`\n${GOOD}\n\`\`\`\nBye`)).code).toBe(0);
});

verifies("output.whole", async () => {
  expect((await verified(JSON.stringify(JSON.parse(GOOD), null, 2))).code).toBe(0);
});

verifies("output.embedded", async () => {
  expect((await verified(`I made {"name":"saw","teeth":24} for you`)).code).toBe(0);
});

async function finalized(strict: boolean): Promise<{ text: string; refused: boolean; file: string }> {
  project.write(".planner/config.md", `---\nvalidation:\n  strict_output_validation: ${strict}\n---\n`);
  const id = spec("in_progress", '{"name":"saw"}');
  await using client = new McpLines(project.root);
  const answer = await client.tool("planner_finalize", { id });
  return { ...answer, file: project.read(`.planner/specs/${id}.md`) };
}

verifies("output.strict", async () => {
  const { text, refused, file } = await finalized(true);

  expect(refused).toBe(true);
  expect(text).toContain("missing required field 'teeth'");
  expect(file).toContain("status: needs_attention\n");
});

verifies("output.lax", async () => {
  const { text, refused, file } = await finalized(false);

  expect(refused).toBe(false);
  expect(text.replaceAll(/2026-11-01-\w+-out/g, "ID").split("\n")).toEqual([
    "Finalized spec: ID",
    `Output validation failed (schema: ${SCHEMA})`,
    "  missing required field 'teeth'",
    "See the log: .planner/logs/ID.log",
  ]);
  expect(file).toContain("status: completed\n");
});

verifies("lint.completed-output", async () => {
  const id = spec("completed", '{"name":"saw"}');

  const { code, stdout } = await runPlanner(["lint", id], { cwd: project.root });

  expect(stdout).toContain("missing required field 'teeth'");
  expect(code).toBe(1);
});
