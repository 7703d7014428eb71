import { codeKey } from "#dc/model/code.ts";
import type { Estate } from "#dc/model/estate.ts";
import { compareText, parseRef, portKey } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { LayeredMap } from "./layered_map.ts";
import type { PowerEdge, PowerGraph, PowerNode } from "./power_graph.ts";
import { changedKeys, outletKeys, outletsOf } from "./power_keys.ts";
import { cracNode, deviceNode, GONE, outletNode, undeclaredFeed } from "./power_nodes.ts";

/** What a change of the estate puts in the place of what: absent after is removed, absent before is new. */
export interface PowerChanges {
  readonly devices: readonly { readonly before?: Device | undefined; readonly after?: Device | undefined }[];
  readonly cracs: readonly { readonly before?: Crac | undefined; readonly after?: Crac | undefined }[];
  readonly cables: readonly { readonly before?: Cable | undefined; readonly after?: Cable | undefined }[];
  /** Devices and cooling units whose supply did not change. */
  readonly renewed: readonly (Device | Crac)[];
}

/** Finds a device or cooling unit of the changed estate by its key. */
export interface PowerOwners {
  device(key: string): Device | undefined;
  crac(key: string): Crac | undefined;
}

/**
 * Builds the power graph, and changes it: the same code does both, so that a followed graph equals a built one.
 * A graph that was handed out never changes; an editor works on copies of what it touches.
 */
export class PowerGraphEditor {
  private readonly nodes: PowerNode[];
  private supplies: PowerEdge[][];
  private inlets: PowerEdge[][];
  private readonly indexOf: LayeredMap<number>;
  /** The other end of every power cable by the key of either end. */
  private readonly cabled: LayeredMap<PortRef>;
  /** Keys of consumers, by the key of a source that is not there. */
  private readonly waiting: Map<string, ReadonlySet<string>>;
  private readonly free: number[];
  /** Nodes whose lists of edges are this editor's own. */
  private readonly owned = new Set<number>();
  /** Nodes that this editor has put in their places, or taken away. */
  private readonly placed = new Set<number>();
  /** Nodes whose supplies are out of order. */
  private readonly unsorted = new Set<number>();

  /** While everything is joined in order. */
  private building = false;

  private constructor(from?: PowerGraphEditor) {
    this.nodes = from?.nodes.slice() ?? [];
    this.supplies = from?.supplies ?? [];
    this.inlets = from?.inlets ?? [];
    this.indexOf = from?.indexOf.next() ?? new LayeredMap();
    this.cabled = from?.cabled.next() ?? new LayeredMap();
    this.waiting = new Map(from?.waiting);
    this.free = from?.free.slice() ?? [];
  }

  static *build({ devices, cracs, cables }: Estate): Steps<PowerGraphEditor> {
    const editor = new PowerGraphEditor();
    editor.building = true;
    for (const cable of cables) editor.plug(cable);
    for (const device of devices) {
      editor.placeDevice(device);
      yield;
    }
    for (const crac of cracs) editor.place([`crac:${codeKey(crac.code)}`], cracNode(crac));
    for (const device of devices) {
      editor.joinDevice(device);
      yield;
    }
    for (const crac of cracs) editor.joinCrac(crac);
    // Everything is new, of which a change need not know.
    editor.owned.clear();
    editor.placed.clear();
    editor.building = false;
    return editor;
  }

  graph(): PowerGraph {
    return { nodes: this.nodes, supplies: this.supplies, inlets: this.inlets, indexOf: this.indexOf };
  }

  /** Nodes that differ from those that the editor began with, or have other inlets or supplies. */
  touched(): ReadonlySet<number> {
    return new Set([...this.placed, ...this.owned]);
  }

  /** The port at the other end of a port's power cable, by the port's key. */
  cabledTo(key: string): PortRef | undefined {
    return this.cabled.get(key);
  }

