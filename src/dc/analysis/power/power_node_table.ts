import { codeKey } from "#dc/model/code.ts";
import type { Crac, Device, Port } from "#dc/model/resources.ts";
import { LayeredMap } from "../layered_map.ts";
import type { PowerNode, SupplyRecord } from "./power_graph.ts";
import { listOutletKeys, listOutlets } from "./power_keys.ts";
import { PowerNodeColumns } from "./power_node_columns.ts";
import { createCracNode, createDeviceNode, createOutletNode, makesLoadApparent, REMOVED_NODE } from "./power_nodes.ts";

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
