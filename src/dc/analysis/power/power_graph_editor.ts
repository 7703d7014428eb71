import { codeKey } from "#dc/model/code.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { isEnabledInlet } from "#dc/model/power_walk.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import type { PowerEdge } from "./power_edge.ts";
import { PowerEdges } from "./power_edges.ts";
import type { PowerGraph } from "./power_graph.ts";
import { listChangedNodeKeys, listOutletKeys, listOutlets } from "./power_keys.ts";
import { PowerNodeTable } from "./power_node_table.ts";
import { type InletSource, PowerSupplies } from "./power_supplies.ts";

/** Elements of the inventory before and after a change. A removed element is absent after it, a new one before it. */
export interface PowerChanges {
  readonly devices: readonly { readonly before?: Device | undefined; readonly after?: Device | undefined }[];
  readonly cracs: readonly { readonly before?: Crac | undefined; readonly after?: Crac | undefined }[];
  readonly cables: readonly { readonly before?: Cable | undefined; readonly after?: Cable | undefined }[];
  /** Devices and cooling units whose supply did not change. */
  readonly renewed: readonly (Device | Crac)[];
}

/** Finds a device or cooling unit of the changed inventory by its key. */
export interface PowerOwners {
  device(key: string): Device | undefined;
  crac(key: string): Crac | undefined;
}

/**
 * Builds and changes the power graph. The same code does both, so that a changed graph equals one built anew. A
 * published graph never changes; an editor works on copies of what it modifies.
 */
export class PowerGraphEditor {
  readonly #table: PowerNodeTable;
  readonly #edges: PowerEdges;
  readonly #supplies: PowerSupplies;

  private constructor(from?: PowerGraphEditor) {
    this.#edges = new PowerEdges(from === undefined ? undefined : from.#edges);
    this.#table = new PowerNodeTable((index) => this.#edges.add(index), from === undefined ? undefined : from.#table);
    this.#supplies = new PowerSupplies(this.#table, from === undefined ? undefined : from.#supplies);
  }

  static *build({ devices, cracs, cables }: Inventory): Steps<PowerGraphEditor> {
    const editor = new PowerGraphEditor();
    editor.#edges.build();
    for (const cable of cables) editor.#supplies.plug(cable);
    for (const device of devices) {
      editor.#table.placeDevice(device);
      yield;
    }
    for (const crac of cracs) editor.#table.placeCrac(crac);
    for (const device of devices) {
      editor.#joinDevice(device);
      yield;
    }
    for (const crac of cracs) editor.#joinCrac(crac);
    editor.#edges.built();
    editor.#table.built();
    return editor;
  }

