import { roundFigure } from "../../model/figure.ts";
import { isDeviceInBay } from "../../model/rack_space.ts";
import { codeKey, parseRef, toPortKey } from "../../model/ref.ts";
import type { Cable, Crac, Device, Port, PortRef, PowerIn } from "../../model/resources.ts";
import { LayeredMap } from "../persistent.ts";
import type { Loads } from "./load_lanes.ts";
import { copyToLength } from "./power_edges.ts";
import { drawsFromOneInlet } from "./power_live.ts";
import {
  createCracNode,
  createDeviceNode,
  createOutletNode,
  createUndeclaredFeed,
  makesLoadApparent,
  NODE_BITS,
  type NodeColumns,
  type PowerGraph,
  type PowerNode,
  REMOVED_NODE,
  type SupplyRecord,
} from "./power_nodes.ts";

/** Nodes of a power graph by number and key, with methods that change them and leave an earlier table as it is. */
export class PowerNodeTable {
  readonly nodes: readonly PowerNode[];
  readonly indexOf: LayeredMap<number>;
  readonly columns: PowerNodeColumns;
  readonly #list: PowerNode[];
  /** Node numbers of removed elements, for reuse. */
  readonly #freeNumbers: number[];
  /** Numbers of the nodes that this table has added or removed. */
  readonly #touchedNodes = new Set<number>();
  readonly #onNew: (index: number) => void;
  /** Number of nodes that make volt-amperes differ from watts. */
  #apparentNodeCount: number;

  /** @param onNew called with each newly used number */
  constructor(onNew: (index: number) => void, from?: PowerNodeTable) {
    this.#onNew = onNew;
    this.#list = from === undefined ? [] : from.#list.slice();
    this.nodes = this.#list;
    this.columns = new PowerNodeColumns(from === undefined ? undefined : from.columns);
    this.indexOf = from?.indexOf.createNext() ?? new LayeredMap();
    this.#freeNumbers = from === undefined ? [] : from.#freeNumbers.slice();
    this.#apparentNodeCount = from === undefined ? 0 : from.#apparentNodeCount;
  }

  /** Whether volt-amperes differ from watts anywhere. */
  get isApparent(): boolean {
    return this.#apparentNodeCount > 0;
  }

  /** Nodes that differ from the nodes of the table that this table was copied from. */
  get touchedNodes(): ReadonlySet<number> {
    return this.#touchedNodes;
  }

  /** Ends a full build. Clears the list of changes, because all nodes are new. */
  finishBuild(): void {
    this.#touchedNodes.clear();
    this.columns.resizeColumns(this.#list.length);
  }

  placeDevice(device: Device): void {
    this.placeNode([`device:${codeKey(device.code)}`], createDeviceNode(device));
    for (const port of listOutlets(device))
      this.placeNode(listOutletKeys(device, port), createOutletNode(device, port));
  }

  placeCrac(crac: Crac): void {
    this.placeNode([`crac:${codeKey(crac.code)}`], createCracNode(crac));
  }

  /** Stores the recorded supply of a device or cooling unit. */
  setSupplyRecord(index: number, record: SupplyRecord): void {
    const node = this.#list[index];
    if (node?.kind !== "DEVICE" && node?.kind !== "CRAC") return;
    if (record.unrecorded.length === 0 && node.unrecorded.length === 0 && record.recorded === node.recorded) return;
    this.#setNode(
      index,
      node.kind === "DEVICE" ? createDeviceNode(node.device, record) : createCracNode(node.crac, record),
    );
  }

  /** Replaces a device by its later state with an equal supply, under the same node number. */
  renewDevice(device: Device): void {
    const key = `device:${codeKey(device.code)}`;
    const before = this.#list[this.indexOf.get(key) ?? -1];
    this.placeNode([key], before?.kind === "DEVICE" ? createDeviceNode(device, before) : createDeviceNode(device));
  }

