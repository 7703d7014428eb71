import { codeKey } from "#dc/model/code.ts";
import { outletCapacityW } from "#dc/model/draw.ts";
import type { Estate } from "#dc/model/estate.ts";
import { parseRef, portKey, portRef } from "#dc/model/ref.ts";
import type { Crac, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";

/** An edge from a supply to a consumer; `inlet` names where it arrives, and is empty from a device to its own outlet. */
export interface PowerEdge {
  readonly from: number;
  readonly to: number;
  readonly inlet: string;
  /** Recorded draw of the inlet, which splits the consumer's load; watts. */
  readonly allocatedW?: number;
  /** Recorded label of the inlet's supply side. */
  readonly label?: string;
}

interface NodeBase {
  readonly ref: string;
  /** Live inlets that it needs; 0 makes it a root. */
  readonly need: number;
  /** Switched off or broken before anything fails. */
  readonly blocked: boolean;
  readonly capacityW?: number;
  readonly maxUtilizationPct: number;
}

/** A device, a cooling unit, an outlet, or a feed that nobody declares and that therefore counts as live supply. */
export type PowerNode =
  | (NodeBase & { readonly kind: "DEVICE"; readonly device: Device })
  | (NodeBase & { readonly kind: "CRAC"; readonly crac: Crac })
  | (NodeBase & { readonly kind: "OUTLET"; readonly end: PortRef })
  | (NodeBase & { readonly kind: "FEED" });

/** The power graph of an estate. Edges are listed at both of their ends; indexes are those of `nodes`. */
export interface PowerGraph {
  readonly nodes: readonly PowerNode[];
  readonly supplies: readonly (readonly PowerEdge[])[];
  readonly inlets: readonly (readonly PowerEdge[])[];
  /** Node of a reference key: device:<key>, crac:<key>, port:<port key>, feed:<key>; a declared feed is its outlet. */
  readonly indexOf: ReadonlyMap<string, number>;
}

const DEFAULT_UTILIZATION_PCT = 80;
const WORKING_CRACS = ["ACTIVE", "STANDBY", undefined];

/**
 * Builds the graph: a feed is an edge that starts at the outlet which declares it, a power cable is one between its two
 * ports. Cost: O(ports + cables). Source: data contract 8.1.
 */
export function powerGraph(estate: Estate): PowerGraph {
  const builder = new Builder();
  for (const device of estate.devices) builder.addDevice(device);
  for (const crac of estate.cracs) builder.addCrac(crac);
  const cabled = powerCables(estate);
  for (const device of estate.devices) builder.joinDevice(device, cabled);
  for (const crac of estate.cracs) builder.joinCrac(crac);
  return builder.graph();
}

/** The other end of every cable by the key of either end. */
function powerCables({ cables }: Estate): ReadonlyMap<string, PortRef> {
  const ends = new Map<string, PortRef>();
  for (const { a, b } of cables) {
    ends.set(portKey(a), b);
    ends.set(portKey(b), a);
  }
  return ends;
}

class Builder {
  private readonly nodes: PowerNode[] = [];
  private readonly supplies: PowerEdge[][] = [];
  private readonly inlets: PowerEdge[][] = [];
  private readonly indexOf = new Map<string, number>();

  graph(): PowerGraph {
    return { nodes: this.nodes, supplies: this.supplies, inlets: this.inlets, indexOf: this.indexOf };
  }

  addDevice(device: Device): void {
    const { code, ports = [], power = {}, status } = device;
    const hasInlets = ports.some(({ kind }) => kind === "POWER_IN");
    this.add([`device:${codeKey(code)}`], {
      kind: "DEVICE",
      device,
      ref: `device:${code}`,
      need: hasInlets ? (power.minLiveInlets ?? 1) : 0,
      blocked: status === "OFFLINE" || status === "FAILED",
      ...(power.capacityW !== undefined && { capacityW: power.capacityW }),
      maxUtilizationPct: power.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
    });
    for (const port of ports) if (port.kind === "POWER_OUT") this.addOutlet(device, port);
  }

  addCrac(crac: Crac): void {
    this.add([`crac:${codeKey(crac.code)}`], {
      kind: "CRAC",
      crac,
      ref: `crac:${crac.code}`,
      need: (crac.powerInputs ?? []).length === 0 ? 0 : (crac.minLiveInlets ?? 1),
      blocked: !WORKING_CRACS.includes(crac.status),
      maxUtilizationPct: DEFAULT_UTILIZATION_PCT,
    });
  }

  joinDevice({ code, ports = [] }: Device, cabled: ReadonlyMap<string, PortRef>): void {
    const own = this.indexOf.get(`device:${codeKey(code)}`) ?? 0;
    for (const port of ports) {
      const end = { deviceCode: code, portName: port.name };
      if (port.kind === "POWER_OUT") this.joinOutlet(own, end, port, ports, cabled);
      else if (port.kind === "POWER_IN") {
        this.join(this.sourceOf(port, end, cabled), own, port.name, port.powerIn);
      }
    }
  }

  joinCrac({ code, powerInputs = [] }: Crac): void {
    const own = this.indexOf.get(`crac:${codeKey(code)}`) ?? 0;
    for (const [place, input] of powerInputs.entries()) {
      const source = input.sourceRef === undefined ? undefined : this.named(input.sourceRef);
      this.join(source, own, String(place), input);
    }
  }

  private addOutlet({ code }: Device, { name, powerOut = {} }: Port): void {
    const end = { deviceCode: code, portName: name };
    const { feedId, state } = powerOut;
    const capacityW = outletCapacityW(powerOut);
    const keys = [`port:${portKey(end)}`, ...(feedId === undefined ? [] : [`feed:${codeKey(feedId)}`])];
    this.add(keys, {
      kind: "OUTLET",
      end,
      ref: feedId === undefined ? portRef(end) : `feed:${feedId}`,
      need: 1,
      blocked: state === "DISABLED" || state === "FAULTY",
      ...(capacityW !== undefined && { capacityW }),
      maxUtilizationPct: powerOut.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
    });
  }

  /** An outlet hangs on its device, or on one inlet of it alone. */
  private joinOutlet(
    device: number,
    end: PortRef,
    outlet: Port,
    ports: readonly Port[],
    cabled: ReadonlyMap<string, PortRef>,
  ): void {
    const own = this.indexOf.get(`port:${portKey(end)}`) ?? 0;
    const inletName = outlet.powerOut?.inletName;
    if (inletName === undefined) {
      this.join(device, own, "");
      return;
    }
    const inlet = ports.find(({ name, kind }) => name === inletName && kind === "POWER_IN");
    if (inlet === undefined) return;
    const source = this.sourceOf(inlet, { ...end, portName: inlet.name }, cabled);
    this.join(source, own, inlet.name);
  }

  private sourceOf(inlet: Port, end: PortRef, cabled: ReadonlyMap<string, PortRef>): number | undefined {
    if (inlet.enabled === false) return undefined;
    const sourceRef = inlet.powerIn?.sourceRef;
    if (sourceRef !== undefined) return this.named(sourceRef);
    const outlet = cabled.get(portKey(end));
    return outlet === undefined ? undefined : this.indexOf.get(`port:${portKey(outlet)}`);
  }

  private named(sourceRef: string): number | undefined {
    const ref = parseRef(sourceRef);
    if (ref?.kind === "device") return this.indexOf.get(`device:${codeKey(ref.code)}`);
    if (ref?.kind === "port") return this.indexOf.get(`port:${portKey(ref.end)}`);
    if (ref?.kind !== "feed") return undefined;
    const key = `feed:${codeKey(ref.code)}`;
    return this.indexOf.get(key) ?? this.add([key], undeclared(ref.code));
  }

  private add(keys: readonly string[], node: PowerNode): number {
    const index = this.nodes.push(node) - 1;
    this.supplies.push([]);
    this.inlets.push([]);
    for (const key of keys) this.indexOf.set(key, index);
    return index;
  }

  private join(from: number | undefined, to: number, inlet: string, { allocatedDrawW, powerPath }: PowerIn = {}): void {
    if (from === undefined) return;
    const recorded = allocatedDrawW === undefined ? {} : { allocatedW: allocatedDrawW };
    const edge = { from, to, inlet, ...recorded, ...(powerPath !== undefined && { label: powerPath }) };
    this.supplies[from]?.push(edge);
    this.inlets[to]?.push(edge);
  }
}

function undeclared(feedId: string): PowerNode {
  return { kind: "FEED", ref: `feed:${feedId}`, need: 0, blocked: false, maxUtilizationPct: DEFAULT_UTILIZATION_PCT };
}
