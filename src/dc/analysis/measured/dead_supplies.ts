import { isPowerKind } from "#dc/model/draw.ts";
import type { ReadingQuantity } from "#dc/model/enum_values.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerEdge } from "../power/power_edge.ts";
import type { Topology } from "../topology.ts";
import { type CurrentReadings, findReading, type ReadingFinding } from "./finding.ts";
import { listLiveInlets, listMeterKeys } from "./measured_draws.ts";

/** Largest readings of a meter that count as no load. Current meters have a resolution of hundredths of an ampere. */
const NO_LOAD_LIMITS = [
  ["POWER_W", 1],
  ["APPARENT_POWER_VA", 1],
  ["CURRENT_A", 0.01],
] as const satisfies readonly (readonly [ReadingQuantity, number])[];
const STATE_ON = 1;
/** Maximum number of supply levels to follow. Our choice: it ends the search in a cycle of supplies. */
const MAX_SUPPLY_LEVELS = 32;

/** Reading of a supply's meter. */
interface MeteredLoad {
  readonly isZero: boolean;
  readonly watts: number;
  readonly at: number;
}

/** A supply without load. */
interface DeadSupply {
  readonly ref: string;
  readonly at: number;
}

/** A device with a supply without load. */
interface AffectedDevice {
  readonly ref: string;
  readonly at: number;
  readonly carriedW: number;
}

/**
 * Finds supplies without load while the other supplies of their devices carry the devices' draw. The reported element
 * is the inlet, or the highest upstream supply whose own meter also shows no load. Power equipment is ignored, because
 * transfer switches and UPSes draw from one inlet at a time.
 */
export function* findDeadSupplies(topology: Topology, readings: CurrentReadings): Steps<readonly ReadingFinding[]> {
  const victims = new Map<string, AffectedDevice[]>();
  for (const [index, node] of topology.power.nodes.entries()) {
    if (index % 256 === 0) yield;
    if (node.kind !== "DEVICE" || node.blocked || isPowerKind(node.device.kind) || topology.live[index] !== 1) continue;
    for (const { ref, ...victim } of listDeadSupplies(topology, index, readings)) {
      victims.getOrInsert(ref, []).push({ ...victim, ref: node.ref });
    }
  }
  return [...victims].map(([ref, devices]) => ({
    kind: "DEAD_SUPPLY",
    severity: "FAULT",
    ref,
    at: Math.max(...devices.map(({ at }) => at)),
    figures: { devices: devices.length, carried_w: devices.reduce((sum, { carriedW }) => sum + carriedW, 0) },
    related: devices.map((one) => one.ref),
  }));
}

/** Lists supplies without load of a device that draws through its other supplies, each once. */
function listDeadSupplies(topology: Topology, index: number, readings: CurrentReadings): readonly AffectedDevice[] {
  const { power } = topology;
  const edges = listLiveInlets(topology, index);
  if (edges.length < 2) return [];
  const node = power.nodes[index];
  const own = findMeteredLoad(readings, [toRefKey(node?.ref ?? "")]);
  const dead = new Map<string, DeadSupply>();
  const carrying: MeteredLoad[] = [];
  let inlets = 0;
  for (const edge of edges) {
    const atInlet = findMeteredLoad(readings, listInletKeys(topology, edge));
    if (atInlet?.isZero === false) {
      carrying.push(atInlet);
      continue;
    }
    const found =
      findHighestDeadSupply(topology, edge, readings) ??
      (atInlet && { ref: formatInletRef(topology, edge), at: atInlet.at });
    if (found === undefined) continue;
    inlets += 1;
    dead.set(found.ref, found);
  }
  if (own?.isZero === false) carrying.push(own);
  if (dead.size === 0 || inlets === edges.length || carrying.length === 0) return [];
  const carriedW = own?.watts ?? carrying.reduce((sum, { watts }) => sum + watts, 0);
  const at = Math.max(...carrying.map((one) => one.at));
  return [...dead.values()].map((one) => ({ ref: one.ref, at: Math.max(one.at, at), carriedW }));
}

function findMeteredLoad(readings: CurrentReadings, keys: readonly string[]): MeteredLoad | undefined {
  for (const [quantity, most] of NO_LOAD_LIMITS) {
    const found = findReading(readings, quantity, keys);
    if (found === undefined) continue;
    return { isZero: found.value <= most, watts: quantity === "POWER_W" ? found.value : 0, at: found.at };
  }
  const state = findReading(readings, "STATE", keys);
  return state === undefined || state.value === STATE_ON ? undefined : { isZero: true, watts: 0, at: state.at };
}

/** Lists keys of the meters of an inlet: its own meter, and the meter of an outlet that supplies only this inlet. */
function listInletKeys({ power }: Topology, edge: PowerEdge): readonly string[] {
  const source = power.nodes[edge.from];
  const isSole = source?.kind === "OUTLET" && power.supplies.count(edge.from) === 1;
  return [toRefKey(formatInletRef({ power }, edge)), ...(isSole ? listMeterKeys(source) : [])];
}

function formatInletRef({ power }: Pick<Topology, "power">, { to, inlet }: PowerEdge): string {
  const node = power.nodes[to];
  return node?.kind === "DEVICE" ? `port:${node.device.code}/${inlet}` : "";
}

/** Returns the highest supply upstream of an inlet whose own meter and all meters between them show no load. */
function findHighestDeadSupply(
  { power, live }: Topology,
  { from }: PowerEdge,
  readings: CurrentReadings,
): DeadSupply | undefined {
  let dead: DeadSupply | undefined;
  let index = from;
  for (let level = 0; level < MAX_SUPPLY_LEVELS; level += 1) {
    const node = power.nodes[index];
    if (node === undefined) break;
    // An outlet with one consumer supplies only that consumer.
    const isSole = level === 0 && node.kind === "OUTLET" && power.supplies.count(index) === 1;
    const carried = isSole ? undefined : findMeteredLoad(readings, listMeterKeys(node));
    if (carried?.isZero === false) break;
    if (carried !== undefined) dead = { ref: node.ref, at: carried.at };
    const sources = power.inlets
      .listEdges(index)
      .filter(({ how, from: above }) => how === undefined && live[above] === 1);
    if (sources.length !== 1 || sources[0] === undefined) break;
    index = sources[0].from;
  }
  return dead;
}
