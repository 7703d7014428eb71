import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { getNodeOwner, isConsumer, isUndocumented } from "../power/power_nodes.ts";

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
    if (role === RACK_ROLE.JUDGED) {
      supply.judged += 1;
      supply.off += off;
    } else if (role === RACK_ROLE.PDU) {
      supply.pdus += 1;
      supply.pdusOff += off;
    } else if (role === RACK_ROLE.UNDOCUMENTED) undocumented.push(code);
  }
  return { ...supply, undocumented };
}

/** Role of a node in the state of its rack. */
export const RACK_ROLE = { NONE: 0, JUDGED: 1, PDU: 2, UNDOCUMENTED: 3 } as const;

/** Returns how a device counts in the state of its rack, as a `RACK_ROLE`. */
export function findRackRole(graph: PowerGraph, index: number): number {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked) return RACK_ROLE.NONE;
  if (isPowerKind(node.device.kind)) return RACK_ROLE.PDU;
  if (!isConsumer(node)) return RACK_ROLE.NONE;
  return isUndocumented(graph, index) ? RACK_ROLE.UNDOCUMENTED : RACK_ROLE.JUDGED;
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
  /** Whether the failure affects any node of the rack. */
  isAffected: boolean;
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
  const { power, live } = topology;
  // Most devices spell a code alike, so few codes are normalised.
  const byCode = new Map<string, AffectedRack>();
  const byKey = new Map<string, AffectedRack>();
  const struck = new AffectedRacks(
    (index) => {
      const code = getNodeOwner(power.nodes[index])?.rackCode;
      if (code === undefined) return undefined;
      return byCode.getOrInsertComputed(code, () => byKey.getOrInsertComputed(codeKey(code), createUnaffectedRack));
    },
    (index) => findRackRole(power, index),
  );
  for (const index of failed) struck.excludeFailed(index, live[index] === 1);
  for (const index of dark) struck.countDarkNode(index, failed.has(index));
  for (const { index } of hits) struck.markTouched(index);
  const states = new Map<string, RackState>();
  const undocumented: string[] = [];
  for (const rack of struck.affected) {
    const supply = topology.rackSupply(rack.key);
    const state = computeRackState(rack, supply);
    if (state === undefined) continue;
    states.set(rack.key, state);
    undocumented.push(...supply.undocumented);
  }
  return { states, undocumented };
}

/** Returns the state of a rack; undefined if nothing changed in it. */
export function computeRackState(rack: AffectedRack, supply: RackSupply): RackState | undefined {
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

const NO_EFFECTS = { off: 0, failed: 0, failedOff: 0, pdusLost: 0, losesPdu: false, touched: false, isAffected: false };

export function createUnaffectedRack(key: string): AffectedRack {
  return { key, ...NO_EFFECTS };
}

/** Counts the effects of failures by rack. */
export class AffectedRacks {
  /** Racks that were affected since the last `clear`, in the order of their first affected node. */
  readonly affected: AffectedRack[] = [];
  readonly #findRack: (index: number) => AffectedRack | undefined;
  readonly #findRole: (index: number) => number | undefined;

  /**
   * Creates an empty count.
   * @param findRack returns the record of a node's rack, the same for all nodes in it
   * @param findRole returns the `RACK_ROLE` of a node
   */
  constructor(findRack: (index: number) => AffectedRack | undefined, findRole: (index: number) => number | undefined) {
    this.#findRack = findRack;
    this.#findRole = findRole;
  }

  /** Excludes a failed source from the counts of its rack. */
  excludeFailed(index: number, wasLive: boolean): void {
    const rack = this.#markAffected(index);
    if (rack === undefined || this.#findRole(index) !== RACK_ROLE.JUDGED) return;
    rack.failed += 1;
    if (!wasLive) rack.failedOff += 1;
  }

  /** Counts a node that loses power. */
  countDarkNode(index: number, isFailed: boolean): void {
    const rack = this.#markAffected(index);
    if (rack === undefined) return;
    const role = this.#findRole(index);
    if (role === RACK_ROLE.PDU) {
      rack.pdusLost += 1;
      if (!isFailed) rack.losesPdu = true;
    } else if (role !== RACK_ROLE.NONE && !isFailed) rack.off += 1;
  }

  /** Records a node that goes offline, is degraded or runs on battery. */
  markTouched(index: number): void {
    const rack = this.#markAffected(index);
    if (rack !== undefined) rack.touched = true;
  }

  clear(): void {
    for (const rack of this.affected) Object.assign(rack, NO_EFFECTS);
    this.affected.length = 0;
  }

  #markAffected(index: number): AffectedRack | undefined {
    const rack = this.#findRack(index);
    if (rack === undefined || rack.isAffected) return rack;
    rack.isAffected = true;
    this.affected.push(rack);
    return rack;
  }
}
