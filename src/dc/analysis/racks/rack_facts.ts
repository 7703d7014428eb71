import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import { isInForce } from "#dc/model/rack_space.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { PathLoad, RackThermal } from "#gen/datacenter/v1/messages.ts";
import type { MediaServed } from "../cooling/cooling_units.ts";
import { type RackHeat, rackThermal } from "../cooling/thermal_spots.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { KillerSets } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";
import { sumLossesW } from "../power/power_load.ts";
import type { RedundancyAudit, RedundancyVerdict } from "../power/redundancy_audit.ts";
import { listSupplyReasons } from "../power/supply_reasons.ts";
import { type Elevation, rackElevation } from "./rack_elevation.ts";
import { type HealthReason, rackHealth, STALE_MS, sameReasons } from "./rack_health.ts";
import { rackPathLoads } from "./rack_power.ts";
import { type RackSupply, rackSupply } from "./rack_supply.ts";

/** The power of a site as a rack sees it. */
export interface SitePower {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  readonly redundancy: RedundancyAudit;
  /** As things are now. */
  readonly killers: KillerSets;
  loads(basis: LoadBasis): Float64Array;
  /** Findings about the supplies of a rack; the same list until they change. */
  powerFindings(rackCode: string, basis: LoadBasis): readonly HealthReason[];
  /** Which kinds of heat have a cooling unit that serves a rack. */
  mediaServing(rack: Rack): MediaServed;
}

/** A rack laid out, with everything that its health depends on. */
export interface RackStanding {
  readonly elevation: Elevation;
  readonly thermal: RackThermal;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
}

export interface RackMoment {
  readonly basis: LoadBasis;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

interface Kept {
  readonly rack: Rack;
  readonly findings: readonly HealthReason[];
  readonly heat: RackHeat;
  readonly from: number;
  readonly until: number;
  readonly standing: RackStanding;
}

/**
 * Cached results about one rack, its devices and their supply, each computed on first use. Valid for every topology in
 * which these are unchanged.
 */
export class RackFacts {
  readonly devices: readonly Device[];
  readonly #rack: Rack | undefined;
  #judged: RackSupply | undefined;
  #verdicts: readonly RedundancyVerdict[] | undefined;
  readonly #heats = new Map<LoadBasis, RackHeat>();
  readonly #paths = new Map<LoadBasis, readonly PathLoad[]>();
  readonly #standings = new Map<LoadBasis, Kept>();

  constructor(rack: Rack | undefined, devices: readonly Device[]) {
    this.#rack = rack;
    this.devices = devices;
  }

  /** Whether it is still about these. */
  isOf(rack: Rack | undefined, devices: readonly Device[]): boolean {
    return this.#rack === rack && this.devices === devices;
  }

  /** Input of the rack's state. */
  supply({ power, live }: SitePower): RackSupply {
    this.#judged ??= rackSupply(power, live, this.devices);
    return this.#judged;
  }

  pathLoads(site: SitePower, basis: LoadBasis): readonly PathLoad[] {
    const known = this.#paths.get(basis);
    if (known !== undefined) return known;
    const made = rackPathLoads(
      site.power,
      { live: site.live, loadsW: site.loads(basis), killers: site.killers },
      this.devices,
    );
    this.#paths.set(basis, made);
    return made;
  }

  /** Redundancy of the rack's devices against their requirements; devices without one are omitted. */
  redundancy(site: SitePower): readonly RedundancyVerdict[] {
    this.#verdicts ??= site.redundancy.verdicts(this.#rack, this.devices);
    return this.#verdicts;
  }

  heat(rack: Rack, site: SitePower, basis: LoadBasis): RackHeat {
    const known = this.#heats.get(basis);
    const served = site.mediaServing(rack);
    if (known?.rack === rack && known.served.air === served.air && known.served.liquid === served.liquid) return known;
    const lossW = sumLossesW(this.devices, site, basis);
    const made = rackThermal(rack, this.devices, { basis, served, lossW });
    this.#heats.set(basis, made);
    return made;
  }

  /** Current health of the rack; recomputed if time alone has changed it. */
  standing(rack: Rack, site: SitePower, { basis, now }: RackMoment): RackStanding {
    const moment = Date.parse(now);
    const findings = site.powerFindings(rack.code, basis);
    const known = this.#standings.get(basis);
    const heat = this.heat(rack, site, basis);
    const isRecent = known?.rack === rack && known.heat === heat && known.from <= moment && moment < known.until;
    if (isRecent && sameReasons(known.findings, findings)) return known.standing;
    const { devices } = this;
    const elevation = rackElevation(rack, devices, { now, basis });
    const { thermal, hotspots } = heat;
    const { capacity, conflicts } = elevation;
    const { power, live } = site;
    const supply = [...findings, ...listSupplyReasons({ power, live, rack, devices, verdicts: this.redundancy(site) })];
    const health = rackHealth({ rack, capacity, conflicts, supply, hotspots, now });
    const standing = { elevation, thermal, ...health };
    this.#standings.set(basis, { rack, heat, findings, from: moment, until: steadyUntil([rack], now), standing });
    return standing;
  }
}

const HOUR_MS = 3_600_000;

/**
 * The moment, in milliseconds since 1970, until which time alone changes nothing about racks: when the next reservation
 * ends, a measurement grows stale, or a stale one is an hour older. Infinity when time changes nothing.
 *
 * @param now ISO 8601 in UTC
 */
export function steadyUntil(racks: readonly Rack[], now: string): number {
  return Math.min(Number.POSITIVE_INFINITY, ...racks.map((rack) => Math.min(nextEnd(rack, now), nextAge(rack, now))));
}

function nextEnd({ reservations = [] }: Rack, now: string): number {
  const ends = reservations.filter((one) => isInForce(one, now)).map(({ until }) => until);
  return Math.min(Number.POSITIVE_INFINITY, ...ends.flatMap((until) => (until === undefined ? [] : Date.parse(until))));
}

function nextAge({ measuredAt }: Rack, now: string): number {
  if (measuredAt === undefined) return Number.POSITIVE_INFINITY;
  const measured = Date.parse(measuredAt);
  const age = Date.parse(now) - measured;
  return measured + Math.max(STALE_MS, (Math.floor(age / HOUR_MS) + 1) * HOUR_MS);
}
