import { isPowerKind } from "#dc/model/draw.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { PowerEdge } from "../power/power_edge.ts";
import { isConsumer } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";

/** Measured power by the key of the element, in watts. */
export type MeasuredPower = ReadonlyMap<string, number>;

/** The measured draw of a consumer. */
export interface MeasuredDraw {
  readonly watts: number;
  /** Part of the draw that no meter measures, in watts. */
  readonly plannedW: number;
  /** Draw of each inlet in watts; empty unless every live inlet is measured. */
  readonly inlets: ReadonlyMap<string, number>;
}

/**
 * Returns the draws of consumers from their closest meters: a device's or cooling unit's own meter, otherwise the
 * meters of all its live inlets or of the outlets that supply only these inlets.
 */
export function measureOwnDraws(topology: Topology, measured: MeasuredPower): Map<number, MeasuredDraw> {
  const draws = new Map<number, MeasuredDraw>();
  for (const [index, node] of topology.power.nodes.entries()) {
    if (!isDrawMeter(node) || topology.live[index] !== 1) continue;
    const draw = measureOwnDraw(topology, index, measured);
    if (draw !== undefined) draws.set(index, draw);
  }
  return draws;
}

function measureOwnDraw(topology: Topology, index: number, measured: MeasuredPower): MeasuredDraw | undefined {
  const { power } = topology;
  const edges = listLiveInlets(topology, index);
  const inlets = new Map<string, number>();
  for (const edge of edges) {
    const watts = measureInletW({ power }, edge, measured);
    if (watts !== undefined) inlets.set(edge.inlet, watts);
  }
  const isWhole = inlets.size === edges.length;
  const own = measured.get(toRefKey(power.nodes[index]?.ref ?? ""));
  if (own === undefined && (edges.length === 0 || !isWhole)) return undefined;
  const watts = own ?? [...inlets.values()].reduce((sum, one) => sum + one, 0);
  return { watts, plannedW: 0, inlets: isWhole ? inlets : new Map() };
}

/** Whether a node's meter measures its own draw. Power equipment's meter measures the load that it passes on. */
function isDrawMeter(node: Topology["power"]["nodes"][number]): boolean {
  if (node.kind === "CRAC") return !node.blocked;
  return node.kind === "DEVICE" && !node.blocked && !isPowerKind(node.device.kind);
}

function measureInletW({ power }: Pick<Topology, "power">, { from, to, inlet }: PowerEdge, measured: MeasuredPower) {
  const consumer = power.nodes[to];
  const ref = consumer?.kind === "DEVICE" ? `port:${consumer.device.code}/${inlet}` : undefined;
  const atInlet = ref === undefined ? undefined : measured.get(toRefKey(ref));
  if (atInlet !== undefined) return atInlet;
  const source = power.nodes[from];
  if (source?.kind !== "OUTLET" || power.supplies.count(from) !== 1) return undefined;
  return getMeterW(source, measured);
}

/** Returns the measured watts of a node, for a feed also those of the port that declares it; undefined if none. */
export function getMeterW(node: Topology["power"]["nodes"][number], measured: MeasuredPower): number | undefined {
  return listMeterKeys(node)
    .map((key) => measured.get(key))
    .find((watts) => watts !== undefined);
}

/** Lists keys of the elements whose readings apply to a node; a feed also has the key of the port that declares it. */
export function listMeterKeys(node: Topology["power"]["nodes"][number]): readonly string[] {
  const own = toRefKey(node.ref);
  if (node.kind !== "OUTLET" || !node.ref.startsWith("feed:")) return [own];
  return [own, toRefKey(`port:${node.end.deviceCode}/${node.end.portName}`)];
}

export function isLiveConsumer(topology: Topology, index: number): boolean {
  return topology.live[index] === 1 && isConsumer(topology.power.nodes[index]);
}

/** Returns the edges of a node's live inlets, without the bays of blades. */
export function listLiveInlets({ power, live }: Topology, index: number): readonly PowerEdge[] {
  return power.inlets.listEdges(index).filter(({ from, how }) => how === undefined && live[from] === 1);
}
