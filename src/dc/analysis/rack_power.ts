import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { DeviceBody } from "#dc/model/resources.ts";
import { inletPaths } from "./power_chain.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { failoverLoadW, ownDrawW } from "./power_load.ts";

/** What one supply side carries for a rack. */
export interface PathLoad {
  readonly powerPath: string;
  /** With every side live. */
  readonly normalW: number;
  /** When it alone carries every device that reaches it. */
  readonly failoverW: number;
}

/** How a rack is supplied. */
export interface RackPower {
  readonly paths: readonly PathLoad[];
  /** Codes of IT devices with inlets on fewer than two sides. */
  readonly singlePath: readonly string[];
  /** The worst PDU of the rack, in percent of its capacity; absent without a PDU of known capacity. */
  readonly normalPct?: number;
  readonly failoverPct?: number;
}

interface Supply {
  readonly code: string;
  readonly draw: number;
  readonly labels: readonly string[];
}

/**
 * Looks at the supply of every device of one rack. Cost: O(devices × depth). Source:
 * docs/contract/datacenter-analyses.md#power-loads, docs/contract/datacenter-analyses.md#rack-health.
 */
export function rackPower(
  graph: PowerGraph,
  live: LiveSet,
  devices: readonly DeviceBody[],
  { basis, loadsW }: { readonly basis: LoadBasis; readonly loadsW: Float64Array },
): RackPower {
  const members = devices.flatMap(({ code }) => graph.indexOf.get(`device:${codeKey(code)}`) ?? []);
  const supplies = members
    .filter((index) => !isPdu(graph, index) && (graph.inlets[index] ?? []).length > 0)
    .map((index) => supplyOf(graph, live, index, basis));
  const pdus = members.filter((index) => isPdu(graph, index) && (graph.nodes[index]?.capacityW ?? 0) > 0);
  const share = (watts: number | undefined, index: number) =>
    ((watts ?? 0) / (graph.nodes[index]?.capacityW ?? 1)) * 100;
  return {
    paths: pathLoads(supplies),
    singlePath: supplies.filter(({ labels }) => new Set(labels).size < 2).map(({ code }) => code),
    ...(pdus.length > 0 && {
      normalPct: Math.max(...pdus.map((index) => share(loadsW[index], index))),
      failoverPct: Math.max(...pdus.map((index) => share(failoverLoadW(graph, index, basis), index))),
    }),
  };
}

function isPdu(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

function supplyOf(graph: PowerGraph, live: LiveSet, index: number, basis: LoadBasis): Supply {
  const node = graph.nodes[index];
  const paths = inletPaths(graph, live, index);
  return {
    code: node?.kind === "DEVICE" ? node.device.code : "",
    draw: ownDrawW(graph, index, basis),
    labels: paths.map(({ label }) => label),
  };
}

function pathLoads(supplies: readonly Supply[]): readonly PathLoad[] {
  const labels = [...new Set(supplies.flatMap((supply) => supply.labels))].toSorted();
  return labels.map((powerPath) => {
    const on = supplies.filter((supply) => supply.labels.includes(powerPath));
    const part = ({ labels: all }: Supply) => all.filter((label) => label === powerPath).length / all.length;
    return {
      powerPath,
      normalW: Math.round(on.reduce((sum, supply) => sum + supply.draw * part(supply), 0)),
      failoverW: on.reduce((sum, supply) => sum + supply.draw, 0),
    };
  });
}
