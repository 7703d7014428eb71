import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PowerGraph, PowerNode } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { isConsumer, isUndocumented } from "../power/power_nodes.ts";

export type RackState = "DARK" | "PARTIAL" | "PROTECTED";

/** Counts before any failure from which a rack's state is computed. */
export interface RackSupply {
  /** Number of consumers with a recorded supply. */
  readonly judged: number;
  /** Number of judged consumers without power. */
  readonly off: number;
  /** Number of power devices in service, used if the rack has no other devices to judge. */
  readonly pdus: number;
  readonly pdusOff: number;
  /** Codes of the consumers without a recorded supply, which are counted but never assumed offline. */
  readonly undocumented: readonly string[];
}

/** Counts the devices of one rack by their supply state. */
export function countRackSupply(graph: PowerGraph, live: LiveSet, devices: readonly Device[]): RackSupply {
  const supply = { judged: 0, off: 0, pdus: 0, pdusOff: 0 };
  const undocumented: string[] = [];
  for (const { code } of devices) {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const role = findRackRole(graph, index);
    const off = live[index] === 1 ? 0 : 1;
    if (role === "JUDGED") {
      supply.judged += 1;
      supply.off += off;
    } else if (role === "PDU") {
      supply.pdus += 1;
      supply.pdusOff += off;
    } else if (role === "UNDOCUMENTED") undocumented.push(code);
  }
  return { ...supply, undocumented };
}

/** Returns how a device counts in the state of its rack; undefined if it does not count. */
function findRackRole(graph: PowerGraph, index: number): "JUDGED" | "PDU" | "UNDOCUMENTED" | undefined {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked) return undefined;
  if (isPowerKind(node.device.kind)) return "PDU";
  if (!isConsumer(node)) return undefined;
  return isUndocumented(graph, index) ? "UNDOCUMENTED" : "JUDGED";
}

/** Effects of a failure on the devices of one rack. */
interface AffectedRack {
  readonly key: string;
  /** Number of consumers that go offline, without failed sources. */
  off: number;
  /** Number of judged consumers that are failed sources; `failedOff` counts those that were off before the failure. */
  failed: number;
  failedOff: number;
  pdusLost: number;
  /** Whether power equipment other than a failed source goes offline. */
  losesPdu: boolean;
  /** Whether a device with a recorded supply goes offline or is degraded. */
  touched: boolean;
}

export interface RackStates {
  /** State of each affected rack by key. */
  readonly states: ReadonlyMap<string, RackState>;
  /** Codes of the undocumented consumers in affected racks. */
  readonly undocumented: readonly string[];
}

/** Nodes of a failure that affect the state of racks. */
export interface RackFailure {
  /** Nodes that lost power. */
  readonly dark: readonly number[];
  /** Devices that go offline, are degraded or run on battery, without failed sources. */
  readonly hits: readonly { readonly index: number }[];
  /** Failing equipment that does not count as offline. */
  readonly failed: ReadonlySet<number>;
}

/** Part of a topology that the state of racks depends on. */
interface RackSite {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  rackSupply(key: string): RackSupply;
}

/** Determines the state of each rack that a failure affects. Source: docs/decisions.md#d-08. */
export function computeRackStates(topology: RackSite, { dark, hits, failed }: RackFailure): RackStates {
  const struck = new AffectedRacks(topology);
  for (const index of failed) struck.excludeFailed(index);
  for (const index of dark) struck.countDarkNode(index, failed.has(index));
  for (const { index } of hits) struck.markTouched(index);
  const states = new Map<string, RackState>();
  const undocumented: string[] = [];
  for (const rack of struck.racks()) {
    const supply = topology.rackSupply(rack.key);
    const state = computeRackState(rack, supply);
    if (state === undefined) continue;
    states.set(rack.key, state);
    undocumented.push(...supply.undocumented);
  }
  return { states, undocumented };
}

/** Returns the state of a rack; undefined if nothing changed in it. */
function computeRackState(rack: AffectedRack, supply: RackSupply): RackState | undefined {
  const unknown = supply.undocumented.length > 0;
  const judged = supply.judged - rack.failed;
  if (judged === 0 && rack.pdusLost > 0 && supply.pdusOff + rack.pdusLost === supply.pdus) {
    if (unknown) return "PARTIAL";
    if (rack.losesPdu) return "DARK";
  }
  if (!rack.touched) return undefined;
  if (rack.off === 0) return "PROTECTED";
  return !unknown && supply.off - rack.failedOff + rack.off === judged ? "DARK" : "PARTIAL";
}

/** Racks that a failure affects. Each is created for its first affected device. */
class AffectedRacks {
  readonly #topology: RackSite;
  readonly #byKey = new Map<string, AffectedRack>();
  /** Racks by code as written. Most devices spell a code alike, which avoids normalising the code of each device. */
  readonly #byCode = new Map<string, AffectedRack>();

  constructor(topology: RackSite) {
    this.#topology = topology;
  }

  racks(): Iterable<AffectedRack> {
    return this.#byKey.values();
  }

  /** Excludes a failed source from the counts of its rack. */
  excludeFailed(index: number): void {
    const { power, live } = this.#topology;
    const rack = this.#findRack(power.nodes[index]);
    if (rack === undefined || findRackRole(power, index) !== "JUDGED") return;
    rack.failed += 1;
    if (live[index] !== 1) rack.failedOff += 1;
  }

  /** Counts a node that loses power. */
  countDarkNode(index: number, isFailed: boolean): void {
    const { power } = this.#topology;
    const rack = this.#findRack(power.nodes[index]);
    if (rack === undefined) return;
    const role = findRackRole(power, index);
    if (role === "PDU") {
      rack.pdusLost += 1;
      if (!isFailed) rack.losesPdu = true;
    } else if (role !== undefined && !isFailed) rack.off += 1;
  }

  /** Records a device that goes offline, is degraded or runs on battery. */
  markTouched(index: number): void {
    const rack = this.#findRack(this.#topology.power.nodes[index]);
    if (rack !== undefined) rack.touched = true;
  }

  #findRack(node: PowerNode | undefined): AffectedRack | undefined {
    const rackCode =
      node?.kind === "DEVICE" ? node.device.rackCode : node?.kind === "CRAC" ? node.crac.rackCode : undefined;
    if (rackCode === undefined) return undefined;
    const known = this.#byCode.get(rackCode);
    if (known !== undefined) return known;
    const key = codeKey(rackCode);
    const rack = this.#byKey.get(key) ?? {
      key,
      off: 0,
      failed: 0,
      failedOff: 0,
      pdusLost: 0,
      losesPdu: false,
      touched: false,
    };
    this.#byKey.set(key, rack);
    this.#byCode.set(rackCode, rack);
    return rack;
  }
}