  /**
   * The graph after a change, this one left as it is. Cost: what changed, its consumers, and a copy of the lists of
   * nodes.
   */
  changed(changes: PowerChanges, owners: PowerOwners): PowerGraphEditor {
    const next = new PowerGraphEditor(this);
    const touched = this.touchedBy(changes);
    const { devices, cracs, cables } = changes;
    if (touched.size > 0) next.copyEdges();
    for (const key of touched) next.unjoin(key);
    for (const { before } of cables) if (before !== undefined) next.unplug(before);
    for (const { after } of cables) if (after !== undefined) next.plug(after);
    for (const { before, after } of devices) next.displace(before, after);
    for (const { after } of devices) if (after !== undefined) next.placeDevice(after);
    for (const change of cracs) next.replaceCrac(change);
    for (const owner of changes.renewed) next.renew(owner);
    for (const key of touched) next.rejoin(key, owners);
    next.sortSupplies();
    return next;
  }

  /** Keys of the devices and cooling units whose inlets may hang on something else after a change. */
  private touchedBy({ devices, cracs, cables }: PowerChanges): ReadonlySet<string> {
    const ends = cables.flatMap(({ before, after }) => [before?.a, before?.b, after?.a, after?.b]);
    return new Set([
      ...devices.map(({ before, after }) => `device:${codeKey((after ?? before)?.code ?? "")}`),
      ...devices.flatMap(({ before, after }) => changedKeys(before, after)).flatMap((key) => this.consumersOf(key)),
      ...cracs.map(({ before, after }) => `crac:${codeKey((after ?? before)?.code ?? "")}`),
      ...ends.flatMap((end) => (end === undefined ? [] : [`device:${codeKey(end.deviceCode)}`])),
    ]);
  }

  /** Makes the lists of edges this editor's own, each still holding the lists of its nodes from before. */
  private copyEdges(): void {
    this.supplies = this.supplies.slice();
    this.inlets = this.inlets.slice();
  }

  private replaceCrac({ before, after }: PowerChanges["cracs"][number]): void {
    const key = `crac:${codeKey((after ?? before)?.code ?? "")}`;
    if (after === undefined) this.vacate([key]);
    else this.place([key], cracNode(after));
  }

  private renew(owner: Device | Crac): void {
    const node = "sensibleCapacityKw" in owner ? cracNode(owner) : deviceNode(owner);
    this.place([node.ref.toLowerCase()], node);
  }

  private plug({ a, b }: Cable): void {
    this.cabled.set(portKey(a), b);
    this.cabled.set(portKey(b), a);
  }

  private unplug({ a, b }: Cable): void {
    this.cabled.delete(portKey(a));
    this.cabled.delete(portKey(b));
  }

  /** Keys of the devices and cooling units that hang on a source, or wait for it. */
  private consumersOf(sourceKey: string): readonly string[] {
    const index = this.indexOf.get(sourceKey);
    const supplied = index === undefined ? [] : (this.supplies[index] ?? []).map(({ to }) => this.ownerOf(to));
    return [...supplied, ...(this.waiting.get(sourceKey) ?? [])];
  }

  /** Key of the device or cooling unit that a node belongs to. */
  private ownerOf(index: number): string {
    const node = this.nodes[index];
    if (node?.kind === "DEVICE") return `device:${codeKey(node.device.code)}`;
    if (node?.kind === "OUTLET") return `device:${codeKey(node.end.deviceCode)}`;
    return node?.kind === "CRAC" ? `crac:${codeKey(node.crac.code)}` : "";
  }

  // Nodes.

  private placeDevice(device: Device): void {
    this.place([`device:${codeKey(device.code)}`], deviceNode(device));
    for (const port of outletsOf(device)) this.place(outletKeys(device, port), outletNode(device, port));
  }

