import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { commandBlocks } from "../support/doc_commands.ts";
import { runCommand } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ENV = { PLANNER: ROOT, PATH: `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"]}` };
const ID = "2026-11-01-001-abc";

function project() {
  const made = tempProject();
  const text = `---\nid: ${ID}\ntitle: Sharpen the knife\nstatus: pending\ntype: code\n---\n\n- [ ] A cut is clean\n`;
  made.spec(ID, text);
  // doctor asks for a repository and an agent.
  made.write(".planner/config.md", "---\ndefaults: {provider: command}\nproviders: {command: {command: sh}}\n---\n");
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...who, "commit", "--quiet", "-m", "begin"],
  ]) {
    spawnSync("git", args, { cwd: made.root });
  }
  return made;
}

describe("under Deno", () => {
  test("each command of docs/deno.md succeeds with the permissions that it names", async () => {
    using made = project();
    const lines = commandBlocks("docs/deno.md").flatMap((block) => block.lines);
    expect(lines.length).toBeGreaterThan(5);

    for (const line of lines) {
      // Without a terminal nothing is asked, as if --no-prompt were given.
      const { code, stdout, stderr } = await runCommand(["sh", "-c", line], { cwd: made.root, env: ENV });

      expect([line, code, stderr]).toEqual([line, 0, expect.not.stringContaining("error")]);
      if (/ (?:list|ready|graph) /.test(line)) expect(stdout).toContain(ID);
    }
  });

  test("a permission that is missing is named and refused, as no defect", async () => {
    using made = project();
    const words = ["run", "--no-prompt", "--allow-read", "--allow-env", join(ROOT, "src", "main.ts"), "doctor"];

    const { code, stderr } = await runCommand(["deno", ...words], { cwd: made.root, env: ENV });

    expect(code).toBe(1);
    expect(stderr).toContain('Deno refused: Requires run access to "git", run again with the --allow-run flag');
    expect(stderr).not.toContain("bug");

    const bare = ["run", "--no-prompt", "--allow-read", join(ROOT, "src", "main.ts"), "list"];
    const withoutEnvironment = await runCommand(["deno", ...bare], { cwd: made.root, env: ENV });

    expect(withoutEnvironment.code).toBe(1);
    expect(withoutEnvironment.stderr).toMatch(/^error: Deno refused: Requires env access [^\n]*\n$/);
  });
});
