import type { SiteReader } from "#dc/model/inventory.ts";
import { codeKey, isSamePort, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";

/** Look-ups that a trace needs. */
export type TraceSite = Pick<SiteReader, "device" | "crac" | "cableAt" | "feedDeclarer" | "consumersOf">;

export interface DevicePort {
  readonly device: Device;
  readonly port: Port;
}

/** The cable of a port and the port at its other end. */
export interface CableEnd {
  readonly cable: Cable | undefined;
  readonly place: DevicePort | undefined;
}

/** Connections inside a device: for each port, the port and position that each of its positions leads to. */
type InsideConnections = ReadonlyMap<Port, ReadonlyMap<number, { readonly port: Port; readonly position: number }>>;

/**
 * Maximum number of steps of one trace. Our choice: more than 4,096 fibres over ten devices, followed from both ends,
 * which takes a few hundred milliseconds.
 */
const MAX_TRACE_STEPS = 250_000;
/** Steps between two pauses. Our choice: a fraction of a millisecond. */
const STEPS_PER_PAUSE = 256;

/** Reads each device and cable once per trace, for all fibres, and counts the steps of the trace. */
export class TraceMemo {
  readonly site: TraceSite;
  readonly #yieldToOthers: () => Promise<void>;
  readonly #devices = new Map<string, Promise<Device | undefined>>();
  readonly #cables = new Map<string, Promise<Cable | undefined>>();
  readonly #feeds = new Map<string, Promise<PortRef | undefined>>();
  readonly #cableEnds = new Map<Port, Promise<CableEnd>>();
  readonly #insideConnections = new Map<Device, InsideConnections>();
  readonly #uncabledChannels = new Map<string, Promise<readonly Port[]>>();
  #steps = 0;
  #stepsSincePause = 0;

  /** Creates an empty cache. @param pause lets other requests run */
  constructor(site: TraceSite, pause: () => Promise<void> = async () => {}) {
    this.site = site;
    this.#yieldToOthers = pause;
  }

  /** Counts hops that are walked or copied. */
  count(steps: number): void {
    this.#steps += steps;
    this.#stepsSincePause += steps;
  }

  /** Counts a step. Regularly returns a promise to await, so that other requests can run. */
  countStep(): Promise<void> | undefined {
    this.count(1);
    if (this.#stepsSincePause < STEPS_PER_PAUSE) return undefined;
    this.#stepsSincePause = 0;
    return this.#yieldToOthers();
  }

  /** Whether the trace has used all its steps. */
  get hasSpentSteps(): boolean {
    return this.#steps >= MAX_TRACE_STEPS;
  }

  /** Returns the cable of a port and its other end. */
  loadCableEnd(from: DevicePort): Promise<CableEnd> {
    return this.#cableEnds.getOrInsertComputed(from.port, async () => {
      const end = createPortRef(from);
      const cable = await this.loadCable(end);
      if (cable === undefined) return { cable, place: undefined };
      return { cable, place: await this.findDevicePort(isSamePort(cable.a, end) ? cable.b : cable.a) };
    });
  }

  /** Returns the breakout channels of a port that have no cable. */
  loadUncabledChannels({ device, port }: DevicePort): Promise<readonly Port[]> {
    return this.#uncabledChannels.getOrInsertComputed(toPortKey(createPortRef({ device, port })), async () => {
      const found: Port[] = [];
      for (const child of device.ports ?? []) {
        if (child.parentPort !== port.name || child.channel === undefined) continue;
        if ((await this.loadCable(createPortRef({ device, port: child }))) === undefined) found.push(child);
      }
      return found;
    });
  }

  /** Returns connections between the positions of a device's ports inside the device. */
  loadInsideConnections(device: Device): InsideConnections {
    return this.#insideConnections.getOrInsertComputed(device, () => mapPortPositions(device));
  }

  loadDevice(code: string): Promise<Device | undefined> {
    return this.#devices.getOrInsertComputed(codeKey(code), () => this.site.device(code));
  }

  loadFeedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.#feeds.getOrInsertComputed(codeKey(feedId), () => this.site.feedDeclarer(feedId));
  }

  loadCable(end: PortRef): Promise<Cable | undefined> {
    return this.#cables.getOrInsertComputed(toPortKey(end), () => this.site.cableAt(end));
  }

  async findDevicePort(end: PortRef): Promise<DevicePort | undefined> {
    const device = await this.loadDevice(end.deviceCode);
    const port = device?.ports?.find(({ name }) => name === end.portName);
    return device === undefined || port === undefined ? undefined : { device, port };
  }
}

export function createPortRef({ device, port }: DevicePort): PortRef {
  return { deviceCode: device.code, portName: port.name };
}

/** Maps positions of front ports to rear ports by their recorded mappings, and back. */
function mapPortPositions({ ports = [] }: Device): InsideConnections {
  const found = new Map<Port, Map<number, { readonly port: Port; readonly position: number }>>();
  const rears = new Map(ports.filter(({ kind }) => kind === "REAR").map((port) => [port.name, port]));
  const connectPosition = (from: Port, at: number, port: Port, position: number) => {
    const steps = found.getOrInsertComputed(from, () => new Map());
    if (!steps.has(at)) steps.set(at, { port, position });
  };
  for (const front of ports) {
    for (const { frontPosition, rearPort, rearPosition } of front.mappings ?? []) {
      const rear = rears.get(rearPort);
      if (rear === undefined) continue;
      connectPosition(front, frontPosition, rear, rearPosition);
      connectPosition(rear, rearPosition, front, frontPosition);
    }
  }
  return found;
}

export interface TraceOptions {
  /** Whether to end at the first outlet instead of following the supply to its root. */
  readonly stopAtPower: boolean;
  /** Whether to return one path for each fibre, consumer or root. */
  readonly followSplits: boolean;
  readonly maxHops: number;
  /** Returns the inlet of a device that is in use now, which selects one of several paths. */
  readonly inletInUse?: (deviceCode: string) => Promise<string | undefined>;
  /** Lets other requests run while many fibres are followed. */
  readonly pause?: () => Promise<void>;
}
