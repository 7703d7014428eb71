import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join, relative, sep } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { DEFAULT_CONFIG } from "../../config/default_config.ts";
import type { ProcessRecord } from "../../ports.ts";
import type {
  Claim,
  ClaimHolder,
  ClaimResult,
  NewProcessRecord,
  ProcessMark,
  ProcessRecords,
  RunReport,
  SharedClaimResult,
  SpecClaims,
} from "../../run_ports/claims.ts";
import type { LeftoverFiles, RunPorts } from "../../run_ports/worktrees.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { readJsonFile } from "../files/json_file.ts";
import { readFolderEntries, removeFileInOpenFolder } from "../files/open_folder.ts";
import {
  createFile,
  createFileWithoutSync,
  parseTemporaryPid,
  removeLeftoverFiles,
  replaceFile,
} from "../files/place_file.ts";
import { openGitLocks } from "../git/git_locks.ts";
import { buildLockPath, listClaimedIds, readClaim } from "../locks/lock_file.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { openRunLogs } from "../logs/log_writer.ts";
import { ARCHIVE_FOLDER, LOCKS_FOLDER, PROCESSES_FOLDER, SPECS_FOLDER, WORKTREES_FOLDER } from "../project/places.ts";
import { openSharedClaims } from "../remote_claims/shared_claims.ts";
import { openRequests } from "../requests/requests.ts";
import { openDifferences } from "../worktrees/search_merge.ts";
import { openWorktrees } from "../worktrees/worktrees.ts";
import { openAgents } from "./agent_process.ts";
import { isProcessAlive } from "./process_life.ts";
import {
  buildRecordPath,
  endDeadRecord,
  listDeadRecords,
  openWatchFile,
  type RecordEnd,
  readProcessRecords,
} from "./process_records.ts";
import { readProcessMark } from "./run_processes.ts";
import { readRunReports } from "./run_reports.ts";

/**
 * Opens all side effects of runs of the project in `root`, an absolute path.
 *
 * @param config settings that may name a remote for shared claims; without it, claims are visible only in this clone
 */
export function openRuns(root: string, clock: Clock, config?: () => Promise<PlannerConfig>): RunPorts {
  const local = openClaims(root, clock);
  const isLive = (id: SpecId): boolean => readClaim(root, id, clock.now())?.holder.alive === true;
  return {
    claims: config === undefined ? local : openSharedClaims({ root, local, config, isLive }),
    worktrees: openWorktrees(root, clock),
    differences: openDifferences(root),
    requests: openRequests(root, config ?? (async () => DEFAULT_CONFIG)),
    logs: openRunLogs(root, clock),
    records: openProcessRecords(root, clock),
    agents: openAgents(root),
    watch: openWatchFile(root),
    leftovers: openLeftoverFiles(root),
    gitLocks: openGitLocks(root),
  };
}

/** Folders in which planner writes, and whether it also writes in their subfolders. */
const WRITTEN_FOLDERS: readonly (readonly [path: string, recursive: boolean])[] = [
  [".planner", false],
  [SPECS_FOLDER, false],
  [ARCHIVE_FOLDER, true],
  [LOCKS_FOLDER, false],
  [PROCESSES_FOLDER, false],
  // Each worktree is a project itself.
  [WORKTREES_FOLDER, false],
];

/** Opens the temporary files of killed writers in the project in `root`, an absolute path. */
function openLeftoverFiles(root: string): LeftoverFiles {
  return {
    listFiles: () => listLeftoverFiles(root),
    removeFiles: () =>
      runWithProjectLock(root, async () => {
        const files = await listLeftoverFiles(root);
        for (const file of files) await removeFileInOpenFolder(join(root, file)).catch(() => {});
        return files;
      }),
  };
}

async function listLeftoverFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [folder, recursive] of WRITTEN_FOLDERS) {
    for (const entry of await readFolderEntries(root, folder, recursive)) {
      const pid = entry.isFile() ? parseTemporaryPid(entry.name) : null;
      if (pid === null || isProcessAlive(pid, null)) continue;
      found.push(relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
    }
  }
  return found.sort();
}

