import type { PathStatus } from "#dc/model/enum_values.ts";
import { portRef } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { Branch } from "#gen/datacenter/v1/messages.ts";
import type { PathHop, PathProblem, PathSegment } from "./cable_path.ts";
import { createPortRef, type DevicePort, type TraceMemo } from "./trace_site.ts";

/**
 * Positions of one fibre, outermost connector first: the position in the current connector, then the position in each
 * connector inside it. An empty stack denotes a whole connector.
 */
export type PositionStack = readonly number[];

interface Way {
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
}

export interface FibreEnd extends Way, DevicePort {
  readonly status: Exclude<PathStatus, "SPLIT">;
  /** Remaining positions at the end: the fibre's position in the far port's connector. */
  readonly stack: PositionStack;
  readonly problem?: PathProblem;
}

/** A port at which the fibres of a connector split, and the path to it. */
export interface FibreSplit extends Way, DevicePort {
  readonly status: "PARTING";
  readonly positions: number;
  /** Continues the walk with the fibre at one of the positions. */
  follow(position: number): Promise<WalkResult>;
}

export type WalkResult = FibreEnd | FibreSplit;

export interface WalkStart {
  /** Direction in which the walk leaves the port: by its cable, or through its device. */
  readonly side: "CABLE" | "INSIDE";
  readonly stack: PositionStack;
  readonly maxHops: number;
}

/**
 * Follows one fibre from a port until it ends, returns to its initial state, or needs a position that the stack does
 * not have. Cables and mappings connect one to one, so the first state that recurs is the initial one. A fibre that
 * returns with all positions used up repeats for every choice of further positions, so it is a loop too. Cost: two
 * reads per hop that the trace has not visited before.
 */
export function walkFibre(
  memo: TraceMemo,
  start: DevicePort,
  { side, stack, maxHops }: WalkStart,
): Promise<WalkResult> {
  const hops = [{ device: start.device, inPort: "", outPort: side === "CABLE" ? start.port.name : "" }];
  const chosen = nestStack(stack);
  return new Walk({ memo, start, startSide: side, maxHops }, { ...start, side, stack: chosen, chosen, hops }).run();
}

/** A stack of positions as a linked list, so that stacks share their lower part. */
interface Nested {
  readonly top: number;
  readonly below: Nested | undefined;
}

function nestStack(stack: PositionStack): Nested | undefined {
  return stack.reduceRight<Nested | undefined>((below, top) => ({ top, below }), undefined);
}

function listStackPositions(stack: Nested | undefined): PositionStack {
  const found: number[] = [];
  for (let at = stack; at !== undefined; at = at.below) found.push(at.top);
  return found;
}

function isSameStack(one: Nested | undefined, other: Nested | undefined): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === undefined || b === undefined || a.top !== b.top) return false;
    [a, b] = [a.below, b.below];
  }
  return true;
}

interface Journey {
  readonly memo: TraceMemo;
  readonly start: DevicePort;
  readonly startSide: WalkStart["side"];
  readonly maxHops: number;
}

interface Spot extends DevicePort {
  readonly side: WalkStart["side"];
  readonly stack: Nested | undefined;
  /** All positions that were chosen for this fibre. */
  readonly chosen: Nested | undefined;
  readonly hops: PathHop[];
  readonly segments?: PathSegment[];
}

class Walk {
  readonly #journey: Journey;
  readonly #chosen: Nested | undefined;
  readonly #hops: PathHop[];
  readonly #segments: PathSegment[];
  #device: Device;
  #port: Port;
  #side: WalkStart["side"];
  #stack: Nested | undefined;

  constructor(journey: Journey, { device, port, side, stack, chosen, hops, segments = [] }: Spot) {
    this.#journey = journey;
    this.#device = device;
    this.#port = port;
    this.#side = side;
    this.#stack = stack;
    this.#chosen = chosen;
    this.#hops = hops;
    this.#segments = segments;
  }

