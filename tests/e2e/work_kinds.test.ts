import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WorkProject, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const PNPM = "10.20.0";

/** A kind of project whose tests need what its set-up installs. */
interface Kind {
  readonly files: Readonly<Record<string, string>>;
  /** What a person ran once in the project's own folder. */
  readonly once: string;
  /** The commands that init is to propose; null where none are needed. */
  readonly proposed: string | null;
  readonly tests: string;
  /** A folder of the person's that must still hold what it held. */
  readonly own?: string;
  /** The program that it needs; `fetch` gets it if it can be had, and returns its folder. */
  readonly program: string;
  readonly fetch?: () => string | null;
}

const NODE = {
  "package.json": '{"name": "shop", "scripts": {"test": "node test.js"}, "dependencies": {"dep": "file:./dep"}}\n',
  "dep/package.json": '{"name": "dep", "version": "1.0.0", "main": "index.js"}\n',
  "dep/index.js": "module.exports = 7;\n",
  "test.js":
    "if (require('dep') !== 7) process.exit(1);\n" +
    "if (!require.resolve('dep').startsWith(__dirname)) throw new Error('not the installed one');\n",
};

const KINDS: Readonly<Record<string, Kind>> = {
  npm: {
    files: NODE,
    once: "npm install --offline --no-audit --no-fund --silent",
    proposed: "npm ci --prefer-offline",
    tests: "npm test --silent",
    own: "node_modules/dep",
    program: "npm",
  },
  pnpm: {
    files: NODE,
    once: "pnpm install --offline --silent",
    proposed: "pnpm install --frozen-lockfile --prefer-offline",
    tests: "pnpm --silent test",
    own: "node_modules/dep",
    program: "pnpm",
    fetch: fetchPnpm,
  },
  python: {
    files: {
      "requirements.txt": "./vendor/dep-1.0-py3-none-any.whl\n",
      "vendor/dep.py": "VALUE = 7\n",
      "vendor/dep-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: dep\nVersion: 1.0\n",
      "vendor/dep-1.0.dist-info/WHEEL":
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
      "vendor/dep-1.0.dist-info/RECORD":
        "dep.py,,\ndep-1.0.dist-info/METADATA,,\ndep-1.0.dist-info/WHEEL,,\ndep-1.0.dist-info/RECORD,,\n",
      "test_dep.py":
        "import unittest, dep\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(dep.VALUE, 7)\n",
    },
    once: "cd vendor && python3 -m zipfile -c dep-1.0-py3-none-any.whl dep.py dep-1.0.dist-info && rm -r dep.py *-info",
    proposed: "python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt",
    tests: ".venv/bin/python -m unittest -q test_dep",
    program: "python3",
  },
  rust: {
    files: {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "pub fn seven() -> i32 { 7 }\n#[test]\nfn is_seven() { assert_eq!(seven(), 7); }\n",
    },
    once: "cargo generate-lockfile --offline --quiet",
    proposed: null,
    tests: "cargo test --offline --quiet",
    program: "cargo",
  },
  go: {
    files: {
      "go.mod": "module shop\n\ngo 1.19\n",
      "shop.go": "package shop\n\nfunc Seven() int { return 7 }\n",
      "shop_test.go":
        'package shop\n\nimport "testing"\n\nfunc TestSeven(t *testing.T) {\n\tif Seven() != 7 {\n\t\tt.Fail()\n\t}\n}\n',
    },
    once: "true",
    proposed: null,
    tests: "go test ./...",
    program: "go",
  },
};

/** Null where the registry cannot be reached. */
function fetchPnpm(): string | null {
  const home = join(tmpdir(), `planner-test-pnpm-${PNPM}`);
  const bin = join(home, "node_modules", ".bin");
  if (!existsSync(join(bin, "pnpm"))) {
    mkdirSync(home, { recursive: true });
    const line = ["install", "--prefix", home, "--no-audit", "--no-fund", "--silent", `pnpm@${PNPM}`];
    if (spawnSync("npm", line, { timeout: 60_000 }).status !== 0) return null;
  }
  return bin;
}

/** The PATH with which a kind can be tried; null without its program. */
function pathFor({ program, fetch }: Kind): string | null {
  const here = process.env["PATH"] ?? "";
  const there = Bun.which(program) === null ? (fetch?.() ?? null) : "";
  if (there === null) return null;
  const path = there === "" ? here : `${there}:${here}`;
  return spawnSync(program, [program === "go" ? "version" : "--version"], { env: { ...process.env, PATH: path } })
    .status === 0
    ? path
    : null;
}

/** Sets the project up as init proposes. */
async function initialised(project: WorkProject, tests: string): Promise<string> {
  const settings = project.read(".planner/config.md");
  await project.mustGit("rm", "--quiet", "--cached", ".planner/config.md");
  rmSync(join(project.root, ".planner/config.md"));
  const { code, stderr } = await project.planner(["init", "--yes", "--no-prompts"]);
  if (code !== 0) throw new Error(stderr);
  const proposed = /^worktree:\n(?:[ #].*\n)*/m.exec(project.read(".planner/config.md"))?.[0] ?? "";
  const verify = `verify: {commands: [${JSON.stringify(tests)}]}\n`;
  project.write(".planner/config.md", settings.replace(/---\n$/, `${proposed}${verify}---\n`));
  return proposed;
}

for (const [name, kind] of Object.entries(KINDS)) {
  const path = pathFor(kind);
  test.skipIf(path === null)(
    `the tests of a project of the kind ${name} pass in a new worktree, set up as init proposes`,
    async () => {
      using project = await workProject({ plan: { "*": ["tick", "commit"] } });
      const env = { PATH: path ?? "" };
      for (const [file, text] of Object.entries(kind.files)) project.write(file, text);
      project.write(".gitignore", "node_modules/\n.venv/\ntarget/\n__pycache__/\n");
      const once = spawnSync("/bin/sh", ["-ec", kind.once], { cwd: project.root, env: { ...process.env, ...env } });
      expect([once.status, once.stderr.toString()]).toEqual([0, expect.any(String)]);
      const proposed = await initialised(project, kind.tests);
      await project.add(A);

      const { stdout, stderr } = await project.planner(["work", A], { env });

      if (stdout !== `${A}: completed\n`)
        throw new Error(`${stdout}${stderr}${project.read(`.planner/logs/${A}.log`)}`);
      if (kind.proposed === null) expect(proposed).toBe("");
      else expect(proposed).toContain(JSON.stringify(kind.proposed));
      expect(stderr).not.toContain("Set worktree.setup");
      if (kind.own !== undefined) expect(existsSync(join(project.root, kind.own, "index.js"))).toBe(true);
    },
    300_000,
  );
}
