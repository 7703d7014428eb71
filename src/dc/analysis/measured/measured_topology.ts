import { codeKey } from "#dc/model/code.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import type { MeasuredLoad } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { Topology } from "../topology.ts";
import { isLoad, type MeasuredDraw, type MeasuredPower, ownDraws, recordedW } from "./measured_draws.ts";
import { supplyMeters } from "./supply_meters.ts";

/** An inlet without a draw would make its device divide its load equally. */
const LEAST_W = 1e-6;

/** For how much of the load a measurement was found. */
export type MeasuredShare = Omit<MeasuredLoad, "omittedDifferences">;

/** The inventory's graphs with measured draws instead of recorded ones. */
export interface MeasuredTopology {
  readonly topology: Topology;
  readonly share: MeasuredShare;
  /** Of the draw of a consumer, what meters say, in watts, by node. */
  readonly measuredW: ReadonlyMap<number, number>;
}

/**
 * Returns the graphs in which consumers draw what meters say of them; the others draw what is recorded. The meter closest
 * to a consumer counts: its own, those of its inlets, else that of a supply. Cost: up to two builds of the graphs.
 */
export function* measuredTopology(topology: Topology, measured: MeasuredPower): Steps<MeasuredTopology> {
  const own = ownDraws(topology, measured);
  const first = own.size === 0 ? topology : yield* Topology.build(withDraws(topology, own));
  // Nodes have the same numbers as long as the order of the inventory is the same.
  const supplies = yield* supplyMeters(first, measured, own);
  const { draws, unrecorded } = supplies;
  const carried = [...unrecorded].map(([index, watts]): [number, MeasuredDraw] => [
    index,
    { watts: recordedW(first, index) + watts, plannedW: 0, inlets: new Map() },
  ]);
  const all = new Map([...own, ...draws, ...carried]);
  const isSame = draws.size === 0 && carried.length === 0;
  const made = isSame ? first : yield* Topology.build(withDraws(topology, all));
  const measuredW = new Map<number, number>();
  const share = shareOf(made, all, measuredW);
  return { topology: made, share: { ...share, differences: supplies.differences }, measuredW };
}

/** The inventory with measured draws. */
function withDraws({ inventory, power }: Topology, draws: ReadonlyMap<number, MeasuredDraw>): Inventory {
  const at = (key: string) => draws.get(power.indexOf.get(key) ?? -1);
  return {
    ...inventory,
    devices: inventory.devices.map((device) => measuredDevice(device, at(`device:${codeKey(device.code)}`))),
    cracs: inventory.cracs.map((crac) => measuredUnit(crac, at(`crac:${codeKey(crac.code)}`))),
  };
}

function measuredDevice(device: Device, draw: MeasuredDraw | undefined): Device {
  if (draw === undefined) return device;
  const { ports } = device;
  if (draw.inlets.size === 0 || ports === undefined) return { ...device, measuredDrawW: draw.watts };
  return {
    ...device,
    measuredDrawW: draw.watts,
    ports: ports.map((port) => {
      const watts = port.kind === "POWER_IN" ? draw.inlets.get(port.name) : undefined;
      if (watts === undefined) return port;
      return { ...port, powerIn: { ...port.powerIn, allocatedDrawW: Math.max(LEAST_W, watts) } };
    }),
  };
}

/** A cooling unit has no recorded measurement, so that its allocated draw is the first that counts. */
function measuredUnit(crac: Crac, draw: MeasuredDraw | undefined): Crac {
  return draw === undefined ? crac : { ...crac, allocatedDrawW: draw.watts };
}

/** Also notes what is measured of each consumer. */
function shareOf(
  topology: Topology,
  draws: ReadonlyMap<number, MeasuredDraw>,
  measuredW: Map<number, number>,
): Omit<MeasuredShare, "differences"> {
  const share = { measuredW: 0, plannedW: 0, measuredDevices: 0, plannedDevices: 0 };
  for (const index of topology.power.nodes.keys()) {
    if (!isLoad(topology, index)) continue;
    const watts = recordedW(topology, index);
    const draw = draws.get(index);
    const plannedW = draw === undefined ? watts : Math.min(watts, draw.plannedW);
    share.plannedW += plannedW;
    share.measuredW += watts - plannedW;
    if (draw !== undefined) measuredW.set(index, watts - plannedW);
    if (draw === undefined || plannedW > 0) share.plannedDevices += 1;
    else share.measuredDevices += 1;
  }
  return share;
}
