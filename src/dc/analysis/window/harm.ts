import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Rack } from "#dc/model/resources.ts";
import { isLocatedIn } from "../location_scope.ts";
import type { Tripped } from "../power/cascade.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { zoneKey } from "../rehearsal/charge.ts";
import type { FabricLoss } from "../rehearsal/fabric_loss.ts";
import type { ZoneShortage } from "../rehearsal/zone_shortage.ts";
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

/** The harm of a failure. @param covered nodes whose loss is the work itself */
export function harmOf(topology: Topology, covered: ReadonlySet<number>, effects: Effects): Harm {
  const { power } = topology;
  const off = new Set<number>();
  for (const index of effects.offline) if (!covered.has(index) && isConsumer(power, index)) off.add(index);
  // A rack of which the work itself takes every device is no loss.
  const isLost = (key: string) =>
    topology.devicesInRack(key).some(({ code }) => off.has(power.indexOf.get(`device:${codeKey(code)}`) ?? -1));
  return {
    off,
    racks: new Set([...effects.racksDark].filter(isLost)),
    cutOff: new Set(effects.fabric.cutOff.filter((index) => !covered.has(index))),
    short: new Map(effects.zones.filter(({ short }) => short).map((zone) => [zoneKey(zone), zone])),
    trips: new Map([...effects.trips].map((trip) => [trip.ref, trip])),
  };
}

/** The harm of a window itself. */
export function outageHarm(topology: Topology, { covered, blast, zones, fabric }: Outage): Harm {
  return harmOf(topology, covered, {
    offline: blast.hits.flatMap(({ index, state }) => (state === "OFFLINE" ? [index] : [])),
    racksDark: [...blast.racks].flatMap(([key, state]) => (state === "DARK" ? [key] : [])),
    trips: blast.steps.flatMap(({ trips }) => trips),
    zones,
    fabric,
  });
}

/** Racks in an area. @param ref site, floor, room, row, zone or rack */
export function racksIn({ inventory }: Topology, ref: string): readonly Rack[] {
  const area = parseRef(ref);
  if (area === undefined) return [];
  return inventory.racks.filter((rack) => isLocatedIn({ ...rack, rackCode: rack.code }, area));
}

function isConsumer({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "CRAC" || (node?.kind === "DEVICE" && !isPowerKind(node.device.kind));
}

/** A harm without others; undefined if nothing is left. */
export function harmBeyond(harm: Harm, known: readonly Harm[]): Harm | undefined {
  const found: Harm = {
    off: new Set(
      rest(
        harm.off,
        known.map(({ off }) => off),
      ),
    ),
    racks: new Set(
      rest(
        harm.racks,
        known.map(({ racks }) => racks),
      ),
    ),
    cutOff: new Set(
      rest(
        harm.cutOff,
        known.map(({ cutOff }) => cutOff),
      ),
    ),
    short: new Map(
      rest(
        harm.short.keys(),
        known.map(({ short }) => short),
      ).flatMap((key) => entry(harm.short, key)),
    ),
    trips: new Map(
      rest(
        harm.trips.keys(),
        known.map(({ trips }) => trips),
      ).flatMap((key) => entry(harm.trips, key)),
    ),
  };
  return isNothing(found) ? undefined : found;
}

export function isNothing({ off, racks, cutOff, short, trips }: Harm): boolean {
  return off.size + racks.size + cutOff.size + short.size + trips.size === 0;
}

function rest<Key>(own: Iterable<Key>, known: readonly { has(key: Key): boolean }[]): readonly Key[] {
  return [...own].filter((key) => !known.some((keys) => keys.has(key)));
}

function entry<Key, Item>(items: ReadonlyMap<Key, Item>, key: Key): readonly (readonly [Key, Item])[] {
  const item = items.get(key);
  return item === undefined ? [] : [[key, item]];
}
