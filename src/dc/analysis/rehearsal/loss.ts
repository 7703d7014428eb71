import type { FailureSeverity, LoadBasis } from "#dc/model/enum_values.ts";
import type { Impact, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { TrippedSource } from "../power/cascade.ts";
import type { Overloaded } from "../power/failure_state.ts";
import { computeLostDrawW } from "../power/load_lanes.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { getCoolingCapacityKw, selectItDevices } from "../power/power_nodes.ts";
import { hasUnknownDraw } from "../power/unknown_draws.ts";
import type { Topology } from "../topology.ts";

/** All or some effects of a failure, or the union of several losses. Each node, rack, zone and link occurs once. */
export interface Loss {
  /** Nodes of devices and cooling units that go offline, failed cooling units included. */
  readonly offline: ReadonlySet<number>;
  /** Nodes of `offline` that go offline without any trip. */
  readonly direct: ReadonlySet<number>;
  /** Nodes of devices and cooling units that stay on with less supply. */
  readonly degraded: ReadonlySet<number>;
  /** Keys of racks. */
  readonly racksDark: ReadonlySet<string>;
  readonly racksPartial: ReadonlySet<string>;
  readonly racksProtected: ReadonlySet<string>;
  readonly racksDarkByTrip: ReadonlySet<string>;
  /** Tripped elements by node. */
  readonly trips: ReadonlyMap<number, TrippedSource>;
  readonly overloads: ReadonlyMap<number, Overloaded>;
  /** Cooling shortages by medium and area. */
  readonly zones: ReadonlyMap<string, ZoneShortage>;
  /** Numbers of the fabric links that go down. */
  readonly links: ReadonlySet<number>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: ReadonlySet<number>;
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: ReadonlySet<number>;
}

/** Watts from which the loss of one IT device counts as severe as the loss of several devices. */
const LARGE_DRAW_W = 1000;

/** Whether only one IT device goes offline and draws little, which is not severe even if it was alone in its rack. */
function isOneSmallDevice(graph: PowerGraph, it: readonly number[], basis: LoadBasis): boolean {
  const [only] = it;
  if (only === undefined || it.length > 1) return false;
  return computeLostDrawW(graph, only, { isGone: (index) => index === only, basis }) < LARGE_DRAW_W;
}

/** Returns the severity of a loss; undefined if nothing is lost. Source: docs/rehearsal.md#causes. */
export function rateLoss(graph: PowerGraph, loss: Loss, basis: LoadBasis): FailureSeverity | undefined {
  const { racksDark, racksPartial, racksDarkByTrip, trips, cutOff, isolated, zones, overloads } = loss;
  const it = selectItDevices(graph, loss.offline);
  if (racksDark.size > 0 && !isOneSmallDevice(graph, it, basis)) return racksDarkByTrip.size > 0 ? "CRITICAL" : "HIGH";
  const isShort = zones.size > 0 && [...zones.values()].some(({ short }) => short);
  const wouldTrip =
    trips.size > 0 || (overloads.size > 0 && [...overloads.values()].some(({ severity }) => severity === "WOULD_TRIP"));
  const off = it.length + isolated.size;
  if (off > 1 || isShort || cutOff.size > 0 || wouldTrip) return "MEDIUM";
  // A rack whose PDUs are off is partly dark if no consumer has a recorded supply, although no device is known off.
  if (off === 1 || overloads.size > 0 || racksPartial.size > 0) return "LOW";
  const isWeaker =
    loss.degraded.size + selectCoolingNodes(graph, loss.offline).length + zones.size + loss.links.size > 0;
  return isWeaker ? "INFO" : undefined;
}

export function selectCoolingNodes({ nodes }: PowerGraph, indexes: Iterable<number>): readonly number[] {
  return [...indexes].filter((index) => nodes[index]?.kind === "CRAC");
}

/** Shortest battery times in seconds during a failure, at rated load and at the actual load. */
export type BatteryTimes = Pick<Impact, "minRideThroughS" | "minRideThroughAtLoadS">;

export function selectMinBatteryTimes(impacts: readonly BatteryTimes[]): BatteryTimes {
  const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const ratedS = least(impacts.flatMap(({ minRideThroughS }) => minRideThroughS ?? []));
  const atLoadS = least(impacts.flatMap(({ minRideThroughAtLoadS }) => minRideThroughAtLoadS ?? []));
  return {
    ...(Number.isFinite(ratedS) && { minRideThroughS: ratedS }),
    ...(Number.isFinite(atLoadS) && { minRideThroughAtLoadS: atLoadS }),
  };
}

/** Counts a loss in the same way as a blast radius. @param times shortest battery times of the failures */
export function countLoss(
  topology: Topology,
  loss: Loss,
  { basis, times }: { readonly basis: LoadBasis; readonly times: BatteryTimes },
): Impact {
  const { power } = topology;
  const it = selectItDevices(power, loss.offline);
  const cracs = selectCoolingNodes(power, loss.offline);
  const isGone = (index: number) => loss.offline.has(index);
  const devices = loss.offline.size - cracs.length;
  const racks = [...loss.racksDark, ...loss.racksPartial, ...loss.racksProtected];
  return {
    racksDark: loss.racksDark.size,
    racksPartial: loss.racksPartial.size,
    racksProtected: loss.racksProtected.size,
    devicesOffline: devices,
    itDevicesOffline: it.length,
    powerDevicesOffline: devices - it.length,
    cracsOffline: cracs.length,
    devicesDegraded: loss.degraded.size - selectCoolingNodes(power, loss.degraded).length,
    devicesUndocumented: racks.reduce((sum, key) => sum + topology.rackSupply(key).undocumented.length, 0),
    itLoadLostW: it.reduce((sum, index) => sum + computeLostDrawW(power, index, { isGone, basis }), 0),
    itDevicesWithoutDraw: it.filter((index) => hasUnknownDraw(power.nodes[index])).length,
    coolingLostKw: cracs.reduce((sum, index) => sum + getCoolingCapacityKw(power.nodes[index]), 0),
    ...times,
  };
}

/** Adds the impacts of two losses that have nothing in common. */
export function addImpacts(a: Impact, b: Impact): Impact {
  return {
    racksDark: a.racksDark + b.racksDark,
    racksPartial: a.racksPartial + b.racksPartial,
    racksProtected: a.racksProtected + b.racksProtected,
    devicesOffline: a.devicesOffline + b.devicesOffline,
    itDevicesOffline: a.itDevicesOffline + b.itDevicesOffline,
    powerDevicesOffline: a.powerDevicesOffline + b.powerDevicesOffline,
    cracsOffline: a.cracsOffline + b.cracsOffline,
    devicesDegraded: a.devicesDegraded + b.devicesDegraded,
    devicesUndocumented: a.devicesUndocumented + b.devicesUndocumented,
    itLoadLostW: a.itLoadLostW + b.itLoadLostW,
    itDevicesWithoutDraw: a.itDevicesWithoutDraw + b.itDevicesWithoutDraw,
    coolingLostKw: a.coolingLostKw + b.coolingLostKw,
    ...selectMinBatteryTimes([a, b]),
  };
}
