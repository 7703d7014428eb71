import { codeKey } from "./code.ts";
import { drawW } from "./draw.ts";
import { inletsOf, sourceOf } from "./power_walk.ts";
import { portRef, samePort } from "./ref.ts";
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
 * Adds up what hangs on power equipment by looking it up step by step, for writes that cannot wait for the whole graph.
 * Looks at each device once, however many elements share it, and gives up after `budget` devices.
 */
export class DemandWalk {
  private readonly site: SiteReader;
  private readonly branches = new Map<string, readonly Branch[]>();
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
      normalW: drawW(device, "ALLOCATED") + passed,
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
    const own = { key: keyOf(start), drawW: drawW(start, "ALLOCATED"), inlets: 1, device: start };
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
    const known = this.branches.get(key);
    if (known !== undefined) return known;
    const outlets = (device.ports ?? []).filter(({ kind }) => kind === "POWER_OUT");
    const found = [...(await this.named(device, outlets)), ...(await this.cabled(device, outlets))];
    this.branches.set(key, found);
    return found;
  }

  /** Loads whose inlets name the device, one of its outlets, or one of its feeds. */
  private async named(device: Device, outlets: readonly Port[]): Promise<readonly Branch[]> {
    const outletOf = new Map([[refKey(`device:${device.code}`), ""]]);
    for (const { name, powerOut } of outlets) {
      outletOf.set(refKey(portRef({ deviceCode: device.code, portName: name })), name);
      if (powerOut?.feedId !== undefined) outletOf.set(refKey(`feed:${powerOut.feedId}`), name);
    }
    const found: Branch[] = [];
    for (const consumer of await this.site.consumersOf([...outletOf.keys()])) {
      const { load, source } = await this.consumer(consumer);
      if (load !== undefined) found.push({ outlet: outletOf.get(refKey(source)) ?? "", load });
    }
    return found;
  }

  private async cabled(device: Device, outlets: readonly Port[]): Promise<readonly Branch[]> {
    if (outlets.length === 0) return [];
    const found: Branch[] = [];
    for (const { a, b } of await this.site.cablesOf(device.code)) {
      const outlet = outlets.find(({ name }) => {
        const end = { deviceCode: device.code, portName: name };
        return samePort(a, end) || samePort(b, end);
      });
      if (outlet === undefined) continue;
      const far = samePort(a, { deviceCode: device.code, portName: outlet.name }) ? b : a;
      const load = await this.cabledLoad(far);
      if (load !== undefined) found.push({ outlet: outlet.name, load });
    }
    return found;
  }

  /** The load at a cable's far end; an inlet that also names its source was counted with that. */
  private async cabledLoad(far: PortRef): Promise<Load | undefined> {
    const device = await this.look(far.deviceCode);
    const inlet = device?.ports?.find(({ name }) => name === far.portName);
    if (device === undefined || inlet === undefined || inlet.powerIn?.sourceRef !== undefined) return undefined;
    return loadOf(device);
  }

  private async consumer({ kind, code, inlet }: Consumer): Promise<{ readonly load?: Load; readonly source: string }> {
    if (kind === "device") {
      const device = await this.look(code);
      const port = device?.ports?.find(({ name }) => name === inlet);
      if (device === undefined || port === undefined) return { source: "" };
      return { load: loadOf(device), source: (await sourceOf(device, port, this.site)) ?? "" };
    }
    const crac = await this.site.crac(code);
    if (crac === undefined) return { source: "" };
    const inputs = crac.powerInputs ?? [];
    const load = { key: `crac:${codeKey(code)}`, drawW: drawW(crac, "ALLOCATED"), inlets: Math.max(1, inputs.length) };
    return { load, source: inputs[Number(inlet)]?.sourceRef ?? "" };
  }

  private async look(code: string): Promise<Device | undefined> {
    this.left -= 1;
    if (this.left < 0) throw new TooFar();
    return this.site.device(code);
  }
}

function keyOf({ code }: Device): string {
  return `device:${codeKey(code)}`;
}

function loadOf(device: Device): Load {
  return {
    key: keyOf(device),
    drawW: drawW(device, "ALLOCATED"),
    inlets: Math.max(1, inletsOf(device).length),
    device,
  };
}