/**
 * Opens `.planner/processes/` for writing. Files contain the documented fields and `host`, because only its own machine
 * can check whether a process has ended. Source: docs/contract/spec-tool.md#work-process-record;
 * docs/decisions.md#s-26.
 */
function openProcessRecords(root: string, clock: Clock): ProcessRecords {
  return {
    startRecord: (record, begun) => runWithProjectLock(root, () => startProcessRecord(root, record, begun)),
    announceRecord: (record) => announceRecord(root, record),
    finishRecord: (processId, end, at, report) =>
      runWithProjectLock(root, () =>
        finishProcessRecord(root, processId, { end: { ...end, completed_at: at.toISOString() }, report }),
      ),
    storeReport: async (processId, report) => {
      await runWithProjectLock(root, () => finishProcessRecord(root, processId, { end: {}, report }));
    },
    readReports: () => readRunReports(root),
    isRunning: async (processId) => {
      const read = readJsonFile(join(root, buildRecordPath(processId)));
      return read.kind === "object" && read.object["status"] === "running";
    },
    listDeadRecords: () => listDeadRecords(root),
    endDeadRecord: (processId) => endDeadRecord(root, processId, clock.now()),
    repairRecords: async () => (await readProcessRecords(root, clock.now())).repaired,
  };
}

async function startProcessRecord(root: string, given: NewProcessRecord, begun: object = {}): Promise<ProcessRecord> {
  await removeLeftoverFiles(join(root, PROCESSES_FOLDER));
  const record = buildRunningRecord(given);
  const file = buildRecordPath(given.process_id);
  await replaceFile(join(root, file), file, formatRecord({ ...addHostField(record), ...begun }));
  return record;
}

/** Writes a record without a lock or a wait for the disk: the process writes it again when its run begins. */
async function announceRecord(root: string, given: NewProcessRecord): Promise<void> {
  const file = buildRecordPath(given.process_id);
  const record = buildRunningRecord(given);
  if (createFileWithoutSync(join(root, file), file, formatRecord(addHostField(record)))) return;
  await runWithProjectLock(root, async () => {
    const read = readJsonFile(join(root, file));
    const own = read.kind === "object" && read.object["started_at"] === given.started_at;
    // Otherwise an earlier process had the same number.
    if (!own) await startProcessRecord(root, given);
  });
}

function buildRunningRecord({ process_id, spec_id, pid, started_at, mode }: NewProcessRecord): ProcessRecord {
  return { process_id, spec_id, pid, status: "running", started_at, completed_at: null, mode };
}

interface RecordChanges {
  /** Fields of the end; empty while the run continues. */
  readonly end: RecordEnd | Record<string, never>;
  readonly report: RunReport | undefined;
}

async function finishProcessRecord(root: string, processId: string, { end, report }: RecordChanges): Promise<boolean> {
  const read = readJsonFile(join(root, buildRecordPath(processId)));
  if (read.kind !== "object") return false;
  const isRunning = read.object["status"] === "running";
  if (!isRunning && report === undefined) return false;
  const file = buildRecordPath(processId);
  // A process that ended the run from outside does not have the agent's report.
  const changes = { ...(report === undefined ? {} : { report }), ...(isRunning ? end : {}) };
  await replaceFile(join(root, file), file, formatRecord({ ...read.object, ...changes }));
  return isRunning;
}

function addHostField(record: ProcessRecord): object {
  return { ...record, host: hostname() };
}

