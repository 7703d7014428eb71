import { inletsOf, sourceOf } from "#dc/model/power_walk.ts";
import { cableRef, parseRef, portRef, samePort } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { SiteReader } from "#dc/model/site.ts";
import type { PathStatus } from "#dc/model/words.ts";
import {
  type Branch,
  type CablePath,
  finishPath,
  type Hop,
  joinPaths,
  type PathProblem,
  type Segment,
} from "./cable_path.ts";

export interface TraceOptions {
  /** End at the first outlet instead of following the supply to its root. */
  readonly stopAtPower: boolean;
  /** Answer one path per branch of a split. */
  readonly followSplits: boolean;
  readonly maxHops: number;
}

/** What a trace looks up. */
export type TraceSite = Pick<SiteReader, "device" | "cableAt" | "feedDeclarer">;

/** A place on the way, with all that was gathered before it. */
interface Walk {
  readonly origin: PortRef;
  readonly at: PortRef;
  readonly device: Device;
  readonly port: Port;
  readonly hops: readonly Hop[];
  readonly segments: readonly Segment[];
  /** Rear positions to come back by, and breakout channels. */
  readonly stack: readonly number[];
  readonly channels: readonly number[];
  readonly seen: ReadonlySet<string>;
}

/** The device and port of an end. */
interface Place {
  readonly device: Device;
  readonly port: Port;
}

/**
 * Follows the cables from a port: through patch panels by their positions, to the far network port, or up the power
 * supply to its root. A passive port is traced to both sides. Computed on every read; paths are never stored.
 *
 * @returns one path, or one per branch with `followSplits`
 *
 * Cost: two look-ups per hop. Source: docs/contract/datacenter-analyses.md#cable-trace.
 */
export async function traceCable(
  start: PortRef,
  site: TraceSite,
  options: TraceOptions,
): Promise<readonly CablePath[]> {
  const place = await placeAt(start, site);
  if (place === undefined) return [finishPath({ origin: start, status: "UNCONNECTED", hops: [], segments: [] })];
  const tracer = new Tracer(site, options);
  const walk = begin(start, place);
  if (place.port.kind !== "FRONT" && place.port.kind !== "REAR") return tracer.outward(walk);
  const right = await tracer.outward(walk);
  const left = await tracer.inward(walk);
  return left.flatMap((one) => right.map((other) => joinPaths(one, other)));
}

async function placeAt(end: PortRef, site: TraceSite): Promise<Place | undefined> {
  const device = await site.device(end.deviceCode);
  const port = device?.ports?.find(({ name }) => name === end.portName);
  return device === undefined || port === undefined ? undefined : { device, port };
}

function begin(origin: PortRef, { device, port }: Place): Walk {
  const hops = [{ device, inPort: "", outPort: port.name }];
  return { origin, at: origin, device, port, hops, segments: [], stack: [], channels: [], seen: new Set() };
}

class Tracer {
  private readonly site: TraceSite;
  private readonly options: TraceOptions;

  constructor(site: TraceSite, options: TraceOptions) {
    this.site = site;
    this.options = options;
  }

  /** Leaves the device by the cable in the walk's port. */
  async outward(walk: Walk): Promise<readonly CablePath[]> {
    if (walk.hops.length > this.options.maxHops) return [end(walk, "TRUNCATED")];
    const { cable, from, channels } = await this.cableOf(walk);
    if (cable === undefined) {
      if (walk.port.kind === "POWER_IN") return this.upSource(walk);
      return [end(walk, walk.segments.some((segment) => segment.cable !== undefined) ? "OPEN" : "UNCONNECTED")];
    }
    const ref = cableRef(cable.a, cable.b);
    if (walk.seen.has(ref)) return [end(walk, "LOOP", { problem: loop(ref) })];
    const to = samePort(cable.a, from) ? cable.b : cable.a;
    const place = await placeAt(to, this.site);
    if (place === undefined) return [end(walk, "OPEN")];
    const segments = [...walk.segments, { from, to, cable }];
    const hops = [...walk.hops, { device: place.device, inPort: to.portName, outPort: "" }];
    return this.arrive({ ...walk, ...place, at: to, segments, hops, channels, seen: new Set([...walk.seen, ref]) });
  }

