import { codeKey } from "#dc/model/code.ts";
import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { type Elevation, rackElevation } from "./rack_elevation.ts";
import { type HealthReason, rackHealth } from "./rack_health.ts";
import { type RackPower, rackPower } from "./rack_power.ts";
import { type RackSupply, rackSupply } from "./rack_supply.ts";
import { redundancyUnmet } from "./redundancy_audit.ts";
import { steadyUntil } from "./steady_until.ts";
import { type RackHeat, type RackThermal, rackThermal } from "./thermal_spots.ts";

/** The power of a site as a rack sees it. */
export interface SitePower {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  loads(basis: LoadBasis): Float64Array;
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
  readonly from: number;
  readonly until: number;
  readonly standing: RackStanding;
}

/**
 * What is worked out of one rack, its devices and their supply, each when first asked for. It holds for every topology in
 * which these are the same.
 */
export class RackFacts {
  readonly devices: readonly Device[];
  private readonly rack: Rack | undefined;
  private judged: RackSupply | undefined;
  private unmet: readonly string[] | undefined;
  private readonly heats = new Map<LoadBasis, RackHeat>();
  private readonly powers = new Map<LoadBasis, RackPower>();
  private readonly standings = new Map<LoadBasis, Kept>();

  constructor(rack: Rack | undefined, devices: readonly Device[]) {
    this.rack = rack;
    this.devices = devices;
  }

  /** Whether it is still about these. */
  isOf(rack: Rack | undefined, devices: readonly Device[]): boolean {
    return this.rack === rack && this.devices === devices;
  }

  /** What the rack's state is judged by. */
  supply({ power, live }: SitePower): RackSupply {
    this.judged ??= rackSupply(
      this.devices,
      ({ code }) => live[power.indexOf.get(`device:${codeKey(code)}`) ?? -1] === 1,
    );
    return this.judged;
  }

  /** How the rack is supplied. */
  power(site: SitePower, basis: LoadBasis): RackPower {
    const known = this.powers.get(basis);
    if (known !== undefined) return known;
    const made = rackPower(site.power, site.live, this.devices, { basis, loadsW: site.loads(basis) });
    this.powers.set(basis, made);
    return made;
  }

  /** Codes of devices that do not have the redundancy that is required of them. */
  redundancyUnmet(site: SitePower): readonly string[] {
    this.unmet ??= redundancyUnmet(site, this.rack, this.devices);
    return this.unmet;
  }

  /** The heat of the rack and what is too warm in it. */
  heat(rack: Rack, basis: LoadBasis): RackHeat {
    const known = this.heats.get(basis);
    if (known?.rack === rack) return known;
    const made = rackThermal(rack, this.devices, { basis });
    this.heats.set(basis, made);
    return made;
  }

  /** How it stands now; worked out anew when time alone has changed something. */
  standing(rack: Rack, site: SitePower, { basis, now }: RackMoment): RackStanding {
    const moment = Date.parse(now);
    const known = this.standings.get(basis);
    if (known?.rack === rack && known.from <= moment && moment < known.until) return known.standing;
    const { devices } = this;
    const elevation = rackElevation(rack, devices, { now, basis });
    const { thermal, hotspots } = this.heat(rack, basis);
    const { capacity, conflicts } = elevation;
    const power = this.power(site, basis);
    const health = rackHealth({ rack, devices, capacity, conflicts, power, hotspots, now });
    const standing = { elevation, thermal, ...health };
    this.standings.set(basis, { rack, from: moment, until: steadyUntil([rack], now), standing });
    return standing;
  }
}
