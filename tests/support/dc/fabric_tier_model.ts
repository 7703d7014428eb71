import type { Inventory } from "#dc/model/inventory.ts";
import type { Location } from "#dc/model/resources.ts";

const LAW_TIERS: Readonly<Record<string, number>> = { leaf: 0, "border-leaf": 0, tor: 0, spine: 1, "super-spine": 2 };

/** The tiers of switches, written from the laws and docs/answers.md; part of the plain model of fabrics. */
export class TierModel {
  private readonly inventory: Inventory;
  private readonly roles: ReadonlyMap<string, string | undefined>;
  private readonly tiers: ReadonlyMap<string, number>;

  constructor(inventory: Inventory) {
    this.inventory = inventory;
    this.roles = new Map(inventory.devices.map(({ code, role }) => [code, role]));
    this.tiers = new Map(inventory.devices.map(({ code }) => [code, this.tierOf(code)]));
  }

  /** The tier of a role that the laws name; of another one, one above what is ranked below it, else one below what is above. */
  private tierOf(code: string): number {
    return (
      LAW_TIERS[this.roles.get(code) ?? ""] ?? this.fromBelow(code) ?? this.fromAbove(code) ?? this.ownHeight(code)
    );
  }

  of(code: string): number {
    return this.tiers.get(code) ?? 0;
  }

  private fromBelow(code: string): number | undefined {
    const known = LAW_TIERS[this.roles.get(code) ?? ""];
    if (known !== undefined) return known;
    const below = this.inventory.fabricLinks
      .filter(({ b }) => b.deviceCode === code)
      .flatMap(({ a }) => this.fromBelow(a.deviceCode) ?? []);
    return below.length === 0 ? undefined : 1 + Math.max(...below);
  }

  private fromAbove(code: string): number | undefined {
    const known = this.fromBelow(code);
    if (known !== undefined) return known;
    const above = this.inventory.fabricLinks
      .filter(({ a }) => a.deviceCode === code)
      .flatMap(({ b }) => this.fromAbove(b.deviceCode) ?? []);
    return above.length === 0 ? undefined : Math.min(...above) - 1;
  }

  /** How many links are below a switch of a fabric without any named role. */
  private ownHeight(code: string): number {
    const below = this.inventory.fabricLinks
      .filter(({ b }) => b.deviceCode === code)
      .map(({ a }) => this.ownHeight(a.deviceCode));
    return below.length === 0 ? 0 : 1 + Math.max(...below);
  }
}

/** References of the places around something, in lower case. */
export function around(location: Location | undefined, rackCode: string | undefined): readonly string[] {
  const rack = rackCode === undefined ? [] : [`rack:${rackCode}`.toLowerCase()];
  if (location === undefined) return rack;
  const { siteId, floorNumber, room, row, zoneId } = location;
  const floor = `${siteId}/${floorNumber}`;
  const parts = {
    site: siteId,
    floor,
    room: room && `${floor}/${room}`,
    row: row && `${floor}/${row}`,
    zone: zoneId && `${floor}/${zoneId}`,
  };
  return [...Object.entries(parts).flatMap(([kind, name]) => (name ? `${kind}:${name}`.toLowerCase() : [])), ...rack];
}
