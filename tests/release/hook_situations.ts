/**
 * `npm run test:hooks [manager]`: planner's check of staged specs as git, pre-commit, prek, lefthook and husky run it, in the
 * project at the top and in two projects below it. Programs are installed into a scratch folder; one that cannot be had is
 * named and left out.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../release/shell.ts";
import { installed } from "../agents/real_agents.ts";
import { runCommand } from "../support/planner_command.ts";
import { emptyFolder } from "./main_jobs.ts";

const SPEC = (status: string, more = "") => `---\\nstatus: ${status}\\n${more}---\\n\\n# Title\\n`;
const write = (file: string, status: string, more = "") => `printf %b '${SPEC(status, more)}' > $S/${file}.md`;
const [BASE, USER, NEW] = ["2026-01-05-001-aaa", "2026-01-05-002-bbb", "2026-01-05-003-ccc"];
const COMMIT = "git commit -qm x";

/** Name, commands in the repository with `$P` the project and `$S` its specs, and whether the check stops the commit. */
const SITUATIONS: readonly (readonly [name: string, script: string, stops: boolean])[] = [
  ["a good spec", `${write(NEW, "pending")}; git add -A; ${COMMIT}`, false],
  ["a bad status", `${write(NEW, "nearly")}; git add -A; ${COMMIT}`, true],
  ["broken frontmatter", `${write(NEW, "[pending")}; git add -A; ${COMMIT}`, true],
  ["bad index, good tree", `${write(NEW, "nearly")}; git add -A; ${write(NEW, "pending")}; ${COMMIT}`, true],
  ["good index, bad tree", `${write(NEW, "pending")}; git add -A; ${write(NEW, "nearly")}; ${COMMIT}`, false],
  ["-a, bad", `${write(USER, "nearly")}; ${COMMIT} -a`, true],
  ["-a, good", `${write(USER, "failed")}; ${COMMIT} -a`, false],
  ["by path, bad", `${write(USER, "nearly")}; ${COMMIT} $S/${USER}.md`, true],
  ["by path, another one is bad", `${write(USER, "nearly")}; echo 1 > $P/a.txt; git add -A; ${COMMIT} $P/a.txt`, false],
  ["from a subfolder, bad", `cd $S; printf %b '${SPEC("nearly")}' > ${NEW}.md; git add -A; ${COMMIT}`, true],
  ["from a subfolder, good", `cd $S; printf %b '${SPEC("pending")}' > ${NEW}.md; git add -A; ${COMMIT}`, false],
  ["a dependency renamed", `git mv $S/${BASE}.md $S/${NEW}.md; ${COMMIT}`, true],
  ["a spec renamed that none needs", `git mv $S/${USER}.md $S/${NEW}.md; ${COMMIT}`, false],
  ["a dependency deleted", `git rm -q $S/${BASE}.md; ${COMMIT}`, true],
  ["a spec deleted that none needs", `git rm -q $S/${USER}.md; ${COMMIT}`, false],
  ["a missing dependency", `${write(NEW, "pending", "depends_on: [gone]\\n")}; git add -A; ${COMMIT}`, true],
  ["a worktree, bad", `git worktree add -q ../w; cd ../w; ${write(NEW, "nearly")}; git add -A; ${COMMIT}`, true],
  ["a worktree, good", `git worktree add -q ../w; cd ../w; ${write(NEW, "pending")}; git add -A; ${COMMIT}`, false],
  ["amend, bad", `${write(USER, "nearly")}; git add -A; ${COMMIT} --amend`, true],
  ["amend, good", `${write(USER, "failed")}; git add -A; ${COMMIT} --amend`, false],
  [
    "a merge of good work",
    `git checkout -qb side; ${write(NEW, "pending")}; git add -A; ${COMMIT}; git checkout -q main; git merge -q --no-ff --no-edit side`,
    false,
  ],
  ["files beside specs", `echo 1 > $P/a.txt; git add -A; ${COMMIT}`, false],
  ["--no-verify", `${write(NEW, "nearly")}; git add -A; ${COMMIT} --no-verify`, false],
  [
    "a submodule beside bad files of its own",
    `git init -q -b main ../m; mkdir -p ../m/.planner/specs; printf %b '${SPEC("nearly")}' > ../m/.planner/specs/${NEW}.md; git -C ../m add -A; git -C ../m ${COMMIT.slice(4)}; git -c protocol.file.allow=always submodule -q add ../m m; ${COMMIT}`,
    false,
  ],
];

interface Manager {
  readonly name: string;
  /** Puts the program's folder on PATH. @throws Error if it cannot be had */
  readonly install: () => string | null;
  /** Commands before planner's hook is installed, and after it. */
  readonly before: string;
  readonly after: string;
}

