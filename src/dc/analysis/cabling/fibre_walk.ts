import type { PathStatus } from "#dc/model/enum_values.ts";
import { portRef } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { Branch } from "#gen/datacenter/v1/messages.ts";
import type { Hop, PathProblem, Segment } from "./cable_path.ts";
import { endOf, type Place, type TraceMemo } from "./trace_site.ts";

/**
 * Positions of one fibre, outermost connector first: the position in the current connector, then the position in each
 * connector that it carries. An empty stack is a whole connector.
 */
export type Stack = readonly number[];

interface Way {
  readonly hops: readonly Hop[];
  readonly segments: readonly Segment[];
}

export interface FibreEnd extends Way, Place {
  readonly status: Exclude<PathStatus, "SPLIT">;
  /** Remaining positions at the end: the fibre's position in the far port's connector. */
  readonly stack: Stack;
  readonly problem?: PathProblem;
}

/** A port at which the fibres of a connector part, as many as it has positions. */
export interface Parting extends Way, Place {
  readonly status: "PARTING";
  readonly positions: number;
  /** Follows the fibre of one of the positions from here. */
  follow(position: number): Promise<Walked>;
}

export type Walked = FibreEnd | Parting;

export interface WalkStart {
  /** About to leave by the cable of the port, or to pass through its device. */
  readonly side: "CABLE" | "INSIDE";
  readonly stack: Stack;
  readonly maxHops: number;
}

/**
 * Follows one fibre from a port until it ends, returns to its initial state, or needs a position that the stack does
 * not have. Cables and mappings connect one to one, so the first state that recurs is the initial one. A fibre that
 * returns with all positions used up repeats for every choice of further positions, so it is a loop too. Cost: two
 * reads per hop that the trace has not visited before.
 */
export function walkFibre(memo: TraceMemo, start: Place, { side, stack, maxHops }: WalkStart): Promise<Walked> {
  const hops = [{ device: start.device, inPort: "", outPort: side === "CABLE" ? start.port.name : "" }];
  const chosen = nestStack(stack);
  return new Walk({ memo, start, startSide: side, maxHops }, { ...start, side, stack: chosen, chosen, hops }).run();
}

/** A stack of positions that shares its lower part. */
interface Nested {
  readonly top: number;
  readonly below: Nested | undefined;
}

function nestStack(stack: Stack): Nested | undefined {
  return stack.reduceRight<Nested | undefined>((below, top) => ({ top, below }), undefined);
}

function listStack(stack: Nested | undefined): Stack {
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
  readonly start: Place;
  readonly startSide: WalkStart["side"];
  readonly maxHops: number;
}

interface Spot extends Place {
  readonly side: WalkStart["side"];
  readonly stack: Nested | undefined;
  /** All positions that were chosen for this fibre. */
  readonly chosen: Nested | undefined;
  readonly hops: Hop[];
  readonly segments?: Segment[];
}

class Walk {
  readonly #journey: Journey;
  readonly #chosen: Nested | undefined;
  readonly #hops: Hop[];
  readonly #segments: Segment[];
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

