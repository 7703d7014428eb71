import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import { inletPaths } from "../power/power_chain.ts";
import type { PowerEdge, PowerGraph } from "../power/power_graph.ts";
import { KillerSets } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";

/** Load of one power path for a rack. */
export interface PathLoad {
  readonly powerPath: string;
  /** As things are; a dead side carries nothing. */
  readonly normalW: number;
  /** The most after the loss of any one element. */
  readonly failoverW: number;
}

/** An inlet of a device of the rack: its side, and the losses that turn it off; undefined when it is dead. */
interface SideInlet {
  readonly edge: PowerEdge;
  readonly label: string;
  readonly killers: ReadonlySet<number> | undefined;
}

interface Supply {
  readonly need: number;
  readonly drawW: number;
  readonly inlets: readonly SideInlet[];
}

/**
 * Load of each power path for the consumers of one rack, now and after the loss of any one element. Cost: O(devices ×
 * relevant losses × inlets). Source: docs/contract/datacenter-analyses.md#p8.
 */
export function rackPaths(
  graph: PowerGraph,
  { live, loadsW }: { readonly live: LiveSet; readonly loadsW: Float64Array },
  devices: readonly DeviceBody[],
): readonly PathLoad[] {
  const killers = new KillerSets(graph, "NOW");
  const supplies = devices.flatMap(({ code }) => {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    return isSupplied(graph, index) ? [supplyOf(graph, { live, loadsW, killers }, index)] : [];
  });
  const labels = [...new Set(supplies.flatMap(({ inlets }) => inlets.map(({ label }) => label)))].toSorted();
  const normal = sideLoads(supplies, undefined);
  const losses = new Set(supplies.flatMap(({ inlets }) => inlets.flatMap((inlet) => [...(inlet.killers ?? [])])));
  const worst = new Map(normal);
  for (const lost of losses) {
    for (const [label, watts] of sideLoads(supplies, lost)) worst.set(label, Math.max(worst.get(label) ?? 0, watts));
  }
  return labels.map((powerPath) => ({
    powerPath,
    normalW: Math.round(normal.get(powerPath) ?? 0),
    failoverW: Math.round(worst.get(powerPath) ?? 0),
  }));
}

/** Blades are left out: their draw is in that of their chassis. */
function isSupplied(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked || isPowerKind(node.device.kind)) return false;
  const [first] = graph.inlets[index] ?? [];
  return first !== undefined && first.how !== "BAY";
}

interface Figures {
  readonly live: LiveSet;
  readonly loadsW: Float64Array;
  readonly killers: KillerSets;
}

function supplyOf(graph: PowerGraph, { live, loadsW, killers }: Figures, index: number): Supply {
  const labels = inletPaths(graph, live, index);
  return {
    need: graph.nodes[index]?.need ?? 0,
    drawW: loadsW[index] ?? 0,
    inlets: (graph.inlets[index] ?? []).map((edge, at) => {
      const found = killers.safely(edge.from);
      return { edge, label: labels[at]?.label ?? "", killers: found === undefined ? undefined : new Set(found) };
    }),
  };
}

/** Load of each path after a loss, in watts. */
function sideLoads(supplies: readonly Supply[], lost: number | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { need, drawW, inlets } of supplies) {
    const alive = inlets.filter(({ killers }) => killers !== undefined && (lost === undefined || !killers.has(lost)));
    if (alive.length < need) continue;
    const allocated = alive.reduce((sum, { edge }) => sum + (edge.allocatedW ?? 0), 0);
    const byDraw = alive.every(({ edge }) => (edge.allocatedW ?? 0) > 0);
    for (const { edge, label } of alive) {
      const share = byDraw ? (edge.allocatedW ?? 0) / allocated : 1 / alive.length;
      found.set(label, (found.get(label) ?? 0) + drawW * share);
    }
  }
  return found;
}
