import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { formatGitError } from "../git/git.ts";
import { type Repository, resolveHooksFolder } from "./worktree_place.ts";

/**
 * Tests before a long run whether planner can commit: an identity, a signature, and the hook that checks messages.
 * Changes nothing.
 * @param message message that the commits of the run will have
 * @throws OperationError `failed_precondition` with what to do
 */
export async function requireCommitReadiness(repository: Repository, message: string): Promise<void> {
  const settings = await requireCommitter(repository);
  const hooks = settings.get("core.hookspath");
  const folder = resolveHooksFolder(repository, hooks);
  if (existsSync(join(folder, "commit-msg"))) await requireAcceptedMessage(repository, message);
}

/**
 * Tests only the identity and the signature, and returns the settings.
 *
 * @throws OperationError `failed_precondition` with what to do
 */
export async function requireCommitter(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const settings = await repository.settings();
  if (!hasIdentity(settings)) await requireIdentity(repository);
  if (settings.get("commit.gpgsign") === "true") await requireSigning(repository);
  return settings;
}

/** Returns whether the environment or git's settings contain an identity. Git may find others in the system. */
function hasIdentity(settings: ReadonlyMap<string, string>): boolean {
  const [name, email] = ["name", "email"].map(
    (part) =>
      process.env[`GIT_COMMITTER_${part.toUpperCase()}`] ??
      settings.get(`committer.${part}`) ??
      settings.get(`user.${part}`),
  );
  return /[\p{L}\p{N}]/u.test(name ?? "") && /\w@\w/.test(email ?? "");
}

async function requireIdentity({ git }: Repository): Promise<void> {
  if ((await git.try(["var", "GIT_COMMITTER_IDENT"])).status === 0) return;
  throwCommitError(
    'git does not know who you are: run "git config user.name <name>" and "git config user.email <address>"',
  );
}

async function requireSigning({ git }: Repository): Promise<void> {
  const { status, stderr } = await git.try(["commit-tree", "-S", "-m", "planner: try a signature", "HEAD^{tree}"]);
  if (status === 0) return;
  throwCommitError(
    `git cannot sign commits: ${formatGitError(stderr)}: fix that, or run "git config commit.gpgsign false"`,
  );
}

async function requireAcceptedMessage({ git }: Repository, message: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "planner-message-"));
  try {
    const file = join(folder, "COMMIT_EDITMSG");
    await writeFile(file, `${message}\n`);
    const { status, stderr } = await git.try(["hook", "run", "--ignore-missing", "commit-msg", "--", file], {
      hooks: true,
    });
    // Older gits lack this command.
    if (status === 0 || /is not a git command/.test(stderr)) return;
    throwCommitError(
      `the hook commit-msg refuses planner's own commits ("${message}"): ${formatGitError(stderr)}: set "git.commit_template" in .planner/config.md to the form that it demands`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function throwCommitError(why: string): never {
  throw new OperationError("failed_precondition", why);
}
