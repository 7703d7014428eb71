import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPlanner } from "#cli/compose.ts";
import type { PlannerContext } from "#planner/context.ts";
import type { RunDeps, RunEvent, RunSettings } from "#planner/runs/run_types.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { AgentProcess } from "#planner/store/processes/agent_process.ts";
import type { RunPorts } from "#planner/store/processes/open_runs.ts";
import type { SharedClaimResult } from "#planner/store/remote_claims/remote_claims.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import { openRunFiles } from "#planner/store/worktrees/run_files.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import type { BranchMergeResult } from "#planner/store/worktrees/worktree_rebase.ts";
import type { NewWorktreeStatus } from "#planner/store/worktrees/worktrees.ts";
import type { AgentExit } from "#planner/work/end_of_run.ts";
import type { ProcessResult } from "#planner/work/records/process_record.ts";
import type { BranchHead } from "#planner/work/records/read_record.ts";
import { type TempProject, tempProject } from "./temp_project.ts";
import { trustProject } from "./trusted_project.ts";

export const ID = "2026-01-05-001-abc" as SpecId;

const CONFIG = "---\ndefaults: {provider: command}\nproviders: {command: {command: agent}}\n---\n";
const SPEC = `---\nid: ${ID}\nstatus: pending\nlabels: [x]\n---\n\n# A title\n\n## Acceptance Criteria\n\n- [x] It is done\n`;

export const SETTLED: WorktreeState = {
  notes: [],
  warnings: [],
  outside: [],
  problems: [],
  safe: true,
  commits: [],
  changed: [{ path: "a.txt", isNew: true }],
  uncommitted: [],
};

/** What the fakes do, to be set before a run. */
interface Script {
  /** What the agent does once it was started, before it ends. */
  agent: () => Promise<void> | void;
  exit: AgentExit;
  state: WorktreeState;
  /** Answers of the claim's renewal. */
  held: () => boolean;
  /** Whether the record is still `running`. */
  running: () => boolean;
  merge: BranchMergeResult;
  /** Answer of the claim that other clones see, before a completion or a merge. */
  finish: SharedClaimResult;
  /** Throws to refuse a removal. */
  remove: () => void;
}

/** Everything that the fakes were asked to do, in order. */
export interface Deeds {
  readonly statuses: NewWorktreeStatus[];
  readonly ends: ProcessResult[];
  readonly lines: string[];
  readonly stops: number[];
  readonly events: RunEvent[];
  readonly others: string[];
  readonly records: object[];
}

export interface FakeRuns extends Deeds {
  readonly deps: RunDeps;
  readonly script: Script;
  readonly project: TempProject;
  status(): string | undefined;
  [Symbol.dispose](): void;
}

/** Runs whose specs are files and whose processes, worktrees and git are fakes. */
export async function fakeRuns(): Promise<FakeRuns> {
  const project = tempProject();
  project.write(".planner/config.md", CONFIG);
  project.spec(ID, SPEC);
  trustProject(project.root);
  const deeds: Deeds = { statuses: [], ends: [], lines: [], stops: [], events: [], others: [], records: [] };
  const script: Script = {
    agent: () => {},
    exit: { code: 0, signal: null },
    state: SETTLED,
    held: () => true,
    running: () => true,
    merge: { kind: "nothing" },
    finish: { kind: "own", notes: [] },
    remove: () => {},
  };
  const ports = fakePorts(project, script, deeds);
  const real = await openPlanner({ cwd: project.root });
  const context: PlannerContext = { ...real, openRuns: async () => ports };
  const deps: RunDeps = {
    context,
    ports,
    files: {
      readText: async () => null,
      writeText: async () => {},
      prepareCommitFolders: async () => [],
      findFreePort: async () => 1,
      findLastChangeTime: async () => 0,
      createHasher: () => openRunFiles().createHasher(),
      openHistory: () => ({ listCommitsNaming: async () => [], findLastChange: async () => null }),
    },
    root: project.root,
    pid: 7,
    selfCommand: ["planner"],
    buildShellCommand: (line) => ["sh", line],
    announced: null,
    tell: (event) => void deeds.events.push(event),
  };
  const status = (): string | undefined => /^status: (.*)$/m.exec(project.read(`.planner/specs/${ID}.md`))?.[1];
  return { ...deeds, deps, script, project, status, [Symbol.dispose]: project.remove };
}

export function wishes(change: Partial<RunSettings> = {}): RunSettings {
  const stop = { soon: new AbortController().signal, now: new AbortController().signal };
  return {
    mode: "single",
    provider: null,
    model: null,
    prompt: null,
    skipCriteria: false,
    unproven: null,
    resume: false,
    worktree: true,
    shared: { steal: false, offline: false },
    stop,
    ...change,
  };
}

