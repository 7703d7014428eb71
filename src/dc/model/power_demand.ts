import { codeKey } from "./code.ts";
import { drawW } from "./draw.ts";
import { inService } from "./in_service.ts";
import { inletsOf } from "./power_walk.ts";
import { portKey, portRef } from "./ref.ts";
import { refKey } from "./resource_key.ts";
import type { Device, Port, PortRef } from "./resources.ts";
import type { Consumer, SiteReader } from "./site.ts";

/** A load below some element: what it draws itself, and over how many inlets it splits what it carries. */
interface Load {
  readonly key: string;
  readonly drawW: number;
  readonly inlets: number;
  readonly device?: Device;
}

/** An inlet that hangs on an element: through which outlet (empty for the device itself), and what is behind it. */
interface Branch {
  readonly outlet: string;
  readonly load: Load;
}

/** A branch and the device that it hangs on. */
type Owned = readonly [owner: Device, branch: Branch];

/** What hangs on an element, in watts. */
export interface Demand {
  /** With all supplies live: every load split over its inlets. */
  readonly normalW: number;
  /** When it alone carries everything that reaches it. */
  readonly failoverW: number;
  /** Normal load by outlet. */
  readonly byOutlet: ReadonlyMap<string, number>;
}

/** Longest chain of supply. Ours: utility to plug is ten. */
const MAX_DEPTH = 64;

/** Thrown inside a walk that has looked at as many devices as it may. */
class TooFar extends Error {}

/**
 * Adds up what hangs on power equipment by looking it up level by level, for writes that cannot wait for the whole graph.
 * Looks at each device once, however many elements share it, and gives up after `budget` devices.
 */
export class DemandWalk {
  private readonly site: SiteReader;
  private readonly branches = new Map<string, readonly Branch[]>();
  private readonly looked = new Map<string, Device>();
  private left: number;

  constructor(site: SiteReader, budget: number) {
    this.site = site;
    this.left = budget;
  }

  /** The demand on a device, or undefined when too much hangs on it to be added up here. */
  async of(device: Device): Promise<Demand | undefined> {
    try {
      return await this.sum(device);
    } catch (error) {
      if (error instanceof TooFar) return undefined;
      throw error;
    }
  }

  private async sum(device: Device): Promise<Demand> {
    const byOutlet = new Map<string, number>();
    for (const { outlet, load } of await this.branchesOf(device)) {
      const watts = (await this.normal(load)) / load.inlets;
      byOutlet.set(outlet, (byOutlet.get(outlet) ?? 0) + watts);
    }
    const passed = [...byOutlet.values()].reduce((sum, watts) => sum + watts, 0);
    return {
      normalW: workingDrawW(device) + passed,
      failoverW: await this.everything(device),
      byOutlet,
    };
  }

  private async normal({ drawW: own, device }: Load, depth = 0): Promise<number> {
    // Writes let no circle in, but a hand in the database might.
    if (depth > MAX_DEPTH) throw new TooFar();
    let watts = own;
    if (device === undefined) return watts;
    for (const { load } of await this.branchesOf(device)) watts += (await this.normal(load, depth + 1)) / load.inlets;
    return watts;
  }

  /** The full draws of the distinct loads downstream. */
  private async everything(start: Device): Promise<number> {
    const own = { key: keyOf(start), drawW: workingDrawW(start), inlets: 1, device: start };
    const seen = new Map<string, Load>([[own.key, own]]);
    // A Map iterates over what is added meanwhile, so it is also the queue.
    for (const { device } of seen.values()) {
      if (device === undefined) continue;
      for (const { load } of await this.branchesOf(device)) seen.set(load.key, load);
    }
    return [...seen.values()].reduce((sum, load) => sum + load.drawW, 0);
  }

  private async branchesOf(device: Device): Promise<readonly Branch[]> {
    const key = keyOf(device);
    // Level by level, so that each level is a few look-ups and not a few for every device.
    for (let level: readonly Device[] = [device]; level.length > 0; ) level = await this.branchesOfLevel(level);
    return this.branches.get(key) ?? [];
  }

  /** Finds what hangs on each of these devices, and returns the devices that do and were not seen yet. */
  private async branchesOfLevel(level: readonly Device[]): Promise<readonly Device[]> {
    const devices = level.filter((device) => !this.branches.has(keyOf(device)));
    if (devices.length === 0) return [];
    const found = new Map(devices.map((device): [string, Branch[]] => [keyOf(device), []]));
    for (const [owner, branch] of [...(await this.named(devices)), ...(await this.cabled(devices))]) {
      found.get(keyOf(owner))?.push(branch);
    }
    for (const [key, branches] of found) this.branches.set(key, branches);
    const next = new Map(
      [...found.values()].flat().flatMap(({ load }) => (load.device ? [[load.key, load.device]] : [])),
    );
    return [...next].filter(([key]) => !this.branches.has(key)).map(([, device]) => device);
  }