  graph(): PowerGraph {
    const { nodes, columns, indexOf, isApparent } = this.#table;
    const { supplies, inlets } = this.#edges;
    return { nodes, supplies, inlets, edges: this.#edges, columns, indexOf, isApparent };
  }

  /** Nodes that changed since the editor was created, or that have other inlets or supplies since then. */
  touched(): ReadonlySet<number> {
    return new Set([...this.#table.touched, ...this.#edges.touched]);
  }

  /** Returns the port at the other end of a port's power cable. @param key key of the port */
  cabledTo(key: string): PortRef | undefined {
    return this.#supplies.cabledTo(key);
  }

  /** Returns an editor of the changed graph. Cost: the changed elements, their consumers, and copied node lists. */
  changed(changes: PowerChanges, owners: PowerOwners): PowerGraphEditor {
    const next = new PowerGraphEditor(this);
    const touched = this.#touchedBy(changes);
    const { devices, cracs, cables } = changes;
    for (const key of touched) next.#unjoin(key);
    for (const { before } of cables) if (before !== undefined) next.#supplies.unplug(before);
    for (const { after } of cables) if (after !== undefined) next.#supplies.plug(after);
    for (const { before, after } of devices) next.#table.displace(before, after);
    for (const { after } of devices) if (after !== undefined) next.#table.placeDevice(after);
    for (const change of cracs) next.#replaceCrac(change);
    for (const owner of changes.renewed) next.#renew(owner);
    for (const key of touched) next.#rejoin(key, owners);
    next.#edges.seal((a, b) => compareText(next.#table.rank(a), next.#table.rank(b)));
    return next;
  }

  /** Lists keys of the devices and cooling units whose inlets may have another supply after a change. */
  #touchedBy({ devices, cracs, cables }: PowerChanges): ReadonlySet<string> {
    const ends = cables.flatMap(({ before, after }) => [before?.a, before?.b, after?.a, after?.b]);
    return new Set([
      ...devices.map(({ before, after }) => `device:${codeKey((after ?? before)?.code ?? "")}`),
      ...devices
        .flatMap(({ before, after }) => listChangedNodeKeys(before, after))
        .flatMap((key) => this.#consumersOf(key)),
      // A chassis loses its blades if it is no longer a chassis, and gains them if it has become one.
      ...devices.flatMap(({ before, after }) =>
        before === undefined || after === undefined || before.kind === after.kind
          ? []
          : this.#consumersOf(`device:${codeKey(after.code)}`),
      ),
      ...cracs.map(({ before, after }) => `crac:${codeKey((after ?? before)?.code ?? "")}`),
      ...ends.flatMap((end) => (end === undefined ? [] : [`device:${codeKey(end.deviceCode)}`])),
    ]);
  }

  #replaceCrac({ before, after }: PowerChanges["cracs"][number]): void {
    if (after !== undefined) this.#table.placeCrac(after);
    else this.#table.vacate([`crac:${codeKey(before?.code ?? "")}`]);
  }

  #renew(owner: Device | Crac): void {
    if ("sensibleCapacityKw" in owner) this.#table.placeCrac(owner);
    else this.#table.renewDevice(owner);
  }

  /** Lists keys of devices and cooling units that a source supplies, or that name a source which does not exist yet. */
  #consumersOf(sourceKey: string): readonly string[] {
    const index = this.#table.indexOf.get(sourceKey);
    const supplied = index === undefined ? [] : this.#edges.suppliesOf(index).map(({ to }) => this.#table.ownerOf(to));
    return [...supplied, ...this.#supplies.waitingFor(sourceKey)];
  }

  #unjoin(ownerKey: string): void {
    const index = this.#table.indexOf.get(ownerKey);
    this.#supplies.forget(ownerKey);
    if (index === undefined) return;
    const node = this.#table.nodes[index];
    this.#disconnect(index);
    if (node?.kind !== "DEVICE") return;
    for (const port of listOutlets(node.device)) {
      const outlet = this.#table.indexOf.get(listOutletKeys(node.device, port)[0] ?? "");
      if (outlet !== undefined) this.#disconnect(outlet);
    }
  }

