import type { PathStatus } from "#dc/model/enum_values.ts";
import { formatPortReference } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { Branch } from "#gen/datacenter/v1/messages.ts";
import type { PathHop, PathProblem, PathSegment } from "./supply_trace.ts";
import { createPortRef, type DevicePort, type TraceMemo } from "./trace_site.ts";

/**
 * Positions of one fibre, outermost connector first: the position in the current connector, then the position in each
 * connector inside it. An empty stack denotes a whole connector.
 */
export type PositionStack = readonly number[];

interface WalkedPath {
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
}

export interface FibreEnd extends WalkedPath, DevicePort {
  readonly status: Exclude<PathStatus, "SPLIT">;
  /** Remaining positions at the end: the fibre's position in the far port's connector. */
  readonly stack: PositionStack;
  readonly problem?: PathProblem;
}

/** A port at which the fibres of a connector split, and the path to it. */
export interface FibreSplit extends WalkedPath, DevicePort {
  readonly status: "PARTING";
  readonly positions: number;
  /** Continues the walk with the fibre at one of the positions. */
  followPosition(position: number): Promise<WalkResult>;
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
  const chosen = createLinkedStack(stack);
  return new FibreWalker(
    { memo, start, startSide: side, maxHops },
    { ...start, side, stack: chosen, chosen, hops },
  ).run();
}

/** A stack of positions as a linked list, so that stacks share their lower part. */
interface LinkedStack {
  readonly top: number;
  readonly below: LinkedStack | undefined;
}

function createLinkedStack(stack: PositionStack): LinkedStack | undefined {
  return stack.reduceRight<LinkedStack | undefined>((below, top) => ({ top, below }), undefined);
}

function listStackPositions(stack: LinkedStack | undefined): PositionStack {
  const found: number[] = [];
  for (let at = stack; at !== undefined; at = at.below) found.push(at.top);
  return found;
}

function isSameStack(one: LinkedStack | undefined, other: LinkedStack | undefined): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === undefined || b === undefined || a.top !== b.top) return false;
    [a, b] = [a.below, b.below];
  }
  return true;
}

interface WalkSetup {
  readonly memo: TraceMemo;
  readonly start: DevicePort;
  readonly startSide: WalkStart["side"];
  readonly maxHops: number;
}

interface WalkState extends DevicePort {
  readonly side: WalkStart["side"];
  readonly stack: LinkedStack | undefined;
  /** All positions that were chosen for this fibre. */
  readonly chosen: LinkedStack | undefined;
  readonly hops: PathHop[];
  readonly segments?: PathSegment[];
}

class FibreWalker {
  readonly #setup: WalkSetup;
  readonly #chosen: LinkedStack | undefined;
  readonly #hops: PathHop[];
  readonly #segments: PathSegment[];
  #device: Device;
  #port: Port;
  #side: WalkStart["side"];
  #stack: LinkedStack | undefined;

  constructor(journey: WalkSetup, { device, port, side, stack, chosen, hops, segments = [] }: WalkState) {
    this.#setup = journey;
    this.#device = device;
    this.#port = port;
    this.#side = side;
    this.#stack = stack;
    this.#chosen = chosen;
    this.#hops = hops;
    this.#segments = segments;
  }

