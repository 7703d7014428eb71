import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { DeviceOf } from "../fabric/fabric_tiers.ts";
import type { Topology } from "../topology.ts";
import { coolingUnitsAt } from "./elements.ts";
import { FabricWatch } from "./fabric_loss.ts";
import { type Failure, type NetworkEffects, type Outcome, offBy } from "./outcome.ts";
import { ZoneWatch } from "./zone_shortage.ts";

/** Adds the effects on cooling and fabrics to an outcome. */
export class FurtherEffects {
  readonly zones: ZoneWatch;
  readonly fabrics: FabricWatch;
  readonly #topology: Topology;
  /** Whether fabrics are unchanged since the effects of the earlier state were computed. */
  readonly #keepsFabrics: boolean;

  /**
   * @param deviceOf the same function as long as it answers the same
   * @param earlier the same of an earlier state of the site
   */
  constructor(topology: Topology, deviceOf: DeviceOf, basis: LoadBasis, earlier?: FurtherEffects) {
    this.#topology = topology;
    this.zones = new ZoneWatch(topology, basis);
    const known = earlier?.fabrics.isOf(topology, deviceOf) === true ? earlier.fabrics : undefined;
    this.#keepsFabrics = known !== undefined;
    this.fabrics = known ?? new FabricWatch(topology, deviceOf);
  }

  /** @param earlier the failure of the same outcome with the effects of the earlier state: it is given if nothing changed */
  of(outcome: Outcome, earlier?: Failure): Failure {
    const isCooling = outcome.impact.cracsOffline > 0;
    if (earlier !== undefined && this.#keepsFabrics && !isCooling) return earlier;
    const off = offBy(outcome);
    const zones = isCooling ? this.zonesAfter(off) : NO_ZONES;
    const isSame = earlier !== undefined && this.#keepsFabrics && isEqual(zones, earlier.zones);
    return isSame ? earlier : failureOf(outcome, zones, { ...this.fabrics.after(off), isolated: NO_NODES });
  }

  /** The same of an element that passive parts of networks, or a place, belong to. */
  ofNamed(outcome: Outcome, { cut, isolated }: NetworkEffects): Failure {
    const off = offBy(outcome);
    return failureOf(outcome, this.zonesAfter(off), { ...this.fabrics.after(off, cut), isolated });
  }

  /** Areas whose cooling a failure weakens. @param off nodes that do not work @param withDeeper as of `ZoneWatch.after` */
  zonesAfter(off: readonly number[], withDeeper = false): readonly ZoneShortage[] {
    const lost = coolingUnitsAt(this.#topology.power, off);
    return lost.length === 0 ? NO_ZONES : this.zones.after(lost, off, withDeeper);
  }

  /** Names of everything beside supply by which two failures may meet. @param cut as of `FabricWatch.after` */
  meetingOf(off: readonly number[], cut: readonly number[] = []): readonly string[] {
    return [
      ...this.zones.concernedBy(coolingUnitsAt(this.#topology.power, off)).map((key) => `zone ${key}`),
      ...this.fabrics.lowerEnds(off, cut).map((index) => `switch ${index}`),
    ];
  }
}

const NO_ZONES: readonly ZoneShortage[] = [];
const NO_NODES: readonly number[] = [];

/** Named field by field: there are tens of thousands, and copies of all fields of an object cost twice as much. */
function failureOf(
  outcome: Outcome,
  zones: readonly ZoneShortage[],
  { links, cutOff, isolated }: Pick<Failure, "links" | "cutOff" | "isolated">,
): Failure {
  return {
    elements: outcome.elements,
    impact: outcome.impact,
    direct: outcome.direct,
    offline: outcome.offline,
    degraded: outcome.degraded,
    racksDark: outcome.racksDark,
    racksPartial: outcome.racksPartial,
    racksProtected: outcome.racksProtected,
    racksDarkByTrip: outcome.racksDarkByTrip,
    trips: outcome.trips,
    overloads: outcome.overloads,
    zones,
    links,
    cutOff,
    isolated,
  };
}

function isEqual(a: readonly ZoneShortage[], b: readonly ZoneShortage[]): boolean {
  return a.length === b.length && a.every((zone, at) => isSameShortage(zone, b[at]));
}

function isSameShortage(a: ZoneShortage, b: ZoneShortage | undefined): boolean {
  return (
    a.ref === b?.ref &&
    a.medium === b.medium &&
    a.short === b.short &&
    a.heatKw === b.heatKw &&
    a.capacityKw === b.capacityKw
  );
}
