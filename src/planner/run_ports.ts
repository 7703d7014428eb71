import type { ProcessRecord, SpecStore, WorktreeStatus } from "./ports.ts";
import type { SpecId } from "./spec/spec_id.ts";
import type { CommitWriter } from "./work/commit_message.ts";
import type { Usage } from "./work/usage.ts";

/** Everything a run of an agent does to the world. Every refusal is an `OperationError`. */
export interface RunPorts {
  readonly claims: Claims;
  readonly worktrees: Worktrees;
  readonly logs: RunLogs;
  readonly records: ProcessRecords;
  readonly agents: Agents;
  readonly watch: WatchFile;
  readonly leftovers: Leftovers;
  readonly gitLocks: GitLocks;
}

/** An operating-system process, distinguished from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in the system's own terms; null where the system does not tell. */
  readonly began: string | null;
}

/** What `.planner/locks/<id>.lock` says about its holder. */
export interface ClaimHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601 UTC: when the holder's process began. */
  readonly started_at: string;
  readonly heartbeat: string;
  /** The run's process id, or null in a lock that another program wrote. */
  readonly process_id: string | null;
  /** The agent that the holder started last, its process group's leader; null before that. */
  readonly agent: ProcessMark | null;
  /** False for a stale claim, which the next claimant takes over. */
  readonly alive: boolean;
}

export type ClaimAnswer =
  /** `tookOver` is the dead holder of a claim that was never released: its agent may still run, see `Agents.endRun`. */
  { readonly claim: Claim; readonly tookOver: ClaimHolder | null } | { readonly heldBy: ClaimHolder };

/**
 * Who works on a spec: at most one process at a time, over any number of them. A claim is stale when its process is
 * gone (this machine), or when its heartbeat is older than `HEARTBEAT_LIMIT_MS` (another machine); no other is taken over.
 *
 * Source: docs/decisions.md#s-23.
 */
export interface Claims {
  /** Never waits for another holder. @param processId of the run that the claim is for */
  claim(id: SpecId, processId: string): Promise<ClaimAnswer>;
  holder(id: SpecId): Promise<ClaimHolder | null>;
  /** Ids of every claim there is, stale ones included, sorted. */
  ids(): Promise<readonly SpecId[]>;
  /** Removes a stale claim and returns its holder; null without a claim or when the holder is alive. */
  clearStale(id: SpecId): Promise<ClaimHolder | null>;
}

/** Renews its heartbeat by itself while this process runs. */
export interface Claim {
  readonly id: SpecId;
  /** Writes the heartbeat now; false when the claim is no longer this one's: stop working then. */
  renew(): Promise<boolean>;
  /** Keeps who the agent is, for a later process to end it when this one is killed. */
  noteAgent(agent: ProcessMark): Promise<boolean>;
  /** Gives it up; another process's claim stays. May be called twice. */
  release(): Promise<void>;
}

export interface WorktreeOptions {
  /** As in `planner/`. */
  readonly branchPrefix: string;
  /** The branch that work begins from and is merged into; null means the one checked out around the project. */
  readonly mainBranch: string | null;
  /** The commit that a new branch begins at, which the main branch holds; else the end of the main branch. */
  readonly base?: string | null;
}

/** Ignored files of a project that a worktree needs. */
export interface Furniture {
  /** git's glob patterns, from the project's root; one without a slash holds in every folder. */
  readonly copy: readonly string[];
  /** Paths of files and folders that are copied, from the project's root. */
  readonly link: readonly string[];
  /** Paths that become symbolic links. */
  readonly symlink: readonly string[];
}

