import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PLANNER, type RunResult, runCommand, runPlanner } from "../support/planner_command.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "planner-init-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function init(...words: readonly string[]): Promise<RunResult> {
  return runPlanner(["init", ...words], { cwd: root });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

const CLAUDE = { type: "stdio", command: "planner", args: ["mcp"], alwaysLoad: true };
const STDIO = { type: "stdio", command: "planner", args: ["mcp"] };
const PLAIN = { command: "planner", args: ["mcp"] };

test("init without a terminal takes defaults and makes a project that lints clean", async () => {
  write("package.json", '{"name": "shop: \\"front\\""}');

  const { code, stdout } = await init();
  const lint = await runPlanner(["lint"], { cwd: root });

  expect(code).toBe(0);
  expect(stdout).toContain("created .planner/config.md\n");
  expect(readdirSync(join(root, ".planner")).sort()).toEqual(
    ".gitignore archive config.md prompts schemas specs templates".split(" "),
  );
  expect(read(".planner/config.md")).toContain('name: "shop: \\"front\\""\n');
  expect(read(".planner/.gitignore").split("\n")).toEqual(
    expect.arrayContaining(["logs/", "processes/", "locks/", "worktrees/", "watch.pid"]),
  );
  expect(existsSync(join(root, ".planner/prompts/standard.md"))).toBe(true);
  expect(existsSync(join(root, ".mcp.json"))).toBe(false);
  expect(lint).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
});

test("init survives git: a fresh clone of an empty project is a project", async () => {
  await init();
  const git = (...words: string[]) =>
    runCommand(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: root });
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-qm", "start");
  await git("clone", "-q", ".", "copy");

  const { code } = await runPlanner(["list"], { cwd: join(root, "copy") });

  expect(code).toBe(0);
});

test("init again changes nothing and says what is there", async () => {
  await init("--agent", "claude");
  write(".planner/config.md", "---\nproject:\n  name: mine\n---\n");
  const before = read(".mcp.json");

  const { code, stdout, stderr } = await init("--agent", "claude", "--name", "other");

  expect(code).toBe(0);
  expect(stdout).not.toMatch(/created|extended/);
  expect(stdout).toContain("kept .planner/config.md (already there)\n");
  expect(stdout).toContain("kept .mcp.json (already there)\n");
  expect(stderr).toBe(`Everything exists already in ${root}\n`);
  expect(read(".planner/config.md")).toBe("---\nproject:\n  name: mine\n---\n");
  expect(read(".mcp.json")).toBe(before);
});

test("init --no-prompts leaves the prompt out and refuses both answers at once", async () => {
  const { code } = await init("--no-prompts", "--name", "quiet");
  const both = await init("--prompts", "--no-prompts");

  expect(code).toBe(0);
  expect(existsSync(join(root, ".planner/prompts/standard.md"))).toBe(false);
  expect(read(".planner/config.md")).toContain('name: "quiet"\n');
  expect(both).toMatchObject({
    code: 2,
    stderr: 'error: "--no-prompts" and "--prompts" exclude each other: expected one of them\n',
  });
});

test("init --hook checks commits, keeps the hook that was there, and refuses before it writes outside a repository", async () => {
  const outside = await init("--hook");
  const empty = readdirSync(root);
  await runCommand(["git", "init", "-q", "--template="], { cwd: root });
  write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");

  const first = await init("--hook");
  const second = await init("--hook");
  const status = await runPlanner(["hook", "status"], { cwd: root });

  expect(outside.code).toBe(1);
  expect(outside.stderr).toStartWith("error: Not in a git repository: ");
  expect(empty).toEqual([]);
  expect(first.stdout).toMatch(/^created \.git\/hooks\/pre-commit \(.* runs first\)$/m);
  expect(second.stdout).toContain("kept .git/hooks/pre-commit (already there)\n");
  expect(status.code).toBe(0);
});

test("init in a folder of a project works on that project", async () => {
  await init();
  mkdirSync(join(root, "src"));

  const { code, stderr } = await runPlanner(["init", "--agent", "cursor"], { cwd: join(root, "src") });

  expect(code).toBe(0);
  expect(stderr).toContain(`Using the project in ${root}; `);
  expect(existsSync(join(root, ".cursor/mcp.json"))).toBe(true);
  expect(readdirSync(join(root, "src"))).toEqual([]);
});

test("init in a git repository does not take a project around the repository for its own", async () => {
  await init();
  mkdirSync(join(root, "repository/.git"), { recursive: true });

  await runPlanner(["init"], { cwd: join(root, "repository") });

  expect(existsSync(join(root, "repository/.planner/config.md"))).toBe(true);
});

