import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { FindDeviceByKey } from "../fabric/fabric_tiers.ts";
import { isSameItemList } from "../sorted_list.ts";
import type { Topology } from "../topology.ts";
import { selectCoolingUnits } from "./elements.ts";
import { FabricLossFinder } from "./fabric_loss.ts";
import type { HostPaths } from "./host_paths.ts";
import { type Failure, listOutcomeOffNodes, type NetworkEffects, type PowerOutcome } from "./outcome.ts";
import { ZoneShortageFinder } from "./zone_shortage.ts";

/** Adds the effects on cooling and fabrics to an outcome. */
export class CoolingAndFabricEffects {
  readonly zoneWatch: ZoneShortageFinder;
  readonly fabrics: FabricLossFinder;
  readonly #topology: Topology;
  readonly #hostPaths: HostPaths | undefined;
  /** Whether networks are the same as in the earlier state, so that the earlier effects on fabrics apply. */
  readonly #keepsNetwork: boolean;

  /**
   * Prepares the effects for a site.
   * @param deviceOf compared by identity: the same function must return the same devices
   * @param hostPaths undefined where isolated devices do not count
   * @param earlier the effects of an earlier state of the site
   */
  constructor(
    topology: Topology,
    {
      deviceOf,
      basis,
      hostPaths,
    }: {
      readonly deviceOf: FindDeviceByKey;
      readonly basis: LoadBasis;
      readonly hostPaths?: HostPaths;
    },
    earlier?: CoolingAndFabricEffects,
  ) {
    this.#topology = topology;
    this.#hostPaths = hostPaths;
    this.zoneWatch = new ZoneShortageFinder(topology, basis);
    this.fabrics = FabricLossFinder.of(topology, deviceOf);
    this.#keepsNetwork = this.fabrics === earlier?.fabrics && topology.dataNetwork === earlier.#topology.dataNetwork;
  }

  /**
   * Adds the effects to an outcome.
   * @param earlier failure with the same outcome in the earlier state, which is returned if the effects are equal
   */
  addEffects(outcome: PowerOutcome, earlier?: Failure): Failure {
    const isCooling = outcome.impact.cracsOffline > 0;
    if (earlier !== undefined && this.#keepsNetwork && !isCooling && !earlier.meetsDataPaths) return earlier;
    const off = listOutcomeOffNodes(outcome);
    const zones = isCooling ? this.listZoneShortages(off) : NO_ZONES;
    const loss = this.fabrics.computeFabricLoss(off);
    const isolated = this.#hostPaths?.listIsolated(this.#topology.live, off, loss.cutOff) ?? NO_NODES;
    const isSame =
      earlier !== undefined &&
      this.#keepsNetwork &&
      areZoneShortagesEqual(zones, earlier.zones) &&
      isSameItemList(isolated, earlier.isolated);
    if (isSame) return earlier;
    const meetsDataPaths = this.#hostPaths?.isOnPath([...off, ...loss.cutOff]) ?? false;
    return createFailure(outcome, zones, { ...loss, isolated, meetsDataPaths });
  }

  /** Adds the effects to the outcome of a location, or of an element with which passive network parts fail. */
  addEffectsWithNetwork(outcome: PowerOutcome, { cut, isolated }: NetworkEffects): Failure {
    const off = listOutcomeOffNodes(outcome);
    return createFailure(outcome, this.listZoneShortages(off), {
      ...this.fabrics.computeFabricLoss(off, cut),
      isolated,
      meetsDataPaths: true,
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

  /** Returns the areas whose cooling units a failure takes. @param off nodes that do not work */
  listAffectedAreas(off: readonly number[]): readonly Ref[] {
    return this.zoneWatch.listAffectedAreas(selectCoolingUnits(this.#topology.power, off));
  }

  /**
   * Returns names of the cooled areas, switches and hosts that a failure affects. Failures with a common name can affect
   * each other.
   * @param cut as for `FabricLossFinder.computeFabricLoss`
   */
  listMeetingNames(off: readonly number[], cut: readonly number[] = []): readonly string[] {
    const lowerEnds = this.fabrics.listLowerEnds(off, cut);
    const hosts = this.#hostPaths?.listHosts([...off, ...lowerEnds]) ?? [];
    return [
      ...this.zoneWatch.listAffectedKeys(selectCoolingUnits(this.#topology.power, off)).map((key) => `zone ${key}`),
      ...lowerEnds.map((index) => `switch ${index}`),
      ...[...hosts].map((index) => `host ${index}`),
    ];
  }
}

const NO_ZONES: readonly ZoneShortage[] = [];
const NO_NODES: readonly number[] = [];

/** Creates a failure field by field: there are tens of thousands, and spreading an object costs twice as much. */
function createFailure(
  outcome: PowerOutcome,
  zones: readonly ZoneShortage[],
  { links, cutOff, isolated, meetsDataPaths }: Pick<Failure, "links" | "cutOff" | "isolated" | "meetsDataPaths">,
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
    meetsDataPaths,
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
