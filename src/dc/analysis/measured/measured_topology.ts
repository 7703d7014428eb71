import { codeKey } from "#dc/model/code.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import type { MeasuredLoad } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { getOwnDrawW } from "../power/load_lanes.ts";
import { Topology } from "../topology.ts";
import { isLiveConsumer, type MeasuredDraw, type MeasuredPower, measureOwnDraws } from "./measured_draws.ts";
import { divideSupplyMeters } from "./supply_meters.ts";

/** Minimum draw of an inlet in watts. With 0, the device would divide its load equally among its inlets. */
const MIN_INLET_W = 1e-6;

/** Part of the load that is measured. */
export type MeasuredCoverage = Omit<MeasuredLoad, "omittedDifferences">;

/** The inventory's graphs with measured draws instead of recorded ones. */
export interface MeasuredTopology {
  readonly topology: Topology;
  readonly coverage: MeasuredCoverage;
  /** Measured part of the draw of each consumer in watts, by node. */
  readonly measuredW: ReadonlyMap<number, number>;
}

/**
 * Returns the graphs with measured draws of consumers, or recorded draws where no meter measures. The closest meter to
 * a consumer counts: its own meter, the meters of its inlets, otherwise the meter of a supply. Cost: up to two builds
 * of the graphs.
 */
export function* buildMeasuredTopology(topology: Topology, measured: MeasuredPower): Steps<MeasuredTopology> {
  const own = measureOwnDraws(topology, measured);
  const first = own.size === 0 ? topology : yield* buildWithDraws(topology, own);
  // Nodes have the same numbers in both graphs, because the order of the inventory is the same.
  const supplies = yield* divideSupplyMeters(first, measured, own);
  const { draws, unrecorded } = supplies;
  const carried = [...unrecorded].map(([index, watts]): [number, MeasuredDraw] => [
    index,
    { watts: getOwnDrawW(first.power, index, "MEASURED") + watts, plannedW: 0, inlets: new Map() },
  ]);
  const all = new Map([...own, ...draws, ...carried]);
  const isSame = draws.size === 0 && carried.length === 0;
  const made = isSame ? first : yield* buildWithDraws(topology, all);
  const measuredW = new Map<number, number>();
  const share = computeMeasuredCoverage(made, all, measuredW);
  return { topology: made, coverage: { ...share, differences: supplies.differences }, measuredW };
}

function buildWithDraws(topology: Topology, draws: ReadonlyMap<number, MeasuredDraw>): Steps<Topology> {
  return Topology.buildInSteps(setMeasuredDraws(topology, draws), topology.dataNetwork);
}

/** Returns the inventory with measured draws. */
function setMeasuredDraws({ inventory, power }: Topology, draws: ReadonlyMap<number, MeasuredDraw>): Inventory {
  const at = (key: string) => draws.get(power.indexOf.get(key) ?? -1);
  return {
    ...inventory,
    devices: inventory.devices.map((device) => setDeviceDraw(device, at(`device:${codeKey(device.code)}`))),
    cracs: inventory.cracs.map((crac) => setUnitDraw(crac, at(`crac:${codeKey(crac.code)}`))),
  };
}

function setDeviceDraw(device: Device, draw: MeasuredDraw | undefined): Device {
  if (draw === undefined) return device;
  const { ports } = device;
  if (draw.inlets.size === 0 || ports === undefined) return { ...device, measuredDrawW: draw.watts };
  return {
    ...device,
    measuredDrawW: draw.watts,
    ports: ports.map((port) => {
      const watts = port.kind === "POWER_IN" ? draw.inlets.get(port.name) : undefined;
      if (watts === undefined) return port;
      return { ...port, powerIn: { ...port.powerIn, allocatedDrawW: Math.max(MIN_INLET_W, watts) } };
    }),
  };
}

/** A cooling unit has no field for a measured draw, so its allocated draw is set, which has precedence. */
function setUnitDraw(crac: Crac, draw: MeasuredDraw | undefined): Crac {
  return draw === undefined ? crac : { ...crac, allocatedDrawW: draw.watts };
}

/** Sums the measured part of the load, and records the measured part of each consumer in `measuredW`. */
function computeMeasuredCoverage(
  topology: Topology,
  draws: ReadonlyMap<number, MeasuredDraw>,
  measuredW: Map<number, number>,
): Omit<MeasuredCoverage, "differences"> {
  const share = { measuredW: 0, plannedW: 0, measuredDevices: 0, plannedDevices: 0 };
  for (const index of topology.power.nodes.keys()) {
    if (!isLiveConsumer(topology, index)) continue;
    const watts = getOwnDrawW(topology.power, index, "MEASURED");
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
