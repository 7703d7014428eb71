import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import { isLocatedIn } from "../location_scope.ts";
import type { Tripped } from "../power/cascade.ts";
import { toZoneKey } from "../rehearsal/charge.ts";
import type { FabricLoss } from "../rehearsal/fabric_loss.ts";
import type { Topology } from "../topology.ts";
import type { Outage } from "./outage.ts";

/** A supply that trips, by its reference. */
export type TrippedSupply = Omit<Tripped, "index">;

/** What is lost, each thing by a key, so that losses can be subtracted. Power equipment counts by what it supplies. */
export interface Harm {
  /** Nodes of devices and cooling units that go offline. */
  readonly off: ReadonlySet<number>;
  /** Keys of dark racks. */
  readonly racks: ReadonlySet<string>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: ReadonlySet<number>;
  /** By area and medium. */
  readonly short: ReadonlyMap<string, ZoneShortage>;
  /** By reference. */
  readonly trips: ReadonlyMap<string, TrippedSupply>;
}

/** Effects of a failure, by whichever computation. */
interface Effects {
  readonly offline: Iterable<number>;
  /** Keys. */
  readonly racksDark: Iterable<string>;
  readonly trips: Iterable<TrippedSupply>;
  readonly zones: readonly ZoneShortage[];
  readonly fabric: FabricLoss;
}

/**
 * The harm of a failure.
 * @param covered nodes whose loss is the work itself
 * @param known harms that are left out
 */
export function harmOf(
  topology: Topology,
  covered: ReadonlySet<number>,
  effects: Effects,
  known: readonly Harm[] = [],
): Harm {
  const { indexOf } = topology.power;
  // Most of a failure beside a window is known, so that everything that is lost is rarely needed.
  let all: ReadonlySet<number> | undefined;
  // A rack of which the work itself takes every device is no loss.
  const isLost = (key: string) => {
    all ??= new Set(consumersLost(topology, covered, effects.offline));
    return topology.devicesInRack(key).some(({ code }) => all?.has(indexOf.get(`device:${codeKey(code)}`) ?? -1));
  };
  const left = <Key>(keys: Iterable<Key>, of: (harm: Harm) => { has(key: Key): boolean }) => {
    const others = known.map(of);
    return [...keys].filter((key) => !others.some((one) => one.has(key)));
  };
  const zones = effects.zones.filter(({ short }) => short).map((zone) => [toZoneKey(zone), zone] as const);
  const trips = [...effects.trips].map((trip) => [trip.ref, trip] as const);
  const [shortBefore, tripsBefore] = [known.map(({ short }) => short), known.map((harm) => harm.trips)];
  return {
    off: new Set(
      consumersLost(
        topology,
        covered,
        left(effects.offline, ({ off }) => off),
      ),
    ),
    racks: new Set(left(effects.racksDark, ({ racks }) => racks).filter(isLost)),
    cutOff: new Set(left(effects.fabric.cutOff, ({ cutOff }) => cutOff).filter((index) => !covered.has(index))),
    short: new Map(zones.filter(([key]) => !shortBefore.some((one) => one.has(key)))),
    trips: new Map(trips.filter(([ref]) => !tripsBefore.some((one) => one.has(ref)))),
  };
}

/** The harm of a window itself. @param known harms that are left out */
export function outageHarm(topology: Topology, outage: Outage, known: readonly Harm[] = []): Harm {
  const { covered, blast, zones, fabric } = outage;
  const effects = {
    offline: blast.hits.flatMap(({ index, state }) => (state === "OFFLINE" ? [index] : [])),
    racksDark: [...blast.racks].flatMap(([key, state]) => (state === "DARK" ? [key] : [])),
    trips: blast.steps.flatMap(({ trips }) => trips),
    zones,
    fabric,
  };
  return harmOf(topology, covered, effects, known);
}

/** Racks in an area. @param ref site, floor, room, row, zone or rack */
export function racksIn({ inventory }: Topology, ref: string): readonly Rack[] {
  const area = parseRef(ref);
  if (area === undefined) return [];
  return inventory.racks.filter((rack) => isLocatedIn({ ...rack, rackCode: rack.code }, area));
}

/** The devices and cooling units among nodes that go off. Power equipment counts by what it supplies. */
export function consumersLost(
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

export function isNothing({ off, racks, cutOff, short, trips }: Harm): boolean {
  return off.size + racks.size + cutOff.size + short.size + trips.size === 0;
}
