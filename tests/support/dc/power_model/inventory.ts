import { isPowerKind } from "#dc/model/draw.ts";
import type { DeviceKind, DeviceStatus } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, DeviceBody, Port, PowerIn, PowerOut, Rack } from "#dc/model/resources.ts";
import { compact } from "../arbitrary.ts";
import { Random } from "./random.ts";

const STATUSES = [
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "ACTIVE",
  "DECOMMISSIONING",
] as const;
const ODD_STATUSES = ["FAILED", "OFFLINE", "PLANNED", "STAGED", "INVENTORY"] as const;
const RACKS = ["R1", "R2", "R3"] as const;

/** An outlet or a whole device that something can hang on. */
interface Tap {
  readonly code: string;
  /** Absent for the device itself. */
  readonly outlet?: string;
  readonly feedId?: string;
}

/**
 * Draws a small inventory with every feature of power ports: panels, feeds that are declared or not, transfer switches,
 * UPSes, PDUs whose outlets are bound to inlets, chassis with blades, cables in every state, inlets without a source or
 * switched off, every status. Nothing supplies itself. One seed always gives the same inventory.
 */
export function drawnInventory(seed: number): Inventory {
  return new Drawer(new Random(seed)).draw();
}

class Drawer {
  private readonly random: Random;
  private readonly devices: Device[] = [];
  private readonly cables: Cable[] = [];
  private readonly cracs: Crac[] = [];
  private taps: Tap[] = [];
  private readonly cabled = new Set<string>();
  /** Share of what is not as it should be: 0 draws a tidy site. */
  private readonly odd: number;
  private feeds = 0;

  constructor(random: Random) {
    this.random = random;
    this.odd = random.pick([0, 0.05, 0.05, 0.15, 0.3]);
  }

  draw(): Inventory {
    const { random } = this;
    this.level("U", 1 + random.below(3), ["UTILITY", "GENERATOR"]);
    if (random.chance(0.6)) this.level("T", 1 + random.below(2), ["TRANSFER_SWITCH"]);
    if (random.chance(0.7)) this.level("S", 1 + random.below(2), ["UPS", "UPS", "SWITCHGEAR"]);
    if (random.chance(0.8)) this.level("P", 1 + random.below(3), ["RPP", "FLOOR_PDU", "BUSWAY"]);
    this.level("D", 1 + random.below(5), ["RACK_PDU"]);
    this.level("X", random.below(3), ["CHASSIS"]);
    this.level("B", random.below(4), ["BLADE", "SERVER"]);
    this.level("L", 2 + random.below(8), ["SERVER", "SERVER", "SWITCH", "STORAGE", "PATCH_PANEL", "SENSOR"]);
    if (random.chance(0.4)) this.drawCracs();
    const racks = RACKS.map((code) => this.rack(code));
    const byCode = (a: { readonly code: string }, b: { readonly code: string }) => compareText(a.code, b.code);
    return {
      racks,
      devices: this.devices.toSorted(byCode),
      cracs: this.cracs,
      cables: this.cables.toSorted((a, b) => compareText(keyOf(a), keyOf(b))),
      fabricLinks: [],
    };
  }

  private rack(code: string): Rack {
    const { random } = this;
    return compact({
      code,
      uHeight: 42,
      location: { siteId: "S", floorNumber: 1 },
      requiredRedundancy: random.pick([undefined, undefined, "N", "N_PLUS_1", "TWO_N"]),
    }) as Rack;
  }

  /** Draws devices that hang on those of earlier levels. */
  private level(name: string, count: number, kinds: readonly [DeviceKind, ...DeviceKind[]]): void {
    const before = this.taps;
    const after: Tap[] = [];
    for (let number = 1; number <= count; number += 1) {
      const code = `${name}${number}`;
      const kind = this.random.pick(kinds);
      const inlets = this.inlets(code, this.inletCount(kind), before);
      const outlets = this.outlets(this.outletCount(kind), inlets);
      this.devices.push(compact({ ...this.body(code, kind, inlets), ports: [...inlets, ...outlets] }) as Device);
      if (["UTILITY", "GENERATOR", "TRANSFER_SWITCH", "SWITCHGEAR", "UPS", "RPP", "RACK_PDU"].includes(kind)) {
        after.push({ code });
      }
      for (const { name: outlet, powerOut } of outlets) {
        after.push({ code, outlet, ...(powerOut?.feedId !== undefined && { feedId: powerOut.feedId }) });
      }
    }
    // Mostly the level just above, now and then any above.
    this.taps = after.length === 0 ? before : [...after, ...after, ...before.slice(-6)];
  }