  /** Puts a node under its keys, in the place of the one that has the first of them. */
  private place(keys: readonly string[], node: PowerNode): number {
    const index = this.indexOf.get(keys[0] ?? "") ?? this.free.pop() ?? this.nodes.length;
    if (index === this.nodes.length) {
      this.supplies.push([]);
      this.inlets.push([]);
      this.owned.add(index);
    }
    this.nodes[index] = node;
    this.placed.add(index);
    for (const key of keys) this.indexOf.set(key, index);
    return index;
  }

  /** Takes away the keys of outlets that a device no longer has, and undeclared feeds that it now declares. */
  private displace(before: Device | undefined, after: Device | undefined): void {
    const kept = new Set(after === undefined ? [] : outletsOf(after).map((port) => outletKeys(after, port)[0]));
    for (const port of before === undefined ? [] : outletsOf(before)) {
      const [own = "", ...feeds] = outletKeys(before as Device, port);
      if (kept.has(own)) for (const feed of feeds) this.indexOf.delete(feed);
      else this.vacate([own, ...feeds]);
    }
    if (after === undefined && before !== undefined) this.vacate([`device:${codeKey(before.code)}`]);
  }

  private vacate(keys: readonly string[]): void {
    const index = this.indexOf.get(keys[0] ?? "");
    for (const key of keys) this.indexOf.delete(key);
    if (index === undefined) return;
    this.nodes[index] = GONE;
    this.placed.add(index);
    this.free.push(index);
  }

  // Edges.

  private unjoin(ownerKey: string): void {
    const index = this.indexOf.get(ownerKey);
    for (const [source, owners] of this.waiting) {
      if (!owners.has(ownerKey)) continue;
      const rest = new Set([...owners].filter((owner) => owner !== ownerKey));
      if (rest.size === 0) this.waiting.delete(source);
      else this.waiting.set(source, rest);
    }
    if (index === undefined) return;
    const node = this.nodes[index];
    this.disconnect(index);
    if (node?.kind !== "DEVICE") return;
    for (const port of outletsOf(node.device)) {
      const outlet = this.indexOf.get(outletKeys(node.device, port)[0] ?? "");
      if (outlet !== undefined) this.disconnect(outlet);
    }
  }

  /** Removes the edges that arrive at a node; an undeclared feed without consumers goes with its last one. */
  private disconnect(index: number): void {
    for (const edge of this.inlets[index] ?? []) {
      this.own(edge.from);
      const rest = (this.supplies[edge.from] ?? []).filter((one) => one !== edge);
      this.supplies[edge.from] = rest;
      const source = this.nodes[edge.from];
      if (rest.length === 0 && source?.kind === "FEED") this.vacate([source.ref.toLowerCase()]);
    }
    this.own(index);
    this.inlets[index] = [];
  }

  private rejoin(ownerKey: string, owners: PowerOwners): void {
    const key = ownerKey.slice(ownerKey.indexOf(":") + 1);
    if (ownerKey.startsWith("crac:")) {
      const crac = owners.crac(key);
      if (crac !== undefined) this.joinCrac(crac);
      return;
    }
    const device = owners.device(key);
    if (device !== undefined) this.joinDevice(device);
  }

  private joinDevice(device: Device): void {
    const { code, ports = [] } = device;
    const own = this.indexOf.get(`device:${codeKey(code)}`) ?? 0;
    for (const [place, port] of ports.entries()) {
      if (port.kind === "POWER_OUT") this.joinOutlet(own, device, port, place);
      else if (port.kind === "POWER_IN") {
        this.join(this.sourceOf(port, device), own, { inlet: port.name, place, ...recorded(port.powerIn) });
      }
    }
  }

  /** An outlet hangs on its device, or on one inlet of it alone. */
  private joinOutlet(device: number, owner: Device, outlet: Port, place: number): void {
    const own = this.indexOf.get(outletKeys(owner, outlet)[0] ?? "") ?? 0;
    const inletName = outlet.powerOut?.inletName;
    if (inletName === undefined) {
      this.join(device, own, { inlet: "", place });
      return;
    }
    const inlet = owner.ports?.find(({ name, kind }) => name === inletName && kind === "POWER_IN");
    if (inlet !== undefined) this.join(this.sourceOf(inlet, owner), own, { inlet: inlet.name, place });
  }