test("init refuses an agent that it does not know with the nearest one", async () => {
  const { code, stderr } = await init("--agent", "cursr");

  expect(code).toBe(2);
  expect(stderr).toContain('(did you mean "cursor"?)');
  expect(readdirSync(root)).toEqual([]);
});

/** Each agent's file, an existing text of it with another server and comments where the format has them, and our entry. */
const AGENTS: readonly {
  readonly agent: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
}[] = [
  {
    agent: "claude",
    file: ".mcp.json",
    before: '{\n    "mcpServers": {\n        "docs": {"command": "docs", "args": []}\n    }\n}\n',
    after:
      '{\n    "mcpServers": {\n        "docs": {"command": "docs", "args": []},\n        "planner": {\n            "type": "stdio",\n            "command": "planner",\n            "args": ["mcp"],\n            "alwaysLoad": true\n        }\n    }\n}\n',
  },
  {
    agent: "cursor",
    file: ".cursor/mcp.json",
    before: '{\n\t"mcpServers": {}\n}',
    after:
      '{\n\t"mcpServers": {\n\t\t"planner": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "planner",\n\t\t\t"args": ["mcp"]\n\t\t}\n\t}\n}',
  },
  {
    agent: "codex",
    file: ".codex/config.toml",
    before: 'model = "o3"  # the fast one\n\n[mcp_servers.docs]\ncommand = "docs"\n',
    after:
      'model = "o3"  # the fast one\n\n[mcp_servers.docs]\ncommand = "docs"\n\n[mcp_servers.planner]\ncommand = "planner"\nargs = ["mcp"]\n',
  },
  {
    agent: "gemini",
    file: ".gemini/settings.json",
    before:
      '{\n  "theme": "GitHub",\n  // servers\n  "mcpServers": {\n    "docs": { "command": "docs" } // ours\n  }\n}\n',
    after:
      '{\n  "theme": "GitHub",\n  // servers\n  "mcpServers": {\n    "docs": { "command": "docs" }, // ours\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}\n',
  },
  {
    agent: "qwen",
    file: ".qwen/settings.json",
    before: '{\n  "model": { "name": "coder" }\n}\n',
    after:
      '{\n  "model": { "name": "coder" },\n  "mcpServers": {\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}\n',
  },
  {
    agent: "copilot",
    file: ".github/mcp.json",
    before: '{\n  "mcpServers": {}\n}\n',
    after:
      '{\n  "mcpServers": {\n    "planner": {\n      "type": "stdio",\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}\n',
  },
  {
    agent: "opencode",
    file: "opencode.jsonc",
    before:
      '{\n  "$schema": "https://opencode.ai/config.json", // checked\n  "mcp": {\n    "docs": { "type": "local", "command": ["docs"], },\n  },\n}\n',
    after:
      '{\n  "$schema": "https://opencode.ai/config.json", // checked\n  "mcp": {\n    "docs": { "type": "local", "command": ["docs"], },\n    "planner": {\n      "type": "local",\n      "command": ["planner", "mcp"],\n      "enabled": true\n    },\n  },\n}\n',
  },
  {
    agent: "kiro",
    file: ".kiro/settings/mcp.json",
    before: '{"mcpServers":{"docs":{"command":"docs","disabled":true}}}',
    after:
      '{"mcpServers":{"docs":{"command":"docs","disabled":true}, "planner": { "command": "planner", "args": ["mcp"] }}}',
  },
  {
    agent: "vscode",
    file: ".vscode/mcp.json",
    before: '{\r\n  // inputs are asked for once\r\n  "inputs": [],\r\n  "servers": {\r\n  }\r\n}\r\n',
    after:
      '{\r\n  // inputs are asked for once\r\n  "inputs": [],\r\n  "servers": {\r\n    "planner": {\r\n      "type": "stdio",\r\n      "command": "planner",\r\n      "args": ["mcp"]\r\n    }\r\n  }\r\n}\r\n',
  },
  {
    agent: "generic",
    file: ".mcp.json",
    before: "{}",
    after:
      '{\n  "mcpServers": {\n    "planner": {\n      "type": "stdio",\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}',
  },
];