  /** Goes on inside a passive device, from the side of the walk's port. */
  async inward(walk: Walk): Promise<readonly CablePath[]> {
    return walk.port.kind === "FRONT" ? this.throughFront(walk) : this.throughRear(walk);
  }

  /** The cable of the port; a breakout channel without its own uses that of its physical port. */
  private async cableOf({ at, port, channels }: Walk) {
    const own = await this.site.cableAt(at);
    if (own !== undefined || port.parentPort === undefined) return { cable: own, from: at, channels };
    const from = { deviceCode: at.deviceCode, portName: port.parentPort };
    return { cable: await this.site.cableAt(from), from, channels: [...channels, port.channel ?? 0] };
  }

  private arrive(walk: Walk): Promise<readonly CablePath[]> | readonly CablePath[] {
    switch (walk.port.kind) {
      case "FRONT":
        return this.throughFront(walk);
      case "REAR":
        return this.throughRear(walk);
      case "POWER_OUT":
        return this.options.stopAtPower ? [end(walk, "COMPLETE", { destination: walk.at })] : this.throughOutlet(walk);
      default:
        return [end(walk, "COMPLETE", { destination: channelEnd(walk) })];
    }
  }

  private async throughFront(walk: Walk): Promise<readonly CablePath[]> {
    const mappings = walk.port.mappings ?? [];
    const [first] = mappings;
    if (first === undefined) return [end(walk, "OPEN", { problem: unmapped(walk.at) })];
    if (mappings.some(({ rearPort }) => rearPort !== first.rearPort)) {
      return this.split(
        walk,
        mappings.map(({ rearPort, rearPosition }) => ({ port: rearPort, position: rearPosition })),
      );
    }
    const rear = walk.device.ports?.find(({ name }) => name === first.rearPort);
    if (rear === undefined) return [end(walk, "OPEN", { problem: unmapped(walk.at) })];
    const stack = (rear.positions ?? 1) > 1 ? [...walk.stack, first.rearPosition] : walk.stack;
    return this.outward(inside(walk, rear, stack));
  }

  private async throughRear(walk: Walk): Promise<readonly CablePath[]> {
    const fronts = (walk.device.ports ?? []).flatMap((port) =>
      (port.mappings ?? [])
        .filter(({ rearPort }) => rearPort === walk.port.name)
        .map(({ rearPosition }) => ({ port, position: rearPosition })),
    );
    const position = (walk.port.positions ?? 1) === 1 ? 1 : walk.stack.at(-1);
    if (position === undefined) {
      return this.split(
        walk,
        fronts.map((front) => ({ port: front.port.name, position: front.position })),
      );
    }
    const front = fronts.find((one) => one.position === position);
    if (front === undefined) return [end(walk, "OPEN", { problem: unmapped(walk.at) })];
    const stack = (walk.port.positions ?? 1) === 1 ? walk.stack : walk.stack.slice(0, -1);
    return this.outward(inside(walk, front.port, stack));
  }

  /** From an outlet on to the inlet that supplies it. */
  private async throughOutlet(walk: Walk): Promise<readonly CablePath[]> {
    const inlets = inletsOf(walk.device);
    const named = walk.port.powerOut?.inletName;
    const [only, ...others] = named === undefined ? inlets : inlets.filter(({ name }) => name === named);
    if (only === undefined) return [end(walk, "COMPLETE", { destination: walk.at })];
    if (others.length > 0) return this.splitInlets(walk, inlets);
    return this.outward(inside(walk, only, walk.stack));
  }

  /** From an inlet without a cable along its source_ref. */
  private async upSource(walk: Walk): Promise<readonly CablePath[]> {
    const source = await sourceOf(walk.device, walk.port, this.site);
    const ref = source === undefined ? undefined : parseRef(source);
    if (source === undefined || ref === undefined)
      return [end(walk, walk.segments.length > 0 ? "OPEN" : "UNCONNECTED")];
    if (this.options.stopAtPower && walk.segments.length > 0) return [end(walk, "COMPLETE", { destination: walk.at })];
    if (walk.seen.has(source)) return [end(walk, "LOOP", { problem: loop(source) })];
    const seen = new Set([...walk.seen, source]);
    if (ref.kind === "device") return this.intoDevice({ ...walk, seen }, ref.code);
    const outlet =
      ref.kind === "feed" ? await this.site.feedDeclarer(ref.code) : ref.kind === "port" ? ref.end : undefined;
    const place = outlet === undefined ? undefined : await placeAt(outlet, this.site);
    if (outlet === undefined || place === undefined) return [end(walk, "OPEN", { problem: undeclared(source) })];
    const hops = [...walk.hops, { device: place.device, inPort: outlet.portName, outPort: "" }];
    const segments = [...walk.segments, { from: walk.at, to: outlet }];
    return this.arrive({ ...walk, ...place, at: outlet, hops, segments, seen });
  }