  async run(): Promise<WalkResult> {
    const { memo, maxHops } = this.#setup;
    for (;;) {
      if (memo.hasSpentSteps) return this.#createEnd("TRUNCATED");
      const pause = memo.countStep();
      if (pause !== undefined) await pause;
      if (this.#side === "CABLE" && this.#hops.length > maxHops) return this.#createEnd("TRUNCATED");
      const ended = this.#side === "CABLE" ? await this.#followCable() : this.#crossDevice();
      if (ended !== undefined) return ended;
      if (this.#hasReturned()) return this.#createEnd("LOOP", createLoopProblem(this.#portRef));
    }
  }

  get #portRef(): PortRef {
    return createPortRef({ device: this.#device, port: this.#port });
  }

  #hasReturned(): boolean {
    const { start, startSide } = this.#setup;
    if (this.#side !== startSide || this.#port !== start.port) return false;
    return this.#stack === undefined || isSameStack(this.#stack, this.#chosen);
  }

  #createEnd(status: FibreEnd["status"], problem?: PathProblem): FibreEnd {
    const way = { device: this.#device, port: this.#port, hops: this.#hops, segments: this.#segments };
    return { status, ...way, stack: listStackPositions(this.#stack), ...(problem !== undefined && { problem }) };
  }

  /** Leaves the port by its cable. */
  async #followCable(): Promise<FibreEnd | undefined> {
    const far = await this.#setup.memo.loadCableEnd({ device: this.#device, port: this.#port });
    if (far.cable === undefined) {
      return this.#createEnd(this.#segments.some(({ cable }) => cable !== undefined) ? "OPEN" : "UNCONNECTED");
    }
    if (far.place === undefined) return this.#createEnd("OPEN");
    const { device, port } = far.place;
    this.#segments.push({ from: this.#portRef, to: createPortRef(far.place), cable: far.cable });
    this.#hops.push({ device, inPort: port.name, outPort: "" });
    this.#device = device;
    this.#port = port;
    this.#side = "INSIDE";
    return isPassivePort(port) ? undefined : this.#createEnd("COMPLETE");
  }

  /** Passes from the front to the rear of a device, or back. */
  #crossDevice(): WalkResult | undefined {
    const positions = this.#port.positions ?? 1;
    if (positions === 1) return this.#crossAtPosition(1, this.#stack);
    if (this.#stack === undefined) return this.#createSplit(positions);
    const { top, below } = this.#stack;
    if (top < 1 || top > positions)
      return this.#createEnd("OPEN", {
        code: "NO_POSITION",
        message: `Port "${formatPortReference(this.#portRef)}" has no position ${top}`,
        ref: formatPortReference(this.#portRef),
      });
    return this.#crossAtPosition(top, below);
  }

  /** Passes through the device at a position, with the positions that remain after it. */
  #crossAtPosition(position: number, rest: LinkedStack | undefined): FibreEnd | undefined {
    const from = this.#portRef;
    const next = this.#setup.memo.loadInsideConnections(this.#device).get(this.#port)?.get(position);
    if (next === undefined) return this.#createEnd("OPEN", createNoMappingProblem(from));
    this.#stack = rest;
    const last = this.#hops.at(-1);
    if (last !== undefined) this.#hops[this.#hops.length - 1] = { ...last, outPort: next.port.name };
    this.#port = next.port;
    this.#side = "CABLE";
    this.#segments.push({ from, to: this.#portRef });
    if ((next.port.positions ?? 1) > 1) this.#stack = { top: next.position, below: this.#stack };
    return undefined;
  }

  #createSplit(positions: number): FibreSplit {
    const [device, port, hops, segments] = [this.#device, this.#port, this.#hops, this.#segments];
    const follow = (position: number) => {
      this.#setup.memo.count(hops.length);
      const stack = createLinkedStack([position]);
      const chosen = createLinkedStack([...listStackPositions(this.#chosen), position]);
      const copy = { hops: [...hops], segments: [...segments] };
      return new FibreWalker(this.#setup, { device, port, side: "INSIDE", stack, chosen, ...copy }).run();
    };
    return { status: "PARTING", device, port, positions, hops, segments, followPosition: follow };
  }
}

/** Whether a port passes all signals on, from front to rear. */
export function isPassivePort({ kind }: Port): boolean {
  return kind === "FRONT" || kind === "REAR";
}

/** Lists the branches of a port at which fibres split: one for each connected position. */
export function listBranches(memo: TraceMemo, { device, port, positions }: FibreSplit): readonly Branch[] {
  const from = createPortRef({ device, port });
  const steps = memo.loadInsideConnections(device).get(port);
  return Array.from({ length: positions }, (_, index) => index + 1).flatMap((position) => {
    const next = steps?.get(position);
    return next === undefined ? [] : [{ from, to: { deviceCode: device.code, portName: next.port.name }, position }];
  });
}

export function createLoopProblem(at: PortRef): PathProblem {
  return { code: "LOOP", message: `The path returns to "${formatPortReference(at)}"`, ref: formatPortReference(at) };
}

export function createNoMappingProblem(at: PortRef): PathProblem {
  return {
    code: "NO_MAPPING",
    message: `Port "${formatPortReference(at)}" leads nowhere inside its device`,
    ref: formatPortReference(at),
  };
}