  /** Records whether an outlet requires the inlet that it names in addition to its device. */
  setOutletBinding(
    index: number,
    { device, outlet }: { readonly device: Device; readonly outlet: Port },
    bound: boolean,
  ): void {
    const node = createOutletNode(device, outlet, bound);
    if (this.#list[index]?.need === node.need) return;
    this.#setNode(index, node);
  }

  /** Stores a node under its keys, in place of the node that has the first of these keys. @returns the node's number */
  placeNode(keys: readonly string[], node: PowerNode): number {
    const index = this.indexOf.get(keys[0] ?? "") ?? this.#freeNumbers.pop() ?? this.#list.length;
    if (index === this.#list.length) this.#onNew(index);
    this.#setNode(index, node);
    for (const key of keys) this.indexOf.set(key, index);
    return index;
  }

  /** Removes the keys of outlets that a device no longer has, and undeclared feeds that it now declares. */
  removeOutletKeys(before: Device | undefined, after: Device | undefined): void {
    const kept = new Set(after === undefined ? [] : listOutlets(after).map((port) => listOutletKeys(after, port)[0]));
    for (const port of before === undefined ? [] : listOutlets(before)) {
      const [own = "", ...feeds] = listOutletKeys(before as Device, port);
      if (kept.has(own)) for (const feed of feeds) this.indexOf.delete(feed);
      else this.removeNode([own, ...feeds]);
    }
    if (after === undefined && before !== undefined) this.removeNode([`device:${codeKey(before.code)}`]);
  }

  /** Removes the node that has the first of these keys. */
  removeNode(keys: readonly string[]): void {
    const index = this.indexOf.get(keys[0] ?? "");
    for (const key of keys) this.indexOf.delete(key);
    if (index === undefined) return;
    this.#setNode(index, REMOVED_NODE);
    this.#freeNumbers.push(index);
  }

  #setNode(index: number, node: PowerNode): void {
    this.#apparentNodeCount += Number(makesLoadApparent(node)) - Number(makesLoadApparent(this.#list[index]));
    this.#list[index] = node;
    this.columns.setNode(index, node);
    this.#touchedNodes.add(index);
  }

  /** Returns the key of the device or cooling unit that a node belongs to. */
  getOwnerKey(index: number): string {
    const node = this.#list[index];
    if (node?.kind === "DEVICE") return `device:${codeKey(node.device.code)}`;
    if (node?.kind === "OUTLET") return `device:${codeKey(node.end.deviceCode)}`;
    return node?.kind === "CRAC" ? `crac:${codeKey(node.crac.code)}` : "";
  }

  /** Returns a sort key that orders devices before cooling units, and each by code. */
  formatSortKey(index: number): string {
    const owner = this.getOwnerKey(index);
    return owner.startsWith("crac:") ? `1${owner}` : `0${owner}`;
  }
}

const MIN_COLUMN_NODES = 64;

export class PowerNodeColumns implements NodeColumns {
  need: Uint16Array;
  kind: Uint8Array;
  limitW: Float64Array;

  /** False while the columns are shared with the earlier state. */
  #areColumnsOwned: boolean;

  constructor(from?: NodeColumns) {
    this.need = from === undefined ? new Uint16Array(MIN_COLUMN_NODES) : from.need;
    this.kind = from === undefined ? new Uint8Array(MIN_COLUMN_NODES) : from.kind;
    this.limitW = from === undefined ? new Float64Array(MIN_COLUMN_NODES) : from.limitW;
    this.#areColumnsOwned = from === undefined;
  }