  /** Loads whose inlets name one of the devices, one of their outlets, or one of their feeds. */
  private async named(devices: readonly Device[]): Promise<readonly Owned[]> {
    const owners = new Map<string, { readonly owner: Device; readonly outlet: string }>();
    for (const owner of devices) {
      owners.set(refKey(`device:${owner.code}`), { owner, outlet: "" });
      for (const { name, powerOut } of outletsOf(owner)) {
        owners.set(refKey(portRef({ deviceCode: owner.code, portName: name })), { owner, outlet: name });
        if (powerOut?.feedId !== undefined) owners.set(refKey(`feed:${powerOut.feedId}`), { owner, outlet: name });
      }
    }
    const consumers = await this.site.consumersOf([...owners.keys()]);
    await this.look(consumers.filter(({ kind }) => kind === "device").map(({ code }) => code));
    const found: Owned[] = [];
    for (const consumer of consumers) {
      const { load, source } = await this.consumer(consumer);
      const owned = owners.get(refKey(source));
      if (load !== undefined && owned !== undefined) found.push([owned.owner, { outlet: owned.outlet, load }]);
    }
    return found;
  }

  private async cabled(devices: readonly Device[]): Promise<readonly Owned[]> {
    const owners = new Map<string, Device>();
    for (const owner of devices) {
      for (const { name } of outletsOf(owner)) owners.set(portKey({ deviceCode: owner.code, portName: name }), owner);
    }
    if (owners.size === 0) return [];
    const codes = [...new Set([...owners.values()].map(({ code }) => code))];
    const cables = await this.site.cablesOfAll(codes);
    const ways = cables.flatMap(({ a, b }) => [
      { near: a, far: b },
      { near: b, far: a },
    ]);
    const fed = ways.flatMap(({ near, far }) => {
      const owner = owners.get(portKey(near));
      return owner === undefined ? [] : [{ owner, outlet: near.portName, far }];
    });
    await this.look(fed.map(({ far }) => far.deviceCode));
    return fed.flatMap(({ owner, outlet, far }): Owned[] => {
      const load = this.cabledLoad(far);
      return load === undefined ? [] : [[owner, { outlet, load }]];
    });
  }

  /** The load at a cable's far end; an inlet that also names its source was counted with that. */
  private cabledLoad(far: PortRef): Load | undefined {
    const device = this.looked.get(codeKey(far.deviceCode));
    const inlet = device?.ports?.find(({ name }) => name === far.portName);
    if (device === undefined || inlet === undefined || inlet.powerIn?.sourceRef !== undefined) return undefined;
    return loadOf(device);
  }

  private async consumer({ kind, code, inlet }: Consumer): Promise<{ readonly load?: Load; readonly source: string }> {
    if (kind === "device") {
      const device = this.looked.get(codeKey(code));
      const port = device?.ports?.find(({ name }) => name === inlet);
      if (device === undefined || port === undefined) return { source: "" };
      return { load: loadOf(device), source: port.powerIn?.sourceRef ?? "" };
    }
    const crac = await this.site.crac(code);
    if (crac === undefined) return { source: "" };
    const inputs = crac.powerInputs ?? [];
    const load = { key: `crac:${codeKey(code)}`, drawW: drawW(crac, "ALLOCATED"), inlets: Math.max(1, inputs.length) };
    return { load, source: inputs[Number(inlet)]?.sourceRef ?? "" };
  }

  /** Looks devices up that were not looked at before. */
  private async look(codes: readonly string[]): Promise<void> {
    const wanted = [...new Set(codes.map(codeKey))].filter((key) => !this.looked.has(key));
    if (wanted.length === 0) return;
    this.left -= wanted.length;
    if (this.left < 0) throw new TooFar();
    for (const device of await this.site.powerDevices(wanted)) this.looked.set(codeKey(device.code), device);
  }
}

function outletsOf({ ports = [] }: Device): readonly Port[] {
  return ports.filter(({ kind }) => kind === "POWER_OUT");
}

function keyOf({ code }: Device): string {
  return `device:${codeKey(code)}`;
}

function loadOf(device: Device): Load {
  return {
    key: keyOf(device),
    drawW: workingDrawW(device),
    inlets: Math.max(1, inletsOf(device).length),
    device,
  };
}

/** What a device draws while it is in service, in watts. */
function workingDrawW(device: Device): number {
  return inService(device) ? drawW(device, "ALLOCATED") : 0;
}
