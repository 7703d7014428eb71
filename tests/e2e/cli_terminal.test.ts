import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANNER } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal, type TerminalOptions } from "../support/pseudo_terminal.ts";
import { tempProject } from "../support/temp_project.ts";

const onTerminal = test.skipIf(NO_PSEUDO_TERMINAL !== null);
const ENTER = "\r";
const SPACE = " ";
const DOWN = "\u001b[B";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "planner-terminal-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function init(typing: TerminalOptions["typing"], words: readonly string[] = []) {
  const [program = "", ...rest] = PLANNER;
  // No agent of this machine's own is found, so the program is named by its path.
  const command = ["env", `PATH=${root}/bin:/usr/bin:/bin`, Bun.which(program) ?? program, ...rest, "init", ...words];
  return runOnTerminal(command, { cwd: root, ...(typing === undefined ? {} : { typing }) });
}

onTerminal("init asks on a terminal and does what was answered", async () => {
  spawnSync("git", ["init", "--quiet", "--template="], { cwd: root });

  const { code, screen } = await init([
    { after: "called?", keys: `My shop${ENTER}` },
    { after: "prompt template", keys: DOWN + ENTER },
    { after: "use the project", keys: SPACE + DOWN + SPACE + ENTER },
    { after: "works specs", keys: DOWN + ENTER },
    { after: "AGENTS.md", keys: ENTER },
    { after: "git hook", keys: DOWN + ENTER },
  ]);

  expect(code).toBe(0);
  expect(screen).toContain("created");
  expect(readFileSync(join(root, ".planner/config.md"), "utf8")).toContain('name: "My shop"\n');
  expect(readFileSync(join(root, ".planner/config.md"), "utf8")).toContain("\n  provider: cursor-agent\n");
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toContain("planner_ready");
  expect(existsSync(join(root, ".claude/skills/planner/SKILL.md"))).toBe(true);
  expect(existsSync(join(root, ".planner/prompts/standard.md"))).toBe(false);
  expect(existsSync(join(root, ".mcp.json"))).toBe(true);
  expect(existsSync(join(root, ".cursor/mcp.json"))).toBe(true);
  expect(existsSync(join(root, ".codex/config.toml"))).toBe(false);
  expect(readdirSync(join(root, ".git/hooks"))).toEqual(["pre-commit"]);
});

onTerminal("init offers the folder's name, and enter takes it", async () => {
  const { code } = await init([
    { after: "called?", keys: ENTER },
    { after: "prompt template", keys: ENTER },
    { after: "use the project", keys: ENTER },
  ]);

  expect(code).toBe(0);
  expect(readFileSync(join(root, ".planner/config.md"), "utf8")).toContain(`name: "${root.split("/").at(-1)}"\n`);
});

onTerminal("init selects the agents that it finds on PATH, and asks which of them works specs", async () => {
  mkdirSync(join(root, "bin"));
  for (const name of ["codex", "opencode"]) writeFileSync(join(root, "bin", name), "#!/bin/sh\n", { mode: 0o755 });

  const { code, screen } = await init([
    { after: "called?", keys: ENTER },
    { after: "prompt template", keys: ENTER },
    { after: "use the project", keys: ENTER },
    { after: "works specs", keys: DOWN + ENTER },
    { after: "AGENTS.md", keys: `n${ENTER}` },
  ]);

  expect([code, screen.includes("Codex CLI")]).toEqual([0, true]);
  expect(readFileSync(join(root, ".planner/config.md"), "utf8")).toContain("\n  provider: opencode\n");
  expect([existsSync(join(root, "opencode.json")), existsSync(join(root, ".codex/config.toml"))]).toEqual([true, true]);
  expect([existsSync(join(root, ".mcp.json")), existsSync(join(root, "AGENTS.md"))]).toEqual([false, false]);
});