  private inletCount(kind: DeviceKind): number {
    const { random } = this;
    if (kind === "UTILITY" || kind === "GENERATOR") return 0;
    if (kind === "PATCH_PANEL") return random.chance(0.1) ? 1 : 0;
    if (kind === "BLADE") return random.chance(0.15) ? 1 : 0;
    if (kind === "SENSOR") return random.below(2);
    return random.pick([1, 2, 2, 2, 3, 4]) - (random.chance(this.odd * 0.5) ? 1 : 0);
  }

  private outletCount(kind: DeviceKind): number {
    const { random } = this;
    if (kind === "RPP" || kind === "FLOOR_PDU" || kind === "BUSWAY") return 1 + random.below(4);
    if (kind === "RACK_PDU") return 2 + random.below(5);
    if (kind === "UPS" || kind === "TRANSFER_SWITCH" || kind === "SWITCHGEAR") return random.below(3);
    return random.chance(0.04) ? 1 : 0;
  }

  private inlets(code: string, count: number, taps: readonly Tap[]): readonly Port[] {
    const { random } = this;
    return Array.from({ length: count }, (_, at): Port => {
      const name = `in${at + 1}`;
      return {
        name,
        kind: "POWER_IN",
        ...(random.chance(this.odd * 0.4) && { enabled: false }),
        powerIn: this.powerIn({ deviceCode: code, portName: name }, taps),
      };
    });
  }

  private powerIn(end: { readonly deviceCode: string; readonly portName: string }, taps: readonly Tap[]): PowerIn {
    const { random } = this;
    const draw = random.chance(0.25) ? { allocatedDrawW: 50 * (1 + random.below(4)) } : {};
    if (random.chance(this.odd * 0.6) || taps.length === 0) return draw;
    if (random.chance(0.06)) return { ...draw, sourceRef: `feed:Free${1 + random.below(3)}` };
    const tap = taps[random.below(taps.length)] ?? { code: "" };
    const { code, outlet, feedId } = tap;
    if (outlet === undefined) return { ...draw, sourceRef: `device:${code}` };
    if (feedId !== undefined && random.chance(0.7)) return { ...draw, sourceRef: `feed:${feedId}` };
    const key = `${code}/${outlet}`;
    if (this.cabled.has(key) || random.chance(0.3)) return { ...draw, sourceRef: `port:${key}` };
    this.cabled.add(key);
    const status = random.chance(this.odd)
      ? random.pick(["PLANNED" as const, "DECOMMISSIONING" as const])
      : "CONNECTED";
    this.cables.push({ a: { deviceCode: code, portName: outlet }, b: end, status });
    return random.chance(0.2) ? { ...draw, sourceRef: `port:${key}` } : draw;
  }

  private outlets(count: number, inlets: readonly Port[]): readonly Port[] {
    const { random } = this;
    return Array.from({ length: count }, (_, at): Port => {
      const inlet = inlets[random.below(Math.max(1, inlets.length))];
      const rated = random.chance(0.5);
      const powerOut: PowerOut = {
        ...(random.chance(0.5) && { feedId: this.nextFeed() }),
        ...(inlet !== undefined && random.chance(0.35) && { inletName: inlet.name }),
        ...(rated && {
          voltageV: random.pick([120, 230, 400]),
          amperageA: random.pick([1, 2, 4, 16]),
          phase: random.pick(["SINGLE", "THREE"]),
        }),
        ...(random.chance(0.25) && { leg: random.pick(["A", "B", "C", "AB", "BC", "CA"]) }),
        ...(random.chance(this.odd * 0.5) && { state: random.pick(["DISABLED", "FAULTY"]) }),
        ...(random.chance(0.2) && { maxUtilizationPct: random.pick([50, 90, 100]) }),
      };
      return { name: `out${at + 1}`, kind: "POWER_OUT", powerOut };
    });
  }