function formatRecord(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Time between heartbeats in ms. Chosen by planner: a fifth of the age at which the holder counts as gone. */
const HEARTBEAT_INTERVAL_MS = 60_000;

/**
 * Opens claims in `.planner/locks/<id>.lock`. Every change holds the project's lock while it reads and writes, so no
 * other process changes a claim in between. The kernel releases that lock when a process dies. Source:
 * docs/decisions.md#s-23.
 */
export function openClaims(root: string, clock: Clock): SpecClaims {
  return {
    claim: (id, processId) => runWithProjectLock(root, () => claimSpecFile({ root, clock, id }, processId)),
    readHolder: async (id) => readClaim(root, id, clock.now())?.holder ?? null,
    listIds: () => listClaimedIds(root),
    listOtherClaims: async () => [],
    changeByHand: async () => ({ kind: "own", notes: [] }),
    findProblems: async () => [],
    clearStale: (id) => runWithProjectLock(root, () => clearStaleClaim(root, id, clock.now())),
  };
}

interface ClaimLocation {
  readonly root: string;
  readonly clock: Clock;
  readonly id: SpecId;
}

async function claimSpecFile(place: ClaimLocation, processId: string): Promise<ClaimResult> {
  const { root, clock, id } = place;
  await removeLeftoverFiles(join(root, LOCKS_FOLDER));
  const held = readClaim(root, id, clock.now())?.holder;
  if (held?.alive) return { heldBy: held };
  if (held !== undefined) await removeLockFile(root, id);
  const own = new FileClaim(place, processId);
  if (await own.createLockFile()) return { claim: own, tookOver: held ?? null };
  // Only a program that ignores the project's lock can have written it meanwhile.
  const other = readClaim(root, id, clock.now())?.holder;
  return other === undefined ? claimSpecFile(place, processId) : { heldBy: other };
}

class FileClaim implements Claim {
  readonly id: SpecId;
  /** Never aborted, because no other clone sees this claim. */
  readonly lost = new AbortController().signal;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #processId: string;
  readonly #token = randomUUID();
  readonly #self = readProcessMark(process.pid);
  #agent: ProcessMark | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor({ root, clock, id }: ClaimLocation, processId: string) {
    this.#root = root;
    this.#clock = clock;
    this.id = id;
    this.#processId = processId;
  }

  /** Writes the lock file; returns false if another one exists by now. */
  async createLockFile(): Promise<boolean> {
    const file = buildLockPath(this.id);
    if (!(await createFile(join(this.#root, file), file, this.#formatText()))) return false;
    this.#timer = setInterval(() => {
      // The next heartbeat replaces a failed one, because a claim stays valid for several intervals.
      this.renew().catch(() => {});
    }, HEARTBEAT_INTERVAL_MS);
    this.#timer.unref();
    return true;
  }

  renew(): Promise<boolean> {
    return runWithProjectLock(this.#root, () => this.#writeIfOwn());
  }

  recordAgent(agent: ProcessMark): Promise<boolean> {
    this.#agent = agent;
    return this.renew();
  }

  share(): Promise<SharedClaimResult> {
    return Promise.resolve({ kind: "own", notes: [] });
  }

  finish(): Promise<SharedClaimResult> {
    return this.share();
  }

  release(): Promise<void> {
    clearInterval(this.#timer);
    return runWithProjectLock(this.#root, async () => {
      if (this.#isOwn()) await removeLockFile(this.#root, this.id);
    });
  }

  async #writeIfOwn(): Promise<boolean> {
    if (!this.#isOwn()) return false;
    const file = buildLockPath(this.id);
    await replaceFile(join(this.#root, file), file, this.#formatText());
    return true;
  }

  #isOwn(): boolean {
    return readClaim(this.#root, this.id, this.#clock.now())?.token === this.#token;
  }

  #formatText(): string {
    const holder = {
      pid: process.pid,
      host: hostname(),
      started_at: new Date(performance.timeOrigin).toISOString(),
      process_id: this.#processId,
      heartbeat: this.#clock.now().toISOString(),
      began: this.#self.began,
      agent: this.#agent,
      token: this.#token,
    };
    return `${JSON.stringify(holder, null, 2)}\n`;
  }
}

async function clearStaleClaim(root: string, id: SpecId, now: Date): Promise<ClaimHolder | null> {
  const holder = readClaim(root, id, now)?.holder;
  if (holder === undefined || holder.alive) return null;
  await removeLockFile(root, id);
  return holder;
}

async function removeLockFile(root: string, id: SpecId): Promise<void> {
  try {
    await removeFileInOpenFolder(join(root, buildLockPath(id)));
  } catch (error) {
    throw convertToDiskError(`remove "${buildLockPath(id)}"`, error);
  }
}
