import { OperationError } from "#kernel/errors.ts";
import { refuseUnacceptedSetup } from "../../operations/shared/start_checks.ts";
import { LOCK_FILES, proposeSetupCommands } from "../../work/setup_proposals.ts";
import type { LocatedJob, RunDeps } from "../run_types.ts";
import { removeTrailingSlash } from "./place.ts";
import { runCommands } from "./run_commands.ts";

/**
 * Prepares a worktree so that the project builds in it: submodules, copied files, then the commands of
 * `worktree.setup`, which run again after a lock file or the commands themselves have changed. Does nothing without a
 * worktree.
 *
 * @throws OperationError `failed_precondition` that names the command which failed
 */
export async function setUpWorktree(deps: RunDeps, job: LocatedJob): Promise<void> {
  const { config, log, place, id } = job;
  const { worktree } = place;
  if (worktree === null) return;
  for (const note of await worktree.addRequiredFiles(config.worktree)) await log.line(`planner: ${note}`);
  const locks = await readLockFiles(deps, worktree.root);
  if (config.worktree.setup === null) {
    const [missing] = proposeSetupCommands(locks);
    if (missing === undefined) return;
    const message = `${missing.file} is there and worktree.setup is not: the packages that it names are missing in the worktree. Set worktree.setup to [${JSON.stringify(missing.command)}], or to [] if nothing is needed`;
    await log.line(`planner: ${message}`);
    deps.tell({ event: "note", spec_id: id, message });
    return;
  }
  if (config.worktree.setup.length > 0) await runSetupCommands(deps, job, locks);
}

async function runSetupCommands(deps: RunDeps, job: LocatedJob, locks: ReadonlyMap<string, string>): Promise<void> {
  const { config, log, place } = job;
  const commands = config.worktree.setup ?? [];
  await refuseUnacceptedSetup(deps.context, config);
  const state = hashText(deps, JSON.stringify([commands, ...locks]));
  // Stored in the worktree's git folder, which is removed with the worktree.
  const mark = `${(await deps.files.prepareCommitFolders(place.root)).at(-1) ?? ""}/planner-setup`;
  if ((await deps.files.readText(mark)) === state) return;
  const results = await runCommands(deps, job, commands, {
    limitSeconds: config.worktree.setup_seconds,
    logPrefix: "setup",
    stopAtFailure: true,
  });
  const failed = results.find(({ problem }) => problem !== null);
  if (failed !== undefined) {
    const said = `worktree.setup: "${failed.command}" ${failed.problem}`;
    const where = log.file === null ? "" : `; its output is in ${log.file}`;
    throw new OperationError("failed_precondition", `${said}${where}`);
  }
  // A command may have rewritten the lock file.
  await deps.files.writeText(
    mark,
    hashText(deps, JSON.stringify([commands, ...(await readLockFiles(deps, place.root))])),
  );
}

async function readLockFiles({ files }: RunDeps, root: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const file of LOCK_FILES) {
    const text = await files.readText(`${removeTrailingSlash(root)}/${file}`);
    if (text !== null) texts.set(file, text);
  }
  return texts;
}

/** Returns the SHA-256 of a text as hexadecimal digits. */
export function hashText({ files }: RunDeps, text: string): string {
  const hash = files.createHasher();
  hash.update(new TextEncoder().encode(text));
  return hash.digest();
}
