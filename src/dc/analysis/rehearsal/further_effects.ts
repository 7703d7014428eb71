import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { FindDeviceByKey } from "../fabric/fabric_tiers.ts";
import type { Topology } from "../topology.ts";
import { selectCoolingUnits } from "./elements.ts";
import { FabricLossFinder } from "./fabric_loss.ts";
import { type Failure, listOutcomeOffNodes, type NetworkEffects, type PowerOutcome } from "./outcome.ts";
import { ZoneShortageFinder } from "./zone_shortage.ts";

/** Adds the effects on cooling and fabrics to an outcome. */
export class CoolingAndFabricEffects {
  readonly zoneWatch: ZoneShortageFinder;
  readonly fabrics: FabricLossFinder;
  readonly #topology: Topology;
  /** Whether fabrics are the same as in the earlier state, so that the earlier effects on fabrics apply. */
  readonly #keepsFabrics: boolean;

  /**
   * Prepares the effects for a site.
   * @param deviceOf compared by identity: the same function must return the same devices
   * @param earlier the effects of an earlier state of the site
   */
  constructor(topology: Topology, deviceOf: FindDeviceByKey, basis: LoadBasis, earlier?: CoolingAndFabricEffects) {
    this.#topology = topology;
    this.zoneWatch = new ZoneShortageFinder(topology, basis);
    this.fabrics = FabricLossFinder.of(topology, deviceOf);
    this.#keepsFabrics = this.fabrics === earlier?.fabrics;
  }

  /**
   * Adds the effects to an outcome.
   * @param earlier failure with the same outcome in the earlier state, which is returned if the effects are equal
   */
  addEffects(outcome: PowerOutcome, earlier?: Failure): Failure {
    const isCooling = outcome.impact.cracsOffline > 0;
    if (earlier !== undefined && this.#keepsFabrics && !isCooling) return earlier;
    const off = listOutcomeOffNodes(outcome);
    const zones = isCooling ? this.listZoneShortages(off) : NO_ZONES;
    const isSame = earlier !== undefined && this.#keepsFabrics && areZoneShortagesEqual(zones, earlier.zones);
    return isSame
      ? earlier
      : createFailure(outcome, zones, { ...this.fabrics.computeFabricLoss(off), isolated: NO_NODES });
  }

  /** Adds the effects to the outcome of a location, or of an element with which passive network parts fail. */
  addEffectsWithNetwork(outcome: PowerOutcome, { cut, isolated }: NetworkEffects): Failure {
    const off = listOutcomeOffNodes(outcome);
    return createFailure(outcome, this.listZoneShortages(off), {
      ...this.fabrics.computeFabricLoss(off, cut),
      isolated,
    });
  }

  /**
   * Lists areas whose cooling a failure reduces.
   * @param off nodes that do not work
   * @param withDeeper as for `ZoneShortageFinder.listShortages`
   */
  listZoneShortages(off: readonly number[], withDeeper = false): readonly ZoneShortage[] {
    const lost = selectCoolingUnits(this.#topology.power, off);
    return lost.length === 0 ? NO_ZONES : this.zoneWatch.listShortages(lost, off, withDeeper);
  }

  /**
   * Returns names of the cooled areas and switches that a failure affects. Failures with a common name can affect each
   * other.
   * @param cut as for `FabricLossFinder.computeFabricLoss`
   */
  listMeetingNames(off: readonly number[], cut: readonly number[] = []): readonly string[] {
    return [
      ...this.zoneWatch.listAffectedKeys(selectCoolingUnits(this.#topology.power, off)).map((key) => `zone ${key}`),
      ...this.fabrics.listLowerEnds(off, cut).map((index) => `switch ${index}`),
    ];
  }
}

const NO_ZONES: readonly ZoneShortage[] = [];
const NO_NODES: readonly number[] = [];

/** Creates a failure field by field: there are tens of thousands, and spreading an object costs twice as much. */
function createFailure(
  outcome: PowerOutcome,
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

function areZoneShortagesEqual(a: readonly ZoneShortage[], b: readonly ZoneShortage[]): boolean {
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
