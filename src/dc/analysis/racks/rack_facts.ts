import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import { isReservationInForce } from "#dc/model/rack_space.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { PathLoad, RackThermal } from "#gen/datacenter/v1/messages.ts";
import type { MediaServed } from "../cooling/cooling_units.ts";
import { computeRackHeat, type RackHeat } from "../cooling/thermal_spots.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { KillerSets } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";
import { sumPowerLossesW } from "../power/power_load.ts";
import type { RedundancyAudit, RedundancyVerdict } from "../power/redundancy_audit.ts";
import { listSupplyReasons } from "../power/supply_reasons.ts";
import { computeElevation, type Elevation } from "./rack_elevation.ts";
import { areReasonsEqual, computeRackHealth, type HealthReason, STALE_MS } from "./rack_health.ts";
import { computePathLoads } from "./rack_power.ts";
import { countRackSupply, type RackSupply } from "./rack_supply.ts";

/** Power state of a site that the facts about a rack depend on. */
export interface SitePower {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  readonly redundancy: RedundancyAudit;
  /** Single losses that turn nodes off in the present state. */
  readonly killers: KillerSets;
  loads(basis: LoadBasis): Float64Array;
  /** Returns findings about the supplies of a rack; the same array until they change. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[];
  /** Returns the media for which a cooling unit serves a rack. */
  mediaServing(rack: Rack): MediaServed;
}

/** Layout, heat and health of a rack. */
export interface RackStanding {
  readonly elevation: Elevation;
  readonly thermal: RackThermal;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
}

export interface RackMoment {
  readonly basis: LoadBasis;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

interface CachedStanding {
  readonly rack: Rack;
  readonly findings: readonly HealthReason[];
  readonly heat: RackHeat;
  readonly from: number;
  readonly until: number;
  readonly standing: RackStanding;
}

/** Results about a rack, its devices and their supply, cached on first use. Valid while these are unchanged. */
export class RackFacts {
  readonly devices: readonly Device[];
  readonly #rack: Rack | undefined;
  #supply: RackSupply | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  readonly #heatByBasis = new Map<LoadBasis, RackHeat>();
  readonly #pathLoadsByBasis = new Map<LoadBasis, readonly PathLoad[]>();
  readonly #standingByBasis = new Map<LoadBasis, CachedStanding>();

  constructor(rack: Rack | undefined, devices: readonly Device[]) {
    this.#rack = rack;
    this.devices = devices;
  }

  /** Whether the facts are about the given rack and devices. */
  isAbout(rack: Rack | undefined, devices: readonly Device[]): boolean {
    return this.#rack === rack && this.devices === devices;
  }

  /** Returns the supply counts from which the rack's state is computed. */
  countSupply({ power, live }: SitePower): RackSupply {
    this.#supply ??= countRackSupply(power, live, this.devices);
    return this.#supply;
  }

  getPathLoads(site: SitePower, basis: LoadBasis): readonly PathLoad[] {
    return this.#pathLoadsByBasis.getOrInsertComputed(basis, () =>
      computePathLoads(site.power, { live: site.live, loadsW: site.loads(basis), killers: site.killers }, this.devices),
    );
  }

  /** Returns verdicts on the redundancy of the rack's devices; devices without a requirement are omitted. */
  redundancy(site: SitePower): readonly RedundancyVerdict[] {
    this.#verdicts ??= site.redundancy.listVerdicts(this.#rack, this.devices);
    return this.#verdicts;
  }

  computeHeat(rack: Rack, site: SitePower, basis: LoadBasis): RackHeat {
    const known = this.#heatByBasis.get(basis);
    const served = site.mediaServing(rack);
    if (known?.rack === rack && known.served.air === served.air && known.served.liquid === served.liquid) return known;
    const lossW = sumPowerLossesW(this.devices, site, basis);
    const made = computeRackHeat(rack, this.devices, { basis, served, lossW });
    this.#heatByBasis.set(basis, made);
    return made;
  }

  /** Returns the rack's layout, heat and health, cached until the rack, its findings or the time change them. */
  computeStanding(rack: Rack, site: SitePower, { basis, now }: RackMoment): RackStanding {
    const moment = Date.parse(now);
    const findings = site.powerFindings(rack.code, basis);
    const known = this.#standingByBasis.get(basis);
    const heat = this.computeHeat(rack, site, basis);
    const isRecent = known?.rack === rack && known.heat === heat && known.from <= moment && moment < known.until;
    if (isRecent && areReasonsEqual(known.findings, findings)) return known.standing;
    const { devices } = this;
    const elevation = computeElevation(rack, devices, { now, basis });
    const { thermal, hotspots } = heat;
    const { capacity, conflicts } = elevation;
    const { power, live } = site;
    const supply = [...findings, ...listSupplyReasons({ power, live, rack, devices, verdicts: this.redundancy(site) })];
    const health = computeRackHealth({ rack, capacity, conflicts, supply, hotspots, now });
    const standing = { elevation, thermal, ...health };
    this.#standingByBasis.set(basis, {
      rack,
      heat,
      findings,
      from: moment,
      until: computeNextChangeMs([rack], now),
      standing,
    });
    return standing;
  }
}

const HOUR_MS = 3_600_000;

/**
 * Returns the time, in milliseconds since 1970, before which no rack changes without a write: the next end of a
 * reservation, the next measurement that becomes stale, or a stale one that becomes an hour older. Infinite if there is
 * no such time.
 *
 * @param now ISO 8601 in UTC
 */
export function computeNextChangeMs(racks: readonly Rack[], now: string): number {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...racks.map((rack) => Math.min(computeNextReservationEndMs(rack, now), computeNextAgeStepMs(rack, now))),
  );
}

function computeNextReservationEndMs({ reservations = [] }: Rack, now: string): number {
  const ends = reservations.filter((one) => isReservationInForce(one, now)).map(({ until }) => until);
  return Math.min(Number.POSITIVE_INFINITY, ...ends.flatMap((until) => (until === undefined ? [] : Date.parse(until))));
}

function computeNextAgeStepMs({ measuredAt }: Rack, now: string): number {
  if (measuredAt === undefined) return Number.POSITIVE_INFINITY;
  const measured = Date.parse(measuredAt);
  const age = Date.parse(now) - measured;
  return measured + Math.max(STALE_MS, (Math.floor(age / HOUR_MS) + 1) * HOUR_MS);
}
