import { codeKey } from "#dc/model/code.ts";
import { drawW, isPowerKind } from "#dc/model/draw.ts";
import type { Device } from "#dc/model/resources.ts";
import { LOAD_BASES } from "#dc/model/words.ts";
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

/** Judges each rack in which a failure touches a device, and counts what is undocumented there. Decision D-08. */
export function rackStates(
  topology: Topology,
  { dark }: Darkness,
  hits: readonly { readonly index: number; readonly state: string }[],
): { readonly states: ReadonlyMap<string, RackState>; readonly undocumented: number } {
  const offNow = judgedIn(topology, dark);
  const offline = hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index);
  const lostIt = new Set(
    racked(topology, offline)
      .filter(([, device]) => !isPowerKind(device.kind) && hasInlets(device))
      .map(([key]) => key),
  );
  const touched = racked(
    topology,
    hits.map(({ index }) => index),
  );
  let undocumented = 0;
  const states = new Map<string, RackState>();
  for (const key of new Set(touched.map(([rack]) => rack))) {
    const supply = topology.rackSupply(key);
    undocumented += supply.undocumented;
    const allOff = supply.judged > 0 && supply.off + (offNow.get(key) ?? 0) === supply.judged;
    states.set(key, allOff ? "DARK" : lostIt.has(key) ? "PARTIAL" : "PROTECTED");
  }
  return { states, undocumented };
}

/** How many of some nodes are devices by which their rack is judged, by rack. */
function judgedIn(topology: Topology, indexes: readonly number[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [key, device] of racked(topology, indexes)) {
    const counts = inService(device) && hasInlets(device);
    if (!counts || isPowerKind(device.kind) !== topology.rackSupply(key).byPower) continue;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

/** The devices in racks among some nodes, with the keys of their racks. */
function racked({ power }: Topology, indexes: readonly number[]): readonly (readonly [string, Device])[] {
  return indexes.flatMap((index): readonly (readonly [string, Device])[] => {
    const node = power.nodes[index];
    if (node?.kind !== "DEVICE" || node.device.rackCode === undefined) return [];
    return [[codeKey(node.device.rackCode), node.device]];
  });
}