for (const [key, place, typing] of [
  ["Ctrl-C", "first", [{ after: "called?", keys: CTRL_C }]],
  ["Ctrl-D", "first", [{ after: "called?", keys: CTRL_D }]],
  [
    "Ctrl-D",
    "second",
    [
      { after: "called?", keys: `x${ENTER}` },
      { after: "prompt template", keys: CTRL_D },
    ],
  ],
  [
    "Ctrl-C",
    "last",
    [
      { after: "called?", keys: `x${ENTER}` },
      { after: "prompt template", keys: ENTER },
      { after: "use the project", keys: SPACE + CTRL_C },
    ],
  ],
] as const) {
  onTerminal(`init leaves nothing behind after ${key} at the ${place} question`, async () => {
    const { code, screen } = await init(typing);

    expect(code).toBe(130);
    expect(screen).toContain("Nothing was written");
    expect(screen).toContain("\u001b[?25h");
    expect(readdirSync(root)).toEqual([]);
  });
}

onTerminal("init --yes and init --agent ask nothing on a terminal", async () => {
  const yes = await init(undefined, ["--yes"]);
  const agent = await init(undefined, ["--agent", "claude"]);

  expect(yes.code).toBe(0);
  expect(agent.code).toBe(0);
  expect(existsSync(join(root, ".mcp.json"))).toBe(true);
});

onTerminal("init offers trust where the settings skip the agent's questions, once", async () => {
  mkdirSync(join(root, ".planner", "specs"), { recursive: true });
  const settings = "---\ndefaults: {provider: codex}\nproviders: {codex: {skip_permissions: true}}\n---\n";
  writeFileSync(join(root, ".planner/config.md"), settings);
  const agents = { after: "use the project", keys: ENTER } as const;

  const no = await init([agents, { after: "Trust this project?", keys: `n${ENTER}` }]);
  const yes = await init([agents, { after: "Trust this project?", keys: `y${ENTER}` }]);
  const again = await init([agents]);
  const quiet = await init(undefined, ["--yes"]);

  expect([no.code, yes.code, again.code, quiet.code]).toEqual([0, 0, 0, 0]);
  expect(no.screen).toContain("codex has skip_permissions: it runs any command without a question");
  expect([no.screen, yes.screen]).toEqual([
    expect.stringContaining("Nothing was changed"),
    expect.stringContaining("Trusted: every command of this project is accepted"),
  ]);
  expect([again.screen, quiet.screen]).toEqual([
    expect.not.stringContaining("Trust this"),
    expect.not.stringContaining("Trust this"),
  ]);
});

onTerminal("list fits the terminal, in colours unless NO_COLOR is set", async () => {
  using project = tempProject();
  project.spec("2026-11-01-001-abc", `---\nstatus: failed\n---\n\n# ${"Wide 日本語 ".repeat(20)}\n`);
  const options = { cwd: project.root, columns: 64 };

  const coloured = await runOnTerminal([...PLANNER, "list"], options);
  const plain = await runOnTerminal([...PLANNER, "list"], { ...options, env: { NO_COLOR: "1" } });
  const dumb = await runOnTerminal([...PLANNER, "list"], { ...options, env: { TERM: "dumb" } });

  expect(coloured.screen).toContain("\u001b[31mfailed\u001b[39m");
  expect(plain.screen).not.toContain("\u001b");
  expect(dumb.screen).not.toContain("\u001b");
  const [, row = ""] = plain.screen.split("\r\n");
  expect(row).toEndWith("…");
  expect(row.length).toBeLessThan(64);
});

onTerminal("errors are coloured on a terminal", async () => {
  const { code, screen } = await runOnTerminal([...PLANNER, "lst"], { cwd: root });

  expect(code).toBe(2);
  expect(screen).toContain("\u001b[31merror:\u001b[39m Unknown command");
});

onTerminal("mcp says on a terminal what it is and how it ends, and ends so", async () => {
  const { code, screen } = await runOnTerminal([...PLANNER, "mcp"], {
    cwd: root,
    typing: [{ after: "Ctrl-D ends it", keys: CTRL_D }],
  });

  expect(screen).toContain("planner mcp: an agent starts this server and writes its requests; Ctrl-D ends it");
  expect(code).toBe(0);
});
