import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PowerGraph, PowerNode } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { isConsumer, isUndocumented } from "../power/power_nodes.ts";

export type RackState = "DARK" | "PARTIAL" | "PROTECTED";

/** Input of a rack's state, before any failure. */
export interface RackSupply {
  /** Consumers with a recorded supply. */
  readonly judged: number;
  /** Of these, how many have no power. */
  readonly off: number;
  /** Power equipment in service, used if the rack has no other devices to judge. */
  readonly pdus: number;
  readonly pdusOff: number;
  /** Codes of the consumers without a recorded supply: never guessed offline, but counted. */
  readonly undocumented: readonly string[];
}

/** Counts the devices of one rack by their supply state. */
export function rackSupply(graph: PowerGraph, live: LiveSet, devices: readonly Device[]): RackSupply {
  const supply = { judged: 0, off: 0, pdus: 0, pdusOff: 0 };
  const undocumented: string[] = [];
  for (const { code } of devices) {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const role = roleOf(graph, index);
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

/** Role of a device in the state of its rack. */
function roleOf(graph: PowerGraph, index: number): "JUDGED" | "PDU" | "UNDOCUMENTED" | undefined {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked) return undefined;
  if (isPowerKind(node.device.kind)) return "PDU";
  if (!isConsumer(node)) return undefined;
  return isUndocumented(graph, index) ? "UNDOCUMENTED" : "JUDGED";
}

/** Effects of a failure on the devices of one rack. */
interface Struck {
  readonly key: string;
  /** Consumers that go offline, failed sources left out. */
  off: number;
  /** Judged consumers that are themselves failed sources, and how many of them were off before. */
  failed: number;
  failedOff: number;
  pdusLost: number;
  /** Whether power equipment other than a failed source goes offline. */
  losesPdu: boolean;
  /** Whether a device with a recorded supply goes offline or is degraded. */
  touched: boolean;
}

export interface RackStates {
  /** Touched racks by key. */
  readonly states: ReadonlyMap<string, RackState>;
  /** Codes of the undocumented consumers in touched racks. */
  readonly undocumented: readonly string[];
}

/** A failure as racks see it. */
export interface RackFailure {
  /** Nodes that lost power. */
  readonly dark: readonly number[];
  /** Devices that go offline, are degraded or run on battery, without failed sources. */
  readonly hits: readonly { readonly index: number }[];
  /** Equipment that fails itself. */
  readonly failed: ReadonlySet<number>;
}

/** A site as the states of its racks need it. */
/** Part of a topology that the state of racks depends on. */
interface RackSite {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  rackSupply(key: string): RackSupply;
}

/** Judges each rack that a failure touches. Source: docs/decisions.md#d-08. */
export function rackStates(topology: RackSite, { dark, hits, failed }: RackFailure): RackStates {
  const struck = new StruckRacks(topology);
  for (const index of failed) struck.fail(index);
  for (const index of dark) struck.darken(index, failed.has(index));
  for (const { index } of hits) struck.hit(index);
  const states = new Map<string, RackState>();
  const undocumented: string[] = [];
  for (const rack of struck.racks()) {
    const supply = topology.rackSupply(rack.key);
    const state = stateOf(rack, supply);
    if (state === undefined) continue;
    states.set(rack.key, state);
    undocumented.push(...supply.undocumented);
  }
  return { states, undocumented };
}

/** The state of a rack; undefined when nothing changed in it. */
function stateOf(rack: Struck, supply: RackSupply): RackState | undefined {
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

/** Racks that a failure reaches, made when one of their devices is met. */
class StruckRacks {
  readonly #topology: RackSite;
  readonly #byKey = new Map<string, Struck>();
  /** Most devices spell their rack alike, which saves normalising the code for each. */
  readonly #byCode = new Map<string, Struck>();

  constructor(topology: RackSite) {
    this.#topology = topology;
  }

  racks(): Iterable<Struck> {
    return this.#byKey.values();
  }

  /** Excludes a failed source from the judgement of its rack. */
  fail(index: number): void {
    const { power, live } = this.#topology;
    const rack = this.#rackOf(power.nodes[index]);
    if (rack === undefined || roleOf(power, index) !== "JUDGED") return;
    rack.failed += 1;
    if (live[index] !== 1) rack.failedOff += 1;
  }

  /** Counts a node that goes dark. */
  darken(index: number, isFailed: boolean): void {
    const { power } = this.#topology;
    const rack = this.#rackOf(power.nodes[index]);
    if (rack === undefined) return;
    const role = roleOf(power, index);
    if (role === "PDU") {
      rack.pdusLost += 1;
      if (!isFailed) rack.losesPdu = true;
    } else if (role !== undefined && !isFailed) rack.off += 1;
  }

  /** Records a device that goes offline, is degraded or runs on battery. */
  hit(index: number): void {
    const rack = this.#rackOf(this.#topology.power.nodes[index]);
    if (rack !== undefined) rack.touched = true;
  }

  #rackOf(node: PowerNode | undefined): Struck | undefined {
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