/** Where one run works. */
export interface Worktree {
  /** Absolute path of the git worktree. */
  readonly path: string;
  /** Absolute path of the project in it: differs from `path` where the project is a folder of the repository. */
  readonly root: string;
  readonly branch: string;
  readonly mainBranch: string;
  /** True when it held work of an earlier run, which was kept. */
  readonly reused: boolean;
  /** Files that are not committed and were copied into it, paths from the project's root; the spec's own is left out. */
  readonly copied: readonly string[];
  /** For the agent's environment: with it, git there overlooks copied and placed files. */
  readonly env: Readonly<Record<string, string>>;
  /** The specs as they are there. */
  specs(): SpecStore;
  /** Writes a file of the tool's own (an MCP configuration for example), unseen by git. @param path from the project's root */
  place(path: string, text: string): Promise<void>;
  /**
   * Brings what a build needs and a checkout lacks: submodules, and ignored files of the project.
   *
   * @returns a sentence for each thing that was done or could not be done
   */
  furnish(wanted: Furniture): Promise<readonly string[]>;
  /** Notes what git runs there and how the repository stands, for `settle` to see what a run has changed. */
  guard(): Promise<void>;
  /**
   * Looks at what was done there with git and puts in order what needs no decision: the branch follows the commit that is
   * checked out if it continues the branch, and changes hidden from git show again. Call when no run works there.
   */
  settle(): Promise<WorktreeState>;
  /** Paths that are changed and not committed, from the worktree's top; files of the tool's own do not count. */
  uncommitted(): Promise<readonly string[]>;
  /** The spec's text with the project's changes and the run's, as a merge writes it. */
  joinedSpec(): Promise<string>;
  /** Commits the spec's file, and it alone; false if it is committed as it is, or ignored by git. */
  commitSpec(message: string): Promise<boolean>;
  /**
   * Writes a file of the tool's own and commits it alone; takes it away again if the commit is refused.
   *
   * @param path from the project's root
   */
  commitFile(path: string, text: string, message: string): Promise<void>;
}

/** A commit of a branch that the main branch lacks. */
export interface BranchCommit {
  readonly hash: string;
  /** The first parent; null for a first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** How git stands in a worktree, see `Worktree.settle`. */
export interface WorktreeState {
  /** What was put in order and what else is worth a line in the log. */
  readonly notes: readonly string[];
  /** Those of the notes that a person should know although they change nothing. */
  readonly warnings: readonly string[];
  /** What a person has to see to before anything is merged or removed; each says what to do. */
  readonly problems: readonly string[];
  /** False if git there would run programs that the run has planted: no git is run there until that is undone. */
  readonly safe: boolean;
  /** Oldest first. Empty if not safe. */
  readonly commits: readonly BranchCommit[];
  /** What those commits change, paths from the project's root. Empty if not safe. */
  readonly changed: readonly { readonly path: string; readonly isNew: boolean }[];
  /** As `Worktree.uncommitted`. Empty if not safe. */
  readonly uncommitted: readonly string[];
}

export type MergeAnswer =
  /** The main branch now ends at `commit`; `commits` are the branch's, oldest first, as they were merged. */
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly commits: readonly string[];
      /** What a person should know about it, one sentence each. */
      readonly notes: readonly string[];
    }
  /** The branch holds nothing that the main branch lacks. */
  | { readonly kind: "nothing" }
  /** Nothing was merged: criteria were added to the project's spec since the run began, and are not checked. */
  | { readonly kind: "open"; readonly criteria: readonly string[] }
  /** Branch, worktree and main branch are as before. Paths from the repository's top. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

/**
 * A git worktree and a branch for each spec that is worked on: `.planner/worktrees/<id>`. Nothing here discards
 * uncommitted changes or commits that are not in the main branch. Call with the spec's claim held.
 *
 * Source: docs/decisions.md#s-24. How specs travel: docs/work.md.
 */
