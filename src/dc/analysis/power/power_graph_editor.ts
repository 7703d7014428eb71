import type { Inventory } from "#dc/model/inventory.ts";
import { isEnabledInlet } from "#dc/model/power_walk.ts";
import { codeKey, compareText } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { type PowerEdge, PowerEdges } from "./power_edges.ts";
import {
  type InletSource,
  listChangedNodeKeys,
  listOutletKeys,
  listOutlets,
  PowerNodeTable,
  SupplyResolver,
} from "./power_node_table.ts";
import type { PowerGraph } from "./power_nodes.ts";

/** Elements of the inventory before and after a change. A removed element is absent after it, a new one before it. */
export interface PowerChanges {
  readonly devices: readonly { readonly before?: Device | undefined; readonly after?: Device | undefined }[];
  readonly cracs: readonly { readonly before?: Crac | undefined; readonly after?: Crac | undefined }[];
  readonly cables: readonly { readonly before?: Cable | undefined; readonly after?: Cable | undefined }[];
  /** Devices and cooling units whose supply did not change. */
  readonly renewedOwners: readonly (Device | Crac)[];
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
  readonly #supplies: SupplyResolver;

  private constructor(from?: PowerGraphEditor) {
    this.#edges = new PowerEdges(from === undefined ? undefined : from.#edges);
    this.#table = new PowerNodeTable(
      (index) => this.#edges.addNode(index),
      from === undefined ? undefined : from.#table,
    );
    this.#supplies = new SupplyResolver(this.#table, from === undefined ? undefined : from.#supplies);
  }

  static *buildInSteps({ devices, cracs, cables }: Inventory): Steps<PowerGraphEditor> {
    const editor = new PowerGraphEditor();
    editor.#edges.startBuild();
    for (const cable of cables) editor.#supplies.addCable(cable);
    for (const device of devices) {
      editor.#table.placeDevice(device);
      yield;
    }
    for (const crac of cracs) editor.#table.placeCrac(crac);
    for (const device of devices) {
      editor.#connectDevice(device);
      yield;
    }
    for (const crac of cracs) editor.#connectCrac(crac);
    editor.#edges.finishBuild();
    editor.#table.finishBuild();
    return editor;
  }

  getGraph(): PowerGraph {
    const { nodes, columns, indexOf, isApparent } = this.#table;
    const { supplies, inlets } = this.#edges;
    return { nodes, supplies, inlets, edges: this.#edges, columns, indexOf, isApparent };
  }

  /** Nodes that changed since the editor was created, or that have other inlets or supplies since then. */
  collectTouchedNodes(): ReadonlySet<number> {
    return new Set([...this.#table.touchedNodes, ...this.#edges.touchedNodes]);
  }

  /** Returns the port at the other end of a port's power cable. @param key key of the port */
  findCabledPort(key: string): PortRef | undefined {
    return this.#supplies.findCabledPort(key);
  }

  /** Returns an editor of the changed graph. Cost: the changed elements, their consumers, and copied node lists. */
  createChanged(changes: PowerChanges, owners: PowerOwners): PowerGraphEditor {
    const next = new PowerGraphEditor(this);
    const touched = this.#collectTouchedOwners(changes);
    const { devices, cracs, cables } = changes;
    for (const key of touched) next.#disconnectOwner(key);
    for (const { before } of cables) if (before !== undefined) next.#supplies.removeCable(before);
    for (const { after } of cables) if (after !== undefined) next.#supplies.addCable(after);
    for (const { before, after } of devices) next.#table.removeOutletKeys(before, after);
    for (const { after } of devices) if (after !== undefined) next.#table.placeDevice(after);
    for (const change of cracs) next.#replaceCrac(change);
    for (const owner of changes.renewedOwners) next.#renewOwner(owner);
    for (const key of touched) next.#connectOwner(key, owners);
    next.#edges.finishChange((a, b) => compareText(next.#table.formatSortKey(a), next.#table.formatSortKey(b)));
    return next;
  }

  /** Lists keys of the devices and cooling units whose inlets may have another supply after a change. */
  #collectTouchedOwners({ devices, cracs, cables }: PowerChanges): ReadonlySet<string> {
    const ends = cables.flatMap(({ before, after }) => [before?.a, before?.b, after?.a, after?.b]);
    return new Set([
      ...devices.map(({ before, after }) => `device:${codeKey((after ?? before)?.code ?? "")}`),
      ...devices
        .flatMap(({ before, after }) => listChangedNodeKeys(before, after))
        .flatMap((key) => this.#listConsumers(key)),
      // A chassis loses its blades if it is no longer a chassis, and gains them if it has become one.
      ...devices.flatMap(({ before, after }) =>
        before === undefined || after === undefined || before.kind === after.kind
          ? []
          : this.#listConsumers(`device:${codeKey(after.code)}`),
      ),
      ...cracs.map(({ before, after }) => `crac:${codeKey((after ?? before)?.code ?? "")}`),
      ...ends.flatMap((end) => (end === undefined ? [] : [`device:${codeKey(end.deviceCode)}`])),
    ]);
  }

  #replaceCrac({ before, after }: PowerChanges["cracs"][number]): void {
    if (after !== undefined) this.#table.placeCrac(after);
    else this.#table.removeNode([`crac:${codeKey(before?.code ?? "")}`]);
  }

  #renewOwner(owner: Device | Crac): void {
    if ("sensibleCapacityKw" in owner) this.#table.placeCrac(owner);
    else this.#table.renewDevice(owner);
  }

  /** Lists keys of devices and cooling units that a source supplies, or that name a source which does not exist yet. */
  #listConsumers(sourceKey: string): readonly string[] {
    const index = this.#table.indexOf.get(sourceKey);
    const supplied =
      index === undefined ? [] : this.#edges.listSupplies(index).map(({ to }) => this.#table.getOwnerKey(to));
    return [...supplied, ...this.#supplies.listWaitingConsumers(sourceKey)];
  }

  #disconnectOwner(ownerKey: string): void {
    const index = this.#table.indexOf.get(ownerKey);
    this.#supplies.removeWaitingConsumer(ownerKey);
    if (index === undefined) return;
    const node = this.#table.nodes[index];
    this.#disconnectNode(index);
    if (node?.kind !== "DEVICE") return;
    for (const port of listOutlets(node.device)) {
      const outlet = this.#table.indexOf.get(listOutletKeys(node.device, port)[0] ?? "");
      if (outlet !== undefined) this.#disconnectNode(outlet);
    }
  }

  /** Removes the edges into a node; an undeclared feed without consumers is removed with its last edge. */
  #disconnectNode(index: number): void {
    for (const idle of this.#edges.disconnectNode(index)) {
      const source = this.#table.nodes[idle];
      if (source?.kind === "FEED") this.#table.removeNode([source.ref.toLowerCase()]);
    }
  }

  #connectOwner(ownerKey: string, owners: PowerOwners): void {
    const key = ownerKey.slice(ownerKey.indexOf(":") + 1);
    if (ownerKey.startsWith("crac:")) {
      const crac = owners.crac(key);
      if (crac !== undefined) this.#connectCrac(crac);
      return;
    }
    const device = owners.device(key);
    if (device !== undefined) this.#connectDevice(device);
  }

  #connectDevice(device: Device): void {
    const own = this.#table.indexOf.get(`device:${codeKey(device.code)}`) ?? 0;
    let inlets = 0;
    const unrecorded: string[] = [];
    for (const [place, port] of (device.ports ?? []).entries()) {
      if (port.kind === "POWER_OUT") this.#connectOutlet(own, { device, outlet: port, place });
      if (!isEnabledInlet(port)) continue;
      inlets += 1;
      const source = this.#supplies.findInletSource(device, port);
      if (source === "UNRECORDED") unrecorded.push(port.name);
      this.#addInletEdge(source, own, { inlet: port.name, place, ...createInletRecord(port.powerIn) });
    }
    if (inlets === 0) this.#connectBlade(own, device);
    else this.#table.setSupplyRecord(own, { recorded: inlets - unrecorded.length, unrecorded });
  }

  /** Connects a blade without inlets to its chassis. */
  #connectBlade(own: number, device: Device): void {
    const chassis = this.#supplies.findChassisNode(device);
    this.#table.setSupplyRecord(own, { recorded: chassis === undefined ? 0 : 1, unrecorded: [] });
    if (chassis !== undefined) {
      this.#edges.addEdge({ from: chassis, to: own, inlet: device.bay ?? "", place: 0, how: "BAY" });
    }
  }

  /** Connects an outlet to its device and to the inlet that it names, unless that inlet has no recorded supply. */
  #connectOutlet(
    own: number,
    { device, outlet, place }: { readonly device: Device; readonly outlet: Port; readonly place: number },
  ): void {
    const index = this.#table.indexOf.get(listOutletKeys(device, outlet)[0] ?? "") ?? 0;
    const through = outlet.powerOut?.inletName;
    const inlet =
      through === undefined ? undefined : device.ports?.find((port) => port.name === through && isEnabledInlet(port));
    const source = inlet === undefined ? "UNRECORDED" : this.#supplies.findInletSource(device, inlet);
    this.#table.setOutletBinding(index, { device, outlet }, source !== "UNRECORDED");
    if (typeof source !== "number" || through === undefined) {
      this.#addInletEdge(own, index, { inlet: "", place });
      return;
    }
    this.#edges.addEdge({ from: own, to: index, inlet: "", place, through });
    this.#edges.addEdge({ from: source, to: index, inlet: through, place, how: "GATE" });
  }

  #connectCrac({ code, powerInputs = [] }: Crac): void {
    const ownerKey = `crac:${codeKey(code)}`;
    const own = this.#table.indexOf.get(ownerKey) ?? 0;
    const unrecorded: string[] = [];
    for (const [place, input] of powerInputs.entries()) {
      const source = this.#supplies.findInputSource(input, ownerKey);
      if (source === "UNRECORDED") unrecorded.push(String(place));
      this.#addInletEdge(source, own, { inlet: String(place), place, ...createInletRecord(input) });
    }
    this.#table.setSupplyRecord(own, { recorded: powerInputs.length - unrecorded.length, unrecorded });
  }

  #addInletEdge(from: InletSource, to: number, how: Omit<PowerEdge, "from" | "to">): void {
    if (typeof from !== "number") return;
    const { inlet, place, allocatedW, label } = how;
    // Nearly all of a site's several hundred thousand edges have neither a draw nor a label, so they skip the spread.
    this.#edges.addEdge(
      allocatedW === undefined && label === undefined ? { from, to, inlet, place } : { from, to, ...how },
    );
  }
}

const NO_INLET_RECORD = {};

function createInletRecord({ allocatedDrawW, powerPath }: PowerIn = {}): Pick<PowerEdge, "allocatedW" | "label"> {
  if (allocatedDrawW === undefined && powerPath === undefined) return NO_INLET_RECORD;
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
  return runAllSteps(PowerGraphEditor.buildInSteps(inventory)).getGraph();
}
