import { OperationError } from "#kernel/errors.ts";
import type { KeptRunRecord, LatestRun } from "#planner/run_ports/kept_records.ts";
import type { PlannerContext } from "../context.ts";

/** The latest record of a spec. */
export interface SpecProof extends LatestRun {
  readonly kept: KeptRunRecord;
}

export type Proofs = ReadonlyMap<string, SpecProof>;

/** How long after a change records are listed once more, in milliseconds: a completed spec's is written behind its file. */
const ONCE_MORE_MS = 2000;

/** Reads what runs have proven, and reads each record once. */
export class ProofReader {
  readonly #context: PlannerContext;
  #proofs: Proofs = new Map();
  #due: readonly number[] = [];

  constructor(context: PlannerContext) {
    this.#context = context;
  }

  /** Notes a change after which new records may exist. */
  expect(nowMs: number): void {
    this.#due = [nowMs, nowMs + ONCE_MORE_MS];
  }

  /**
   * Returns the latest records, listed again if some may have come. Cost then: one git, and one more for new ones.
   *
   * @param isShown specs whose records are read
   */
  async read(nowMs: number, isShown: (id: string) => boolean): Promise<Proofs> {
    if (!this.#due.some((at) => at <= nowMs)) return this.#proofs;
    this.#due = this.#due.filter((at) => at > nowMs);
    try {
      const { worktrees } = await this.#context.runs();
      const runs = (await worktrees.latestRuns()).filter(({ id }) => isShown(id));
      const isKnown = ({ id, commit }: LatestRun): boolean => this.#proofs.get(id)?.commit === commit;
      const read = await worktrees.readRuns(runs.filter((run) => !isKnown(run)));
      this.#proofs = new Map(
        runs.flatMap((run): [string, SpecProof][] => {
          const kept = isKnown(run) ? this.#proofs.get(run.id)?.kept : read.get(run.id);
          return kept === undefined ? [] : [[run.id, { ...run, kept }]];
        }),
      );
    } catch (error) {
      // Without git the cards show ticks alone.
      if (!(error instanceof OperationError)) throw error;
    }
    return this.#proofs;
  }
}
