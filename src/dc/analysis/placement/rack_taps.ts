import { computeAirHeatW, getDrawW } from "../../model/draw.ts";
import type { PhaseLeg } from "../../model/enum_values.ts";
import { findOutletType } from "../../model/port_types.ts";
import { findPathLabels } from "../../model/power_walk.ts";
import { codeKey, formatPortReference, toPortKey } from "../../model/ref.ts";
import type { Cable, Device, Port, PortRef, Rack } from "../../model/resources.ts";
import { sumNumbers } from "../cooling/cooling_balance.ts";
import { countWorstLostInlets, type KillerList } from "../power/power_killers.ts";
import type { PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import {
  Limit,
  type LimitUse,
  type PlacementObstacle,
  type PlacementRequest,
  type RequestedInlet,
  type SupplyPaths,
  type UpstreamLoads,
} from "./limits.ts";
import type { PlannedLoads } from "./planned_loads.ts";

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
interface DeadTap {
  readonly device: Device;
  readonly why: "DEAD" | "CIRCLE";
}

interface RackTaps {
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
    const usable = ports.filter(
      (port) => port.enabled !== false && this.#topology.live[this.#findOutletNode(device, port)] === 1,
    );
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

/** A tap, and the inlets of each device that draw from it. */
export interface SupplySide {
  readonly tap: SupplyTap;
  readonly inlets: readonly RequestedInlet[];
}

/** One possible supply of the devices in a rack, as a list of the sides that share the load. */
export type SupplyPair = readonly SupplySide[];

/** Maximum number of pairs of taps that are tried for one rack. Our choice: four PDUs have six pairs. */
const MAX_TAP_PAIRS = 64;

const REDUNDANCY_RANKS = ["NONE", "N", "N_PLUS_1", "TWO_N"] as const;

/** Lists the supplies of a rack that provide the redundancy which the devices and the rack require. */
export function listSupplyPairs(
  rack: Rack,
  { taps, deadTaps }: RackTaps,
  wanted: PlacementRequest,
): { readonly pairs: readonly SupplyPair[]; readonly obstacles: readonly PlacementObstacle[] } {
  const { inlets } = wanted;
  if (inlets.length === 0) return { pairs: [[]], obstacles: [] };
  const ref = `rack:${rack.code}`;
  if (rack.requiredRedundancy === "TWO_N" && inlets.length === 1) {
    const message = `Rack "${rack.code}" requires two supplies, the devices have one inlet`;
    return { pairs: [], obstacles: [{ reason: "SINGLE_CORDED", message, ref, value: 1, limit: 2 }] };
  }
  if (taps.length === 0) return { pairs: [], obstacles: [createNoSupplyObstacle(rack, deadTaps)] };
  if (inlets.length === 1) return { pairs: taps.map((tap) => [{ tap, inlets }]), obstacles: [] };
  const pairs: SupplyPair[] = [];
  for (const [at, one] of taps.entries()) {
    for (const other of taps.slice(at + 1)) {
      const pair = splitInlets(one, other, inlets);
      if (pairs.length < MAX_TAP_PAIRS && providesRequiredRedundancy(pair, rack, wanted)) pairs.push(pair);
    }
  }
  if (pairs.length > 0) return { pairs, obstacles: [] };
  const [lost] = deadTaps;
  if (lost !== undefined) return { pairs: [], obstacles: [createDeadTapObstacle(lost)] };
  return { pairs: [], obstacles: [createOneSideObstacle(rack, taps)] };
}

/** Assigns the first half of the inlets to one side, and the remaining inlets to the other side. */
function splitInlets(one: SupplyTap, other: SupplyTap, inlets: readonly RequestedInlet[]): SupplyPair {
  const half = Math.ceil(inlets.length / 2);
  return [
    { tap: one, inlets: inlets.slice(0, half) },
    { tap: other, inlets: inlets.slice(half) },
  ];
}

/** Whether a pair provides the required redundancy, by its labels and by the effect of single losses. */
function providesRequiredRedundancy(
  pair: SupplyPair,
  rack: Rack,
  { need, redundancy, inlets }: PlacementRequest,
): boolean {
  const labels = new Set(pair.flatMap(({ tap }) => [...tap.labels]));
  // A device with all inlets on one side causes a warning, whatever redundancy is required.
  if (labels.size < 2) return false;
  const required =
    REDUNDANCY_RANKS[
      Math.max(REDUNDANCY_RANKS.indexOf(redundancy), REDUNDANCY_RANKS.indexOf(rack.requiredRedundancy ?? "NONE"))
    ] ?? "NONE";
  const killers = pair.flatMap((side) => side.inlets.map(() => side.tap.killers));
  const worst = Math.max(1, countWorstLostInlets(killers));
  const lost = { NONE: inlets.length - need, N: 0, N_PLUS_1: 1, TWO_N: worst }[required];
  return inlets.length - lost >= need;
}

function createNoSupplyObstacle({ code }: Rack, dead: RackTaps["deadTaps"]): PlacementObstacle {
  const [lost] = dead;
  if (lost !== undefined) return createDeadTapObstacle(lost);
  return { reason: "NO_SUPPLY", message: `Rack "${code}" has no recorded PDU`, ref: `rack:${code}` };
}

function createDeadTapObstacle({ device, why }: RackTaps["deadTaps"][number]): PlacementObstacle {
  const message =
    why === "DEAD" ? `"${device.code}" gives no power now` : `The supply of "${device.code}" runs in a circle`;
  return { reason: "SUPPLY_DEAD", message, ref: `device:${device.code}` };
}

function createOneSideObstacle({ code }: Rack, taps: readonly SupplyTap[]): PlacementObstacle {
  const names = [...new Set(taps.map(({ device }) => device.code))].join(", ");
  return {
    reason: "ONE_SIDE",
    message: `The supplies of rack "${code}" do not give the redundancy: ${names}`,
    ref: `rack:${code}`,
  };
}

const USABLE_RACK_STATUSES: readonly (string | undefined)[] = ["ACTIVE", "AVAILABLE", undefined];
/** Share of a rack's maximum load from which a write warns. */
const WEIGHT_WARNING_SHARE = 0.9;
/** Margin below limits that writes compare exactly, because sums of fractions have rounding errors. */
const ROUNDING_MARGIN = 1e-3;

export interface RackLimits {
  readonly uses: readonly LimitUse[];
  readonly obstacles: readonly PlacementObstacle[];
  readonly weight: Limit;
  readonly power: Limit;
  readonly cooling: Limit;
}

/** Returns a rack's limits, and reasons that exclude it at any free capacity. Uses the same sums as the write rules. */
export function createRackLimits(rack: Rack, devices: readonly Device[], wanted: PlacementRequest): RackLimits {
  const weightKg = wanted.template.weightKg ?? 0;
  const weight = createRackLimit(rack, {
    reason: "WEIGHT_LIMIT",
    unit: "kg",
    capacity: rack.maxLoadKg,
    used: sumNumbers(devices.map((device) => device.weightKg ?? 0)),
    share: Math.min(WEIGHT_WARNING_SHARE, 1 - wanted.keep),
    margin: ROUNDING_MARGIN,
  });
  const power = createRackLimit(rack, {
    reason: "RACK_POWER",
    unit: "W",
    capacity: rack.powerCapacityW,
    used: sumNumbers(devices.map((device) => getDrawW(device, "ALLOCATED") ?? 0)),
    share: 1 - wanted.keep,
    margin: 0,
  });
  const heat = sumNumbers(devices.map((device) => computeAirHeatW(device, "ALLOCATED")));
  const cooling = createRackLimit(rack, {
    reason: "RACK_COOLING",
    unit: "W",
    capacity: rack.coolingCapacityW,
    used: heat,
    share: 1 - wanted.keep,
    margin: Number.isInteger(heat + wanted.airW) ? 0 : ROUNDING_MARGIN,
  });
  return {
    uses: [
      { limit: weight, each: weightKg },
      { limit: power, each: wanted.drawW },
      { limit: cooling, each: wanted.airW },
    ],
    obstacles: findRackObstacles(rack, wanted),
    weight,
    power,
    cooling,
  };
}

interface RackLimitInput {
  readonly reason: "WEIGHT_LIMIT" | "RACK_POWER" | "RACK_COOLING";
  readonly unit: string;
  readonly capacity: number | undefined;
  readonly used: number;
  readonly share: number;
  readonly margin: number;
}

function createRackLimit(rack: Rack, { capacity, share, margin, ...rest }: RackLimitInput): Limit {
  const most = capacity === undefined ? Number.POSITIVE_INFINITY : capacity * share - margin;
  return new Limit({ ...rest, ref: `rack:${rack.code}`, capacity: capacity ?? Number.POSITIVE_INFINITY, maxUse: most });
}

function findRackObstacles(
  rack: Rack,
  { template, coolingMethod, tenant }: PlacementRequest,
): readonly PlacementObstacle[] {
  const ref = `rack:${rack.code}`;
  const found: PlacementObstacle[] = [];
  if (!USABLE_RACK_STATUSES.includes(rack.status)) {
    found.push({ reason: "RACK_STATUS", message: `Rack "${rack.code}" is ${rack.status}`, ref });
  }
  if (rack.tenant !== undefined && rack.tenant !== tenant) {
    found.push({ reason: "RACK_TENANT", message: `Rack "${rack.code}" belongs to tenant "${rack.tenant}"`, ref });
  }
  if (hasOpposedAirflow(template.airflow, rack.airflow) || hasOpposedAirflow(rack.airflow, template.airflow)) {
    found.push({ reason: "AIRFLOW", message: `Rack "${rack.code}" moves air the other way`, ref });
  }
  const isAir = coolingMethod === "AIR";
  if ((rack.coolingCapability === "AIR_ONLY" && !isAir) || (rack.coolingCapability === "LIQUID_ONLY" && isAir)) {
    const message = `Rack "${rack.code}" offers ${rack.coolingCapability}, the devices need ${coolingMethod}`;
    found.push({ reason: "COOLING_METHOD", message, ref });
  }
  return found;
}

function hasOpposedAirflow(one: string | undefined, other: string | undefined): boolean {
  return one === "FRONT_TO_REAR" && other === "REAR_TO_FRONT";
}