  /** Into a supplying device that is named without an outlet. */
  private async intoDevice(walk: Walk, code: string): Promise<readonly CablePath[]> {
    const device = await this.site.device(code);
    if (device === undefined) return [end(walk, "OPEN")];
    const at = { deviceCode: device.code, portName: "" };
    const hops = [...walk.hops, { device, inPort: "", outPort: "" }];
    const entered = { ...walk, device, at, hops, segments: [...walk.segments, { from: walk.at, to: at }] };
    const inlets = inletsOf(device);
    const [only, ...others] = inlets;
    if (only === undefined || this.options.stopAtPower) return [end(entered, "COMPLETE", { destination: at })];
    if (others.length > 0) return this.splitInlets(entered, inlets);
    return this.outward(inside(entered, only, walk.stack));
  }

  private splitInlets(walk: Walk, inlets: readonly Port[]): Promise<readonly CablePath[]> {
    return this.split(
      walk,
      inlets.map(({ name }, index) => ({ port: name, position: index + 1 })),
    );
  }

  /** Ends with the list of ways, or follows each of them. */
  private async split(
    walk: Walk,
    ways: readonly { readonly port: string; readonly position: number }[],
  ): Promise<readonly CablePath[]> {
    const branches = ways.map(({ port, position }) => ({
      from: walk.at,
      to: { deviceCode: walk.device.code, portName: port },
      position,
    }));
    if (!this.options.followSplits || ways.length === 0) return [end(walk, "SPLIT", { branches })];
    const paths: CablePath[] = [];
    for (const { port, position } of ways) {
      const next = walk.device.ports?.find(({ name }) => name === port);
      if (next === undefined) continue;
      const stack = next.kind === "REAR" && (next.positions ?? 1) > 1 ? [...walk.stack, position] : walk.stack;
      paths.push(...(await this.outward(inside(walk, next, stack))));
    }
    return paths;
  }
}

/** Moves to another port of the same device. */
function inside(walk: Walk, port: Port, stack: readonly number[]): Walk {
  const at = { deviceCode: walk.device.code, portName: port.name };
  const last = walk.hops.at(-1);
  const hops = last === undefined ? [] : [...walk.hops.slice(0, -1), { ...last, outPort: port.name }];
  return { ...walk, at, port, stack, hops, segments: [...walk.segments, { from: walk.at, to: at }] };
}

/** A breakout arrives at the channel of the far port, when that port has channels. */
function channelEnd({ device, port, at, channels }: Walk): PortRef {
  const child = device.ports?.find(
    ({ parentPort, channel }) => parentPort === port.name && channel === channels.at(-1),
  );
  return child === undefined ? at : { ...at, portName: child.name };
}

interface EndDetail {
  readonly destination?: PortRef;
  readonly branches?: readonly Branch[];
  readonly problem?: PathProblem;
}

function end(
  { origin, hops, segments }: Walk,
  status: PathStatus,
  { destination, branches, problem }: EndDetail = {},
): CablePath {
  return finishPath({
    origin,
    status,
    hops,
    segments,
    ...(destination !== undefined && { destination }),
    ...(branches !== undefined && { branches }),
    ...(problem !== undefined && { problems: [problem] }),
  });
}

function loop(ref: string): PathProblem {
  return { code: "LOOP", message: `The path comes back to "${ref}"`, ref };
}

function unmapped(at: PortRef): PathProblem {
  return { code: "NO_MAPPING", message: `Port "${portRef(at)}" leads nowhere inside its device`, ref: portRef(at) };
}

function undeclared(source: string): PathProblem {
  return { code: "UNDECLARED_FEED", message: `No outlet declares "${source}"`, ref: source };
}
