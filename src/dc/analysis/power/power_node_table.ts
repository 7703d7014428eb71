import { codeKey } from "#dc/model/code.ts";
import type { Crac, Device, Port } from "#dc/model/resources.ts";
import { LayeredMap } from "../layered_map.ts";
import type { PowerNode, SupplyRecord } from "./power_graph.ts";
import { outletKeys, outletsOf } from "./power_keys.ts";
import { PowerNodeColumns } from "./power_node_columns.ts";
import { cracNode, deviceNode, GONE, isApparentNode, outletNode } from "./power_nodes.ts";

/** The nodes of a power graph by number and by key, and how they are changed; an earlier table is left as it is. */
export class PowerNodeTable {
  readonly nodes: readonly PowerNode[];
  readonly indexOf: LayeredMap<number>;
  readonly columns: PowerNodeColumns;
  readonly #list: PowerNode[];
  /** Numbers of elements that were removed. */
  readonly #free: number[];
  /** Nodes that this table has added or removed. */
  readonly #placed = new Set<number>();
  readonly #onNew: (index: number) => void;
  /** Nodes because of which volt-amperes differ from watts. */
  #apparent: number;

  /** @param onNew called with each newly used number */
  constructor(onNew: (index: number) => void, from?: PowerNodeTable) {
    this.#onNew = onNew;
    this.#list = from === undefined ? [] : from.#list.slice();
    this.nodes = this.#list;
    this.columns = new PowerNodeColumns(from === undefined ? undefined : from.columns);
    this.indexOf = from?.indexOf.next() ?? new LayeredMap();
    this.#free = from === undefined ? [] : from.#free.slice();
    this.#apparent = from === undefined ? 0 : from.#apparent;
  }

  /** Whether volt-amperes differ from watts anywhere. */
  get isApparent(): boolean {
    return this.#apparent > 0;
  }

  /** Nodes that differ from those that this table began with. */
  get touched(): ReadonlySet<number> {
    return this.#placed;
  }

  /** Ends building. Clears the list of changes, because the nodes are all new. */
  built(): void {
    this.#placed.clear();
    this.columns.resize(this.#list.length);
  }

  placeDevice(device: Device): void {
    this.place([`device:${codeKey(device.code)}`], deviceNode(device));
    for (const port of outletsOf(device)) this.place(outletKeys(device, port), outletNode(device, port));
  }

  placeCrac(crac: Crac): void {
    this.place([`crac:${codeKey(crac.code)}`], cracNode(crac));
  }

  /** Stores the recorded supply of a device or cooling unit. */
  record(index: number, record: SupplyRecord): void {
    const node = this.#list[index];
    if (node?.kind !== "DEVICE" && node?.kind !== "CRAC") return;
    if (record.unrecorded.length === 0 && node.unrecorded.length === 0 && record.recorded === node.recorded) return;
    this.#put(index, node.kind === "DEVICE" ? deviceNode(node.device, record) : cracNode(node.crac, record));
  }

  /** Puts a device in the position of an earlier state of it whose supply was the same. */
  renewDevice(device: Device): void {
    const key = `device:${codeKey(device.code)}`;
    const before = this.#list[this.indexOf.get(key) ?? -1];
    this.place([key], before?.kind === "DEVICE" ? deviceNode(device, before) : deviceNode(device));
  }

  /** Notes whether an outlet needs its named inlet beside its device. */
  bind(index: number, { device, outlet }: { readonly device: Device; readonly outlet: Port }, bound: boolean): void {
    const node = outletNode(device, outlet, bound);
    if (this.#list[index]?.need === node.need) return;
    this.#put(index, node);
  }

  /** Stores a node under its keys, in place of the node that has the first of them. */
  place(keys: readonly string[], node: PowerNode): number {
    const index = this.indexOf.get(keys[0] ?? "") ?? this.#free.pop() ?? this.#list.length;
    if (index === this.#list.length) this.#onNew(index);
    this.#put(index, node);
    for (const key of keys) this.indexOf.set(key, index);
    return index;
  }

  /** Takes away the keys of outlets that a device no longer has, and undeclared feeds that it now declares. */
  displace(before: Device | undefined, after: Device | undefined): void {
    const kept = new Set(after === undefined ? [] : outletsOf(after).map((port) => outletKeys(after, port)[0]));
    for (const port of before === undefined ? [] : outletsOf(before)) {
      const [own = "", ...feeds] = outletKeys(before as Device, port);
      if (kept.has(own)) for (const feed of feeds) this.indexOf.delete(feed);
      else this.vacate([own, ...feeds]);
    }
    if (after === undefined && before !== undefined) this.vacate([`device:${codeKey(before.code)}`]);
  }

  /** Takes away the node that has the first of these keys. */
  vacate(keys: readonly string[]): void {
    const index = this.indexOf.get(keys[0] ?? "");
    for (const key of keys) this.indexOf.delete(key);
    if (index === undefined) return;
    this.#put(index, GONE);
    this.#free.push(index);
  }

  #put(index: number, node: PowerNode): void {
    this.#apparent += Number(isApparentNode(node)) - Number(isApparentNode(this.#list[index]));
    this.#list[index] = node;
    this.columns.set(index, node);
    this.#placed.add(index);
  }

  /** Key of the device or cooling unit that a node belongs to. */
  ownerOf(index: number): string {
    const node = this.#list[index];
    if (node?.kind === "DEVICE") return `device:${codeKey(node.device.code)}`;
    if (node?.kind === "OUTLET") return `device:${codeKey(node.end.deviceCode)}`;
    return node?.kind === "CRAC" ? `crac:${codeKey(node.crac.code)}` : "";
  }

  /** Devices before cooling units, each by code: a text that sorts so. */
  rank(index: number): string {
    const owner = this.ownerOf(index);
    return owner.startsWith("crac:") ? `1${owner}` : `0${owner}`;
  }
}
