import type { Trip } from "#gen/datacenter/v1/messages.ts";
import type { FailureState, Overloaded } from "./failure_state.ts";

/** Most steps of a cascade. Source: docs/contract/datacenter-analyses.md#power-loads. */
const MAX_TRIP_STEPS = 20;

/** A source that trips, by its node. */
export type Tripped = Trip & { readonly index: number };

/** Trips the overloaded elements of a failure, step by step. Each step costs only the nodes that it affects. */
export class Cascade {
  /** Elements that are overloaded now, worst first. */
  overloads: readonly Overloaded[];
  /** Those of them that trip next. */
  due: readonly Overloaded[];
  steps = 0;
  readonly #state: FailureState;

  constructor(state: FailureState, overloads: readonly Overloaded[]) {
    this.#state = state;
    this.overloads = overloads;
    this.due = overloads.filter(wouldTrip);
  }

  /** Whether nothing more trips, or no more steps are tried. */
  get isOver(): boolean {
    return this.due.length === 0 || this.steps === MAX_TRIP_STEPS;
  }

  /** @returns what tripped */
  step(): readonly Tripped[] {
    const trips = this.due.map(tripOf);
    const state = this.#state;
    state.follow(state.spread(this.due.map(({ index }) => index)));
    this.overloads = state.overloads();
    this.due = this.overloads.filter(wouldTrip);
    this.steps += 1;
    return trips;
  }
}

/** Whether the breaker opens. */
function wouldTrip({ severity }: Overloaded): boolean {
  return severity === "WOULD_TRIP";
}

function tripOf({ index, ref, loadBeforeW, loadAfterW: loadW, capacityW, utilizationPct }: Overloaded): Tripped {
  return { index, ref, loadBeforeW, loadW, capacityW, utilizationPct };
}
