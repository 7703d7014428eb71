import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../context.ts";
import { collectStates } from "../operations/shared/person_needs.ts";
import { buildSpecWorld, type SpecWorld } from "../operations/shared/world.ts";
import type { SpecSet } from "../ports.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { removeTimes } from "../work/records/log_format.ts";
import { readLogWindow } from "../work/records/log_window.ts";
import { countTokens } from "../work/usage.ts";
import { type BoardFacts, ENDED_SPEC_VISIBLE_MS } from "./board_state.ts";
import { ProofReader, type Proofs } from "./proof_reader.ts";
import type { CardAgent } from "./wire.ts";

/** Maximum milliseconds between two reads of processes and worktrees: a killed process reports no change. */
const LOOK_AGAIN_MS = 2000;
/** Maximum share of time spent on reading processes and worktrees; there can be tens of thousands of processes. */
const MOST_BUSY = 0.2;
/** Maximum length of the log line on a card, in characters. */
const LINE_CHARS = 200;

const NO_PROOFS: Proofs = new Map();

/** A running agent without its latest log line, which is read more often than the other fields. */
type Running = Omit<CardAgent, "line">;

interface WorkRead extends Pick<BoardFacts, "worktrees" | "last"> {
  readonly running: ReadonlyMap<string, Running>;
}

interface LastLine {
  readonly size: number;
  readonly modifiedMs: number;
  readonly line: string | null;
}

/** Reads the facts that a board shows, and reads again only what has changed since the last read. */
export class FactsReader {
  readonly #context: PlannerContext;
  readonly #ended = new WeakMap<Spec, number>();
  #lines: ReadonlyMap<string, LastLine> = new Map();
  #work: WorkRead | undefined;
  #workMark = "";
  #workAtMs = 0;
  #workTookMs = 0;
  readonly #proofs: ProofReader;
  #known: { readonly key: string; readonly set: SpecSet } | undefined;

  constructor(context: PlannerContext) {
    this.#context = context;
    this.#proofs = new ProofReader(context);
  }

  /** Returns the current facts, or null if they equal those of the last call. */
  async read(): Promise<BoardFacts | null> {
    const nowMs = this.#context.clock.now().getTime();
    const [set, archived] = [await this.#context.specs.active(), await this.#context.specs.archivedIds()];
    const before = this.#work;
    const work = await this.#readWork(nowMs);
    const proofs = await this.#readProofs(set, { nowMs, isOther: work !== before });
    const agents = await this.#readLines(work.running);
    const day = Math.floor(nowMs / 86_400_000);
    const proven = Array.from(proofs.values(), ({ id, commit, head }) => [id, commit, head]);
    const key = JSON.stringify([[...agents], [...work.worktrees], [...work.last], day, archived.size, proven]);
    const known = this.#known;
    if (known?.key === key && known.set === set) return null;
    const world = buildSpecWorld(set, archived);
    await this.#readEnds(world);
    this.#known = { key, set };
    return {
      world,
      archivedIds: archived,
      proofs,
      agents,
      working: new Set(work.running.keys()),
      worktrees: work.worktrees,
      last: work.last,
      endedAt: (spec) => this.#ended.get(spec) ?? nowMs,
      nowMs,
    };
  }

  /** Reads the latest run records; none on the first call, because git takes longer than all other reads. */
  async #readProofs(set: SpecSet, { nowMs, isOther }: { readonly nowMs: number; readonly isOther: boolean }) {
    if (isOther || this.#known?.set !== set) this.#proofs.expect(nowMs);
    if (this.#known === undefined) return NO_PROOFS;
    const specs = new Map<string, Spec>(set.specs.map((spec) => [spec.id, spec]));
    const isShown = (id: string): boolean => {
      const spec = specs.get(id);
      return spec !== undefined && nowMs - (this.#ended.get(spec) ?? nowMs) <= ENDED_SPEC_VISIBLE_MS;
    };
    return this.#proofs.read(nowMs, isShown);
  }

  async #readWork(nowMs: number): Promise<WorkRead> {
    const mark = await this.#context.work.mark();
    const since = nowMs - this.#workAtMs;
    const isDue = mark !== this.#workMark || since > LOOK_AGAIN_MS;
    if (this.#work !== undefined && (!isDue || since < this.#workTookMs / MOST_BUSY)) return this.#work;
    const ports = await this.#context.runs();
    const [processes, reports, worktrees, ids] = await Promise.all([
      this.#context.work.processes(),
      this.#context.reports(),
      this.#context.work.worktrees(),
      ports.worktrees.known(),
    ]);
    const reported = new Map(reports.map((report) => [report.process_id, report]));
    const running = new Map<string, Running>();
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
      worktrees: collectStates(ids, worktrees, ids.length === 0 ? new Map() : await ports.requests.notes()),
      last: new Map(processes.map((record) => [record.spec_id, record])),
    };
    this.#workMark = mark;
    this.#workAtMs = nowMs;
    this.#workTookMs = this.#context.clock.now().getTime() - nowMs;
    return this.#work;
  }

  async #readLines(running: ReadonlyMap<string, Running>): Promise<ReadonlyMap<string, CardAgent>> {
    const lines = new Map<string, LastLine>();
    for (const id of running.keys()) {
      const last = await this.#lastLine(id as SpecId);
      if (last !== null) lines.set(id, last);
    }
    this.#lines = lines;
    return new Map([...running].map(([id, facts]) => [id, { ...facts, line: lines.get(id)?.line ?? null }]));
  }

  /** Returns null for an unreadable log, so that the card is still shown. */
  async #lastLine(id: SpecId): Promise<LastLine | null> {
    try {
      const log = await this.#context.projectLogs.open(id);
      if (log === null) return null;
      const known = this.#lines.get(id);
      if (known?.size === log.size && known.modifiedMs === log.modified.getTime()) return known;
      const { content } = await readLogWindow(log, { lines: 1, growing: true });
      const line = removeTimes(content).trim().slice(0, LINE_CHARS).toWellFormed();
      return { size: log.size, modifiedMs: log.modified.getTime(), line: line === "" ? null : line };
    } catch (error) {
      if (error instanceof OperationError) return null;
      throw error;
    }
  }

  async #readEnds({ specs }: SpecWorld): Promise<void> {
    for (const spec of specs) {
      if ((spec.status !== "completed" && spec.status !== "cancelled") || this.#ended.has(spec)) continue;
      this.#ended.set(spec, await this.#endOf(spec));
    }
  }

  async #endOf({ id, frontmatter }: Spec): Promise<number> {
    const written = frontmatter["completed_at"];
    const time = typeof written === "string" ? Date.parse(written) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    try {
      return (await this.#context.specs.modified(id)).getTime();
    } catch (error) {
      if (error instanceof OperationError) return this.#context.clock.now().getTime();
      throw error;
    }
  }
}
