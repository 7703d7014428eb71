import type { DeviceStatus, LinkStatus } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { comparePortRefs, compareText } from "#dc/model/ref.ts";
import type { Device, FabricLink, Location, Port, PortRef, Rack } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

const STATUSES: readonly DeviceStatus[] = ["ACTIVE", "DECOMMISSIONING"];
const ODD_STATUSES: readonly DeviceStatus[] = ["OFFLINE", "FAILED", "PLANNED", "STAGED", "INVENTORY"];
const ODD_STATES: readonly LinkStatus[] = ["DOWN", "ADMIN_DOWN", "DEGRADED", "DEGRADED", "PLANNED"];
const RACKS = ["R1", "R2", "R3", "R4"] as const;

/** Roles of the tiers, lowest first. A role that the laws do not name stands above or below those that they name. */
const TOWERS: readonly (readonly (readonly string[])[])[] = [
  [["leaf", "border-leaf", "tor"], ["spine"]],
  [["leaf", "border-leaf", "tor"], ["spine"], ["super-spine"]],
  [["leaf", "tor"], ["spine"], ["super-spine"], ["core", ""]],
  [["access"], ["leaf", "tor"], ["spine"], ["super-spine"]],
  [["tor"], ["super-spine"]],
  [[""], ["router"], ["router"]],
];

interface Member {
  readonly device: Device;
  /** The pod that it is in, for its links upward and downward. */
  readonly pod: number;
  readonly plane: number;
}

/**
 * Draws a site with one to three fabrics of two to four tiers: pods and planes that are labelled, partly labelled or not,
 * parallel links in equal and unequal numbers, pairs without a link, links in every state and direction, disabled ports,
 * devices out of service, and links within a tier, past a tier and between fabrics.
 */
export function fabricWorld(random: SeededRandom): Inventory {
  return new FabricDrawer(random).draw();
}

class FabricDrawer {
  private readonly random: SeededRandom;
  private readonly devices: Device[] = [];
  private readonly ports = new Map<string, Port[]>();
  private readonly links: FabricLink[] = [];
  /** Share of what is not as it should be. */
  private readonly odd: number;

  constructor(random: SeededRandom) {
    this.random = random;
    this.odd = random.pick([0, 0.05, 0.15, 0.3]);
  }

  draw(): Inventory {
    const { random } = this;
    const count = 1 + random.below(3);
    for (let number = 1; number <= count; number += 1) this.fabric(number);
    if (random.below(3) === 0) this.strayLinks();
    const racks = RACKS.map((code, at): Rack => ({ code, location: located(at) }));
    const devices = this.devices.map((device) => ({ ...device, ports: this.ports.get(device.code) ?? [] }));
    return {
      racks,
      devices: devices.toSorted((a, b) => compareText(a.code.toLowerCase(), b.code.toLowerCase())),
      cracs: [],
      cables: [],
      fabricLinks: this.links.toSorted((x, y) => comparePortRefs(x.a, y.a) || comparePortRefs(x.b, y.b)),
    };
  }

  private chance(share: number): boolean {
    return this.random.next() < share;
  }

  private fabric(number: number): void {
    const { random } = this;
    const tower = random.pick(TOWERS);
    const fabricId = random.below(6) === 0 ? undefined : `Fab${number}`;
    const pods = 1 + random.below(3);
    const labelled = random.pick([0, 0, 0.5, 1, 1]);
    const parallel = 1 + random.below(3);
    const tiers = tower.map((roles, rank) => {
      const size = Math.max(1, pods * (1 + random.below(rank === 0 ? 4 : 2)));
      return Array.from({ length: size }, (_, at) =>
        this.member(`f${number}T${rank}-${at}`, random.pick(roles), { pod: at % pods, plane: at % 2, labelled }),
      );
    });
    for (const [rank, lows] of tiers.entries()) {
      // Pods part the lowest two tiers, planes those above, so that the graphs differ from tier to tier.
      const together = (low: Member, high: Member) =>
        rank === 0 ? low.pod === high.pod : tower.length < 4 || low.plane === high.plane;
      const pairs = lows.flatMap((low) => (tiers[rank + 1] ?? []).map((high) => [low, high] as const));
      for (const [low, high] of pairs.filter((pair) => together(...pair) && !this.chance(this.odd / 3))) {
        const count = this.chance(this.odd) ? 1 + random.below(3) : parallel;
        for (let left = count; left > 0; left -= 1) this.link(low.device, high.device, fabricId);
      }
    }
  }