  setNode(index: number, node: PowerNode): void {
    const { capacityW = 0, maxUtilizationPct, need } = node;
    const kind =
      (node.kind === "OUTLET" ? NODE_BITS.OUTLET : 0) | (drawsFromOneInlet(node) ? NODE_BITS.DRAWS_FROM_ONE : 0);
    const limitW = capacityW === 0 ? Number.POSITIVE_INFINITY : (capacityW * maxUtilizationPct) / 100;
    // Columns are shared with the earlier state until a node differs.
    if (this.need[index] === need && this.kind[index] === kind && this.limitW[index] === limitW) return;
    if (index >= this.need.length) this.resizeColumns(Math.max(MIN_COLUMN_NODES, 2 * index));
    else if (!this.#areColumnsOwned) this.resizeColumns(this.need.length);
    this.need[index] = need;
    this.kind[index] = kind;
    this.limitW[index] = limitW;
  }

  /** Copies the columns, with room for a number of nodes. */
  resizeColumns(nodes: number): void {
    this.#areColumnsOwned = true;
    this.need = copyToLength(this.need, nodes);
    this.kind = copyToLength(this.kind, nodes);
    this.limitW = copyToLength(this.limitW, nodes);
  }
}

export function listOutlets({ ports = [] }: Device): readonly Port[] {
  return ports.filter(({ kind }) => kind === "POWER_OUT");
}

/** Returns the keys of an outlet's node: its port, and the feed that it declares. */
export function listOutletKeys({ code }: Device, { name, powerOut }: Port): readonly string[] {
  const own = `port:${toPortKey({ deviceCode: code, portName: name })}`;
  return powerOut?.feedId === undefined ? [own] : [own, `feed:${codeKey(powerOut.feedId)}`];
}

/** Returns the keys of the references by which an inlet can name a device: the device, its outlets and their feeds. */
export function listSupplyKeys(device: Device): readonly string[] {
  return [`device:${codeKey(device.code)}`, ...listOutlets(device).flatMap((port) => listOutletKeys(device, port))];
}

/** Maps each key of a device's nodes to the first key of the same node. */
function mapDeviceNodeKeys(device: Device | undefined): ReadonlyMap<string, string> {
  if (device === undefined) return new Map();
  const outlets = listOutlets(device).flatMap((port) => {
    const keys = listOutletKeys(device, port);
    return keys.map((key) => [key, keys[0] ?? ""] as const);
  });
  const own = `device:${codeKey(device.code)}`;
  return new Map([[own, own], ...outlets]);
}

/** Lists keys of a device's nodes that are new, different or gone after a change. */
export function listChangedNodeKeys(before: Device | undefined, after: Device | undefined): readonly string[] {
  const was = mapDeviceNodeKeys(before);
  const is = mapDeviceNodeKeys(after);
  return [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
}

/** Returns the first key of a node; empty without a node. */
export function getNodeKey(node: PowerNode | undefined): string {
  switch (node?.kind) {
    case "DEVICE":
      return `device:${codeKey(node.device.code)}`;
    case "OUTLET":
      return `port:${toPortKey(node.end)}`;
    case "CRAC":
      return `crac:${codeKey(node.crac.code)}`;
    default:
      return node?.ref.toLowerCase() ?? "";
  }
}

/**
 * Lists the nodes that differ between two states of a graph in their record, inlets or supplies. A change replaces
 * these objects, so identity is compared.
 */
export function listChangedNodes(now: PowerGraph, before: PowerGraph): readonly number[] {
  const found: number[] = [];
  const size = Math.max(now.nodes.length, before.nodes.length);
  for (let index = 0; index < size; index += 1) {
    const isSame = now.nodes[index] === before.nodes[index] && now.edges.hasSameEdges(before.edges, index);
    if (!isSame) found.push(index);
  }
  return found;
}

/** Marks nodes and all nodes that supply connects to them. Cost: the marked nodes, and a byte for each node. */
export function markConnectedNodes({ nodes, edges }: PowerGraph, start: readonly number[]): Uint8Array {
  const { inAt, inEnd, from, outAt, outEnd, outEdge, to } = edges;
  const marks = new Uint8Array(nodes.length);
  const found = start.filter((index) => index < nodes.length);
  for (const index of found) marks[index] = 1;
  const add = (index: number) => {
    if (marks[index] === 1) return;
    marks[index] = 1;
    found.push(index);
  };
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of found) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) add(from[at] as number);
    for (let at = outAt[index] as number; at < (outEnd[index] as number); at += 1)
      add(to[outEdge[at] as number] as number);
  }
  return marks;
}

/**
 * Returns the load of a node in the unit of its capacity: watts of equipment, volt-amperes of an outlet, and for a
 * three-phase outlet three times the load of its busiest phase. Rounded to thousandths, so that the order in which it
 * was summed decides nothing. Source: docs/contract/datacenter-analyses.md#p10.
 */
export function computeComparableLoad({ nodes }: PowerGraph, index: number, { watts, phasesVa }: Loads): number {
  if (phasesVa === undefined) return roundFigure(watts[index] ?? 0);
  const node = nodes[index];
  if (node?.kind !== "OUTLET") return roundFigure(watts[index] ?? 0);
  return computeApparentLoad(
    node,
    [0, 1, 2].map((phase) => phasesVa[3 * index + phase] ?? 0),
  );
}

/** Returns phases' volt-amperes as one figure: their sum, or for a three-phase outlet three times the busiest one. */
export function computeApparentLoad(outlet: PowerNode | undefined, phases: readonly number[]): number {
  const isThreePhase = outlet?.kind === "OUTLET" && outlet.isThreePhase;
  return roundFigure(isThreePhase ? 3 * Math.max(...phases) : phases.reduce((sum, va) => sum + va, 0));
}

/** Recorded supply of an inlet: no record, a source without power (CUT), or the node number of a source with power. */
export type InletSource = "UNRECORDED" | "CUT" | number;

/** The other end of a cable, and whether the cable carries power. */
interface CableFarEnd {
  readonly end: PortRef;
  readonly carries: boolean;
}

/** Finds the recorded supply of inlets, and records consumers that name missing sources. */
export class SupplyResolver {
  readonly #table: PowerNodeTable;
  /** The other end of every power cable by the key of either end. */
  readonly #farEnds: LayeredMap<CableFarEnd>;
  /** Keys of consumers, by the key of a source that is missing. */
  readonly #consumersOfMissing: Map<string, ReadonlySet<string>>;

