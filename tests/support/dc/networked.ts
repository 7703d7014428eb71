import type { Inventory } from "#dc/model/inventory.ts";
import { compareText, formatEdgeKey } from "#dc/model/ref.ts";
import type { Cable, Device, FabricLink, Location, Port, PortRef } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

/** The way between two ports of a drawn network, as it was built. */
export interface Route {
  readonly a: PortRef;
  readonly b: PortRef;
  /** Keys of its cables. */
  readonly cables: readonly string[];
  /** Codes of the patch panels between its ends. */
  readonly panels: readonly string[];
  readonly isLink: boolean;
}

export interface Networked {
  readonly inventory: Inventory;
  readonly routes: readonly Route[];
  /** Codes of the devices at the ends of fabric links. */
  readonly switches: ReadonlySet<string>;
}

const RACKS = ["R1", "R2", "R3"] as const;
const FRONTS = 6;

/** Puts a network, rows, rooms and zones into a drawn site of supply: leaves, spines and hosts, cabled directly or through panels. */
export function networked(site: Inventory, random: SeededRandom): Networked {
  return new NetworkDrawer(site, random).draw();
}

class NetworkDrawer {
  private readonly site: Inventory;
  private readonly random: SeededRandom;
  private readonly ports = new Map<string, Port[]>();
  private readonly cables: Cable[] = [];
  private readonly links: FabricLink[] = [];
  private readonly routes: Route[] = [];
  private readonly devices: Device[] = [];
  /** Panels in pairs, joined by a trunk of all fibres, and how many fronts are taken. */
  private readonly trunks: { readonly panels: readonly [string, string]; readonly trunk: string; taken: number }[] = [];

  constructor(site: Inventory, random: SeededRandom) {
    this.site = site;
    this.random = random;
  }

  draw(): Networked {
    const { random, site } = this;
    for (let left = 1 + random.below(3); left > 0; left -= 1) this.trunk(left);
    const spines = this.devicesOf("SP", 1 + random.below(2), "spine");
    const leaves = this.devicesOf("LF", 1 + random.below(3), "leaf");
    const hosts = this.devicesOf("HO", 2 + random.below(5), undefined);
    for (const leaf of leaves)
      for (const spine of spines)
        if (random.below(5) > 0) for (let left = 1 + random.below(2); left > 0; left -= 1) this.join(leaf, spine, true);
    for (const host of hosts)
      for (let left = random.below(4); left > 0; left -= 1) this.join(host, random.pick([...leaves, ...spines]), false);
    const added = this.devices.map((device) => ({
      ...device,
      ports: [...(device.ports ?? []), ...this.portsOf(device.code)],
    }));
    const switches = new Set(this.links.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]));
    const key = ({ a, b }: Pick<Cable, "a" | "b">) => formatEdgeKey(a, b);
    const inventory = {
      ...site,
      racks: site.racks.map((rack) => ({ ...rack, location: placeOf(rack.code) })),
      devices: [...site.devices, ...added]
        .map(located)
        .sort((x, y) => compareText(x.code.toLowerCase(), y.code.toLowerCase())),
      cables: [...site.cables, ...this.cables].sort((x, y) => compareText(key(x), key(y))),
      fabricLinks: this.links.toSorted((x, y) => compareText(key(x), key(y))),
    };
    return { inventory, routes: this.routes, switches };
  }

  private portsOf(code: string): Port[] {
    const known = this.ports.get(code) ?? [];
    this.ports.set(code, known);
    return known;
  }

  private devicesOf(name: string, count: number, role: string | undefined): readonly string[] {
    const { random } = this;
    return Array.from({ length: count }, (_, at) => {
      const code = `${name}${at + 1}`;
      this.devices.push({
        code,
        kind: role === undefined ? "SERVER" : "SWITCH",
        status: random.below(3) === 0 ? random.pick(["FAILED", "OFFLINE", "PLANNED"]) : "ACTIVE",
        allocatedDrawW: 10 * (1 + random.below(20)),
        rackCode: random.pick(RACKS),
        ...(role !== undefined && { role }),
        ports: this.inlets(2),
      });
      return code;
    });
  }

  private inlets(most: number): Port[] {
    const { random } = this;
    const sources = this.site.devices.flatMap(({ ports = [] }) =>
      ports.flatMap(({ powerIn }) => powerIn?.sourceRef ?? []),
    );
    const count = sources.length === 0 ? 0 : random.below(most + 1);
    return Array.from({ length: count }, (_, inlet) => ({
      name: `psu${inlet + 1}`,
      kind: "POWER_IN",
      powerIn: { sourceRef: random.pick(sources) },
    }));
  }

  /** Two panels whose rears are joined by one cable of all fibres. */
  private trunk(number: number): void {
    const panels = [`PP${number}a`, `PP${number}b`] as const;
    for (const code of panels) {
      const fronts = Array.from(
        { length: FRONTS },
        (_, at): Port => ({
          name: `F${at + 1}`,
          kind: "FRONT",
          positions: 1,
          mappings: [{ frontPosition: 1, rearPort: "R1", rearPosition: at + 1 }],
        }),
      );
      const status = this.random.below(6) === 0 ? this.random.pick(["FAILED", "PLANNED"] as const) : "ACTIVE";
      this.devices.push({
        code,
        kind: "PATCH_PANEL",
        status,
        rackCode: this.random.pick(RACKS),
        ports: this.inlets(1),
      });
      this.portsOf(code).push(...fronts, { name: "R1", kind: "REAR", positions: FRONTS });
    }
    const trunk = this.cable({ deviceCode: panels[0], portName: "R1" }, { deviceCode: panels[1], portName: "R1" });
    this.trunks.push({ panels, trunk, taken: 0 });
  }

  private cable(a: PortRef, b: PortRef): string {
    this.cables.push({ a, b, type: "SMF_OS2", status: "CONNECTED" });
    return formatEdgeKey(a, b);
  }

  private port(deviceCode: string): PortRef {
    const ports = this.portsOf(deviceCode);
    const portName = `eth${ports.length}`;
    ports.push({ name: portName, kind: "NETWORK" });
    return { deviceCode, portName };
  }

  private join(from: string, to: string, isLink: boolean): void {
    const [a, b] = [this.port(from), this.port(to)];
    const open = this.trunks.filter(({ taken }) => taken < FRONTS);
    const trunk = open.length > 0 && this.random.below(2) === 0 ? this.random.pick(open) : undefined;
    if (isLink) this.links.push({ a, b, capacityMbps: 1000 * (1 + this.random.below(4)) });
    if (trunk === undefined) {
      this.routes.push({ a, b, cables: [this.cable(a, b)], panels: [], isLink });
      return;
    }
    trunk.taken += 1;
    const portName = `F${trunk.taken}`;
    const [near, far] = this.random.below(2) === 0 ? trunk.panels : [trunk.panels[1], trunk.panels[0]];
    const ends = [this.cable(a, { deviceCode: near, portName }), this.cable({ deviceCode: far, portName }, b)];
    this.routes.push({ a, b, cables: [...ends, trunk.trunk], panels: trunk.panels, isLink });
  }
}

function placeOf(rackCode: string | undefined): Location {
  const floor = { siteId: "S", floorNumber: 1 };
  if (rackCode === undefined) return { ...floor, room: "Electric" };
  return rackCode === "R3"
    ? { ...floor, room: "Hall", row: "b", zoneId: "cold" }
    : { ...floor, room: "Hall", row: "a", zoneId: rackCode === "R1" ? "cold" : "warm" };
}

function located(device: Device): Device {
  return { ...device, location: placeOf(device.rackCode) };
}
