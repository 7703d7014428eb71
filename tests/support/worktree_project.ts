import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeOptions } from "#planner/store/worktrees/worktree_prepare.ts";
import { Worktrees } from "#planner/store/worktrees/worktrees.ts";
import { type GitProject, gitProject } from "./git_project.ts";

export const ID = "2026-01-05-001-abc" as SpecId;
export const OTHER = "2026-01-05-002-def" as SpecId;
export const OPTIONS: WorktreeOptions = { branchPrefix: "planner/", mainBranch: null };

export const SPEC = "---\nstatus: pending\n---\n\n# Title\n\nText.\n\n## Acceptance Criteria\n\n- [ ] one\n- [ ] two\n";

/** A project with two committed specs and a file, in a repository of its own. */
export interface WorktreeProject extends GitProject {
  readonly worktrees: Worktrees;
  /** Sets a field of a spec as the tool does. */
  set(id: SpecId, fields: Readonly<Record<string, string>>): Promise<void>;
}

export async function worktreeProject(): Promise<WorktreeProject> {
  const project = await gitProject();
  await project.mustGit("config", "user.name", "Ann");
  await project.mustGit("config", "user.email", "ann@example.org");
  project.spec(ID, SPEC);
  project.spec(OTHER, SPEC);
  project.write("src/code.txt", "one\ntwo\nthree\n");
  project.write(".planner/.gitignore", "logs/\nprocesses/\nlocks/\nworktrees/\nwatch.pid\n");
  await project.mustGit("add", "-A");
  await project.mustGit("commit", "--quiet", "-m", "begin");
  return {
    ...project,
    worktrees: new Worktrees(project.root, { now: () => new Date() }),
    async set(id, fields) {
      await new SpecStore(project.root).edit(id, (text) => editFields(text, fields));
    },
  };
}

/** What an agent does in a worktree. */
export function agentIn(project: GitProject, worktree: Worktree) {
  const git = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.git(args, { cwd: worktree.path, env: worktree.env });
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  return {
    git,
    write(path: string, text: string): void {
      const file = join(worktree.root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    async commitAll(message = `planner(${ID}): work`): Promise<string> {
      await git("add", "-A");
      await git("commit", "--quiet", "-m", message);
      return (await git("rev-parse", "HEAD")).trim();
    },
  };
}

/** What the worktree of `ID` holds that no commit does; empty if there is none. */
export async function uncommittedIn({ worktrees }: WorktreeProject): Promise<readonly string[]> {
  return (await (await worktrees.findWorktree(ID))?.listUncommittedFiles()) ?? [];
}