describe("init --agent", () => {
  for (const { agent, file, before, after } of AGENTS) {
    test(`${agent} extends ${file} and leaves every other byte`, async () => {
      write(file, before);

      const first = await init("--agent", agent);
      const second = await init("--agent", agent);

      expect(first.code).toBe(0);
      expect(first.stdout).toContain(`extended ${file}`);
      expect(read(file)).toBe(after);
      expect(second.stdout).toContain(`kept ${file} (already there)\n`);
      expect(read(file)).toBe(after);
    });
  }

  test("makes each agent's own file when there is none", async () => {
    const { code } = await init(...AGENTS.flatMap(({ agent }) => ["--agent", agent]));

    expect(code).toBe(0);
    expect(JSON.parse(read(".mcp.json"))).toEqual({ mcpServers: { planner: CLAUDE } });
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ mcpServers: { planner: STDIO } });
    expect(read(".codex/config.toml")).toBe('[mcp_servers.planner]\ncommand = "planner"\nargs = ["mcp"]\n');
    expect(JSON.parse(read(".gemini/settings.json"))).toEqual({ mcpServers: { planner: PLAIN } });
    expect(JSON.parse(read("opencode.json"))).toEqual({
      $schema: "https://opencode.ai/config.json",
      mcp: { planner: { type: "local", command: ["planner", "mcp"], enabled: true } },
    });
    expect(JSON.parse(read(".kiro/settings/mcp.json"))).toEqual({ mcpServers: { planner: PLAIN } });
    expect(JSON.parse(read(".vscode/mcp.json"))).toEqual({ servers: { planner: STDIO } });
  });

  test("leaves an entry of our name that somebody wrote otherwise, and says so", async () => {
    const text = '{"mcpServers":{"planner":{"command":"/opt/planner","args":["mcp"]}}}';
    write(".mcp.json", text);

    const { code, stdout, stderr } = await init("--agent", "claude");

    expect(code).toBe(0);
    expect(stdout).toContain("kept .mcp.json (has another entry)\n");
    expect(stderr).toContain('warning: ".mcp.json" has another entry "planner", which is kept\n');
    expect(read(".mcp.json")).toBe(text);
  });

  test("refuses a broken file with line and column before it writes anything", async () => {
    write(".cursor/mcp.json", '{\n  "mcpServers": {\n    "a": {}\n');
    write(".codex/config.toml", "a = 1\nb = = 2\n");

    const json = await init("--agent", "claude", "--agent", "cursor");
    const toml = await init("--agent", "codex");

    expect(json).toMatchObject({ code: 1, stdout: "" });
    expect(json.stderr).toMatch(
      /^error: Cannot extend "\.cursor\/mcp\.json": line \d+, column \d+: not valid JSON, .*; the file is left as it is\n$/,
    );
    expect(toml.stderr).toMatch(/^error: Cannot extend "\.codex\/config\.toml": line 2, column \d+: not valid TOML, /);
    expect(readdirSync(root).sort()).toEqual([".codex", ".cursor"]);
    expect(read(".cursor/mcp.json")).toBe('{\n  "mcpServers": {\n    "a": {}\n');
  });

  test("keeps a link a link and a file's mode", async () => {
    write("shared/mcp.json", "{}");
    chmodSync(join(root, "shared/mcp.json"), 0o640);
    symlinkSync("shared/mcp.json", join(root, ".mcp.json"));

    const { code } = await init("--agent", "claude");

    expect(code).toBe(0);
    expect(lstatSync(join(root, ".mcp.json")).isSymbolicLink()).toBe(true);
    expect(statSync(join(root, "shared/mcp.json")).mode & 0o777).toBe(0o640);
    expect(JSON.parse(read("shared/mcp.json"))).toEqual({ mcpServers: { planner: CLAUDE } });
    expect(readdirSync(join(root, "shared"))).toEqual(["mcp.json"]);
  });
});

test("init refuses a .planner that is no folder, in words", async () => {
  for (const [make, what] of [
    [(path: string) => writeFileSync(path, ""), "a file"],
    [(path: string) => symlinkSync("nowhere", path), "a symbolic link that leads nowhere"],
  ] as const) {
    make(join(root, ".planner"));

    const { code, stderr } = await runPlanner(["init", "--yes"], { cwd: root });

    const message = `error: Cannot make a project: ".planner" is ${what}: expected a folder\n`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: message });
    rmSync(join(root, ".planner"));
  }
});

test.skipIf(process.getuid?.() !== 0)(
  "init adds an agent's file beside a .planner that may not be written",
  async () => {
    await runPlanner(["init", "--yes"], { cwd: root });
    const nobody = 65_534;
    chownSync(root, nobody, nobody);
    const words = ["setpriv", `--reuid=${nobody}`, "--clear-groups", ...PLANNER, "init", "--agent", "claude"];

    const { code, stdout } = await runCommand(words, { cwd: root, env: { HOME: root } });

    expect(code).toBe(0);
    expect(stdout).toContain("created .mcp.json");
  },
);
