import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import { selectRacksIn } from "../location_scope.ts";
import type { TrippedSource } from "../power/cascade.ts";
import { isConsumer } from "../power/power_nodes.ts";
import { formatZoneKey } from "../rehearsal/charge.ts";
import type { FabricLoss } from "../rehearsal/fabric_loss.ts";
import type { Topology } from "../topology.ts";
import type { Outage } from "./outage.ts";

/** A supply that trips, by its reference. */
export type TrippedSupply = Omit<TrippedSource, "index">;

/** Losses of a failure or window by key, which allows subtraction. Lost power equipment counts at its consumers. */
export interface LossSet {
  /** Nodes of devices and cooling units that go offline. */
  readonly offlineNodes: ReadonlySet<number>;
  /** Keys of dark racks. */
  readonly racks: ReadonlySet<string>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: ReadonlySet<number>;
  /** Cooling shortages by area and medium. */
  readonly shortages: ReadonlyMap<string, ZoneShortage>;
  /** Tripped supplies by reference. */
  readonly trips: ReadonlyMap<string, TrippedSupply>;
}

/** Effects of a failure, regardless of how they were computed. */
interface FailureEffectSet {
  readonly offline: Iterable<number>;
  /** Keys of dark racks. */
  readonly racksDark: Iterable<string>;
  readonly trips: Iterable<TrippedSupply>;
  readonly zones: readonly ZoneShortage[];
  readonly fabric: FabricLoss;
}

/**
 * Returns the losses of a failure.
 * @param covered nodes that the work itself takes out, which do not count
 * @param known losses to leave out
 */
export function collectLosses(
  topology: Topology,
  covered: ReadonlySet<number>,
  effects: FailureEffectSet,
  known: readonly LossSet[] = [],
): LossSet {
  const { indexOf, nodes } = topology.power;
  // Most losses of a failure during a window are known, so the set of all losses is rarely needed.
  let all: ReadonlySet<number> | undefined;
  // A rack is not lost if the work itself takes out every device in it. A rack without consumers has its power equipment.
  const isLost = (key: string) => {
    all ??= new Set(effects.offline).difference(covered);
    const inside = topology.listDevicesInRack(key).map(({ code }) => indexOf.get(`device:${codeKey(code)}`) ?? -1);
    const consumers = inside.filter((index) => isConsumer(nodes[index]));
    return (consumers.length > 0 ? consumers : inside).some((index) => all?.has(index) === true);
  };
  const excludeKnown = <Key>(keys: Iterable<Key>, of: (harm: LossSet) => { has(key: Key): boolean }) => {
    const others = known.map(of);
    return [...keys].filter((key) => !others.some((one) => one.has(key)));
  };
  const zones = effects.zones.filter(({ short }) => short).map((zone) => [formatZoneKey(zone), zone] as const);
  const trips = [...effects.trips].map((trip) => [trip.ref, trip] as const);
  const [shortBefore, tripsBefore] = [known.map(({ shortages }) => shortages), known.map((harm) => harm.trips)];
  return {
    offlineNodes: new Set(
      selectLostConsumers(
        topology,
        covered,
        excludeKnown(effects.offline, ({ offlineNodes }) => offlineNodes),
      ),
    ),
    racks: new Set(excludeKnown(effects.racksDark, ({ racks }) => racks).filter(isLost)),
    cutOff: new Set(excludeKnown(effects.fabric.cutOff, ({ cutOff }) => cutOff).filter((index) => !covered.has(index))),
    shortages: new Map(zones.filter(([key]) => !shortBefore.some((one) => one.has(key)))),
    trips: new Map(trips.filter(([ref]) => !tripsBefore.some((one) => one.has(ref)))),
  };
}

/** Returns the losses of a window itself. @param known losses to leave out */
export function collectOutageLosses(topology: Topology, outage: Outage, known: readonly LossSet[] = []): LossSet {
  const { coveredNodes, blast, zones, fabric } = outage;
  const effects = {
    offline: blast.hits.flatMap(({ index, state }) => (state === "OFFLINE" ? [index] : [])),
    racksDark: [...blast.racks].flatMap(([key, state]) => (state === "DARK" ? [key] : [])),
    trips: blast.steps.flatMap(({ trips }) => trips),
    zones,
    fabric,
  };
  return collectLosses(topology, coveredNodes, effects, known);
}

/** Lists racks in an area. @param ref site, floor, room, row, zone or rack */
export function listRacksInArea({ inventory }: Topology, ref: string): readonly Rack[] {
  const area = parseRef(ref);
  return area === undefined ? [] : selectRacksIn(inventory.racks, area);
}

/** Returns the offline devices and cooling units without covered nodes and without power equipment. */
export function selectLostConsumers(
  { power: { nodes } }: Topology,
  covered: ReadonlySet<number>,
  offline: Iterable<number>,
): readonly number[] {
  return [...offline].filter((index) => {
    if (covered.has(index)) return false;
    const node = nodes[index];
    return node?.kind === "CRAC" || (node?.kind === "DEVICE" && !isPowerKind(node.device.kind));
  });
}

export function isLossSetEmpty({ offlineNodes, racks, cutOff, shortages, trips }: LossSet): boolean {
  return offlineNodes.size + racks.size + cutOff.size + shortages.size + trips.size === 0;
}
