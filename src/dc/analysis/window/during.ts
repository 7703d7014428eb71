import { isEnabledInlet } from "#dc/model/power_walk.ts";
import { codeKey, getResourceKey, toRefKey } from "#dc/model/ref.ts";
import { type Cable, type Crac, type Device, type FabricLink, isInService, type PortRef } from "#dc/model/resources.ts";
import type { PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import type { Outage, WindowInput } from "./outage.ts";

/**
 * Returns the inventory's graphs during an outage. Elements that are out or trip are off, UPSes whose batteries last
 * need no supply, and lost links are down. Inlets without supply are cut, so that all analyses of the graphs apply.
 * Cost: that of a change of these elements.
 */
export function buildOutageTopology({ topology, site, near }: WindowInput, outage: Outage): Topology {
  const { nodes, indexOf } = site.power;
  const edits = new OutageEdits(topology);
  for (const index of outage.coveredNodes) {
    const node = nodes[index];
    // Only inlets have node numbers beyond those of the inventory.
    if (index >= topology.power.nodes.length && node?.kind === "OUTLET") edits.cutInlet(node.end);
    else edits.turnOffNode(node);
  }
  for (const { ref } of outage.blast.steps.flatMap(({ trips }) => trips)) {
    const index = indexOf.get(toRefKey(ref)) ?? -1;
    edits.turnOffNode(nodes[index]);
  }
  // A unit that fails with its supply no longer cools, regardless of its inputs.
  for (const { index, state } of outage.blast.hits)
    if (state === "OFFLINE" && nodes[index]?.kind === "CRAC") edits.turnOffNode(nodes[index]);
  for (const { index } of outage.onBattery) edits.removeInlets(nodes[index]);
  for (const link of near.effects.fabrics.listLinks(outage.fabric.links)) edits.takeLinkDown(link);
  return edits.buildTopology();
}

/** Edits of resources by key. */
class OutageEdits {
  readonly #before: Topology;
  readonly #devices = new Map<string, Device>();
  readonly #cracs = new Map<string, Crac>();
  readonly #cables = new Map<string, Cable>();
  readonly #links = new Map<string, FabricLink>();

  constructor(before: Topology) {
    this.#before = before;
  }

  turnOffNode(node: PowerNode | undefined): void {
    if (node?.kind === "DEVICE") this.#editDevice(node.device.code, createOffDevice);
    else if (node?.kind === "OUTLET")
      this.#editDevice(node.end.deviceCode, (device) => turnOffOutlet(device, node.end));
    else if (node?.kind === "CRAC" && !node.blocked)
      this.#cracs.set(codeKey(node.crac.code), { ...node.crac, status: "OFFLINE" });
    else if (node?.kind === "FEED") this.#cutFeed(toRefKey(node.ref));
  }

  /** Removes the inlets of a device, so that it works without supply. */
  removeInlets(node: PowerNode | undefined): void {
    if (node?.kind !== "DEVICE") return;
    this.#editDevice(node.device.code, ({ ports = [], ...device }) => ({
      ...device,
      ports: ports.filter((port) => !isEnabledInlet(port)),
    }));
  }

  /** Cuts the supply of an inlet but keeps its record, by making its cable planned. */
  cutInlet(end: PortRef): void {
    const to = this.#before.findCabledPort(end) ?? {
      deviceCode: end.deviceCode,
      portName: `${end.portName}, out of service`,
    };
    const cable: Cable = { a: end, b: to, status: "PLANNED" };
    this.#cables.set(getResourceKey(cable), cable);
  }

  takeLinkDown(link: FabricLink): void {
    this.#links.set(getResourceKey(link), { ...link, status: "DOWN" });
  }

  buildTopology(): Topology {
    const keys = {
      rack: [],
      device: [...this.#devices.keys()],
      crac: [...this.#cracs.keys()],
      cable: [...this.#cables.keys()],
      fabric_link: [...this.#links.keys()],
    };
    const after = {
      racks: [],
      devices: [...this.#devices.values()],
      cracs: [...this.#cracs.values()],
      cables: [...this.#cables.values()],
      fabricLinks: [...this.#links.values()],
    };
    return this.#before.createDraft(keys, after).topology;
  }

  #editDevice(code: string, change: (device: Device) => Device): void {
    const key = codeKey(code);
    const device = this.#devices.get(key) ?? this.#before.device(key);
    if (device !== undefined) this.#devices.set(key, change(device));
  }

  /** Cuts a feed from outside at its consumers, because no device declares it. */
  #cutFeed(key: string): void {
    const index = this.#before.power.indexOf.get(key) ?? -1;
    for (const { to, inlet } of this.#before.power.supplies.listEdges(index)) {
      const node = this.#before.power.nodes[to];
      if (node?.kind === "DEVICE") this.cutInlet({ deviceCode: node.device.code, portName: inlet });
    }
  }
}

function createOffDevice(device: Device): Device {
  return isInService(device) ? { ...device, status: "OFFLINE" } : device;
}

function turnOffOutlet(device: Device, { portName }: PortRef): Device {
  const ports = device.ports?.map((port) =>
    port.name === portName ? { ...port, powerOut: { ...port.powerOut, state: "DISABLED" as const } } : port,
  );
  return { ...device, ...(ports !== undefined && { ports }) };
}