const npm = (source: string, version: string) => () => {
  const found = installed({ source, version, program: source });
  if ("why" in found) throw new Error(found.why);
  return found.folder;
};

const python = (name: string) => () => {
  const folder = emptyFolder();
  run("python3", ["-m", "venv", folder]);
  run(join(folder, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", name]);
  return join(folder, "bin");
};

const LOCAL = "repos:\\n- repo: local\\n  hooks:\\n  - {id: x, name: x, entry: echo, language: system}\\n";
const PRE_COMMIT_CONFIG = `printf '${LOCAL}' > .pre-commit-config.yaml`;
const MANAGERS: readonly Manager[] = [
  { name: "git", install: () => null, before: "true", after: "true" },
  { name: "pre-commit", install: python("pre-commit"), before: PRE_COMMIT_CONFIG, after: "pre-commit install" },
  { name: "prek", install: python("prek"), before: PRE_COMMIT_CONFIG, after: "prek install" },
  {
    name: "lefthook",
    install: npm("lefthook", "2.2.2"),
    before: "printf 'pre-commit:\\n  jobs: []\\n' > lefthook.yml",
    after: "lefthook install --force",
  },
  {
    name: "husky",
    install: npm("husky", "9.1.7"),
    before: "mkdir .husky; echo true > .husky/pre-commit; husky",
    after: "husky",
  },
];

const home = emptyFolder();
const bin = join(home, "bin");
mkdirSync(bin);
symlinkSync(join(import.meta.dirname, "..", "..", "dist", "planner"), join(bin, "planner"));
const CONFIG = "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n";
writeFileSync(join(home, ".gitconfig"), CONFIG);

async function sh(
  path: string,
  cwd: string,
  script: string,
  project: string,
): Promise<{ code: number | null; text: string }> {
  const env = {
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    XDG_STATE_HOME: join(home, "state"),
    PATH: path,
  };
  const specs = `${project}/.planner/specs`;
  const command = ["sh", "-c", `P=${project}; S=${specs}; ${script}`];
  const { code, stdout, stderr } = await runCommand(command, { cwd, env });
  return { code, text: stdout + stderr };
}

/** Tries every situation with one manager in one place. @returns lines about those that differ */
async function tryPlace(manager: Manager, path: string, projects: readonly string[]): Promise<readonly string[]> {
  const base = join(emptyFolder(), "r");
  mkdirSync(base);
  const each = (line: (project: string) => string): string => projects.map(line).join("; ");
  const begin = `git init -q -b main; git submodule -q init; ${manager.before}; ${each((p) => `mkdir -p ${p}; (cd ${p} && planner init)`)}
    ${each((p) => `printf %b '${SPEC("pending")}' > ${p}/.planner/specs/${BASE}.md; printf %b '${SPEC("pending", `depends_on: [${BASE}]\\n`)}' > ${p}/.planner/specs/${USER}.md`)}
    ${each((p) => `planner hook install --root ${p}`)}; ${manager.after}; git add -A; git commit -qm begin`;
  const { code, text } = await sh(path, base, `set -e; ${begin}`, projects[0] ?? ".");
  if (code !== 0) return [`the project could not be made: ${text.slice(-400)}`];
  const failed: string[] = [];
  for (const [name, script, stops] of SITUATIONS) {
    // husky's folder is ignored, so that a new worktree lacks it until husky runs there: docs/lint.md.
    if (manager.name === "husky" && name === "a worktree, bad") continue;
    const folder = join(emptyFolder(), "r");
    cpSync(base, folder, { recursive: true, verbatimSymlinks: true });
    const done = await sh(path, folder, script, projects.at(-1) ?? ".");
    if ((done.code !== 0) !== stops) failed.push(`${name}: ended with ${done.code}: ${done.text.slice(-300)}`);
    rmSync(join(folder, ".."), { recursive: true, force: true });
  }
  return failed;
}

let count = 0;
for (const manager of MANAGERS.filter(({ name }) => (process.argv[2] ?? name) === name)) {
  let path = `${bin}:${process.env["PATH"]}`;
  try {
    const folder = manager.install();
    if (folder !== null) path = `${folder}:${path}`;
  } catch (error) {
    process.stdout.write(`${manager.name}: not run here, ${String(error).split("\n")[0]}\n`);
    continue;
  }
  for (const [place, projects] of [
    ["the project at the top", ["."]],
    ["two projects below", ["a", "b"]],
  ] as const) {
    const failed = await tryPlace(manager, path, projects);
    count += failed.length;
    const said = failed.length === 0 ? "ok in every situation" : `FAILED\n  ${failed.join("\n  ")}`;
    process.stdout.write(`${manager.name}, ${place}: ${said}\n`);
  }
}
process.exit(count === 0 ? 0 : 1);
