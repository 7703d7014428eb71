import { OperationError } from "#kernel/errors.ts";
import type { KeptRunRecord, LatestRunRef } from "#planner/run_ports/kept_records.ts";
import type { PlannerContext } from "../context.ts";

/** The latest run record of a spec. */
export interface SpecRunEvidence extends LatestRunRef {
  readonly kept: KeptRunRecord;
}

export type RunRecordsBySpec = ReadonlyMap<string, SpecRunEvidence>;

/** Milliseconds after a change until records are listed again: a completed spec's record is written after its file. */
const RELIST_DELAY_MS = 2000;

/** Reads run records from git, each of them once. */
export class RunRecordReader {
  readonly #context: PlannerContext;
  #runRecords: RunRecordsBySpec = new Map();
  #dueTimes: readonly number[] = [];

  constructor(context: PlannerContext) {
    this.#context = context;
  }

  /** Schedules a new listing of the records after a change at `nowMs`. */
  scheduleRead(nowMs: number): void {
    this.#dueTimes = [nowMs, nowMs + RELIST_DELAY_MS];
  }

  /**
   * Returns the latest records. Lists them again if new ones may exist, which costs one git process, and one more for
   * new records.
   * @param isShown selects the specs whose records are read
   */
  async readLatest(nowMs: number, isShown: (id: string) => boolean): Promise<RunRecordsBySpec> {
    if (!this.#dueTimes.some((at) => at <= nowMs)) return this.#runRecords;
    this.#dueTimes = this.#dueTimes.filter((at) => at > nowMs);
    try {
      const { worktrees } = await this.#context.openRuns();
      const runs = (await worktrees.listLatestRuns()).filter(({ id }) => isShown(id));
      const isKnown = ({ id, commit }: LatestRunRef): boolean => this.#runRecords.get(id)?.commit === commit;
      const read = await worktrees.readRecords(runs.filter((run) => !isKnown(run)));
      this.#runRecords = new Map(
        runs.flatMap((run): [string, SpecRunEvidence][] => {
          const kept = isKnown(run) ? this.#runRecords.get(run.id)?.kept : read.get(run.id);
          return kept === undefined ? [] : [[run.id, { ...run, kept }]];
        }),
      );
    } catch (error) {
      // Without git the cards show only the checked criteria.
      if (!(error instanceof OperationError)) throw error;
    }
    return this.#runRecords;
  }
}