  async run(): Promise<WalkResult> {
    const { memo, maxHops } = this.#journey;
    for (;;) {
      if (memo.isSpent) return this.#end("TRUNCATED");
      const pause = memo.step();
      if (pause !== undefined) await pause;
      if (this.#side === "CABLE" && this.#hops.length > maxHops) return this.#end("TRUNCATED");
      const ended = this.#side === "CABLE" ? await this.#leave() : this.#pass();
      if (ended !== undefined) return ended;
      if (this.#isBack()) return this.#end("LOOP", createLoopProblem(this.#at));
    }
  }

  get #at(): PortRef {
    return createPortRef({ device: this.#device, port: this.#port });
  }

  #isBack(): boolean {
    const { start, startSide } = this.#journey;
    if (this.#side !== startSide || this.#port !== start.port) return false;
    return this.#stack === undefined || isSameStack(this.#stack, this.#chosen);
  }

  #end(status: FibreEnd["status"], problem?: PathProblem): FibreEnd {
    const way = { device: this.#device, port: this.#port, hops: this.#hops, segments: this.#segments };
    return { status, ...way, stack: listStackPositions(this.#stack), ...(problem !== undefined && { problem }) };
  }

  /** Leaves the port by its cable. */
  async #leave(): Promise<FibreEnd | undefined> {
    const { memo } = this.#journey;
    const from = { device: this.#device, port: this.#port };
    const far = memo.knownFar(from) ?? (await memo.far(from));
    if (far.cable === undefined) {
      return this.#end(this.#segments.some(({ cable }) => cable !== undefined) ? "OPEN" : "UNCONNECTED");
    }
    if (far.place === undefined) return this.#end("OPEN");
    const { device, port } = far.place;
    this.#segments.push({ from: this.#at, to: createPortRef(far.place), cable: far.cable });
    this.#hops.push({ device, inPort: port.name, outPort: "" });
    this.#device = device;
    this.#port = port;
    this.#side = "INSIDE";
    return isPassivePort(port) ? undefined : this.#end("COMPLETE");
  }

  /** Passes from the front to the rear of a device, or back. */
  #pass(): WalkResult | undefined {
    const positions = this.#port.positions ?? 1;
    if (positions === 1) return this.#through(1);
    if (this.#stack === undefined) return this.#parting(positions);
    const { top, below } = this.#stack;
    if (top < 1 || top > positions) return this.#end("OPEN", createNoPositionProblem(this.#at, top));
    return this.#through(top, () => {
      this.#stack = below;
    });
  }

  /** Passes through the device at a position. */
  #through(position: number, taken?: () => void): FibreEnd | undefined {
    const from = this.#at;
    const next = this.#journey.memo.inside(this.#device).get(this.#port)?.get(position);
    if (next === undefined) return this.#end("OPEN", createNoMappingProblem(from));
    taken?.();
    const last = this.#hops.at(-1);
    if (last !== undefined) this.#hops[this.#hops.length - 1] = { ...last, outPort: next.port.name };
    this.#port = next.port;
    this.#side = "CABLE";
    this.#segments.push({ from, to: this.#at });
    if ((next.port.positions ?? 1) > 1) this.#stack = { top: next.position, below: this.#stack };
    return undefined;
  }

  #parting(positions: number): FibreSplit {
    const [device, port, hops, segments] = [this.#device, this.#port, this.#hops, this.#segments];
    const follow = (position: number) => {
      this.#journey.memo.count(hops.length);
      const stack = nestStack([position]);
      const chosen = nestStack([...listStackPositions(this.#chosen), position]);
      const copy = { hops: [...hops], segments: [...segments] };
      return new Walk(this.#journey, { device, port, side: "INSIDE", stack, chosen, ...copy }).run();
    };
    return { status: "PARTING", device, port, positions, hops, segments, follow };
  }
}

/** Whether a port passes all signals on, from front to rear. */
export function isPassivePort({ kind }: Port): boolean {
  return kind === "FRONT" || kind === "REAR";
}

/** Lists the branches of a port at which fibres split: one for each connected position. */
export function listBranches(memo: TraceMemo, { device, port, positions }: FibreSplit): readonly Branch[] {
  const from = createPortRef({ device, port });
  const steps = memo.inside(device).get(port);
  return Array.from({ length: positions }, (_, index) => index + 1).flatMap((position) => {
    const next = steps?.get(position);
    return next === undefined ? [] : [{ from, to: { deviceCode: device.code, portName: next.port.name }, position }];
  });
}

export function createLoopProblem(at: PortRef): PathProblem {
  return { code: "LOOP", message: `The path returns to "${portRef(at)}"`, ref: portRef(at) };
}

export function createNoMappingProblem(at: PortRef): PathProblem {
  return { code: "NO_MAPPING", message: `Port "${portRef(at)}" leads nowhere inside its device`, ref: portRef(at) };
}

function createNoPositionProblem(at: PortRef, position: number): PathProblem {
  return { code: "NO_POSITION", message: `Port "${portRef(at)}" has no position ${position}`, ref: portRef(at) };
}
