import { createPreconditionError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import type { RunLog } from "#planner/store/logs/log_writer.ts";
import type { AgentProcess, AgentStartOptions } from "#planner/store/processes/agent_process.ts";
import type { Worktree, WorktreeBaseline } from "#planner/store/worktrees/open_worktree.ts";
import type { Hasher } from "#planner/store/worktrees/run_files.ts";
import type { AgentExit } from "#planner/work/end_of_run.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import { refuseUnacceptedSetup } from "../../operations/shared/start_checks.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { openAgentStream } from "../../work/agent_stream.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import { type CommandResult, cleanLastLines, describeMissingProgram, NOT_RUN_RESULT } from "../../work/provenance.ts";
import { LOCK_FILES, proposeSetup } from "../../work/setup_proposals.ts";
import type { ClaimedRun, LocatedJob, RunDeps, RunLocation } from "../run_types.ts";

interface CommandRules {
  /** Time limit of each command in seconds. */
  readonly limitSeconds: number;
  /** Prefix of the log lines; by default `verify`. */
  readonly logPrefix?: string;
  /** Whether to start no further command after one that has not passed. */
  readonly stopAtFailure?: boolean;
  /** Maximum number of commands that run at the same time; by default 1. */
  readonly width?: number;
}

/** Runs commands in their order and writes their output to the log. After a stop signal, starts no further command. */
export async function runCommands(
  deps: RunDeps,
  job: LocatedJob,
  commands: readonly string[],
  rules: CommandRules,
): Promise<readonly CommandResult[]> {
  const { logPrefix = "verify", width = 1, stopAtFailure = false } = rules;
  const slots = new TaskSlots(width);
  let failed = false;
  const results = commands.map((command) =>
    slots.runInSlot(async () => {
      if (failed && stopAtFailure) return null;
      if (job.stop.soon.aborted) return { ...NOT_RUN_RESULT, command };
      await job.log.line(`planner: ${logPrefix}: ${command}`);
      const result = await runCommand(deps, command, job, rules);
      failed ||= result.problem !== null;
      const seconds = (result.duration_ms / 1000).toFixed(1);
      await job.log.line(`planner: ${logPrefix}: ${result.problem ?? "passed"} after ${seconds} s: ${command}`);
      return result;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== null);
}

/** Runs one line in a shell until it ends or its time limit is reached. */
async function runCommand(
  deps: RunDeps,
  command: string,
  { id, place, processId, log, stop }: LocatedJob,
  { limitSeconds, width = 1 }: CommandRules,
): Promise<CommandResult> {
  const { buildShellCommand, files, context } = deps;
  const began = context.clock.now().getTime();
  const env = buildAgentEnvironment(deps, id, place);
  const start = { argv: buildShellCommand(command), cwd: place.root, env, processId, alone: width > 1 };
  const hash = files.createHasher();
  const last: string[] = [];
  const { exit, watch } = await superviseProgram(deps, start, {
    watch: (process) => watchTimeLimit(process, limitSeconds, stop.soon),
    readOutput: (process) =>
      Promise.all([
        copyOutputToLog(process, "stdout", { log, hash, last }),
        copyOutputToLog(process, "stderr", { log, hash: null, last }),
      ]),
  });
  const duration_ms = context.clock.now().getTime() - began;
  const problem = watch.late() ? `took over ${formatCountWithNoun(limitSeconds, "second")}` : describeCommandExit(exit);
  const last_lines = problem === null ? [] : cleanLastLines(last);
  const result = { command, status: exit.code, duration_ms, output_hash: hash.digest(), problem };
  return last_lines.length === 0 ? result : { ...result, last_lines };
}

/** Ends a program at its time limit and when `stop` is aborted. */
function watchTimeLimit(process: AgentProcess, seconds: number, stop: AbortSignal) {
  let late = false;
  const endProgram = (): void => void process.stop(0).catch(() => {});
  const timer = setTimeout(() => {
    late = true;
    endProgram();
  }, seconds * 1000);
  const removeListener = callOnAbort(stop, endProgram);
  return {
    late: () => late,
    close() {
      clearTimeout(timer);
      removeListener();
    },
  };
}

interface OutputCopy {
  readonly log: RunLog;
  readonly hash: Hasher | null;
  /** Receives the last lines of all streams, in the order of the log. */
  readonly last: string[];
}

async function copyOutputToLog(
  process: AgentProcess,
  stream: "stdout" | "stderr",
  { log, hash, last }: OutputCopy,
): Promise<void> {
  const reader = openAgentStream("text", process.secrets);
  const end = new OutputEnd();
  const copyLines = (read: readonly string[]): Promise<void> => {
    last.splice(0, Math.max(0, last.length + read.length - MAX_TAIL_LINES));
    last.push(...read.slice(-MAX_TAIL_LINES));
    return log.printed(read, "stdout");
  };
  let [bytes, lines] = [0, 0];
  for await (const chunk of process[stream]) {
    hash?.update(chunk);
    // Only whole lines are left out, because half a secret would not be masked.
    const cut = bytes > MAX_LOGGED_BYTES || lines > MAX_LOGGED_LINES ? chunk.lastIndexOf(NEWLINE) + 1 : 0;
    if (end.hasBegun || cut > 0) {
      if (!end.hasBegun) await copyLines(reader.push(chunk.subarray(0, cut)));
      end.addChunk(end.hasBegun ? chunk : chunk.subarray(cut));
      continue;
    }
    const read = reader.push(chunk);
    [bytes, lines] = [bytes + chunk.length, lines + read.length];
    await copyLines(read);
  }
  const { omitted, last: rest } = end.take();
  if (omitted > 0) await log.line(`planner: ${formatCountWithNoun(omitted, "byte")} of this output are left out here`);
  await copyLines([...reader.push(rest), ...reader.end().lines]);
}

/** Bytes and lines of a check's output that are logged from its start. Chosen by planner: far more than people read. */
const MAX_LOGGED_BYTES = 4 * 1024 * 1024;
const MAX_LOGGED_LINES = 50_000;

/** Lines that are held for the end of a failed command's output, blank ones among them. */
const MAX_TAIL_LINES = 50;

/** Bytes that are logged from the end of a longer output. Chosen by planner: it holds the summary of a test run. */
const MAX_END_BYTES = 256 * 1024;

const NEWLINE = 10;

/** The last bytes of an output, from the start of a line. Splitting 100 MB into lines would take a minute. */
class OutputEnd {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #omitted = 0;
  hasBegun = false;

  addChunk(chunk: Uint8Array): void {
    this.hasBegun = true;
    // The engine reuses the memory of a chunk.
    this.#chunks.push(chunk.slice());
    this.#bytes += chunk.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= MAX_END_BYTES) {
      const dropped = this.#chunks.shift()?.length ?? 0;
      this.#bytes -= dropped;
      this.#omitted += dropped;
    }
  }

  take(): { readonly omitted: number; readonly last: Uint8Array } {
    const kept = Buffer.concat(this.#chunks);
    if (this.#omitted === 0) return { omitted: 0, last: kept };
    const start = kept.indexOf(NEWLINE) + 1;
    // An end without a line break could begin within a secret.
    const last = start === 0 ? kept.subarray(kept.length) : kept.subarray(start);
    return { omitted: this.#omitted + kept.length - last.length, last };
  }
}

function describeCommandExit({ code, signal }: AgentExit): string | null {
  if (code === 0) return null;
  const missing = describeMissingProgram(code);
  if (missing !== null) return missing;
  return code === null ? `was ended by ${signal ?? "a signal"}` : `ended with status ${code}`;
}

interface Supervision<Watch, Printed> {
  /** Called once the program runs; its result is closed after the program has ended. */
  readonly watch: (program: AgentProcess) => Watch;
  /** Awaited before any output is read. */
  readonly onStart?: (program: AgentProcess, watch: Watch) => Promise<void>;
  /** Reads both streams to their ends. If it fails, the program is ended, because it would block without a reader. */
  readonly readOutput: (program: AgentProcess, watch: Watch) => Promise<Printed>;
}

/** Runs a program and reads its output. On return or throw, it and every process that it started have ended. */
export async function superviseProgram<Watch extends { close(): void }, Printed>(
  { ports }: RunDeps,
  start: AgentStartOptions,
  supervision: Supervision<Watch, Printed>,
): Promise<{ readonly exit: AgentExit; readonly watch: Watch; readonly printed: Printed }> {
  const program = await ports.agents.start(start);
  const watch = supervision.watch(program);
  try {
    await supervision.onStart?.(program, watch);
    const printed = supervision.readOutput(program, watch);
    const failed = printed.then(
      () => new Promise<never>(() => {}),
      (error: unknown) => Promise.reject(error),
    );
    const exit = await Promise.race([program.exited, failed]);
    // Child processes may hold the streams open, so they end first.
    await program.stop(AGENT_GRACE_MS);
    return { exit, watch, printed: await printed };
  } finally {
    watch.close();
    await program.stop(0);
  }
}

/** Calls `use` when the signal is aborted, at once if it already is; returns a function that removes the listener. */
export function callOnAbort(signal: AbortSignal, use: () => void): () => void {
  signal.addEventListener("abort", use);
  if (signal.aborted) use();
  return () => signal.removeEventListener("abort", use);
}

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
    throw createPreconditionError(`${said}${where}`);
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

/** Maximum number of paths that the prompt names. */
const MAX_NAMED_PATHS = 20;

/** Maximum number of paths that a note before the agent's start names. */
const MAX_TOLD_PATHS = 5;

/** Maximum length of the reason in the prompt, in characters; the log contains the full text. */
const MAX_REASON_CHARS = 2000;

/**
 * Returns the prompt text about the previous run: why it did not complete, and which of its work is committed. Call it
 * before this run writes the worktree's status.
 */
export async function describeEarlierRun(
  { context, ports }: Pick<RunDeps, "context" | "ports">,
  id: SpecId,
  worktree: Worktree,
): Promise<string> {
  const status = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  const commits = await ports.worktrees.listCommits(id);
  const spec = `/.planner/specs/${id}.md`;
  const uncommitted = (await worktree.listUncommittedFiles()).filter((path) => !`/${path}`.endsWith(spec));
  const { begunAnew, mainBranch } = worktree;
  if (begunAnew !== null) return describeMergeConflict(begunAnew, mainBranch);
  const reason = removeAdvice(status?.error ?? "")
    .toWellFormed()
    .slice(0, MAX_REASON_CHARS);
  const lines = [
    "## An earlier run",
    "",
    "An earlier run worked on this spec in this worktree and did not complete it.",
    ...(reason === "" ? [] : [`It ended so: ${reason}`]),
    commits.length === 0
      ? "It committed nothing."
      : `Its ${commits.length === 1 ? "commit is" : `${commits.length} commits are`} on this branch: git log ${mainBranch}..HEAD`,
    ...(uncommitted.length === 0
      ? []
      : [`It left changes that are not committed: ${listSomeNames(uncommitted, MAX_NAMED_PATHS)}`]),
    "Look at that work first, and go on from there.",
  ];
  return lines.join("\n");
}

/** Returns the prompt text that asks the agent to resolve the conflicts of a merge. */
function describeMergeConflict({ commit, files }: NonNullable<Worktree["begunAnew"]>, mainBranch: string): string {
  const where =
    files.length === 0
      ? "It applies without conflict markers, as one change that is not committed."
      : `It is there as a change that is not committed, with conflict markers in: ${listSomeNames(files, MAX_NAMED_PATHS)}`;
  return [
    "## An earlier run",
    "",
    `An earlier run worked on this spec, and "${mainBranch}" has changed the same lines since. This branch begins anew at the end of "${mainBranch}", with that work on top of it.`,
    where,
    `Settle this first: keep what both sides mean, remove the markers, check that the spec's criteria still hold, and commit. The work as it was: git show ${commit.slice(0, 12)}`,
  ].join("\n");
}

/** Records the repository's state before the agent starts, and reports what its worktree lacks. */
export async function reportMissingWork({ tell }: RunDeps, { id, place, log }: LocatedJob): Promise<void> {
  if (place.worktree === null) return;
  for (const message of describeMissingWork(await place.worktree.takeBaseline(), place.worktree)) {
    await log.line(`planner: ${message}`);
    tell({ event: "note", spec_id: id, message });
  }
}

/** Returns one sentence about each part of the project's state that the worktree lacks when its agent starts. */
export function describeMissingWork(
  { uncommitted, newerCommits }: WorktreeBaseline,
  { mainBranch }: Pick<Worktree, "mainBranch">,
): readonly string[] {
  const files = uncommitted.filter((path) => !isPlannerFile(path));
  return [
    ...(files.length === 0
      ? []
      : [`the worktree lacks what is not committed in the project: ${listSomeNames(files, MAX_TOLD_PATHS)}`]),
    ...(newerCommits === 0
      ? []
      : [
          `the work goes on from where it ended: it lacks ${formatCountWithNoun(newerCommits, "newer commit")} of "${mainBranch}" until it is merged`,
        ]),
  ];
}

/** Matches the start of the advice in a reason. Prompts omit it, because it is for a person. */
const ADVICE_PATTERN =
  /(?:[:,]|\s\()\s?(?:in "[^"]*" (?:run|move)|run "|then |take (?:it|that) back|undo|see to it|make it pass|settle|commit the|make it|"(?:git|planner) )/;

function removeAdvice(reason: string): string {
  const parts = reason.split("; ").filter((part) => !/^(?:then|or) /.test(part));
  return parts.map((part) => part.slice(0, ADVICE_PATTERN.exec(part)?.index)).join("; ");
}

/** Opens the location of a run: creates or reuses the worktree and marks it as begun, or uses the project itself. */
export async function openRunLocation(
  deps: RunDeps,
  { spec, config, wishes }: ClaimedRun,
  { log, base }: { readonly log: RunLog; readonly base: RunLocation["base"] },
): Promise<RunLocation> {
  const port = config.worktree.port ? await deps.files.findFreePort() : null;
  if (!wishes.worktree) {
    const template = config.git.commit_template;
    const knownCommits = new Set(await deps.files.openHistory(deps.root).listCommitsNaming(spec.id, { template }));
    return { worktree: null, root: deps.root, port, knownCommits, base, earlier: null };
  }
  const { branch_prefix: branchPrefix, main_branch: mainBranch } = config.defaults;
  const worktree = await deps.ports.worktrees.prepareWorktree(spec.id, {
    branchPrefix,
    mainBranch,
    base: config.worktree.base,
    directory: config.worktree.directory,
  });
  if (worktree.reused) await log.line("planner: the worktree of an earlier run is used again, with what it holds");
  const earlier = worktree.reused ? await describeEarlierRun(deps, spec.id, worktree) : null;
  // A copy of the spec from an earlier run may still have that run's final status.
  const begun = { status: "in_progress", completed_at: undefined };
  await worktree.openSpecs().edit(spec.id, (text) => editFields(text, begun));
  await deps.ports.worktrees.writeStatus({ spec_id: spec.id, status: "working", error: null });
  return { worktree, root: worktree.root, port, knownCommits: new Set(), base: null, earlier };
}

/** Returns environment variables that describe the spec and its folders to an agent. Source: docs/work.md, Runs. */
export function buildAgentEnvironment(
  { root }: RunDeps,
  id: SpecId,
  place: RunLocation,
): Readonly<Record<string, string | undefined>> {
  return {
    ...place.worktree?.env,
    ...(place.port === null ? {} : { PORT: String(place.port) }),
    PLANNER_SPEC_ID: id,
    PLANNER_SPEC_FILE: `${removeTrailingSlash(place.root)}/.planner/specs/${id}.md`,
    PLANNER_PROJECT: root,
    PLANNER_WORKTREE: place.worktree?.path,
    PLANNER_BRANCH: place.worktree?.branch,
  };
}

export function removeTrailingSlash(path: string): string {
  return path.replace(/[\\/]+$/, "");
}
