import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";
import { until } from "../support/until.ts";

const cwd = tmpdir();
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

test("planner --version --json prints the version of package.json, commit, engine and platform", async () => {
  const { code, stdout } = await runPlanner(["--version", "--json"], { cwd });

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version,
    commit: expect.stringMatching(/^([0-9a-f]{12}|source|unknown)$/),
    engine: expect.stringMatching(/^(Bun|Deno) \d/),
    platform: process.platform,
    architecture: process.arch,
  });
});

test("planner doctor --self prints the SHA-256 of the executable that runs", async () => {
  const { code, stdout } = await runPlanner(["doctor", "--self", "--json"], { cwd });
  const report = JSON.parse(stdout);

  expect(code).toBe(0);
  expect(report.sha256).toBe(createHash("sha256").update(readFileSync(report.executable)).digest("hex"));
  if (PLANNER.length === 1) expect(report.executable).toBe(PLANNER[0]);
  expect([report.telemetry, report.update_channel]).toEqual([false, "none"]);
});

test("planner doctor --self refuses --fix", async () => {
  const { code, stderr } = await runPlanner(["doctor", "--self", "--fix"], { cwd });

  expect(code).toBe(2);
  expect(stderr).toContain(`"--self" and "--fix" exclude each other`);
});

/** A server of a copy of the program in `folder`, with a spec whose output is judged by a child process. */
function serveCopy(folder: string) {
  const program = join(folder, "planner");
  copyFileSync(PLANNER[0] ?? "", program);
  mkdirSync(join(folder, ".planner", "specs"), { recursive: true });
  mkdirSync(join(folder, ".planner", "schemas"));
  writeFileSync(join(folder, ".planner", "schemas", "a.json"), `{"properties": {"a": {"pattern": "^x"}}}`);
  const spec = `status: completed\noutput_schema: a.json\n---\n\n# T\n\n## Output\n\n{"a": "y"}\n`;
  writeFileSync(join(folder, ".planner", "specs", "2026-11-01-001-aaa.md"), `---\n${spec}`);
  return { program, mcp: new McpLines(folder, ["mcp"], [program]) };
}

function hasChildren(pid: number | undefined): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid);
    } catch {
      return false;
    }
  });
}

test.skipIf(PLANNER.length > 1).each(["replaced", "replaced twice", "replaced by another program", "removed"] as const)(
  "a server whose program was %s starts the new one, or says that it has to be restarted",
  async (what) => {
    const folder = mkdtempSync(join(tmpdir(), "planner-replaced-"));
    const { program, mcp } = serveCopy(folder);
    const before = await mcp.tool("planner_lint", { id: "2026-11-01-001-aaa" });
    // A child that checks outputs ends after a second without work; the next one is a new process.
    await until(() => !hasChildren(mcp.child.pid));
    if (what === "removed") rmSync(program);
    for (let times = what === "replaced twice" ? 2 : 1; times > 0 && what !== "removed"; times--) {
      if (what === "replaced by another program")
        writeFileSync(`${program}.new`, "#!/bin/sh\necho no\n", { mode: 0o755 });
      else copyFileSync(PLANNER[0] ?? "", `${program}.new`);
      renameSync(`${program}.new`, program);
    }

    const linted = await mcp.tool("planner_lint", { id: "2026-11-01-001-aaa" });
    const listed = await mcp.tool("planner_spec_list");
    const started = what === "removed" ? await mcp.tool("planner_watch_start") : listed;

    mcp.child.kill();
    rmSync(folder, { recursive: true });
    expect(before.text).toContain("^x");
    expect(listed.refused).toBe(false);
    if (what.startsWith("replaced by")) expect(linted.text).toContain("the program was replaced");
    else if (what === "removed") expect(`${linted.text}${started.text}`).toMatch(/(it is gone since.*restart.*){2}/s);
    else expect(linted).toEqual(before);
  },
);

const OLD_TEXT = "Old.\n";
const OLD_SECTION = `<!-- planner: begin ${Bun.SHA256.hash(OLD_TEXT, "hex").slice(0, 8)} -->\n${OLD_TEXT}<!-- planner: end -->\n`;
const RENEW = '" has planner\'s text of an earlier version: "planner init" renews it';

// Each row: text of AGENTS.md, a command, variables, and what its standard error says.
test.each<[string, readonly string[], Record<string, string>, string | null]>([
  [OLD_SECTION, ["list"], {}, `"AGENTS.md${RENEW}\n`],
  [OLD_SECTION, ["ready"], {}, `"AGENTS.md${RENEW}\n`],
  [OLD_SECTION, ["status"], {}, `"AGENTS.md${RENEW}\n`],
  [OLD_SECTION, ["lint"], {}, `"AGENTS.md${RENEW}\n`],
  [`# Mine\n\n${OLD_SECTION}`, ["search", "x"], {}, `"AGENTS.md${RENEW}\n`],
  [OLD_SECTION.replace("Old.", "Mine."), ["list"], {}, "with changes: compare it"],
  [OLD_SECTION, ["list", "--json"], {}, null],
  [OLD_SECTION, ["list", "--quiet"], {}, null],
  [OLD_SECTION, ["list"], { PLANNER_RUN: "x" }, null],
  [OLD_SECTION, ["prime"], {}, null],
  [OLD_SECTION, ["mcp"], {}, null],
  [OLD_SECTION, ["list"], { XDG_STATE_HOME: "/dev/null" }, null],
  ["# Mine\n", ["list"], {}, null],
  ["We begin with `planner ready`.\n", ["list"], {}, null],
])("the first command of a version names stale texts once: %j %j", async (text, words, env, said) => {
  using project = tempProject();
  await runPlanner(["init"], { cwd: project.root });
  project.write("AGENTS.md", text);
  const own = { XDG_STATE_HOME: join(project.root, "state"), ...env };
  const run = (args: readonly string[]) => runPlanner(args, { cwd: project.root, env: own });

  const [first, second] = [await run(words), await run(words)];

  const flat = first.stderr.replaceAll(/\s+/g, " ");
  if (said === null) expect(flat).not.toContain("earlier version");
  else expect(flat).toContain(said.trim());
  expect(second.stderr).not.toContain("earlier version");
  expect(second.stdout).toBe(first.stdout);
  if (said === null || !said.includes("renews")) return;
  await runPlanner(["init"], { cwd: project.root });
  expect(project.read("AGENTS.md")).not.toContain(OLD_TEXT);
});
