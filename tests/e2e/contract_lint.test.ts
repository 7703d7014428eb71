import { expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const ID = "2026-11-01-001-abc";

/** Lints a project of one spec and gives the spec's text afterwards. */
async function lint(
  spec: string,
  args: readonly string[] = [],
  config?: string,
): Promise<RunResult & { text: string }> {
  using project = tempProject();
  project.spec(ID, spec);
  if (config !== undefined) project.write(".planner/config.md", `---\n${config}\n---\n`);
  const result = await runPlanner(["lint", ...args], { cwd: project.root });
  return { ...result, text: project.read(`.planner/specs/${ID}.md`) };
}

const lines = ({ stdout }: RunResult): string[] => stdout.trimEnd().split("\n");

verifies("lint.text.enum", async () => {
  const result = await lint("---\nstatus: nearly\nlabels: [a]\ntype: code\n---\n\n# T\n");

  expect(lines(result)[0]).toBe(`.planner/specs/${ID}.md:`);
  expect(lines(result)).toContain("  error: status 'nearly' not in enum [pending, in_progress, completed, failed]");
  expect(result.code).toBe(1);
});

verifies("lint.text.dependency", async () => {
  const result = await lint(
    "---\nstatus: pending\nlabels: [a]\ntype: code\ndepends_on: [2026-01-01-001-zzz]\n---\n\n# T\n",
  );

  expect(lines(result)).toContain("  error: depends_on '2026-01-01-001-zzz' does not exist");
});

verifies("lint.text.optional", async () => {
  const result = await lint("---\nstatus: pending\n---\n\n# T\n");

  expect(lines(result)).toContain("  warning: missing optional field 'labels'");
  expect(lines(result)).toContain("  warning: missing optional field 'type'");
  expect(result).toMatchObject({ code: 0, stderr: "" });
});

verifies("lint.text.total", async () => {
  expect(lines(await lint("---\nstatus: nearly\n---\n\n# T\n")).at(-1)).toBe("1 errors, 2 warnings");
  expect(await lint("---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# T\n")).toMatchObject({
    code: 0,
    stdout: "0 errors, 0 warnings\n",
    stderr: "",
  });
});

verifies("lint.json", async () => {
  const { stdout, code } = await lint("---\nstatus: nearly\nlabels: [a]\ntype: code\n---\n\n# T\n", ["--json"]);

  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    errors: [
      {
        file: `.planner/specs/${ID}.md`,
        field: "status",
        message: "status 'nearly' not in enum [pending, in_progress, completed, failed]",
        allowed: ["pending", "in_progress", "completed", "failed"],
      },
    ],
  });
  expect(code).toBe(1);
});

verifies("lint.one", async () => {
  using project = tempProject();
  project.spec(ID, "---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# T\n");
  project.spec("2026-11-01-002-bad", "---\nstatus: nearly\n---\n\n# T\n");

  expect((await runPlanner(["lint", ID], { cwd: project.root })).stdout).toBe("0 errors, 0 warnings\n");
  expect((await runPlanner(["lint", "bad"], { cwd: project.root })).code).toBe(1);
});

verifies("lint.parse", async () => {
  const { stdout, code } = await lint("---\nstatus: pending\nlabels: [a\n---\n\n# T\n", ["--format", "sarif"]);
  const [result] = JSON.parse(stdout).runs[0].results;

  expect(result).toMatchObject({ ruleId: "parse", level: "error" });
  expect(result.locations[0].physicalLocation.region.startLine).toBeGreaterThanOrEqual(3);
  expect(code).toBe(1);
});

verifies("lint.config.required", async () => {
  const config = "schema:\n  spec:\n    required: [status, model]";

  const result = await lint("---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# T\n", [], config);

  expect(result.stdout).toContain("  error: ");
  expect(result.stdout).toContain("model");
  expect(result.code).toBe(1);
});

verifies("lint.config.fields", async () => {
  const config =
    "schema:\n  spec:\n    fields:\n      status:\n        type: string\n        enum: [todo, done]\n      team:\n        type: string\n        enum: [red, blue]\n      owners:\n        type: array\n        items: string";

  const result = await lint(
    "---\nstatus: pending\nlabels: [a]\ntype: code\nteam: green\nowners: ann\n---\n\n# T\n",
    [],
    config,
  );

  expect(lines(result)).toContain("  error: status 'pending' not in enum [todo, done]");
  expect(lines(result)).toContain("  error: team 'green' not in enum [red, blue]");
  expect(result.stdout).toContain("owners");
});

verifies("fix.status", async () => {
  expect((await lint("---\ntype: code # c\n---\n\n# T\n", ["--fix"])).text).toContain("status: pending\n");
});

verifies("fix.id", async () => {
  expect((await lint("---\nstatus: pending\n---\n\n# T\n", ["--fix"])).text).toContain(`id: ${ID}\n`);
});

verifies("fix.trailing-space", async () => {
  const { text } = await lint(`---\nid: ${ID}\nstatus: pending   \ntype: code\t\n---\n\n# T\n`, ["--fix"]);

  expect(text).toBe(`---\nid: ${ID}\nstatus: pending\ntype: code\n---\n\n# T\n`);
});

verifies("fix.indentation", async () => {
  const { text } = await lint(
    `---\nid: ${ID}\nstatus: pending\napproval:\n      required: false\nlabels:\n     - a\n     - b\n---\n\n# T\n`,
    ["--fix"],
  );

  expect(text).toBe(
    `---\nid: ${ID}\nstatus: pending\napproval:\n  required: false\nlabels:\n  - a\n  - b\n---\n\n# T\n`,
  );
});

verifies("fix.final-newline", async () => {
  const { text } = await lint(`---\nid: ${ID}\nstatus: pending\n---\n\n# T\n\nLast words`, ["--fix"]);

  expect(text).toBe(`---\nid: ${ID}\nstatus: pending\n---\n\n# T\n\nLast words\n`);
});

verifies("fix.not-invalid-status", async () => {
  const { text, code } = await lint(`---\nid: ${ID}\nstatus: nearly\n---\n\n# T\n`, ["--fix"]);

  expect(text).toContain("status: nearly\n");
  expect(code).toBe(1);
});