  async run(): Promise<Walked> {
    const { memo, maxHops } = this.#journey;
    for (;;) {
      if (memo.isSpent) return this.#end("TRUNCATED");
      const pause = memo.step();
      if (pause !== undefined) await pause;
      if (this.#side === "CABLE" && this.#hops.length > maxHops) return this.#end("TRUNCATED");
      const ended = this.#side === "CABLE" ? await this.#leave() : this.#pass();
      if (ended !== undefined) return ended;
      if (this.#isBack()) return this.#end("LOOP", loop(this.#at));
    }
  }

  get #at(): PortRef {
    return endOf({ device: this.#device, port: this.#port });
  }

  #isBack(): boolean {
    const { start, startSide } = this.#journey;
    if (this.#side !== startSide || this.#port !== start.port) return false;
    return this.#stack === undefined || isSameStack(this.#stack, this.#chosen);
  }

  #end(status: FibreEnd["status"], problem?: PathProblem): FibreEnd {
    const way = { device: this.#device, port: this.#port, hops: this.#hops, segments: this.#segments };
    return { status, ...way, stack: listStack(this.#stack), ...(problem !== undefined && { problem }) };
  }

  /** Leaves by the cable of the port. */
  async #leave(): Promise<FibreEnd | undefined> {
    const { memo } = this.#journey;
    const from = { device: this.#device, port: this.#port };
    const far = memo.knownFar(from) ?? (await memo.far(from));
    if (far.cable === undefined) {
      return this.#end(this.#segments.some(({ cable }) => cable !== undefined) ? "OPEN" : "UNCONNECTED");
    }
    if (far.place === undefined) return this.#end("OPEN");
    const { device, port } = far.place;
    this.#segments.push({ from: this.#at, to: endOf(far.place), cable: far.cable });
    this.#hops.push({ device, inPort: port.name, outPort: "" });
    this.#device = device;
    this.#port = port;
    this.#side = "INSIDE";
    return isPassive(port) ? undefined : this.#end("COMPLETE");
  }

  /** Passes from the front to the rear of a device, or back. */
  #pass(): Walked | undefined {
    const positions = this.#port.positions ?? 1;
    if (positions === 1) return this.#through(1);
    if (this.#stack === undefined) return this.#parting(positions);
    const { top, below } = this.#stack;
    if (top < 1 || top > positions) return this.#end("OPEN", noPosition(this.#at, top));
    return this.#through(top, () => {
      this.#stack = below;
    });
  }

  /** Passes at a position. */
  #through(position: number, taken?: () => void): FibreEnd | undefined {
    const from = this.#at;
    const next = this.#journey.memo.inside(this.#device).get(this.#port)?.get(position);
    if (next === undefined) return this.#end("OPEN", noMapping(from));
    taken?.();
    const last = this.#hops.at(-1);
    if (last !== undefined) this.#hops[this.#hops.length - 1] = { ...last, outPort: next.port.name };
    this.#port = next.port;
    this.#side = "CABLE";
    this.#segments.push({ from, to: this.#at });
    if ((next.port.positions ?? 1) > 1) this.#stack = { top: next.position, below: this.#stack };
    return undefined;
  }

  #parting(positions: number): Parting {
    const [device, port, hops, segments] = [this.#device, this.#port, this.#hops, this.#segments];
    const follow = (position: number) => {
      this.#journey.memo.count(hops.length);
      const stack = nestStack([position]);
      const chosen = nestStack([...listStack(this.#chosen), position]);
      const copy = { hops: [...hops], segments: [...segments] };
      return new Walk(this.#journey, { device, port, side: "INSIDE", stack, chosen, ...copy }).run();
    };
    return { status: "PARTING", device, port, positions, hops, segments, follow };
  }
}

/** Whether a port passes on all that it gets, from front to rear. */
export function isPassive({ kind }: Port): boolean {
  return kind === "FRONT" || kind === "REAR";
}

/** The ways from a port at which fibres part: one for each position that leads on. */
export function branchesAt(memo: TraceMemo, { device, port, positions }: Parting): readonly Branch[] {
  const from = endOf({ device, port });
  const steps = memo.inside(device).get(port);
  return Array.from({ length: positions }, (_, index) => index + 1).flatMap((position) => {
    const next = steps?.get(position);
    return next === undefined ? [] : [{ from, to: { deviceCode: device.code, portName: next.port.name }, position }];
  });
}

export function loop(at: PortRef): PathProblem {
  return { code: "LOOP", message: `The path returns to "${portRef(at)}"`, ref: portRef(at) };
}

export function noMapping(at: PortRef): PathProblem {
  return { code: "NO_MAPPING", message: `Port "${portRef(at)}" leads nowhere inside its device`, ref: portRef(at) };
}

function noPosition(at: PortRef, position: number): PathProblem {
  return { code: "NO_POSITION", message: `Port "${portRef(at)}" has no position ${position}`, ref: portRef(at) };
}