  constructor(table: PowerNodeTable, from?: SupplyResolver) {
    this.#table = table;
    this.#farEnds = from === undefined ? new LayeredMap() : from.#farEnds.createNext();
    this.#consumersOfMissing = new Map(from === undefined ? [] : from.#consumersOfMissing);
  }

  addCable(cable: Cable): void {
    const { a, b } = cable;
    this.#farEnds.set(toPortKey(a), { end: b, carries: carriesPower(cable) });
    this.#farEnds.set(toPortKey(b), { end: a, carries: carriesPower(cable) });
  }

  removeCable({ a, b }: Cable): void {
    this.#farEnds.delete(toPortKey(a));
    this.#farEnds.delete(toPortKey(b));
  }

  /** Returns the port at the other end of a port's power cable. @param key key of the port */
  findCabledPort(key: string): PortRef | undefined {
    return this.#farEnds.get(key)?.end;
  }

  /** Returns the source of a device's inlet. An inlet whose cable is planned or being removed is CUT. */
  findInletSource({ code }: Device, { name, powerIn }: Port): InletSource {
    const ownerKey = `device:${codeKey(code)}`;
    const cable = this.#farEnds.get(toPortKey({ deviceCode: code, portName: name }));
    if (cable?.carries === false) return "CUT";
    if (powerIn?.sourceRef !== undefined) return this.#resolveSourceRef(powerIn.sourceRef, ownerKey);
    return cable === undefined ? "UNRECORDED" : this.#resolveSourceKey(`port:${toPortKey(cable.end)}`, ownerKey);
  }

  /** Returns the source of a cooling unit's input. */
  findInputSource({ sourceRef }: PowerIn, ownerKey: string): InletSource {
    return sourceRef === undefined ? "UNRECORDED" : this.#resolveSourceRef(sourceRef, ownerKey);
  }

  /** Returns the node of a blade's chassis; undefined for a device outside of a bay. */
  findChassisNode(device: Device): number | undefined {
    if (!isDeviceInBay(device)) return undefined;
    const key = `device:${codeKey(device.parentDeviceCode ?? "")}`;
    // Writes reject a device in its own bay, but a change feed may contain one. It then has no supply.
    if (key === `device:${codeKey(device.code)}`) return undefined;
    const found = this.#table.indexOf.get(key);
    const node = this.#table.nodes[found ?? -1];
    if (node?.kind === "DEVICE" && node.device.kind === "CHASSIS") return found;
    this.#addWaitingConsumer(key, `device:${codeKey(device.code)}`);
    return undefined;
  }

  /** Returns keys of the devices and cooling units that named a source before it existed. */
  listWaitingConsumers(sourceKey: string): Iterable<string> {
    return this.#consumersOfMissing.get(sourceKey) ?? [];
  }

  /** Removes the records of missing sources that a device or cooling unit names. */
  removeWaitingConsumer(ownerKey: string): void {
    for (const [source, owners] of this.#consumersOfMissing) {
      if (!owners.has(ownerKey)) continue;
      const rest = new Set([...owners].filter((owner) => owner !== ownerKey));
      if (rest.size === 0) this.#consumersOfMissing.delete(source);
      else this.#consumersOfMissing.set(source, rest);
    }
  }

  #resolveSourceRef(sourceRef: string, ownerKey: string): InletSource {
    const ref = parseRef(sourceRef);
    if (ref?.kind === "device") return this.#resolveSourceKey(`device:${codeKey(ref.code)}`, ownerKey);
    if (ref?.kind === "port") return this.#resolveSourceKey(`port:${toPortKey(ref.end)}`, ownerKey);
    if (ref?.kind !== "feed") return "UNRECORDED";
    const key = `feed:${codeKey(ref.code)}`;
    return this.#table.indexOf.get(key) ?? this.#table.placeNode([key], createUndeclaredFeed(ref.code));
  }

  /** Returns the node of a source. A missing source counts as unrecorded. */
  #resolveSourceKey(sourceKey: string, ownerKey: string): InletSource {
    const index = this.#table.indexOf.get(sourceKey);
    if (index === undefined) this.#addWaitingConsumer(sourceKey, ownerKey);
    return index ?? "UNRECORDED";
  }

  #addWaitingConsumer(sourceKey: string, ownerKey: string): void {
    this.#consumersOfMissing.set(sourceKey, new Set(this.#consumersOfMissing.get(sourceKey)).add(ownerKey));
  }
}

/** Whether a power cable carries power; planned cables and cables to be removed carry none. */
export function carriesPower({ status }: Cable): boolean {
  return status === undefined || status === "CONNECTED";
}
