import { OperationError } from "#kernel/errors.ts";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import { refuseUnacceptedSetup } from "../../operations/shared/start_checks.ts";
import { LOCK_FILES, proposeSetup } from "../../work/setup_proposals.ts";
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
  const locks = await readLockFiles(deps, worktree);
  if (config.worktree.setup === null) {
    const missing = proposeSetup(locks);
    if (missing.length === 0) return;
    const [files, commands] = [missing.map(({ file }) => file), missing.map(({ command }) => command)];
    const message = `${files.join(", ")} ${files.length === 1 ? "is" : "are"} there and worktree.setup is not: the packages that ${files.length === 1 ? "it names" : "they name"} are missing in the worktree. Set worktree.setup to ${JSON.stringify(commands)}, or to [] if nothing is needed`;
    await log.line(`planner: ${message}`);
    deps.tell({ event: "note", spec_id: id, message });
    return;
  }
  if (config.worktree.setup.length > 0) await runSetupCommands(deps, job, worktree, locks);
}

async function runSetupCommands(
  deps: RunDeps,
  job: LocatedJob,
  worktree: Worktree,
  locks: readonly ReadonlyMap<string, string>[],
): Promise<void> {
  const { config, log, place } = job;
  const commands = config.worktree.setup ?? [];
  await refuseUnacceptedSetup(deps.context, config);
  const hashState = (texts: readonly ReadonlyMap<string, string>[]) =>
    hashText(deps, JSON.stringify([commands, ...texts.flatMap((one) => [...one])]));
  const state = hashState(locks);
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
  await deps.files.writeText(mark, hashState(await readLockFiles(deps, worktree)));
}

/** Reads the lock files in the project's root of a worktree, then in each folder above it up to the top. */
async function readLockFiles(
  { files }: RunDeps,
  { root, path }: Worktree,
): Promise<readonly ReadonlyMap<string, string>[]> {
  const found: ReadonlyMap<string, string>[] = [];
  const top = removeTrailingSlash(path);
  for (
    let folder = removeTrailingSlash(root);
    folder.length >= top.length;
    folder = folder.replace(/[\\/][^\\/]*$/, "")
  ) {
    const texts = new Map<string, string>();
    for (const file of LOCK_FILES) {
      const text = await files.readText(`${folder}/${file}`);
      if (text !== null) texts.set(file, text);
    }
    found.push(texts);
  }
  return found;
}

/** Returns the SHA-256 of a text as hexadecimal digits. */
export function hashText({ files }: RunDeps, text: string): string {
  const hash = files.createHasher();
  hash.update(new TextEncoder().encode(text));
  return hash.digest();
}
