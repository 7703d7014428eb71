import { codeKey } from "#dc/model/code.ts";
import type { Estate } from "#dc/model/estate.ts";
import { compareText, parseRef, portKey } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { LayeredMap } from "./layered_map.ts";
import { PowerEdges } from "./power_edges.ts";
import type { PowerEdge, PowerGraph } from "./power_graph.ts";
import { changedKeys, outletKeys, outletsOf } from "./power_keys.ts";
import { PowerNodeTable } from "./power_node_table.ts";
import { deviceNode, undeclaredFeed } from "./power_nodes.ts";

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
  private readonly table: PowerNodeTable;
  private readonly edges: PowerEdges;
  /** The other end of every power cable by the key of either end. */
  private readonly cabled: LayeredMap<PortRef>;
  /** Keys of consumers, by the key of a source that is not there. */
  private readonly waiting: Map<string, ReadonlySet<string>>;

  private constructor(from?: PowerGraphEditor) {
    this.edges = new PowerEdges(from?.edges);
    this.table = new PowerNodeTable((index) => this.edges.add(index), from?.table);
    this.cabled = from?.cabled.next() ?? new LayeredMap();
    this.waiting = new Map(from?.waiting);
  }

  static *build({ devices, cracs, cables }: Estate): Steps<PowerGraphEditor> {
    const editor = new PowerGraphEditor();
    editor.edges.build();
    for (const cable of cables) editor.plug(cable);
    for (const device of devices) {
      editor.table.placeDevice(device);
      yield;
    }
    for (const crac of cracs) editor.table.placeCrac(crac);
    for (const device of devices) {
      editor.joinDevice(device);
      yield;
    }
    for (const crac of cracs) editor.joinCrac(crac);
    editor.edges.built();
    editor.table.built();
    return editor;
  }

  graph(): PowerGraph {
    const { nodes, indexOf } = this.table;
    const { supplies, inlets } = this.edges;
    return { nodes, supplies, inlets, indexOf };
  }

  /** Nodes that differ from those that the editor began with, or have other inlets or supplies. */
  touched(): ReadonlySet<number> {
    return new Set([...this.table.touched, ...this.edges.touched]);
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
    if (touched.size > 0) next.edges.copy();
    for (const key of touched) next.unjoin(key);
    for (const { before } of cables) if (before !== undefined) next.unplug(before);
    for (const { after } of cables) if (after !== undefined) next.plug(after);
    for (const { before, after } of devices) next.table.displace(before, after);
    for (const { after } of devices) if (after !== undefined) next.table.placeDevice(after);
    for (const change of cracs) next.replaceCrac(change);
    for (const owner of changes.renewed) next.renew(owner);
    for (const key of touched) next.rejoin(key, owners);
    next.edges.sort((a, b) => compareText(next.table.rank(a), next.table.rank(b)));
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

  private replaceCrac({ before, after }: PowerChanges["cracs"][number]): void {
    if (after !== undefined) this.table.placeCrac(after);
    else this.table.vacate([`crac:${codeKey(before?.code ?? "")}`]);
  }

  private renew(owner: Device | Crac): void {
    if ("sensibleCapacityKw" in owner) this.table.placeCrac(owner);
    else this.table.place([`device:${codeKey(owner.code)}`], deviceNode(owner));
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
    const index = this.table.indexOf.get(sourceKey);
    const supplied =
      index === undefined ? [] : (this.edges.supplies[index] ?? []).map(({ to }) => this.table.ownerOf(to));
    return [...supplied, ...(this.waiting.get(sourceKey) ?? [])];
  }

  private unjoin(ownerKey: string): void {
    const index = this.table.indexOf.get(ownerKey);
    for (const [source, owners] of this.waiting) {
      if (!owners.has(ownerKey)) continue;
      const rest = new Set([...owners].filter((owner) => owner !== ownerKey));
      if (rest.size === 0) this.waiting.delete(source);
      else this.waiting.set(source, rest);
    }
    if (index === undefined) return;
    const node = this.table.nodes[index];
    this.disconnect(index);
    if (node?.kind !== "DEVICE") return;
    for (const port of outletsOf(node.device)) {
      const outlet = this.table.indexOf.get(outletKeys(node.device, port)[0] ?? "");
      if (outlet !== undefined) this.disconnect(outlet);
    }
  }

  /** Removes the edges that arrive at a node; an undeclared feed without consumers goes with its last one. */
  private disconnect(index: number): void {
    for (const idle of this.edges.disconnect(index)) {
      const source = this.table.nodes[idle];
      if (source?.kind === "FEED") this.table.vacate([source.ref.toLowerCase()]);
    }
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
    const own = this.table.indexOf.get(`device:${codeKey(code)}`) ?? 0;
    for (const [place, port] of ports.entries()) {
      if (port.kind === "POWER_OUT") this.joinOutlet(own, device, port, place);
      else if (port.kind === "POWER_IN") {
        this.join(this.sourceOf(port, device), own, { inlet: port.name, place, ...recorded(port.powerIn) });
      }
    }
  }

  /** An outlet hangs on its device, or on one inlet of it alone. */
  private joinOutlet(device: number, owner: Device, outlet: Port, place: number): void {
    const own = this.table.indexOf.get(outletKeys(owner, outlet)[0] ?? "") ?? 0;
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
    const own = this.table.indexOf.get(ownerKey) ?? 0;
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
    return this.table.indexOf.get(key) ?? this.table.place([key], undeclaredFeed(ref.code));
  }

  private found(sourceKey: string, ownerKey: string): number | undefined {
    const index = this.table.indexOf.get(sourceKey);
    if (index === undefined) {
      this.waiting.set(sourceKey, new Set(this.waiting.get(sourceKey)).add(ownerKey));
    }
    return index;
  }

  private join(from: number | undefined, to: number, how: Omit<PowerEdge, "from" | "to">): void {
    if (from === undefined) return;
    const { inlet, place, allocatedW, label } = how;
    // A site has some hundred thousand edges, and nearly all of them are no more than this.
    this.edges.join(
      allocatedW === undefined && label === undefined ? { from, to, inlet, place } : { from, to, ...how },
    );
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
