import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import type { PathLoad } from "#gen/datacenter/v1/messages.ts";
import { SupplySideFinder } from "../power/power_chain.ts";
import type { PowerEdge } from "../power/power_edge.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { KillerSets } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";

interface RackConsumer {
  readonly need: number;
  readonly drawW: number;
  /** Number of the consumer's first inlet; the consumer's inlets end before `end`. */
  readonly first: number;
  readonly end: number;
}

interface RackPowerInput {
  readonly live: LiveSet;
  readonly loadsW: Float64Array;
  /** Single losses that turn nodes off in the present state. */
  readonly killers: KillerSets;
}

/**
 * Computes the load of each power path for the consumers of one rack, now and after the loss of any one element. Cost:
 * O(inlets × relevant losses). Source: docs/contract/datacenter-analyses.md#p8.
 */
export function computePathLoads(
  graph: PowerGraph,
  figures: RackPowerInput,
  devices: readonly DeviceBody[],
): readonly PathLoad[] {
  const inlets = new RackInlets(graph, figures);
  for (const { code } of devices) {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    if (drawsFromOwnInlets(graph, index)) inlets.addConsumer(index);
  }
  const normal = inlets.computeSideLoads();
  const worst = normal.slice();
  for (const lost of inlets.listLosses()) {
    for (const [side, watts] of inlets.computeSideLoads(lost).entries())
      worst[side] = Math.max(worst[side] ?? 0, watts);
  }
  return inlets
    .listLabels()
    .map((powerPath, side) => ({
      powerPath,
      normalW: normal[side] ?? 0,
      failoverW: worst[side] ?? 0,
    }))
    .toSorted((a, b) => (a.powerPath < b.powerPath ? -1 : 1));
}

/** Whether a node is a consumer with recorded inlets. Blades are excluded: their chassis's draw includes theirs. */
function drawsFromOwnInlets(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked || isPowerKind(node.device.kind)) return false;
  const first = graph.inlets.getFirstEdge(index);
  return first !== undefined && first.how !== "BAY";
}

/** Inlets of a rack's consumers, numbered so that the inlets of one consumer follow each other. */
class RackInlets {
  readonly #graph: PowerGraph;
  readonly #figures: RackPowerInput;
  readonly #supplySides: SupplySideFinder;
  readonly #consumers: RackConsumer[] = [];
  /** Numbers of the sides by label; `#side` contains the side of each inlet. */
  readonly #sides = new Map<string, number>();
  readonly #sideByInlet: number[] = [];
  readonly #allocatedW: number[] = [];
  readonly #isDead: boolean[] = [];
  /** Inlets that the loss of an element alone turns off, by the element's node. */
  readonly #inletsByLoss = new Map<number, number[]>();

  constructor(graph: PowerGraph, figures: RackPowerInput) {
    this.#graph = graph;
    this.#figures = figures;
    this.#supplySides = new SupplySideFinder(graph, figures.live);
  }

  listLabels(): readonly string[] {
    return [...this.#sides.keys()];
  }

  /** Yields the inlets that each loss turns off. */
  listLosses(): Iterable<readonly number[]> {
    return this.#inletsByLoss.values();
  }

  addConsumer(consumer: number): void {
    const first = this.#sideByInlet.length;
    for (const edge of this.#graph.inlets.listEdges(consumer)) this.#addInlet(edge);
    const need = this.#graph.nodes[consumer]?.need ?? 0;
    this.#consumers.push({ need, drawW: this.#figures.loadsW[consumer] ?? 0, first, end: this.#sideByInlet.length });
  }

  #addInlet(edge: PowerEdge): void {
    const at = this.#sideByInlet.length;
    const label = this.#supplySides.findSide(edge);
    const side = this.#sides.getOrInsertComputed(label, () => this.#sides.size);
    this.#sideByInlet.push(side);
    this.#allocatedW.push(edge.allocatedW ?? 0);
    const killers = this.#figures.killers.findKillers(edge.from);
    this.#isDead.push(killers === undefined);
    for (const lost of killers ?? []) this.#inletsByLoss.getOrInsert(lost, []).push(at);
  }

  /** Returns the load of each side in watts after the loss of some inlets. */
  computeSideLoads(lost: readonly number[] = []): readonly number[] {
    const loads = new Array<number>(this.#sides.size).fill(0);
    // No lost inlet was dead before, so the marks can be reset afterwards.
    for (const at of lost) this.#isDead[at] = true;
    for (const consumer of this.#consumers) this.#divideDraw(consumer, loads);
    for (const at of lost) this.#isDead[at] = false;
    return loads;
  }

  /** Divides the draw of a consumer among its live inlets. */
  #divideDraw({ need, drawW, first, end }: RackConsumer, loads: number[]): void {
    let [alive, allocated, byDraw] = [0, 0, true];
    for (let at = first; at < end; at += 1) {
      if (this.#isDead[at] === true) continue;
      const watts = this.#allocatedW[at] as number;
      alive += 1;
      allocated += watts;
      if (watts <= 0) byDraw = false;
    }
    if (alive < need) return;
    for (let at = first; at < end; at += 1) {
      if (this.#isDead[at] === true) continue;
      const share = byDraw ? (this.#allocatedW[at] as number) / allocated : 1 / alive;
      const side = this.#sideByInlet[at] as number;
      loads[side] = (loads[side] as number) + drawW * share;
    }
  }
}