  /** Removes the edges into a node; an undeclared feed without consumers is removed with its last edge. */
  #disconnect(index: number): void {
    for (const idle of this.#edges.disconnect(index)) {
      const source = this.#table.nodes[idle];
      if (source?.kind === "FEED") this.#table.vacate([source.ref.toLowerCase()]);
    }
  }

  #rejoin(ownerKey: string, owners: PowerOwners): void {
    const key = ownerKey.slice(ownerKey.indexOf(":") + 1);
    if (ownerKey.startsWith("crac:")) {
      const crac = owners.crac(key);
      if (crac !== undefined) this.#joinCrac(crac);
      return;
    }
    const device = owners.device(key);
    if (device !== undefined) this.#joinDevice(device);
  }

  #joinDevice(device: Device): void {
    const own = this.#table.indexOf.get(`device:${codeKey(device.code)}`) ?? 0;
    let inlets = 0;
    const unrecorded: string[] = [];
    for (const [place, port] of (device.ports ?? []).entries()) {
      if (port.kind === "POWER_OUT") this.#joinOutlet(own, { device, outlet: port, place });
      if (!isEnabledInlet(port)) continue;
      inlets += 1;
      const source = this.#supplies.ofInlet(device, port);
      if (source === "UNRECORDED") unrecorded.push(port.name);
      this.#join(source, own, { inlet: port.name, place, ...createInletRecord(port.powerIn) });
    }
    if (inlets === 0) this.#joinBay(own, device);
    else this.#table.record(own, { recorded: inlets - unrecorded.length, unrecorded });
  }

  /** Connects a blade without inlets to its chassis. */
  #joinBay(own: number, device: Device): void {
    const chassis = this.#supplies.ofBay(device);
    this.#table.record(own, { recorded: chassis === undefined ? 0 : 1, unrecorded: [] });
    if (chassis !== undefined) {
      this.#edges.join({ from: chassis, to: own, inlet: device.bay ?? "", place: 0, how: "BAY" });
    }
  }

  /** Connects an outlet to its device and to the inlet that it names, unless that inlet has no recorded supply. */
  #joinOutlet(
    own: number,
    { device, outlet, place }: { readonly device: Device; readonly outlet: Port; readonly place: number },
  ): void {
    const index = this.#table.indexOf.get(listOutletKeys(device, outlet)[0] ?? "") ?? 0;
    const through = outlet.powerOut?.inletName;
    const inlet =
      through === undefined ? undefined : device.ports?.find((port) => port.name === through && isEnabledInlet(port));
    const source = inlet === undefined ? "UNRECORDED" : this.#supplies.ofInlet(device, inlet);
    this.#table.bind(index, { device, outlet }, source !== "UNRECORDED");
    if (typeof source !== "number" || through === undefined) {
      this.#join(own, index, { inlet: "", place });
      return;
    }
    this.#edges.join({ from: own, to: index, inlet: "", place, through });
    this.#edges.join({ from: source, to: index, inlet: through, place, how: "GATE" });
  }

  #joinCrac({ code, powerInputs = [] }: Crac): void {
    const ownerKey = `crac:${codeKey(code)}`;
    const own = this.#table.indexOf.get(ownerKey) ?? 0;
    const unrecorded: string[] = [];
    for (const [place, input] of powerInputs.entries()) {
      const source = this.#supplies.ofInput(input, ownerKey);
      if (source === "UNRECORDED") unrecorded.push(String(place));
      this.#join(source, own, { inlet: String(place), place, ...createInletRecord(input) });
    }
    this.#table.record(own, { recorded: powerInputs.length - unrecorded.length, unrecorded });
  }

  #join(from: InletSource, to: number, how: Omit<PowerEdge, "from" | "to">): void {
    if (typeof from !== "number") return;
    const { inlet, place, allocatedW, label } = how;
    // Nearly all of a site's several hundred thousand edges have neither a draw nor a label, so they skip the spread.
    this.#edges.join(
      allocatedW === undefined && label === undefined ? { from, to, inlet, place } : { from, to, ...how },
    );
  }
}

const NOTHING_RECORDED = {};

function createInletRecord({ allocatedDrawW, powerPath }: PowerIn = {}): Pick<PowerEdge, "allocatedW" | "label"> {
  if (allocatedDrawW === undefined && powerPath === undefined) return NOTHING_RECORDED;
  return {
    ...(allocatedDrawW !== undefined && { allocatedW: allocatedDrawW }),
    ...(powerPath !== undefined && { label: powerPath }),
  };
}

/**
 * Builds the graph: a feed is an edge that starts at the outlet which declares it, a connected power cable is one between
 * its two ports. Cost: O(ports + cables). Source: docs/contract/datacenter-analyses.md#power-graph.
 */
export function buildPowerGraph(inventory: Inventory): PowerGraph {
  return runAllSteps(PowerGraphEditor.build(inventory)).graph();
}
