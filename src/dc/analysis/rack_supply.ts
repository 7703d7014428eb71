import { codeKey } from "#dc/model/code.ts";
import { drawW, isPowerKind } from "#dc/model/draw.ts";
import { LOAD_BASES } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import type { Darkness } from "./power_live.ts";
import type { Topology } from "./topology.ts";

export type RackState = "DARK" | "PARTIAL" | "PROTECTED";

/** What a rack's state is judged by. Power equipment stands in where there is no IT device with inlets. */
export interface RackSupply {
  /** IT devices with inlets, or the PDUs when there are none. */
  readonly judged: number;
  /** Of these, how many had no power before anything fails. */
  readonly off: number;
  readonly byPower: boolean;
  /** Devices that draw power but have no inlets recorded: never guessed offline, but counted. */
  readonly undocumented: number;
}

const OUT_OF_SERVICE: readonly (string | undefined)[] = ["PLANNED", "INVENTORY", "DECOMMISSIONING"];

/** Whether a device is there to be lost. */
export function inService({ status }: Device): boolean {
  return !OUT_OF_SERVICE.includes(status);
}

/** Looks at the devices of one rack. @param isLive whether a device has power before anything fails */
export function rackSupply(devices: readonly Device[], isLive: (device: Device) => boolean): RackSupply {
  const members = devices.filter(inService);
  const supplied = members.filter(hasInlets);
  const it = supplied.filter(({ kind }) => !isPowerKind(kind));
  const judged = it.length > 0 ? it : supplied;
  return {
    judged: judged.length,
    off: judged.filter((device) => !isLive(device)).length,
    byPower: it.length === 0,
    undocumented: members.filter((device) => !hasInlets(device) && draws(device)).length,
  };
}

function draws(device: Device): boolean {
  return LOAD_BASES.some((basis) => drawW(device, basis) > 0);
}

function hasInlets({ ports = [] }: Device): boolean {
  return ports.some(({ kind }) => kind === "POWER_IN");
}

/** What a failure does to the devices of one rack. */
interface Struck {
  readonly key: string;
  /** Devices by which it is judged that go dark. */
  off: number;
  lostIt: boolean;
}

/**
 * Judges each rack in which a failure touches a device, and counts what is undocumented there. docs/decisions.md#d-08.
 */
export function rackStates(
  topology: Topology,
  { dark }: Darkness,
  hits: readonly { readonly index: number; readonly state: string }[],
): { readonly states: ReadonlyMap<string, RackState>; readonly undocumented: number } {
  const struck = new StruckRacks(topology);
  for (const index of dark) struck.darken(index);
  const touched = new Set<Struck>();
  for (const hit of hits) {
    const rack = struck.hit(hit);
    if (rack !== undefined) touched.add(rack);
  }
  let undocumented = 0;
  const states = new Map<string, RackState>();
  for (const { key, off, lostIt } of touched) {
    const supply = topology.rackSupply(key);
    undocumented += supply.undocumented;
    const allOff = supply.judged > 0 && supply.off + off === supply.judged;
    states.set(key, allOff ? "DARK" : lostIt ? "PARTIAL" : "PROTECTED");
  }
  return { states, undocumented };
}

/** Racks that a failure touches, made when one of their devices is met. */
class StruckRacks {
  private readonly topology: Topology;
  private readonly byKey = new Map<string, Struck>();
  /** Devices mostly name their rack alike, which spares folding its code for each. */
  private readonly byCode = new Map<string, Struck>();

  constructor(topology: Topology) {
    this.topology = topology;
  }

  /** Counts a node that goes dark, when its rack is judged by it. */
  darken(index: number): void {
    const device = this.device(index);
    if (device === undefined || !inService(device) || !hasInlets(device)) return;
    const rack = this.rackOf(device);
    if (isPowerKind(device.kind) === this.topology.rackSupply(rack.key).byPower) rack.off += 1;
  }

  /** The rack of what is hit; undefined for what stands in none. */
  hit({ index, state }: { readonly index: number; readonly state: string }): Struck | undefined {
    const device = this.device(index);
    if (device === undefined) return undefined;
    const rack = this.rackOf(device);
    if (state === "OFFLINE" && !isPowerKind(device.kind) && hasInlets(device)) rack.lostIt = true;
    return rack;
  }

  private device(index: number): RackedDevice | undefined {
    const node = this.topology.power.nodes[index];
    return node?.kind === "DEVICE" && isRacked(node.device) ? node.device : undefined;
  }

  private rackOf({ rackCode }: RackedDevice): Struck {
    const known = this.byCode.get(rackCode);
    if (known !== undefined) return known;
    const key = codeKey(rackCode);
    const rack = this.byKey.get(key) ?? { key, off: 0, lostIt: false };
    this.byKey.set(key, rack);
    this.byCode.set(rackCode, rack);
    return rack;
  }
}

type RackedDevice = Device & { readonly rackCode: string };

function isRacked(device: Device): device is RackedDevice {
  return device.rackCode !== undefined;
}
