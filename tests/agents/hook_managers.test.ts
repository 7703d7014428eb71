/** Managers of git's hooks as they really are: planner's check beside theirs, and work under what they demand. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";
import { PLANNER } from "../support/planner_command.ts";
import { installed } from "./real_agents.ts";

interface Manager {
  readonly name: string;
  readonly program: string;
  /** A package of npm; null for one that the system has. */
  readonly source: string | null;
  readonly version: string;
  /** Lines of the shell: its files, with a pre-commit check that refuses \`bad.txt\` and a check of messages. */
  readonly files: string;
  readonly install: string;
}

/** Notes that it ran, and refuses a commit while there is a file beside the project. */
const CHECK = 'echo "$PWD" >> "$OUT/ran"; test ! -e "$OUT/refuse" || { echo the build is red >&2; exit 1; }';
const MESSAGES = {
  rules: { "type-enum": [2, "always", ["feat", "chore"]], "type-empty": [2, "never"], "subject-empty": [2, "never"] },
};

const MANAGERS: readonly Manager[] = [
  {
    name: "husky",
    program: "husky",
    source: "husky",
    version: "9.1.7",
    files: `mkdir .husky; printf '%s\n' '${CHECK}' > .husky/pre-commit; echo 'commitlint --edit "$1"' > .husky/commit-msg`,
    install: "husky",
  },
  {
    name: "lefthook",
    program: "lefthook",
    source: "lefthook",
    version: "2.2.2",
    files: `cat > lefthook.yml <<'END'
# what the team runs
pre-commit:
  jobs:
    - name: check
      run: sh check.sh
commit-msg:
  commands:
    message: {run: "commitlint --edit {1}"}
END
      echo '${CHECK}' > check.sh`,
    install: "lefthook install --force",
  },
  {
    name: "pre-commit",
    program: "pre-commit",
    source: null,
    version: "3.0.4",
    files: `cat > .pre-commit-config.yaml <<'END'
default_install_hook_types: [pre-commit, commit-msg]
repos:
- repo: local
  hooks:
  - {id: check, name: check, entry: sh check.sh, language: system, always_run: true, pass_filenames: false, stages: [commit]}
  - {id: message, name: message, entry: commitlint --edit, language: system, stages: [commit-msg]}
END
      echo '${CHECK}' > check.sh`,
    install: "pre-commit install --overwrite",
  },
];

const COMMITLINT = { source: "@commitlint/cli", version: "21.2.4", program: "commitlint" };

let bin: string;
const oldPath = process.env["PATH"];

beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), "planner-bin-"));
  const words = PLANNER.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, "planner"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  for (const { source, version, program } of [...MANAGERS, COMMITLINT]) {
    const found = source === null ? null : installed({ source, version, program });
    if (found !== null && "folder" in found) symlinkSync(join(found.folder, program), join(bin, program));
  }
  process.env["PATH"] = `${bin}:${oldPath}`;
});

afterAll(() => {
  process.env["PATH"] = oldPath;
  rmSync(bin, { recursive: true, force: true });
});

function missing({ program, source, version }: Manager): string | null {
  const lint = installed(COMMITLINT);
  if ("why" in lint) return lint.why;
  if (source !== null) {
    const found = installed({ source, version, program });
    return "why" in found ? found.why : null;
  }
  return spawnSync(program, ["--version"]).status === 0 ? null : `${program} is not installed`;
}

