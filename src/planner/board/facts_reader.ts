import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../context.ts";
import { collectWorktreeStates } from "../operations/shared/person_needs.ts";
import { buildSpecWorld, type SpecWorld } from "../operations/shared/world.ts";
import { isDoneStatus, type Spec, type SpecSet } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { readLogWindow, removeTimestamps } from "../work/records/log_file.ts";
import { countTokens } from "../work/usage.ts";
import { type BoardFacts, ENDED_SPEC_VISIBLE_MS, RunRecordReader, type RunRecordsBySpec } from "./board_state.ts";
import type { CardAgent } from "./wire.ts";

/** Maximum milliseconds between two reads of processes and worktrees: a killed process reports no change. */
const REREAD_INTERVAL_MS = 2000;
/** Maximum share of time spent on reading processes and worktrees; there can be tens of thousands of processes. */
const MAX_READ_SHARE = 0.2;
/** Maximum length of the log line on a card, in characters. */
const MAX_LINE_CHARS = 200;

const NO_RUN_RECORDS: RunRecordsBySpec = new Map();

/** A running agent without its latest log line, which is read more often than the other fields. */
type RunningAgent = Omit<CardAgent, "line">;

interface WorkSnapshot extends Pick<BoardFacts, "worktrees" | "last"> {
  readonly running: ReadonlyMap<string, RunningAgent>;
}

interface LastLine {
  readonly size: number;
  readonly modifiedMs: number;
  readonly line: string | null;
}

/** Reads the facts that a board shows, and reads again only what has changed since the last read. */
export class BoardFactsReader {
  readonly #context: PlannerContext;
  readonly #endTimes = new WeakMap<Spec, number>();
  #lines: ReadonlyMap<string, LastLine> = new Map();
  #work: WorkSnapshot | undefined;
  #workMark = "";
  #workAtMs = 0;
  #workTookMs = 0;
  readonly #runRecords: RunRecordReader;
  #lastFacts: { readonly key: string; readonly set: SpecSet } | undefined;

  constructor(context: PlannerContext) {
    this.#context = context;
    this.#runRecords = new RunRecordReader(context);
  }

  /** Returns the current facts, or null if they equal those of the last call. */
  async readFacts(): Promise<BoardFacts | null> {
    const nowMs = this.#context.clock.now().getTime();
    const [set, archived] = [await this.#context.specs.readActive(), await this.#context.specs.listArchivedIds()];
    const before = this.#work;
    const work = await this.#readWork(nowMs);
    const proofs = await this.#readRunRecords(set, { nowMs, isOther: work !== before });
    const agents = await this.#readLastLines(work.running);
    const day = Math.floor(nowMs / 86_400_000);
    const proven = Array.from(proofs.values(), ({ id, commit, head }) => [id, commit, head]);
    const key = JSON.stringify([[...agents], [...work.worktrees], [...work.last], day, archived.size, proven]);
    const known = this.#lastFacts;
    if (known?.key === key && known.set === set) return null;
    const world = buildSpecWorld(set, archived);
    await this.#readEndTimes(world);
    this.#lastFacts = { key, set };
    return {
      world,
      archivedIds: archived,
      runRecords: proofs,
      agents,
      workingIds: new Set(work.running.keys()),
      worktrees: work.worktrees,
      last: work.last,
      findEndMs: (spec) => this.#endTimes.get(spec) ?? nowMs,
      nowMs,
    };
  }

  /** Reads the latest run records; none on the first call, because git takes longer than all other reads. */
  async #readRunRecords(set: SpecSet, { nowMs, isOther }: { readonly nowMs: number; readonly isOther: boolean }) {
    if (isOther || this.#lastFacts?.set !== set) this.#runRecords.scheduleRead(nowMs);
    if (this.#lastFacts === undefined) return NO_RUN_RECORDS;
    const specs = new Map<string, Spec>(set.specs.map((spec) => [spec.id, spec]));
    const isShown = (id: string): boolean => {
      const spec = specs.get(id);
      return spec !== undefined && nowMs - (this.#endTimes.get(spec) ?? nowMs) <= ENDED_SPEC_VISIBLE_MS;
    };
    return this.#runRecords.readLatest(nowMs, isShown);
  }

  async #readWork(nowMs: number): Promise<WorkSnapshot> {
    const mark = await this.#context.work.readMark();
    const since = nowMs - this.#workAtMs;
    const isDue = mark !== this.#workMark || since > REREAD_INTERVAL_MS;
    if (this.#work !== undefined && (!isDue || since < this.#workTookMs / MAX_READ_SHARE)) return this.#work;
    const ports = await this.#context.openRuns();
    const [processes, reports, worktrees, ids] = await Promise.all([
      this.#context.work.readProcesses(),
      this.#context.readRunReports(),
      this.#context.work.worktrees(),
      ports.worktrees.listKnownIds(),
    ]);
    const reported = new Map(reports.map((report) => [report.process_id, report]));
    const running = new Map<string, RunningAgent>();
    for (const { spec_id, status, process_id, started_at } of processes) {
      if (status !== "running") continue;
      const { agent = null, model = null, usage = null } = reported.get(process_id) ?? {};
      running.set(spec_id, {
        name: agent,
        model,
        started_at,
        tokens: usage === null ? null : countTokens(usage),
        cost_usd: usage?.cost_usd ?? null,
      });
    }
    this.#work = {
      running,
      worktrees: collectWorktreeStates(ids, worktrees, ids.length === 0 ? new Map() : await ports.requests.readNotes()),
      last: new Map(processes.map((record) => [record.spec_id, record])),
    };
    this.#workMark = mark;
    this.#workAtMs = nowMs;
    this.#workTookMs = this.#context.clock.now().getTime() - nowMs;
    return this.#work;
  }

  async #readLastLines(running: ReadonlyMap<string, RunningAgent>): Promise<ReadonlyMap<string, CardAgent>> {
    const lines = new Map<string, LastLine>();
    for (const id of running.keys()) {
      const last = await this.#readLastLine(id as SpecId);
      if (last !== null) lines.set(id, last);
    }
    this.#lines = lines;
    return new Map([...running].map(([id, facts]) => [id, { ...facts, line: lines.get(id)?.line ?? null }]));
  }

  /** Returns null for an unreadable log, so that the card is still shown. */
  async #readLastLine(id: SpecId): Promise<LastLine | null> {
    try {
      const log = await this.#context.projectLogs.open(id);
      if (log === null) return null;
      const known = this.#lines.get(id);
      if (known?.size === log.size && known.modifiedMs === log.modified.getTime()) return known;
      const { content } = await readLogWindow(log, { lines: 1, growing: true });
      const line = removeTimestamps(content).trim().slice(0, MAX_LINE_CHARS).toWellFormed();
      return { size: log.size, modifiedMs: log.modified.getTime(), line: line === "" ? null : line };
    } catch (error) {
      if (error instanceof OperationError) return null;
      throw error;
    }
  }

  async #readEndTimes({ specs }: SpecWorld): Promise<void> {
    for (const spec of specs) {
      if (!isDoneStatus(spec.status) || this.#endTimes.has(spec)) continue;
      this.#endTimes.set(spec, await this.#readEndTime(spec));
    }
  }

  async #readEndTime({ id, frontmatter }: Spec): Promise<number> {
    const written = frontmatter["completed_at"];
    const time = typeof written === "string" ? Date.parse(written) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    try {
      return (await this.#context.specs.readModifiedTime(id)).getTime();
    } catch (error) {
      if (error instanceof OperationError) return this.#context.clock.now().getTime();
      throw error;
    }
  }
}
