import { OperationError } from "#kernel/errors.ts";
import type { KeptRunRecord, LatestRunRef } from "#planner/run_ports/kept_records.ts";
import type { PlannerContext } from "../context.ts";

/** The latest run record of a spec. */
export interface SpecRunEvidence extends LatestRunRef {
  readonly kept: KeptRunRecord;
}

export type Proofs = ReadonlyMap<string, SpecRunEvidence>;

/** Milliseconds after a change until records are listed again: a completed spec's record is written after its file. */
const ONCE_MORE_MS = 2000;

/** Reads run records from git, each of them once. */
export class ProofReader {
  readonly #context: PlannerContext;
  #proofs: Proofs = new Map();
  #due: readonly number[] = [];

  constructor(context: PlannerContext) {
    this.#context = context;
  }

  /** Schedules a new listing of the records after a change at `nowMs`. */
  expect(nowMs: number): void {
    this.#due = [nowMs, nowMs + ONCE_MORE_MS];
  }

  /**
   * Returns the latest records. Lists them again if new ones may exist, which costs one git process, and one more for
   * new records.
   * @param isShown selects the specs whose records are read
   */
  async read(nowMs: number, isShown: (id: string) => boolean): Promise<Proofs> {
    if (!this.#due.some((at) => at <= nowMs)) return this.#proofs;
    this.#due = this.#due.filter((at) => at > nowMs);
    try {
      const { worktrees } = await this.#context.runs();
      const runs = (await worktrees.latestRuns()).filter(({ id }) => isShown(id));
      const isKnown = ({ id, commit }: LatestRunRef): boolean => this.#proofs.get(id)?.commit === commit;
      const read = await worktrees.readRuns(runs.filter((run) => !isKnown(run)));
      this.#proofs = new Map(
        runs.flatMap((run): [string, SpecRunEvidence][] => {
          const kept = isKnown(run) ? this.#proofs.get(run.id)?.kept : read.get(run.id);
          return kept === undefined ? [] : [[run.id, { ...run, kept }]];
        }),
      );
    } catch (error) {
      // Without git the cards show only the checked criteria.
      if (!(error instanceof OperationError)) throw error;
    }
    return this.#proofs;
  }
}
