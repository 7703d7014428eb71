import type { LoadBasis } from "#dc/model/enum_values.ts";
import { type LoadLane, type Loads, lanesOf } from "./load_lanes.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { loads } from "./power_load.ts";
import { comparableLoad } from "./power_overloads.ts";

/** What loads depend on, beside who has power. */
export interface LoadsBefore {
  /** Loads before any failure. */
  readonly loads: Loads;
  readonly basis: LoadBasis;
  /** Draws of all nodes themselves, for one who tries many failures. */
  readonly drawsW?: Float64Array;
}

/** The nodes of a graph while it fails. */
interface FailureNodes {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  /** `CHANGED` is set where a load was computed. */
  readonly marks: Uint8Array;
}

/** The bit of a node's marks that says that its load was computed since the failures began. */
const CHANGED = 64;

/** Loads that follow failures, and are put back. */
export class FailureLoads {
  readonly after: Loads;
  /** Nodes whose loads were computed since the failures began. */
  changed: number[] = [];
  /** While set, the highest rise of each load is kept, in watts. */
  peaks: Float64Array | undefined;
  readonly #graph: PowerGraph;
  readonly #live: LiveSet;
  readonly #before: LoadsBefore;
  readonly #lanes: readonly LoadLane[];
  readonly #marks: Uint8Array;
  /** Supplied nodes whose load is not computed yet, plus 1; 0 for nodes that are not affected. */
  readonly #open: Int32Array;
  /** Whether all loads were computed anew. */
  #isRenewed = false;

  constructor({ graph, live, marks }: FailureNodes, before: LoadsBefore) {
    const { watts, phasesVa } = before.loads;
    this.#graph = graph;
    this.#live = live;
    this.#before = before;
    this.after = {
      ...before.loads,
      watts: watts.slice(),
      ...(phasesVa !== undefined && { phasesVa: phasesVa.slice() }),
    };
    this.#lanes = lanesOf(this.after, { graph, live, basis: before.basis, drawsW: before.drawsW });
    this.#marks = marks;
    this.#open = new Int32Array(graph.nodes.length);
  }

  /** Load in the unit of the node's capacity, whole. */
  comparable(index: number): number {
    return comparableLoad(this.#graph, index, this.after);
  }

  comparableBefore(index: number): number {
    return comparableLoad(this.#graph, index, this.#before.loads);
  }

  wattsBefore(index: number): number {
    return this.#before.loads.watts[index] as number;
  }

  /** Computes the loads of some nodes and of everything upstream of them, consumers first. */
  follow(start: readonly number[]): void {
    const { inAt, inEnd, from } = this.#graph.edges;
    const open = this.#open;
    const ready = this.#withAncestors(start).filter((index) => open[index] === 1);
    const [watts, phases] = [this.#lanes[0] as LoadLane, this.#lanes[1]];
    const { changed } = this;
    const marks = this.#marks;
    // The array grows while it is walked, so it is the queue as well.
    for (const index of ready) {
      watts.renew(index);
      phases?.renew(index);
      if (this.peaks !== undefined) this.peaks[index] = Math.max(this.peaks[index] as number, this.#riseOf(index));
      if (((marks[index] as number) & CHANGED) === 0) {
        marks[index] = (marks[index] as number) | CHANGED;
        changed.push(index);
      }
      open[index] = 0;
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        const rest = (open[source] as number) - 1;
        open[source] = rest;
        if (rest === 1) ready.push(source);
      }
    }
  }

  /** The same for a site with circles of supply: computes all loads. */
  renew(start: readonly number[]): void {
    for (const index of this.#withAncestors(start)) {
      this.#open[index] = 0;
      const marks = this.#marks[index] as number;
      if ((marks & CHANGED) !== 0) continue;
      this.#marks[index] = marks | CHANGED;
      this.changed.push(index);
    }
    const { watts, phasesVa } = loads(this.#graph, this.#live, this.#before.basis);
    this.after.watts.set(watts);
    this.after.phasesVa?.set(phasesVa ?? []);
    this.#isRenewed = true;
  }

  undo(): void {
    const { watts, phasesVa } = this.#before.loads;
    const after = this.after;
    for (const index of this.changed) {
      this.#marks[index] = (this.#marks[index] as number) & ~CHANGED;
      after.watts[index] = watts[index] as number;
      if (this.peaks !== undefined) this.peaks[index] = 0;
      if (phasesVa === undefined || after.phasesVa === undefined) continue;
      for (let at = 3 * index; at < 3 * index + 3; at += 1) after.phasesVa[at] = phasesVa[at] as number;
    }
    this.changed = [];
    if (!this.#isRenewed) return;
    after.watts.set(watts);
    after.phasesVa?.set(phasesVa ?? []);
    this.#isRenewed = false;
  }

  /** In watts. Effects of phases and power factors are not additive, so they have no bound. */
  #riseOf(index: number): number {
    const rise = (this.after.watts[index] as number) - this.wattsBefore(index);
    return this.#lanes.length > 1 && rise !== 0 ? Number.POSITIVE_INFINITY : rise;
  }

  /** Some nodes and everything upstream of them; `open` counts the edges by which each supplies another of them. */
  #withAncestors(start: readonly number[]): readonly number[] {
    const { inAt, inEnd, from } = this.#graph.edges;
    const open = this.#open;
    const all = start.slice();
    for (const index of all) open[index] = 1;
    for (const index of all) {
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        const known = open[source] as number;
        if (known === 0) all.push(source);
        open[source] = Math.max(known, 1) + 1;
      }
    }
    return all;
  }
}