  private member(
    code: string,
    role: string,
    { pod, plane, labelled }: { readonly pod: number; readonly plane: number; readonly labelled: number },
  ): Member {
    const { random } = this;
    const status = this.chance(this.odd / 2) ? random.pick(ODD_STATUSES) : random.pick(STATUSES);
    const rack = random.below(5) === 0 ? undefined : random.below(RACKS.length);
    const hasLabel = this.chance(labelled);
    const device: Device = {
      code,
      kind: "SWITCH",
      ...(role !== "" && { role }),
      ...(this.chance(0.9) && { status }),
      location: located(rack ?? random.below(RACKS.length)),
      ...(rack !== undefined && { rackCode: RACKS[rack] as string }),
      ...(hasLabel && { labels: { pod: `p${pod}`, ...(random.below(2) === 0 && { plane: `l${plane}` }) } }),
    };
    this.devices.push(device);
    this.ports.set(code, this.hostPorts());
    return { device, pod, plane };
  }

  /** Ports towards hosts, marked or not, and ports that are none. */
  private hostPorts(): Port[] {
    const { random } = this;
    const isMarked = random.below(2) === 0;
    const speedMbps = random.pick([10_000, 25_000]);
    const hosts = Array.from(
      { length: random.below(9) },
      (_, at): Port => ({
        name: `h${at}`,
        kind: "NETWORK",
        speedMbps,
        ...(isMarked && { netRole: random.pick(["DOWNLINK", "HOST"] as const) }),
        ...(this.chance(this.odd) && { enabled: false }),
      }),
    );
    const others: Port[] = [
      { name: "mgmt", kind: "NETWORK", speedMbps: 1000, mgmtOnly: true },
      { name: "bond", kind: "NETWORK", speedMbps: 50_000, type: "lag" },
      { name: "h0:1", kind: "NETWORK", speedMbps: 2500, parentPort: "h0", channel: 1 },
      { name: "psu", kind: "POWER_IN", powerIn: {} },
      { name: "peer", kind: "NETWORK", speedMbps: 100_000, netRole: "PEER" },
    ];
    return [...hosts, ...others.filter(() => random.below(2) === 0)];
  }

  private link(low: Device, high: Device, fabricId: string | undefined): void {
    const { random } = this;
    const isKnown = [low, high].every(({ role = "" }) => /leaf|tor|spine/.test(role));
    const [first, second] = isKnown && random.below(12) === 0 ? [high, low] : [low, high];
    const hasPorts = random.below(8) > 0;
    const [a, b] = [first, second].map(
      (device): PortRef => ({
        deviceCode: device.code,
        portName: hasPorts ? this.port(device) : "",
      }),
    ) as [PortRef, PortRef];
    const twin = this.links.some((one) =>
      [one.a, one.b].every((end, at) => comparePortRefs(end, [a, b][at] as PortRef) === 0),
    );
    if (twin) return;
    const capacityMbps = random.pick([40_000, 100_000, 100_000, 100_000, 0]);
    const load = () => (random.below(8) === 0 ? undefined : 500 * random.below(160));
    const [up, down] = [load(), load()];
    this.links.push({
      a,
      b,
      ...(fabricId !== undefined && { fabricId: random.below(9) === 0 ? fabricId.toUpperCase() : fabricId }),
      ...(random.below(5) > 0 && { status: this.chance(this.odd) ? random.pick(ODD_STATES) : "UP" }),
      ...(capacityMbps > 0 && { capacityMbps }),
      ...(up !== undefined && { aToBMbps: up }),
      ...(down !== undefined && { bToAMbps: down }),
      ...(random.below(6) === 0 && { ecmpGroup: random.pick(["e1", "e2"]) }),
    });
  }

  private port({ code }: Device): string {
    const own = this.ports.get(code) ?? [];
    const name = `up${own.length}`;
    own.push({
      name,
      kind: "NETWORK",
      speedMbps: 100_000,
      ...(this.random.below(2) === 0 && { netRole: "UPLINK" as const }),
      ...(this.chance(this.odd / 3) ? { enabled: false } : this.random.below(2) === 0 && { enabled: true }),
    });
    return name;
  }

  /** Links within a tier, past a tier and between fabrics. */
  private strayLinks(): void {
    const { random } = this;
    for (let left = 1 + random.below(3); left > 0; left -= 1) {
      const [one, other] = [random.pick(this.devices), random.pick(this.devices)];
      if (one === other || [one, other].some(({ role = "" }) => !/leaf|tor|spine/.test(role))) continue;
      this.link(one, other, random.pick(["Fab1", "Fab2"]));
    }
  }
}

/** Where a rack is located: two sites, two floors, rooms, rows and a zone. */
function located(at: number): Location {
  return {
    siteId: at === 3 ? "T" : "S",
    floorNumber: at === 2 ? 2 : 1,
    ...(at !== 1 && { room: "hall" }),
    row: at === 0 ? "a" : "b",
    ...(at === 1 && { zoneId: "z" }),
  };
}
