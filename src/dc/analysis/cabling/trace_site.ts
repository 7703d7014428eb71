import { codeKey } from "#dc/model/code.ts";
import { portKey, samePort } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import type { SiteReader } from "#dc/model/site.ts";

/** Look-ups that a trace needs. */
export type TraceSite = Pick<SiteReader, "device" | "crac" | "cableAt" | "feedDeclarer" | "consumersOf">;

export interface Place {
  readonly device: Device;
  readonly port: Port;
}

/** The cable of a port and the port at its other end. */
export interface Far {
  readonly cable: Cable | undefined;
  readonly place: Place | undefined;
}

/** The passages of a device: by port, the port and position that each position leads to. */
type Inside = ReadonlyMap<Port, ReadonlyMap<number, { readonly port: Port; readonly position: number }>>;

/** Steps of one trace. Ours: above 4,096 fibres over ten devices, followed from both ends; a few hundred milliseconds. */
const MAX_STEPS = 250_000;
/** Steps between two pauses. Ours: a fraction of a millisecond. */
const STEPS_PER_PAUSE = 256;

/** Reads devices and cables once per trace, for all fibres, and counts the steps of the trace. */
export class TraceMemo {
  readonly site: TraceSite;
  readonly #pause: () => Promise<void>;
  readonly #devices = new Map<string, Promise<Device | undefined>>();
  readonly #cables = new Map<string, Promise<Cable | undefined>>();
  readonly #feeds = new Map<string, Promise<PortRef | undefined>>();
  readonly #far = new Map<Port, Far>();
  readonly #inside = new Map<Device, Inside>();
  readonly #riders = new Map<string, Promise<readonly Port[]>>();
  #steps = 0;
  #unpaused = 0;

  /** @param pause lets other calls pass */
  constructor(site: TraceSite, pause: () => Promise<void> = async () => {}) {
    this.site = site;
    this.#pause = pause;
  }

  /** Counts hops that are passed or copied. */
  count(steps: number): void {
    this.#steps += steps;
    this.#unpaused += steps;
  }

  /** Counts a step. Now and then it returns a promise to wait for, so that other calls pass. */
  step(): Promise<void> | undefined {
    this.count(1);
    if (this.#unpaused < STEPS_PER_PAUSE) return undefined;
    this.#unpaused = 0;
    return this.#pause();
  }

  /** Whether the trace has used all its steps. */
  get isSpent(): boolean {
    return this.#steps >= MAX_STEPS;
  }

  /** The cable of a port and its other end, if a fibre has already passed it. */
  knownFar({ port }: Place): Far | undefined {
    return this.#far.get(port);
  }

  async far(place: Place): Promise<Far> {
    const from = endOf(place);
    const cable = await this.cableAt(from);
    const to = cable === undefined ? undefined : await this.place(samePort(cable.a, from) ? cable.b : cable.a);
    const found = { cable, place: to };
    this.#far.set(place.port, found);
    return found;
  }

  /** The breakout channels of a port that have no cable. */
  riders(place: Place): Promise<readonly Port[]> {
    return loadOnce(this.#riders, portKey(endOf(place)), () => this.#ridersOf(place));
  }

  /** Connections between the positions of a device's ports inside it. */
  inside(device: Device): Inside {
    const found = this.#inside.get(device) ?? passagesOf(device);
    this.#inside.set(device, found);
    return found;
  }

  async #ridersOf({ device, port }: Place): Promise<readonly Port[]> {
    const found: Port[] = [];
    for (const child of device.ports ?? []) {
      if (child.parentPort !== port.name || child.channel === undefined) continue;
      if ((await this.cableAt(endOf({ device, port: child }))) === undefined) found.push(child);
    }
    return found;
  }

  device(code: string): Promise<Device | undefined> {
    return loadOnce(this.#devices, codeKey(code), () => this.site.device(code));
  }

  feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return loadOnce(this.#feeds, codeKey(feedId), () => this.site.feedDeclarer(feedId));
  }

  cableAt(end: PortRef): Promise<Cable | undefined> {
    return loadOnce(this.#cables, portKey(end), () => this.site.cableAt(end));
  }

  async place(end: PortRef): Promise<Place | undefined> {
    const device = await this.device(end.deviceCode);
    const port = device?.ports?.find(({ name }) => name === end.portName);
    return device === undefined || port === undefined ? undefined : { device, port };
  }
}

/** Returns the cached value of a key, or loads it. */
export function loadOnce<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key) ?? load();
  known.set(key, found);
  return found;
}

export function endOf({ device, port }: Place): PortRef {
  return { deviceCode: device.code, portName: port.name };
}

/** Fronts lead to rears by their mappings, and back. */
function passagesOf({ ports = [] }: Device): Inside {
  const found = new Map<Port, Map<number, { readonly port: Port; readonly position: number }>>();
  const rears = new Map(ports.filter(({ kind }) => kind === "REAR").map((port) => [port.name, port]));
  const lead = (from: Port, at: number, port: Port, position: number) => {
    const steps = found.get(from) ?? new Map();
    found.set(from, steps);
    if (!steps.has(at)) steps.set(at, { port, position });
  };
  for (const front of ports) {
    for (const { frontPosition, rearPort, rearPosition } of front.mappings ?? []) {
      const rear = rears.get(rearPort);
      if (rear === undefined) continue;
      lead(front, frontPosition, rear, rearPosition);
      lead(rear, rearPosition, front, frontPosition);
    }
  }
  return found;
}

export interface TraceOptions {
  /** End at the first outlet instead of following the supply to its root. */
  readonly stopAtPower: boolean;
  /** Answer one path for each fibre, consumer or root. */
  readonly followSplits: boolean;
  readonly maxHops: number;
  /** The inlet of a device that has power now; selects the path in use among several. */
  readonly inletInUse?: (deviceCode: string) => Promise<string | undefined>;
  /** Lets other calls pass while many fibres are followed. */
  readonly pause?: () => Promise<void>;
}
