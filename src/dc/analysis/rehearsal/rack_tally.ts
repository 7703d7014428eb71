import type { LiveSet } from "../power/power_live.ts";
import { type NodeTable, RACK_ROLE } from "./counted_nodes.ts";

export const RACK_STATE = { UNTOUCHED: 0, PROTECTED: 1, PARTIAL: 2, DARK: 3 } as const;

/** Computes states of racks that a failure affects from counts per rack. Equals the result of `computeRackStates`. */
export class RackTally {
  readonly #nodes: NodeTable;
  // Number of judged devices of each rack before any failure.
  readonly #judged: Int32Array;
  readonly #judgedOff: Int32Array;
  readonly #pdus: Int32Array;
  readonly #pdusOff: Int32Array;
  readonly undocumented: Int32Array;
  // Effects of the current failure on each rack.
  readonly #off: Int32Array;
  readonly #failed: Int32Array;
  readonly #failedOff: Int32Array;
  readonly #pdusLost: Int32Array;
  readonly #losesPdu: Uint8Array;
  readonly #isTouched: Uint8Array;
  readonly #isAffected: Uint8Array;
  /** Racks that were affected since the last `clear`. */
  readonly affectedRacks: number[] = [];

  constructor(graph: NodeTable, live: LiveSet) {
    const racks = graph.rackKeys.length;
    const numbers = () => new Int32Array(racks);
    this.#nodes = graph;
    this.#judged = numbers();
    this.#judgedOff = numbers();
    this.#pdus = numbers();
    this.#pdusOff = numbers();
    this.undocumented = numbers();
    this.#off = numbers();
    this.#failed = numbers();
    this.#failedOff = numbers();
    this.#pdusLost = numbers();
    this.#losesPdu = new Uint8Array(racks);
    this.#isTouched = new Uint8Array(racks);
    this.#isAffected = new Uint8Array(racks);
    for (let index = 0; index < graph.size; index += 1) this.#countNode(index, live[index] === 1 ? 0 : 1);
  }

  #countNode(index: number, off: number): void {
    const rack = this.#nodes.rack[index] as number;
    if (rack < 0) return;
    switch (this.#nodes.rackRoles[index]) {
      case RACK_ROLE.JUDGED:
        addAtIndex(this.#judged, rack, 1);
        addAtIndex(this.#judgedOff, rack, off);
        return;
      case RACK_ROLE.PDU:
        addAtIndex(this.#pdus, rack, 1);
        addAtIndex(this.#pdusOff, rack, off);
        return;
      case RACK_ROLE.UNDOCUMENTED:
        addAtIndex(this.undocumented, rack, 1);
    }
  }

  /** Excludes a failed element from the counts of its rack. */
  excludeFailed(index: number, wasLive: boolean): void {
    const rack = this.#recordRack(index);
    if (rack < 0 || this.#nodes.rackRoles[index] !== RACK_ROLE.JUDGED) return;
    addAtIndex(this.#failed, rack, 1);
    if (!wasLive) addAtIndex(this.#failedOff, rack, 1);
  }

  /** Counts a node that loses power. */
  countDarkNode(index: number, isFailed: boolean): void {
    const rack = this.#recordRack(index);
    if (rack < 0) return;
    const role = this.#nodes.rackRoles[index];
    if (role === RACK_ROLE.PDU) {
      addAtIndex(this.#pdusLost, rack, 1);
      if (!isFailed) this.#losesPdu[rack] = 1;
    } else if (role !== RACK_ROLE.NONE && !isFailed) addAtIndex(this.#off, rack, 1);
  }

  /** Records a node that goes offline, is degraded or runs on battery. */
  markTouched(index: number): void {
    const rack = this.#recordRack(index);
    if (rack >= 0) this.#isTouched[rack] = 1;
  }

  computeState(rack: number): number {
    const unknown = (this.undocumented[rack] as number) > 0;
    const judged = (this.#judged[rack] as number) - (this.#failed[rack] as number);
    const lost = this.#pdusLost[rack] as number;
    if (judged === 0 && lost > 0 && (this.#pdusOff[rack] as number) + lost === this.#pdus[rack]) {
      if (unknown) return RACK_STATE.PARTIAL;
      if (this.#losesPdu[rack] === 1) return RACK_STATE.DARK;
    }
    if (this.#isTouched[rack] !== 1) return RACK_STATE.UNTOUCHED;
    const off = this.#off[rack] as number;
    if (off === 0) return RACK_STATE.PROTECTED;
    const all = (this.#judgedOff[rack] as number) - (this.#failedOff[rack] as number) + off;
    return !unknown && all === judged ? RACK_STATE.DARK : RACK_STATE.PARTIAL;
  }

  clearEffects(): void {
    for (const rack of this.affectedRacks) {
      this.#off[rack] = 0;
      this.#failed[rack] = 0;
      this.#failedOff[rack] = 0;
      this.#pdusLost[rack] = 0;
      this.#losesPdu[rack] = 0;
      this.#isTouched[rack] = 0;
      this.#isAffected[rack] = 0;
    }
    this.affectedRacks.length = 0;
  }

  #recordRack(index: number): number {
    const rack = this.#nodes.rack[index] as number;
    if (rack < 0 || this.#isAffected[rack] === 1) return rack;
    this.#isAffected[rack] = 1;
    this.affectedRacks.push(rack);
    return rack;
  }
}

function addAtIndex(numbers: Int32Array, at: number, by: number): void {
  numbers[at] = (numbers[at] as number) + by;
}
