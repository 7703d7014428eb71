import type { CoolingMedium, LoadBasis } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Device, Location } from "#dc/model/resources.ts";

// A plain, slow model of the laws of cooling. It shares the heat of one device after another and knows no places, only
// lists of the areas around things. It shares no code with the product.

interface Asked {
  readonly basis: LoadBasis;
  readonly reserve: number;
  readonly failed: readonly string[];
}

interface Source {
  readonly areas: readonly string[];
  readonly watts: number;
}

export class CoolingModel {
  private readonly inventory: Inventory;
  private readonly asked: Asked;

  constructor(inventory: Inventory, asked: Asked) {
    this.inventory = inventory;
    this.asked = asked;
  }

  /** Whether anything is located in a scope. */
  exists(scope: string): boolean {
    return this.things().some((areas) => areas.includes(scope));
  }

  /** What ThermalHeadroom answers for a medium of a scope. */
  balance(scope: string, medium: CoolingMedium) {
    const sources = this.sources(medium);
    const units = this.units(scope).filter((unit) => medium === mediumOf(unit));
    const effective = units.map((unit) => this.effective(unit)).toSorted((a, b) => b - a);
    const reserve = total(effective.slice(0, this.asked.reserve));
    const standby = units.filter((unit) => unit.status === "STANDBY" && !this.isFailed(unit)).map(derated);
    const usable = total(effective) + total(standby) - reserve;
    const inside = sources.filter(({ areas }) => areas.includes(scope));
    const alone = inside.filter(
      ({ areas }) => total(this.serving(areas, medium).map((unit) => this.effective(unit))) === 0,
    );
    const carried = total(units.map((unit) => this.load(unit, sources)));
    return {
      heat: total(inside.map(({ watts }) => watts)) / 1000,
      rated: total(units.map((unit) => unit.sensibleCapacityKw)),
      effective: total(effective),
      reserve,
      usable,
      headroom: usable - carried / 1000 - total(alone.map(({ watts }) => watts)) / 1000,
      unserved: inside.some(({ areas, watts }) => watts > 0 && this.serving(areas, medium).length === 0),
      loads: units.map((unit) => [unit.code, this.load(unit, sources) / 1000] as const),
    };
  }

  /** Whether a scope's zones cope and every load has a unit. */
  isRedundant(scope: string): boolean {
    const refs = new Set(this.units(scope).flatMap(({ serves = [] }) => serves.map((ref) => ref.toLowerCase())));
    const zones = [...refs].filter(
      (ref) => !this.exists(ref) || this.things().some((areas) => areas.includes(ref) && areas.includes(scope)),
    );
    const media = ["AIR", "LIQUID"] as const;
    return (
      zones.every((zone) => media.every((medium) => this.balance(zone, medium).headroom > -1e-6)) &&
      media.every((medium) => !this.balance(scope, medium).unserved)
    );
  }

  /** Codes of the units that serve a scope, in order. */
  unitCodes(scope: string): readonly string[] {
    return this.units(scope)
      .map(({ code }) => code)
      .toSorted();
  }

  private units(scope: string): readonly Crac[] {
    const near = this.things()
      .filter((areas) => areas.includes(scope))
      .flat();
    return this.inventory.cracs.filter((unit) =>
      (unit.serves ?? []).some((ref) => near.includes(ref.toLowerCase()) || within(ref.toLowerCase(), scope)),
    );
  }

  /** The areas around every rack, device, cooling unit and outlet of heat. */
  private things(): readonly (readonly string[])[] {
    const { racks, devices, cracs } = this.inventory;
    return [
      ...racks.map(({ code, location }) => around(location, code)),
      ...devices.map(({ rackCode, location }) => around(location, rackCode)),
      ...cracs.map(({ rackCode, location }) => around(location, rackCode)),
    ];
  }

  private sources(medium: CoolingMedium): readonly Source[] {
    const own = this.inventory.devices.map((device) => ({
      areas: around(device.location, device.rackCode),
      watts: this.watts(device) * (medium === "LIQUID" ? liquidShare(device) : 1 - liquidShare(device)),
    }));
    if (medium === "LIQUID") return own;
    const liquid = this.sources("LIQUID");
    const rejecting = this.inventory.cracs.filter(
      (unit) => unit.heatRejection === "AIR" && mediumOf(unit) === "LIQUID",
    );
    return [...own, ...rejecting.map((unit) => ({ areas: around(unit.location), watts: this.load(unit, liquid) }))];
  }

  private watts(device: Device): number {
    const { basis } = this.asked;
    if (!isOn(device)) return 0;
    const chassis = this.inventory.devices.find(({ code }) => code === device.parentDeviceCode);
    const measured =
      basis === "MEASURED" &&
      chassis !== undefined &&
      isOn(chassis) &&
      chassis.measuredDrawW !== undefined &&
      chassis.heatW === undefined;
    if (measured && (device.ports ?? []).length === 0) return 0;
    const { heatW, allocatedDrawW, measuredDrawW } = device;
    return heatW ?? (basis === "MEASURED" ? (measuredDrawW ?? allocatedDrawW) : allocatedDrawW) ?? 0;
  }

  private load(unit: Crac, sources: readonly Source[]): number {
    return total(
      sources.map(({ areas, watts }) => {
        const serving = this.serving(areas, mediumOf(unit));
        const all = total(serving.map((one) => this.effective(one)));
        return serving.includes(unit) && all > 0 ? (watts * this.effective(unit)) / all : 0;
      }),
    );
  }

  private serving(areas: readonly string[], medium: CoolingMedium): readonly Crac[] {
    return this.inventory.cracs.filter(
      (unit) => mediumOf(unit) === medium && (unit.serves ?? []).some((ref) => areas.includes(ref.toLowerCase())),
    );
  }

  private effective(unit: Crac): number {
    return unit.status === "ACTIVE" && !this.isFailed(unit) ? derated(unit) : 0;
  }

  private isFailed({ code }: Crac): boolean {
    return this.asked.failed.includes(code);
  }
}

function around(location: Location | undefined, rack?: string): readonly string[] {
  if (location === undefined) return [];
  const { siteId, floorNumber, room, row, zoneId } = location;
  const floor = `${siteId}/${floorNumber}`;
  const named = [room && `room:${floor}/${room}`, row && `row:${floor}/${row}`, zoneId && `zone:${floor}/${zoneId}`];
  return [`site:${siteId}`, `floor:${floor}`, ...named, rack && `rack:${rack}`].flatMap(
    (area) => area?.toLowerCase() ?? [],
  );
}

function within(area: string, scope: string): boolean {
  if (area === scope) return true;
  const isArea = !area.startsWith("rack:") && area.includes("/");
  if (scope.startsWith("site:")) return isArea && area.split(":")[1]?.split("/")[0] === scope.slice(5);
  return scope.startsWith("floor:") && area.split(":")[1]?.startsWith(`${scope.slice(6)}/`) === true;
}

function mediumOf({ medium, kind }: Crac): CoolingMedium {
  return medium ?? (kind === "CDU" ? "LIQUID" : "AIR");
}

function derated({ sensibleCapacityKw, deratePct }: Crac): number {
  return sensibleCapacityKw * ((deratePct ?? 100) / 100);
}

function liquidShare({ coolingMethod, liquidFractionPct }: Device): number {
  if (coolingMethod === undefined || coolingMethod === "AIR") return 0;
  return (liquidFractionPct ?? (coolingMethod === "HYBRID" ? 0 : 100)) / 100;
}

function isOn({ status }: Device): boolean {
  return status === "ACTIVE" || status === "DECOMMISSIONING";
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
