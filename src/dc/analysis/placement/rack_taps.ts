import { codeKey } from "#dc/model/code.ts";
import type { PhaseLeg } from "#dc/model/enum_values.ts";
import { findOutletType } from "#dc/model/port_types.ts";
import { findPathLabels } from "#dc/model/power_walk.ts";
import { formatPortReference, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import type { PowerNode } from "../power/power_graph.ts";
import type { KillerList } from "../power/power_killers.ts";
import type { Topology } from "../topology.ts";
import type { PlannedLoads } from "./planned_loads.ts";
import type { SupplyPaths, UpstreamLoads } from "./supply_paths.ts";

export interface FreeOutlet {
  readonly name: string;
  readonly index: number;
  readonly port: Port;
  readonly leg?: PhaseLeg;
  readonly capacityVa?: number;
  readonly maxUtilizationPct: number;
}

/** A supply for devices of a rack: the free outlets behind one inlet of equipment, or equipment without outlets. */
export interface SupplyTap {
  readonly device: Device;
  /** Free outlets; undefined for equipment without recorded outlets, which accepts any number of devices. */
  readonly outlets: FreeOutlet[] | undefined;
  readonly path: UpstreamLoads;
  /** Elements whose loss alone turns the tap off. */
  readonly killers: KillerList;
  /** Labels of the supply sides that the tap belongs to. */
  readonly labels: ReadonlySet<string>;
  /** Reference of the equipment that supplies the tap. */
  readonly upstream: string;
}

/** Equipment of a rack that has no power now, with the reason. */
export interface DeadTap {
  readonly device: Device;
  readonly why: "DEAD" | "CIRCLE";
}

export interface RackTaps {
  readonly taps: readonly SupplyTap[];
  readonly deadTaps: readonly DeadTap[];
}

/** Finds the taps of each rack of a site. */
export class TapFinder {
  readonly #topology: Topology;
  readonly #planned: PlannedLoads;
  readonly #paths: SupplyPaths;
  readonly #tapsByDevice = new Map<string, Promise<readonly SupplyTap[] | DeadTap["why"]>>();
  #cables: ReadonlyMap<string, Cable> | undefined;

  constructor(topology: Topology, planned: PlannedLoads, paths: SupplyPaths) {
    this.#topology = topology;
    this.#planned = planned;
    this.#paths = paths;
  }

  /** Returns taps of a rack's PDUs, otherwise of its transfer switches and UPSes, otherwise of PDUs elsewhere. */
  async findRackTaps(rackCode: string): Promise<RackTaps> {
    const taps: SupplyTap[] = [];
    const dead: DeadTap[] = [];
    for (const device of this.#listEquipment(rackCode)) {
      const key = codeKey(device.code);
      const making = this.#tapsByDevice.getOrInsertComputed(key, () => this.#findDeviceTaps(device));
      const found = await making;
      if (typeof found === "string") dead.push({ device, why: found });
      else taps.push(...found);
    }
    return { taps, deadTaps: dead };
  }

  #listEquipment(rackCode: string): readonly Device[] {
    const inside = this.#topology.listDevicesInRack(rackCode);
    const pdus = inside.filter(({ kind }) => kind === "RACK_PDU");
    if (pdus.length > 0) return pdus;
    const others = inside.filter(({ kind, ports = [] }) => {
      return (kind === "TRANSFER_SWITCH" || kind === "UPS") && ports.some((port) => port.kind === "POWER_OUT");
    });
    return others.length > 0 ? others : this.#listExternalPdus(inside);
  }

  /** Lists PDUs outside of a rack that supply devices in it. */
  #listExternalPdus(inside: readonly Device[]): readonly Device[] {
    const { power } = this.#topology;
    const found = new Map<string, Device>();
    for (const { code } of inside) {
      for (const { from } of power.inlets.listEdges(power.indexOf.get(`device:${codeKey(code)}`) ?? -1)) {
        const device = this.#findOwner(power.nodes[from]);
        if (device?.kind === "RACK_PDU") found.set(codeKey(device.code), device);
      }
    }
    return [...found.values()];
  }

  #findOwner(node: PowerNode | undefined): Device | undefined {
    if (node?.kind === "DEVICE") return node.device;
    return node?.kind === "OUTLET" ? this.#topology.device(node.end.deviceCode) : undefined;
  }

  async #findDeviceTaps(device: Device): Promise<readonly SupplyTap[] | DeadTap["why"]> {
    const { power, live } = this.#topology;
    const index = power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
    if (live[index] !== 1) return "DEAD";
    const outlets = (device.ports ?? []).filter(({ kind }) => kind === "POWER_OUT");
    const groups = Map.groupBy(outlets, ({ powerOut }) => powerOut?.inletName ?? "");
    if (outlets.length === 0) groups.set("", []);
    const found: SupplyTap[] = [];
    for (const [inlet, ports] of groups) {
      const made = await this.#createTap(device, index, { inlet, ports, isOpen: outlets.length === 0 });
      if (made === "CIRCLE") return made;
      if (made !== undefined) found.push(made);
    }
    return found.length === 0 && outlets.length > 0 ? "DEAD" : found;
  }

  async #createTap(
    device: Device,
    index: number,
    { inlet, ports, isOpen }: { readonly inlet: string; readonly ports: readonly Port[]; readonly isOpen: boolean },
  ): Promise<SupplyTap | "CIRCLE" | undefined> {
    const path = this.#paths.computeUpstreamLoads(index, inlet === "" ? undefined : inlet);
    if (path === undefined) return "CIRCLE";
    const usable = ports.filter((port) => this.#isLiveOutlet(device, port));
    if (!isOpen && usable.length === 0) return undefined;
    const [first] = usable;
    const source =
      first === undefined
        ? `device:${device.code}`
        : formatPortReference({ deviceCode: device.code, portName: first.name });
    const at = first === undefined ? index : this.#findOutletNode(device, first);
    return {
      device,
      outlets: isOpen ? undefined : usable.flatMap((port) => this.#listFreeOutlet(device, port)),
      path,
      // All outlets of one PDU share the relevant supplies: the PDU and everything upstream of it.
      killers: (this.#topology.killers.findKillers(at) ?? []).filter((one) => first === undefined || one !== at),
      labels: await this.#findSideLabels(device, source),
      upstream: this.#formatUpstreamRef(index),
    };
  }

  #findOutletNode({ code }: Device, { name }: Port): number {
    return this.#topology.power.indexOf.get(`port:${toPortKey({ deviceCode: code, portName: name })}`) ?? -1;
  }

  #isLiveOutlet(device: Device, port: Port): boolean {
    return port.enabled !== false && this.#topology.live[this.#findOutletNode(device, port)] === 1;
  }

  #listFreeOutlet(device: Device, port: Port): readonly FreeOutlet[] {
    const index = this.#findOutletNode(device, port);
    const end = { deviceCode: device.code, portName: port.name };
    if (port.markConnected === true || this.#planned.isUsed(index) || this.#findCable(end) !== undefined) return [];
    const { capacityW, maxUtilizationPct = 80 } = this.#topology.power.nodes[index] ?? {};
    const leg = port.powerOut?.leg;
    return [
      {
        name: port.name,
        index,
        port,
        maxUtilizationPct,
        ...(leg !== undefined && { leg }),
        ...(capacityW !== undefined && capacityW > 0 && { capacityVa: capacityW }),
      },
    ];
  }

  /** Returns the labels by which write rules decide whether two inlets are on the same side. */
  #findSideLabels({ code }: Device, sourceRef: string): Promise<ReadonlySet<string>> {
    const inlet: Port = { name: "inlet", kind: "POWER_IN", powerIn: { sourceRef } };
    return findPathLabels({ code: `${code}-consumer`, kind: "OTHER" }, inlet, {
      device: async (wanted) => this.#topology.device(wanted),
      cableAt: async (end) => this.#findCable(end),
      feedDeclarer: async (feed) => {
        const { nodes, indexOf } = this.#topology.power;
        const node = nodes[indexOf.get(`feed:${codeKey(feed)}`) ?? -1];
        return node?.kind === "OUTLET" ? node.end : undefined;
      },
    });
  }

  #findCable(end: PortRef): Cable | undefined {
    this.#cables ??= new Map(
      this.#topology.inventory.cables.flatMap((cable) => [
        [toPortKey(cable.a), cable],
        [toPortKey(cable.b), cable],
      ]),
    );
    return this.#cables.get(toPortKey(end));
  }

  #formatUpstreamRef(index: number): string {
    const { inlets, nodes } = this.#topology.power;
    return inlets
      .listEdges(index)
      .map(({ from }) => {
        const node = nodes[from];
        return node?.kind === "OUTLET" ? `device:${node.end.deviceCode}` : (node?.ref ?? "");
      })
      .join("+");
  }
}

/** Whether a plug fits an outlet without a warning. */
export function acceptsPlug(outlet: Port, inletType: string | undefined): boolean {
  const wanted = inletType === undefined ? undefined : findOutletType(inletType);
  return (
    wanted === undefined || outlet.type === undefined || outlet.type === wanted || !outlet.type.startsWith("iec-60320-")
  );
}
