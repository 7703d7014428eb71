import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { planWorktreePath } from "#planner/store/worktrees/worktree_files.ts";
import { PLANNER, type RunResult, runCommand, runPlanner } from "./planner_command.ts";
import { trustProject } from "./trusted_project.ts";

export const ID = "2026-11-01-001-aaa";
export const OTHER = "2026-11-01-002-bbb";
/** The worktree of the first spec in a line of a shell, from the project's folder: beside it, so that both are copied. */
export const THERE = `../*.worktrees/${ID}`;

/** Words that the shell scripts of agents begin with. */
const PRELUDE = `
id=$PLANNER_SPEC_ID
spec=$PLANNER_SPEC_FILE
tick() { sed -i 's/- \\[ \\]/- [x]/' "$spec"; }
save() { echo "the work in $1" >> "$1.txt"; git add "$1.txt"; git commit -q -m "planner($id): $1"; }
`;

/** A project in a repository, whose agent is a shell script that reads its lines from \`agent.sh\` beside it. */
export class ScriptedProject {
  readonly root: string;
  /** Variables of the environment that planner gets beside its usual one. */
  env: Readonly<Record<string, string>> = {};
  readonly #home: string;

  private constructor(home: string, name: string) {
    this.#home = home;
    this.root = join(home, name);
  }

  /**
   * A copy of one that was made once: making a repository takes longer than copying it.
   *
   * @param name of its folder
   */
  static async make(name = "project"): Promise<ScriptedProject> {
    template ??= await makeTemplate();
    const home = mkdtempSync(join(tmpdir(), "planner-agent-"));
    cpSync(template, home, { recursive: true });
    if (name !== "project") renameSync(join(home, "project"), join(home, name));
    const project = new ScriptedProject(home, name);
    project.#configure();
    trustProject(project.root);
    return project;
  }

  #configure(): void {
    const provider = { command: "/bin/sh", args: [join(this.#home, "agent.sh")] };
    const config = `---\ndefaults: {provider: command}\nproviders: ${JSON.stringify({ command: provider })}\nworktree: {directory: ..}\n---\n`;
    writeFileSync(join(this.root, ".planner/config.md"), config);
  }

  get worktree(): string {
    return planWorktreePath(this.root, ID, "..");
  }

  /** Path of the worktree from the root. */
  get tree(): string {
    return relative(this.root, this.worktree);
  }

  /** Lets an agent with this script work a spec; \`$out\` is a folder for what it wants to be seen. */
  work(script: string): Promise<RunResult> {
    return this.workIn(this.root, script);
  }

  /** Writes what the agent of later runs does. */
  script(script: string): void {
    const planner = PLANNER.map((word) => `'${word}'`).join(" ");
    const names = `out='${this.#home}'\nplanner() { ${planner} "$@"; }\n`;
    writeFileSync(join(this.#home, "agent.sh"), `${PRELUDE}${names}${script}\n`);
  }

  /** The same for a project in another folder. */
  async workIn(folder: string, script: string): Promise<RunResult> {
    this.script(script);
    return this.planner("work", ID, "--root", folder);
  }

  planner(...args: readonly string[]): Promise<RunResult> {
    return runPlanner(args, { cwd: this.root, env: { ...GIT_ENV, ...this.env } });
  }

  /** Runs a line of a shell as a person in the project would. */
  sh(line: string): Promise<RunResult> {
    return runCommand(["/bin/sh", "-c", line], { cwd: this.root, env: GIT_ENV });
  }

  /** The output of git, which must succeed. */
  async git(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runCommand(["git", ...args], { cwd: this.root, env: GIT_ENV });
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** What the agent wrote into \`$out\`. */
  seen(): readonly string[] {
    return readdirSync(this.#home).filter(
      (name) => !["agent.sh", basename(this.root)].includes(name) && !name.endsWith(".worktrees"),
    );
  }

  status(id: string = ID): string | undefined {
    return /^status: (.*)$/m.exec(this.read(`.planner/specs/${id}.md`))?.[1];
  }

  /** Whether a file with this text is in a commit that something names, in a stash, or in the worktree. */
  async keeps(name: string): Promise<boolean> {
    // What is in the history of a worktree that is still there is not lost yet.
    const where = existsSync(join(this.worktree, ".git")) ? ["-C", this.worktree, "log", "--reflog"] : ["log"];
    const named = await this.git(...where, "--all", "--format=", "--name-only", "-m");
    if (named.split("\n").includes(`${name}.txt`)) return true;
    return [this.worktree, this.root].some((folder) => existsSync(join(folder, `${name}.txt`)));
  }

  /** Keeps a copy of everything as it is now, for {@link restore}. */
  async keep(): Promise<void> {
    await this.#shell(`rm -rf "$HOME.kept" && cp -a "$HOME" "$HOME.kept"`);
  }

  /** Brings the kept copy back into the same folder. */
  async restore(): Promise<void> {
    // Git takes a file with another inode for changed until it has looked again.
    const look = `git -C "$ROOT" update-index -q --refresh || true`;
    await this.#shell(`rm -rf "$HOME" && cp -a "$HOME.kept" "$HOME" && { ${look}; }`);
  }

  async #shell(line: string): Promise<void> {
    const env = { HOME: this.#home, ROOT: this.root };
    const { code, stderr } = await runCommand(["/bin/sh", "-c", line], { cwd: tmpdir(), env });
    if (code !== 0) throw new Error(stderr);
  }

  [Symbol.dispose](): void {
    for (const folder of [this.#home, `${this.#home}.kept`]) rmSync(folder, { recursive: true, force: true });
  }
}

const GIT_ENV = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

let template: string | undefined;

async function makeTemplate(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "planner-template-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  const spec = (id: string): string =>
    `---\nid: ${id}\nstatus: pending\nlabels: [work]\n---\n\n# ${id}\n\n## Acceptance Criteria\n\n- [ ] It is done\n`;
  const script = `
    mkdir -p project/.planner/specs && cd project && git init -q -b main
    git config user.name Ann && git config user.email ann@example.org
    printf 'logs/\\nprocesses/\\nlocks/\\nworktrees/\\nwatch.pid\\nconfig.md\\n' > .planner/.gitignore
    printf '%s' "$SPEC_ONE" > .planner/specs/${ID}.md
    printf '%s' "$SPEC_TWO" > .planner/specs/${OTHER}.md
    echo base > base.txt && git add -A && git commit -q -m begin`;
  const env = { ...GIT_ENV, SPEC_ONE: spec(ID), SPEC_TWO: spec(OTHER) };
  const { code, stderr } = await runCommand(["/bin/sh", "-ec", script], { cwd: home, env });
  if (code !== 0) throw new Error(stderr);
  return home;
}