async function managed(manager: Manager): Promise<ScriptedProject> {
  const project = await ScriptedProject.make();
  process.env["OUT"] = join(project.root, "..");
  const lines = `${manager.files}
    echo 'export default ${JSON.stringify(MESSAGES)};' > commitlint.config.mjs
    ${manager.install} && git add -A && git commit -q -m "chore: check commits"`;
  const { code, stderr } = await project.sh(`set -e\n${lines}`);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

/** Sets the form of planner's own messages that the check of messages demands. */
function demandType({ root }: ScriptedProject): void {
  const file = join(root, ".planner/config.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/---\n$/, 'git: {commit_template: "chore: {summary}"}\n---\n'));
}

for (const manager of MANAGERS) {
  const why = missing(manager);
  describe.skipIf(why !== null)(`${manager.name} ${manager.version}${why === null ? "" : `: ${why}`}`, () => {
    test("planner's check runs beside the manager's, through a new installation, and goes again", async () => {
      using project = await managed(manager);
      const before = (await project.git("ls-files")).split("\n").map((file) => (file === "" ? "" : project.read(file)));

      const install = await project.planner("hook", "install");
      await project.sh(manager.install);

      expect([install.code, install.stderr]).toEqual([0, ""]);
      expect((await project.planner("hook", "status")).code).toBe(0);
      expect((await project.sh("git commit -q -a -m 'chore: check specs'")).code).toBe(0);
      const bad = await project.sh(`sed -i s/pending/nearly/ .planner/specs/${ID}.md; git commit -a -m "chore: bad"`);
      expect([bad.code, bad.stdout + bad.stderr]).toEqual([1, expect.stringContaining("status 'nearly' not in enum")]);
      await project.sh("git checkout -q .; touch ../refuse");
      const red = await project.sh('echo red >> base.txt; git commit -a -m "chore: red"');
      expect([red.code, red.stdout + red.stderr]).toEqual([1, expect.stringContaining("the build is red")]);
      await project.sh(`git checkout -q .; rm ../refuse; mv '${bin}/planner' '${bin}/away'`);
      const without = await project.sh(`echo >> .planner/specs/${ID}.md; git commit -a -m "chore: without"`);
      await project.sh(`mv '${bin}/away' '${bin}/planner'`);
      expect(without.code).toBe(0);
      expect((await project.planner("hook", "uninstall")).code).toBe(0);
      await project.sh(`git checkout -q HEAD~1 -- .planner/specs`);
      const after = (await project.git("ls-files")).split("\n").map((file) => (file === "" ? "" : project.read(file)));
      expect(after).toEqual(before);
    });

    test("work under a check of messages says what to set, and then ends merged", async () => {
      using project = await managed(manager);
      const script = `tick; echo a > a.txt; git add a.txt; git commit -q -m "feat: sell shoes"`;

      const refused = await project.work(script);
      expect(refused.stderr).toContain('set "git.commit_template" in .planner/config.md');
      demandType(project);
      const worked = await project.work(script);
      const merged = await project.planner("merge", ID);

      expect(worked.stdout).toBe(`${ID}: completed\n`);
      expect(merged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Merged spec: /) });
      // The manager's checks ran where the agent worked.
      expect(readFileSync(join(project.root, "../ran"), "utf8")).toContain(`.worktrees/${ID}\n`);
    });

    test("watch merges work onto a main branch that moved, with planner's check beside the manager's, installed again", async () => {
      using project = await managed(manager);
      demandType(project);
      await project.planner("hook", "install");
      await project.sh(manager.install);
      await project.sh("git commit -q -a --allow-empty -m 'chore: check specs'");
      const worked = await project.work('tick; echo a > a.txt; git add a.txt; git commit -q -m "feat: a"');
      const moved = await project.sh("echo more >> base.txt; git commit -q -m 'chore: come in between' base.txt");
      await project.sh(manager.install);

      const watch = await project.planner("watch", "--once");

      expect([worked.stdout, moved.code]).toEqual([`${ID}: completed\n`, 0]);
      expect(watch).toMatchObject({ code: 0, stdout: expect.stringContaining(`Merged spec: ${ID}`) });
      expect((await project.git("log", "-3", "--format=%s")).split("\n")).toEqual([
        expect.stringMatching(/^chore: note that the run of /),
        "feat: a",
        "chore: come in between",
        "",
      ]);
      expect((await project.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
      expect((await project.planner("hook", "status")).code).toBe(0);
    });

    test("work and watch in a linked worktree of a person's own end merged there", async () => {
      using project = await managed(manager);
      demandType(project);
      await project.sh("git worktree add -q -b topic ../beside && cp .planner/config.md ../beside/.planner/");
      const beside = join(project.root, "../beside");

      const worked = await project.workIn(beside, 'tick; echo a > a.txt; git add a.txt; git commit -q -m "feat: a"');
      const watch = await project.planner("watch", "--once", "--root", beside);

      expect(worked.stdout).toBe(`${ID}: completed\n`);
      expect(watch).toMatchObject({ code: 0, stdout: expect.stringContaining(`Merged spec: ${ID}`) });
      expect(readFileSync(join(beside, "a.txt"), "utf8")).toBe("a\n");
      expect(project.has("a.txt")).toBe(false);
    });

    test("a check that refuses planner's last commit needs attention, and the way that it says works", async () => {
      using project = await managed(manager);
      demandType(project);

      const worked = await project.work(
        'tick; echo a > a.txt; git add a.txt; git commit -q -m "feat: a"; touch "$out/refuse"',
      );
      const refused = await project.planner("merge", ID);
      const watch = await project.planner("watch", "--once");
      await project.sh("rm ../refuse");
      const merged = await project.planner("merge", ID);

      expect(worked.stdout).toMatch(
        new RegExp(`^${ID}: needs_attention: the commit .* was refused: .*the build is red`),
      );
      expect(refused.stderr).toContain("the build is red");
      // Watch leaves to a person what needs attention.
      expect([watch.code, watch.stdout.includes("Merged")]).toEqual([0, false]);
      expect(merged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Merged spec: /) });
    });
  });
}