function fakePorts(project: TempProject, script: Script, deeds: Deeds): RunPorts {
  const did = (what: string) => async (): Promise<void> => void deeds.others.push(what);
  const worktree = fakeWorktree(project, script);
  const log = {
    line: async (text: string) => void deeds.lines.push(text),
    printed: async (lines: readonly string[]) => void deeds.lines.push(...lines),
    flush: async () => {},
    end: did("log ended"),
  };
  const claim = {
    id: ID,
    renew: async () => script.held(),
    recordAgent: async () => script.held(),
    share: async () => ({ kind: "own", notes: [] }),
    finish: async () => script.finish,
    lost: new AbortController().signal,
    release: did("claim released"),
  };
  const ports = {
    claims: { claim: async () => ({ claim, tookOver: null }), listIds: async () => [], readHolder: async () => null },
    requests: { readNotes: async () => new Map() },
    worktrees: {
      requireCreatable: async () => {},
      nameBranch: async (id: string, prefix: string) => prefix + id,
      prepareWorktree: async () => worktree,
      runInFreshWorktree: async (_: SpecId, __: string, use: (fresh: Worktree) => Promise<unknown>) => use(worktree),
      listIds: async () => [ID],
      findWorktree: async () => worktree,
      listCommits: async () => [],
      restoreReplacedFiles: async () => [],
      isMerged: async () => true,
      mergeBranch: async () => script.merge,
      removeWorktree: async () => {
        script.remove();
        deeds.others.push("worktree removed");
        return [];
      },
      storeRecord: async (_: SpecId, __: string, write: (head: BranchHead) => object) => {
        deeds.records.push(write({ run: 1, head: "0".repeat(40) }));
        return 1;
      },
      recordMergedCommits: async () => {},
      writeStatus: async (status: NewWorktreeStatus) => void deeds.statuses.push(status),
    },
    logs: { open: async () => log },
    records: {
      startRecord: did("record started"),
      storeReport: async () => {},
      isRunning: async () => script.running(),
      finishRecord: async (_: string, end: ProcessResult) => deeds.ends.push(end) > 0,
    },
    agents: {
      isInstalled: () => true,
      findVersion: async () => null,
      start: async () => fakeAgent(script, deeds),
      endRun: async () => 0,
    },
  };
  return ports as unknown as RunPorts;
}

function fakeWorktree(project: TempProject, script: Script): Worktree {
  const root = join(project.root, "worktree");
  mkdirSync(join(root, ".planner/specs"), { recursive: true });
  const file = `.planner/specs/${ID}.md`;
  const copied = (): void => project.write(`worktree/${file}`, readFileSync(join(project.root, file)));
  copied();
  const facts = {
    path: root,
    root,
    branch: `planner/${ID}`,
    mainBranch: "main",
    reused: false,
    copied: [],
    env: {},
    identity: {},
    begunAnew: null,
  };
  return {
    ...facts,
    openSpecs: () => new SpecStore(root),
    writePlannerFile: async () => {},
    addRequiredFiles: async () => [],
    takeBaseline: async () => ({ uncommitted: [], newerCommits: 0 }),
    settle: async () => script.state,
    listUncommittedFiles: async () => script.state.uncommitted,
    holds: async () => ({
      commit: "0".repeat(40),
      tree: "0".repeat(40),
      uncommitted: script.state.uncommitted,
      ignored: [],
      changed: script.state.changed,
      behind: false,
      nested: false,
    }),
    readBranchWork: async () => ({ commits: [], changed: [] }),
    readMainSpec: async () => null,
    readBlobHashes: async () => new Map(),
    checkoutFiles: async () => {},
    buildJoinedSpec: async () => readFileSync(join(root, file), "utf8"),
    commitSpec: async () => true,
    commitFile: async () => {},
  };
}

/** How long a stream of an agent that nobody stops stays open, in milliseconds: a test that forgets fails by its list. */
const FORGOTTEN_MS = 3000;

/** An agent whose streams stay open after its end, held by what it has started, until it is stopped. */
function fakeAgent(script: Script, { stops }: Deeds): AgentProcess {
  const closed = Promise.withResolvers<void>();
  async function* open(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("at work\n");
    await closed.promise;
  }
  const ended = Promise.withResolvers<AgentExit>();
  setTimeout(closed.resolve, FORGOTTEN_MS).unref();
  Promise.resolve(script.agent()).then(
    () => ended.resolve(script.exit),
    () => {},
  );
  return {
    mark: { pid: 9, began: null },
    stdout: open(),
    stderr: open(),
    secrets: [],
    exited: ended.promise,
    cpuMs: () => null,
    async stop(graceMs: number) {
      stops.push(graceMs);
      ended.resolve(script.exit);
      closed.resolve();
    },
  } as unknown as AgentProcess;
}