  private joinCrac({ code, powerInputs = [] }: Crac): void {
    const ownerKey = `crac:${codeKey(code)}`;
    const own = this.indexOf.get(ownerKey) ?? 0;
    for (const [place, input] of powerInputs.entries()) {
      const source = input.sourceRef === undefined ? undefined : this.named(input.sourceRef, ownerKey);
      this.join(source, own, { inlet: String(place), place, ...recorded(input) });
    }
  }

  private sourceOf(inlet: Port, { code }: Device): number | undefined {
    if (inlet.enabled === false) return undefined;
    const ownerKey = `device:${codeKey(code)}`;
    const sourceRef = inlet.powerIn?.sourceRef;
    if (sourceRef !== undefined) return this.named(sourceRef, ownerKey);
    const outlet = this.cabled.get(portKey({ deviceCode: code, portName: inlet.name }));
    return outlet === undefined ? undefined : this.found(`port:${portKey(outlet)}`, ownerKey);
  }

  private named(sourceRef: string, ownerKey: string): number | undefined {
    const ref = parseRef(sourceRef);
    if (ref?.kind === "device") return this.found(`device:${codeKey(ref.code)}`, ownerKey);
    if (ref?.kind === "port") return this.found(`port:${portKey(ref.end)}`, ownerKey);
    if (ref?.kind !== "feed") return undefined;
    const key = `feed:${codeKey(ref.code)}`;
    return this.indexOf.get(key) ?? this.place([key], undeclaredFeed(ref.code));
  }

  private found(sourceKey: string, ownerKey: string): number | undefined {
    const index = this.indexOf.get(sourceKey);
    if (index === undefined) {
      this.waiting.set(sourceKey, new Set(this.waiting.get(sourceKey)).add(ownerKey));
    }
    return index;
  }

  private join(from: number | undefined, to: number, how: Omit<PowerEdge, "from" | "to">): void {
    if (from === undefined) return;
    const { inlet, place, allocatedW, label } = how;
    // A site has some hundred thousand edges, and nearly all of them are no more than this.
    const edge = allocatedW === undefined && label === undefined ? { from, to, inlet, place } : { from, to, ...how };
    this.own(from);
    this.own(to);
    this.supplies[from]?.push(edge);
    this.inlets[to]?.push(edge);
    if (!this.building) this.unsorted.add(from);
  }

  /** Makes the lists of a node's edges this editor's own. */
  private own(index: number): void {
    if (this.owned.has(index)) return;
    this.owned.add(index);
    this.supplies[index] = (this.supplies[index] ?? []).slice();
    this.inlets[index] = (this.inlets[index] ?? []).slice();
  }

  /** The order in which a build meets the consumers. */
  private sortSupplies(): void {
    for (const index of this.unsorted) {
      this.supplies[index]?.sort((a, b) => compareText(this.rank(a.to), this.rank(b.to)) || a.place - b.place);
    }
    this.unsorted.clear();
  }

  /** Devices before cooling units, each by code. */
  private rank(index: number): string {
    const owner = this.ownerOf(index);
    return owner.startsWith("crac:") ? `1${owner}` : `0${owner}`;
  }
}

const NOTHING_RECORDED = {};

function recorded({ allocatedDrawW, powerPath }: PowerIn = {}): Pick<PowerEdge, "allocatedW" | "label"> {
  if (allocatedDrawW === undefined && powerPath === undefined) return NOTHING_RECORDED;
  return {
    ...(allocatedDrawW !== undefined && { allocatedW: allocatedDrawW }),
    ...(powerPath !== undefined && { label: powerPath }),
  };
}