export interface Worktrees {
  /** Touches nothing. @param message of a commit of planner's own @throws OperationError `failed_precondition` where no worktree can be made, without a commit say */
  check(options: WorktreeOptions, message: string): Promise<void>;
  /**
   * Makes the worktree, or takes the one that is there, and brings uncommitted planner files into it.
   *
   * @throws OperationError `failed_precondition` without a git repository or a first commit
   */
  prepare(id: SpecId, options: WorktreeOptions): Promise<Worktree>;
  /** Ids of every spec with a worktree or what is remembered of one that was deleted by hand, sorted. */
  ids(): Promise<readonly SpecId[]>;
  /** The branch that is remembered for a spec, be its folder there or not; null when none is. */
  branch(id: SpecId): Promise<string | null>;
  /** What runs have changed of what git runs in every checkout, see `WorktreeState.safe`. Cost: one git if runs left notes. */
  planted(): Promise<readonly PlantedChange[]>;
  /** The worktree of a spec, or null without one. */
  find(id: SpecId): Promise<Worktree | null>;
  /** `Worktree.place` in the project itself, for a run without a worktree: git sees it there. One file for each spec. */
  placeInProject(id: SpecId, path: string, text: string): Promise<void>;
  /**
   * Puts back what was there before each of them; again when that was cut off.
   *
   * @returns those that were changed meanwhile, which stay as they are
   */
  displace(id: SpecId): Promise<readonly string[]>;
  /** Full hashes of the branch's commits that the main branch lacks, oldest first. */
  commits(id: SpecId): Promise<readonly string[]>;
  /** Whether the main branch holds every commit of the branch, be it by a copy with the same change. */
  isMerged(id: SpecId): Promise<boolean>;
  /**
   * Rebases the branch onto the main branch, moves that forward, and brings the spec's file back into the project.
   *
   * @throws OperationError `failed_precondition` if the worktree has uncommitted changes, or the merge would
   *   overwrite a changed file in the checkout of the main branch
   */
  merge(id: SpecId, message?: CommitWriter): Promise<MergeAnswer>;
  /**
   * Removes worktree, branch and status file. Commits that nothing else holds are kept under `refs/planner/kept/<id>/`.
   *
   * @returns what a person should know about those, one sentence each
   * @throws OperationError `failed_precondition` when that would lose uncommitted changes or unmerged commits
   */
  remove(id: SpecId): Promise<readonly string[]>;
  /**
   * Keeps the record of a run as the commit `refs/planner/runs/<id>/<n>` on top of the run's branch. Nothing of it is in
   * the main branch's history.
   *
   * @param branch null for the commit that is checked out around the project
   * @param write gets the run's number and the branch's end
   * @returns the number; null if the branch is gone
   */
  keepRecord(id: SpecId, branch: string | null, write: (head: RunHead) => object): Promise<number | null>;
  /** What is checked out around the project; null without a repository or a commit. */
  head(): Promise<ProjectHead | null>;
  /** What was committed around the project since `base`, as `WorktreeState` has it. */
  since(base: string): Promise<Pick<WorktreeState, "commits" | "changed">>;
  /** Files in which branches of specs will conflict with each other, found without touching any. Cost: a git for each pair. */
  forecast(): Promise<readonly ForecastConflict[]>;
  /** Reads such a record, the latest one without `run`; null without a record. */
  record(id: SpecId, run: number | null): Promise<KeptRunRecord | null>;
  /** Reads what the repository holds of the commits that a record names. Touches nothing. */
  recordFacts(id: SpecId, kept: KeptRunRecord): Promise<RecordFacts>;
  /** Runs `use` with a new worktree of a commit in a temporary folder, which is removed afterwards. */
  withFresh<Result>(id: SpecId, commit: string, use: (worktree: Worktree) => Promise<Result>): Promise<Result>;
  /** Adds to the latest record as which commits the work was merged. */
  noteMerged(id: SpecId, commits: readonly string[]): Promise<void>;
  /** Writes `.planner/worktrees/<id>.status.json`, whole or not at all. `WorkStore.worktrees` reads it. */
  writeStatus(status: NewWorktreeStatus): Promise<void>;
}

/** What is checked out around a project. */
export interface ProjectHead {
  readonly hash: string;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
}

/** The number of a run, from 1, and the full hash of its branch's end. */
export interface RunHead {
  readonly run: number;
  readonly head: string;
}

/** Two branches that cannot both be merged as they are. */
export interface ForecastConflict {
  readonly specs: readonly [SpecId, SpecId];
  /** From the repository's top. */
  readonly files: readonly string[];
}

