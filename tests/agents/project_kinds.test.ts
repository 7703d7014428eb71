/** A project of each kind whose own tests pass in a fresh worktree by the set-up that `planner init` proposes. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type WorkProject, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";

interface Kind {
  readonly name: string;
  /** The program that it needs, with what makes it print its version. */
  readonly program: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Makes the lock file. */
  readonly lock: readonly string[];
  readonly verify: string;
  /** Part of the proposal, or null where none is needed. */
  readonly proposed: string | null;
}

const IN_WORKTREE = "require('answer') === 42 && require.resolve('answer').includes('worktrees')";
const PACKAGE = JSON.stringify({
  name: "shop",
  version: "1.0.0",
  scripts: { test: `node -e "if (!(${IN_WORKTREE})) process.exit(1)"` },
  dependencies: { answer: "file:packages/answer" },
});
const JAVASCRIPT = {
  "package.json": PACKAGE,
  "packages/answer/package.json": JSON.stringify({ name: "answer", version: "1.0.0", main: "index.js" }),
  "packages/answer/index.js": "module.exports = 42;\n",
};

const KINDS: readonly Kind[] = [
  {
    name: "npm",
    program: ["npm"],
    files: JAVASCRIPT,
    lock: ["npm", "install", "--package-lock-only"],
    verify: "npm test",
    proposed: "npm ci --prefer-offline",
  },
  {
    name: "pnpm",
    program: ["pnpm"],
    files: JAVASCRIPT,
    lock: ["pnpm", "install", "--lockfile-only"],
    verify: "pnpm test",
    proposed: "pnpm install --frozen-lockfile --prefer-offline",
  },
  {
    name: "Python",
    program: ["python3"],
    files: {
      "requirements.txt": "# none\n",
      "test_one.py":
        "import sys, unittest\nclass T(unittest.TestCase):\n  def test(self): self.assertIn('worktrees', sys.prefix)\n",
    },
    lock: ["true"],
    verify: ".venv/bin/python -m unittest -q",
    proposed: "python3 -m venv .venv",
  },
  {
    name: "Rust",
    program: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n",
    },
    lock: ["cargo", "generate-lockfile", "--offline"],
    verify: "cargo test --quiet --offline",
    proposed: null,
  },
  {
    name: "Go",
    program: ["go", "version"],
    files: {
      "go.mod":
        "module example.org/shop\n\ngo 1.19\n\nrequire example.org/answer v0.0.0\n\nreplace example.org/answer => ./answer\n",
      "answer/go.mod": "module example.org/answer\n\ngo 1.19\n",
      "answer/answer.go": "package answer\n\nfunc Value() int { return 42 }\n",
      "shop.go": "package shop\n",
      "shop_test.go": `package shop

import (
	"os"
	"strings"
	"testing"

	"example.org/answer"
)

func TestAnswer(t *testing.T) {
	folder, _ := os.Getwd()
	if answer.Value() != 42 || !strings.Contains(folder, "worktrees") {
		t.Fatal(folder)
	}
}
`,
    },
    lock: ["go", "mod", "tidy"],
    verify: "go test ./...",
    proposed: null,
  },
];

/** Writes the settings as `init` does, and puts the test's agent and the project's own tests into them. */
async function initialised(made: WorkProject, verify: string): Promise<string> {
  const agent = /^(?:defaults|providers): .*$/gm;
  const own = [...made.read(".planner/config.md").matchAll(agent)].map(([line]) => line);
  rmSync(join(made.root, ".planner/config.md"));
  const { code } = await made.planner(["init", "--yes", "--no-prompts", "--provider", "command"]);
  expect(code).toBe(0);
  const written = made.read(".planner/config.md").replace(/^defaults:\n(?: .*\n)*/m, "");
  const settings = [...own, `verify: {commands: ${JSON.stringify([verify])}}`].join("\n");
  made.write(".planner/config.md", written.replace(/^---\n/, `---\n${settings}\n`));
  return written;
}

for (const { name, program, files, lock, verify, proposed } of KINDS) {
  const [command = "", version = "--version"] = program;
  const isThere = spawnSync(command, [version], { stdio: "ignore" }).status === 0;
  if (!isThere) process.stderr.write(`SKIPPED: ${name}: no ${command} here\n`);
  test.skipIf(!isThere)(`the tests of a project with ${name} pass in a fresh worktree`, async () => {
    using made = await workProject({ plan: { "*": ["tick", "commit_all"] } });
    made.write(".gitignore", "node_modules/\n.venv/\ntarget/\n__pycache__/\n");
    for (const [path, text] of Object.entries(files)) made.write(path, text);
    const [maker = "", ...args] = lock;
    expect(spawnSync(maker, args, { cwd: made.root }).status).toBe(0);
    const settings = await initialised(made, verify);
    if (proposed === null) expect(settings).not.toContain("setup:");
    else expect(settings).toContain(proposed);
    await made.add(A);

    const { stdout, stderr } = await made.planner(["work", A]);

    expect([stdout, stderr.includes("worktree.setup")]).toEqual([`${A}: completed\n`, false]);
    expect(existsSync(join(made.root, "node_modules"))).toBe(false);
  });
}