  private nextFeed(): string {
    this.feeds += 1;
    return `F${this.feeds}`;
  }

  private body(code: string, kind: DeviceKind, inlets: readonly Port[]): DeviceBody {
    const { random } = this;
    const status: DeviceStatus = random.chance(this.odd * 0.6) ? random.pick(ODD_STATUSES) : random.pick(STATUSES);
    const isPower = isPowerKind(kind);
    const chassis = this.devices.filter((device) => device.kind === "CHASSIS");
    const parent = code.startsWith("B") && chassis.length > 0 ? chassis[random.below(chassis.length)] : undefined;
    const rackCode =
      parent === undefined ? random.pick(["R1", "R2", "R3", isPower ? undefined : "R1"]) : parent.rackCode;
    const draws = kind === "PATCH_PANEL" ? random.chance(0.1) : random.chance(isPower ? 0.2 : 0.9);
    return {
      code,
      kind,
      status,
      location: { siteId: "S", floorNumber: 1 },
      ...(rackCode !== undefined && (kind === "RACK_PDU" || !isPower) && { rackCode }),
      ...(parent !== undefined && { parentDeviceCode: parent.code, bay: `bay${code.slice(1)}`, mount: "BAY" as const }),
      ...(draws && this.drawsOf()),
      ...(random.chance(0.2) && { powerFactor: random.pick([0.5, 0.8, 0.9, 1]) }),
      power: this.powerOf(inlets, isPower),
    };
  }

  private drawsOf(): Partial<DeviceBody> {
    const { random } = this;
    const watts = () => 20 * (1 + random.below(30));
    const given = {
      ...(random.chance(0.7) && { allocatedDrawW: watts() }),
      ...(random.chance(0.4) && { maxDrawW: watts() }),
      ...(random.chance(0.4) && { measuredDrawW: watts() }),
    };
    return Object.keys(given).length === 0 ? { allocatedDrawW: watts() } : given;
  }

  private powerOf(inlets: readonly Port[], isPower: boolean): NonNullable<DeviceBody["power"]> {
    const { random } = this;
    const preferred = inlets[random.below(Math.max(1, inlets.length))];
    return {
      ...(isPower && random.chance(0.8) && { capacityW: 100 * (1 + random.below(40)) }),
      ...(random.chance(0.2) && { maxUtilizationPct: random.pick([50, 70, 100]) }),
      ...(inlets.length > 1 && random.chance(0.3) && { minLiveInlets: 1 + random.below(inlets.length) }),
      ...(isPower && random.chance(0.4) && { runtimeS: 60 * (1 + random.below(10)) }),
      ...(isPower && preferred !== undefined && random.chance(0.5) && { preferredInlet: preferred.name }),
      ...(random.chance(0.2) && { requiredRedundancy: random.pick(["NONE", "N", "N_PLUS_1", "TWO_N"]) }),
    };
  }

  private drawCracs(): void {
    const { random } = this;
    for (let number = 1; number <= 1 + random.below(2); number += 1) {
      const inputs = Array.from({ length: random.below(3) }, (): PowerIn => {
        const tap = this.taps[random.below(Math.max(1, this.taps.length))];
        if (tap === undefined || random.chance(this.odd)) return {};
        if (tap.feedId !== undefined) return { sourceRef: `feed:${tap.feedId}` };
        return { sourceRef: tap.outlet === undefined ? `device:${tap.code}` : `port:${tap.code}/${tap.outlet}` };
      });
      this.cracs.push(
        compact({
          code: `C${number}`,
          kind: "CRAH",
          status: random.pick(["ACTIVE", "ACTIVE", "ACTIVE", "STANDBY", "MAINTENANCE", "PLANNED"]),
          location: { siteId: "S", floorNumber: 1 },
          serves: ["floor:S/1"],
          medium: "AIR",
          sensibleCapacityKw: 10,
          allocatedDrawW: 100,
          ...(random.chance(0.3) && { rackCode: "R1" }),
          powerInputs: inputs,
        }) as Crac,
      );
    }
  }
}

function keyOf({ a, b }: Cable): string {
  return `${a.deviceCode}/${a.portName}~${b.deviceCode}/${b.portName}`;
}
