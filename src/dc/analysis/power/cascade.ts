import type { Trip } from "#gen/datacenter/v1/messages.ts";
import type { FailureState, Overloaded } from "./failure_state.ts";

/** Maximum number of steps of a cascade. Source: docs/contract/datacenter-analyses.md#power-loads. */
const MAX_TRIP_STEPS = 20;

/** A source that trips, with the number of its node. */
export type TrippedSource = Trip & { readonly index: number };

/** Trips the overloaded elements of a failure, step by step. Each step costs only the nodes that it affects. */
export class Cascade {
  /** Elements that are overloaded now, worst first. */
  overloads: readonly Overloaded[];
  /** Overloaded elements that trip in the next step. */
  dueOverloads: readonly Overloaded[];
  stepCount = 0;
  readonly #state: FailureState;

  constructor(state: FailureState, overloads: readonly Overloaded[]) {
    this.#state = state;
    this.overloads = overloads;
    this.dueOverloads = overloads.filter(wouldBreakerTrip);
  }

  /** Whether nothing more trips, or the maximum number of steps is reached. */
  get hasEnded(): boolean {
    return this.dueOverloads.length === 0 || this.stepCount === MAX_TRIP_STEPS;
  }

  /** Trips the elements that are due. @returns the tripped elements */
  runStep(): readonly TrippedSource[] {
    const trips = this.dueOverloads.map(createTrip);
    const state = this.#state;
    state.updateLoads(state.spread(this.dueOverloads.map(({ index }) => index)));
    this.overloads = state.listOverloads();
    this.dueOverloads = this.overloads.filter(wouldBreakerTrip);
    this.stepCount += 1;
    return trips;
  }
}

/** Whether the breaker of an overloaded element opens. */
function wouldBreakerTrip({ severity }: Overloaded): boolean {
  return severity === "WOULD_TRIP";
}

function createTrip({
  index,
  ref,
  loadBeforeW,
  loadAfterW: loadW,
  capacityW,
  utilizationPct,
}: Overloaded): TrippedSource {
  return { index, ref, loadBeforeW, loadW, capacityW, utilizationPct };
}