/** A record that was kept. */
export interface KeptRunRecord {
  readonly run: number;
  /** Numbers of all runs of the spec that have one, in order. */
  readonly runs: readonly number[];
  /** See work/run_record.ts; another version of planner may have written it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** What is known by now of the commits that a record names. */
export interface RecordFacts {
  /** The commit that the record was kept on; null if it is gone. */
  readonly parent: string | null;
  /** Those of the named commits that are in the repository. */
  readonly present: ReadonlySet<string>;
  /** The commits between base and head, oldest first, and what they change, from the project's root. */
  readonly range: readonly BranchCommit[];
  readonly files: readonly string[];
  /** Whether one of them merges another branch, whose commits and files are then among them. */
  readonly hasMerges: boolean;
  /** Stable patch ids by commit; a commit without a change has none. */
  readonly patches: ReadonlyMap<string, string>;
  /** Those of the merged commits that the main branch holds. */
  readonly inMain: ReadonlySet<string>;
  /** The spec at the head; null if it is not there. */
  readonly specText: string | null;
}

/** One setting, hook or link that differs from what it was when a run began. */
export interface PlantedChange {
  readonly spec_id: SpecId;
  /** As in `hook pre-commit was added`. */
  readonly what: string;
  /** A line of the shell, or words. */
  readonly undo: string;
  /** The file to remove if the change is the person's own, from the project's root. */
  readonly note: string;
}

export type NewWorktreeStatus = Pick<WorktreeStatus, "error" | "commits"> & {
  readonly spec_id: SpecId;
  readonly status: "working" | "done" | "failed";
};

/** Writes logs in the format of work/log_format.ts. One writer per spec at a time: the holder of its claim. */
export interface RunLogs {
  /** Begins a run: completes a line that a killed writer left, then writes the run's header. */
  open(id: SpecId, processId: string): Promise<RunLog>;
}

export interface RunLog {
  /**
   * Appends a line under the present time, a text with line ends as several. Resolves at once unless so much waits to be
   * written that the caller should wait as well. Written within `LOG_FLUSH_MS`.
   *
   * @throws OperationError when the disk refuses
   */
  line(text: string): Promise<void>;
  /** The same for lines without line ends that a program printed: none of them reads as planner's own. */
  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void>;
  /** Resolves when the file holds everything so far. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** How a work process ended; `error` says why it did not complete. */
export type ProcessEnd = { readonly status: "completed" } | { readonly status: "failed"; readonly error: string };

/** What an agent reported about its run. */
export interface RunReport {
  /** Name of the provider. */
  readonly agent: string;
  readonly model: string | null;
  /** Version of the agent's program as it is installed, or null if its files do not say. */
  readonly version: string | null;
  /** The agent's own name for its session. */
  readonly session: string | null;
  readonly usage: Usage | null;
  readonly denied: readonly string[];
  /** SHA-256 of its prompt; null before it was started. */
  readonly prompt_sha256: string | null;
}

export interface StoredReport extends RunReport {
  readonly process_id: string;
  readonly spec_id: string;
  readonly started_at: string;
  readonly mode: string;
  /** The commit on which a run without a worktree began; null for any other run. */
  readonly base: string | null;
  /** Whether the record of the process says so. */
  readonly running: boolean;
}

/** Records of work processes, `.planner/processes/<process_id>.json`, read through `WorkStore.processes`. */
export interface ProcessRecords {
  start(
    record: NewProcessRecord,
    begun?: { readonly report: RunReport; readonly base: string | null },
  ): Promise<ProcessRecord>;
  /** Replaces what the agent reported so far: what a killed process leaves of it. Ignores a record that is not there. */
  report(processId: string, report: RunReport): Promise<void>;
  /** The same for a process that may have written its record, or its end, by now: that one stays. */
  announce(record: NewProcessRecord): Promise<void>;
  /** Makes a record terminal; false when it already is, or is not there. A report is added either way. */
  finish(processId: string, end: ProcessEnd, at: Date, report?: RunReport): Promise<boolean>;
  /** What the agents of all runs reported, oldest first; runs without a report are left out. */
  reports(): Promise<readonly StoredReport[]>;
  /** False once a record is terminal or gone. Cost: reads one file. */
  isRunning(processId: string): Promise<boolean>;
  /** Every `running` record whose process is gone, as it is stored. */
  dead(): Promise<readonly ProcessRecord[]>;
  /** Ends such a record as its spec says, see `endOfDeadRun`; null when it is no longer one. */
  endDead(processId: string): Promise<ProcessRecord | null>;
  /** Does so with every one there is, and returns these. */
  repair(): Promise<readonly ProcessRecord[]>;
}

export type NewProcessRecord = Pick<ProcessRecord, "process_id" | "spec_id" | "pid" | "started_at" | "mode">;

export interface AgentStart {
  /** Program and arguments; no shell sees them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** On top of this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input, which is then closed; without it the input is empty. */
  readonly input?: string;
  /** The run it belongs to: `endRun` finds it by that. */
  readonly processId: string;
}

export interface Agents {
  /** False for the name of a program that is not on PATH. @param env what it would be started with, beside planner's own */
  isThere(program: string, env: Readonly<Record<string, string>>): boolean;
  /** Version of an installed program by the files around it, without running it; null if they do not say. */
  version(program: string, env: Readonly<Record<string, string>>): Promise<string | null>;
  /** Returns a random UUID for an agent whose sessions are named by others. */
  newSession(): string;
  /**
   * Starts a program in a new process group.
   *
   * @throws OperationError `failed_precondition` when it cannot be started, a program that is not there for example
   */
  start(start: AgentStart): Promise<AgentProcess>;
  /**
   * Ends what a killed planner process left of a run: the agent's group and, on Linux, every process that inherited the
   * run's name in its environment. A process that took over the agent's number since is not touched.
   *
   * @returns how many processes were found
   */
  endRun(run: { readonly processId: string; readonly agent: ProcessMark | null }, graceMs: number): Promise<number>;
}

export interface AgentProcess {
  readonly mark: ProcessMark;
  /** What it prints. Each is to be read to its end; a reader that waits makes the agent wait. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Values in its environment that nothing which is kept may show, see work/secrets.ts. */
  readonly secrets: readonly string[];
  /** Milliseconds of processor time of the agent and all that it started; null on systems that do not tell. */
  cpuMs(): number | null;
  /** Its own end. What it started may live on and hold the streams open: `stop` ends that. */
  readonly exited: Promise<AgentExit>;
  /**
   * Ends it with everything it started: asks (SIGTERM), and after `graceMs` forces. Resolves when all are gone. Also to
   * be called after it exited by itself. A second call with less grace cuts the first one short.
   */
  stop(graceMs: number): Promise<void>;
}

/** One of the two is null. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** `.planner/watch.pid`: at most one process watches a project. */
export interface WatchFile {
  /** Takes it for this process; null when another one that lives holds it. A dead holder's is replaced. */
  take(): Promise<WatchHold | null>;
  /** Who is named there. */
  holder(): Promise<{ readonly pid: number; readonly alive: boolean } | null>;
  /** Removes the file of a dead holder; false without one or when the holder lives. */
  clearStale(): Promise<boolean>;
}

export interface WatchHold {
  /** Whether the file still names this process: it may have been deleted. */
  isHeld(): Promise<boolean>;
  /** Removes the file; another process's stays. */
  release(): Promise<void>;
}

/** Temporary files of writers that were killed. */
export interface Leftovers {
  /** Paths from the project's root, sorted. A living process's file is not listed. */
  files(): Promise<readonly string[]>;
  /** Removes them all; returns which. */
  remove(): Promise<readonly string[]>;
}

/** The locks on git's index: a git that was killed leaves its own, and no other git changes anything there until it goes. */
export interface GitLocks {
  /** That of the project's checkout and those of its worktrees. Cost: one git for each of them. */
  find(): Promise<readonly GitLock[]>;
  /** Looks once more and removes it; false when it is gone, or held by now. */
  remove(lock: GitLock): Promise<boolean>;
}

export interface GitLock {
  /** Absolute. */
  readonly path: string;
  /** The spec whose worktree it locks; null for the project's checkout. */
  readonly spec_id: SpecId | null;
  readonly ageMs: number;
  /** Number of the process that holds it; null without a holder, `unknown` on systems that do not say. */
  readonly holder: number | "unknown" | null;
  /** Whether it certainly has no holder: in the checkout where people work, only once it is a minute old. */
  readonly removable: boolean;
}
