import type { PathStatus } from "#dc/model/enum_values.ts";
import { portKey, portRef, samePort } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { Branch, Hop, PathProblem, Segment } from "./cable_path.ts";
import { endOf, type Place, type TraceMemo } from "./trace_site.ts";

/**
 * Positions of one fibre, outermost connector first: the position in the current connector, then the position in each
 * connector that it carries. An empty stack is a whole connector.
 */
export type Stack = readonly number[];

/** Where a fibre is: at a port, about to leave by its cable or to pass through its device. */
interface Spot extends Place {
  readonly side: "CABLE" | "INSIDE";
  readonly stack: Stack;
}

interface Way {
  readonly hops: readonly Hop[];
  readonly segments: readonly Segment[];
}

/** The end of one fibre. */
export interface FibreEnd extends Way, Place {
  readonly status: Exclude<PathStatus, "SPLIT">;
  /** Positions left at the end: the fibre's place in the far port's connector. */
  readonly stack: Stack;
  readonly problem?: PathProblem;
}

/** A port at which the fibres of a connector part, as many as it has positions. */
export interface Parting extends Way, Place {
  readonly status: "PARTING";
  readonly positions: number;
}

export interface WalkStart {
  readonly side: Spot["side"];
  readonly stack: Stack;
  readonly maxHops: number;
}

/**
 * Follows one fibre from a port until it ends, comes back to a state that it had, or needs a position that the stack does
 * not hold. Cost: two look-ups per hop.
 */
export async function walkFibre(
  memo: TraceMemo,
  start: Place,
  { side, stack, maxHops }: WalkStart,
): Promise<FibreEnd | Parting> {
  const seen = new Set<string>();
  const walk = new Walk(memo, start, { side, stack });
  for (;;) {
    const { spot } = walk;
    const key = `${spot.side} ${portKey(endOf(spot))} ${spot.stack.join(".")}`;
    if (seen.has(key)) return walk.end("LOOP", loop(endOf(spot)));
    seen.add(key);
    if (spot.side === "CABLE" && walk.hops.length > maxHops) return walk.end("TRUNCATED");
    const ended = spot.side === "CABLE" ? await walk.leave() : walk.pass();
    if (ended !== undefined) return ended;
  }
}

class Walk {
  spot: Spot;
  hops: readonly Hop[];
  #segments: readonly Segment[] = [];
  readonly #memo: TraceMemo;

  constructor(memo: TraceMemo, { device, port }: Place, { side, stack }: Pick<Spot, "side" | "stack">) {
    this.#memo = memo;
    this.spot = { device, port, side, stack };
    this.hops = [{ device, inPort: "", outPort: side === "CABLE" ? port.name : "" }];
  }

  end(status: FibreEnd["status"], problem?: PathProblem): FibreEnd {
    const { device, port, stack } = this.spot;
    const segments = this.#segments;
    const { hops } = this;
    return { status, device, port, stack, hops, segments, ...(problem !== undefined && { problem }) };
  }

  /** Leaves by the cable of the port. */
  async leave(): Promise<FibreEnd | undefined> {
    const from = endOf(this.spot);
    const cable = await this.#memo.cableAt(from);
    const cabled = this.#segments.some((segment) => segment.cable !== undefined);
    if (cable === undefined) return this.end(cabled ? "OPEN" : "UNCONNECTED");
    const to = samePort(cable.a, from) ? cable.b : cable.a;
    const place = await this.#memo.place(to);
    if (place === undefined) return this.end("OPEN");
    this.#segments = [...this.#segments, { from, to: endOf(place), cable }];
    this.hops = [...this.hops, { device: place.device, inPort: place.port.name, outPort: "" }];
    this.spot = { ...place, side: "INSIDE", stack: this.spot.stack };
    return isPassive(place.port) ? undefined : this.end("COMPLETE");
  }

  /** Passes from the front to the rear of a device, or back. */
  pass(): FibreEnd | Parting | undefined {
    const { device, port, stack } = this.spot;
    const positions = port.positions ?? 1;
    const [top, ...rest] = stack;
    if (positions > 1 && top === undefined) {
      return { status: "PARTING", device, port, positions, hops: this.hops, segments: this.#segments };
    }
    const position = positions > 1 ? (top ?? 1) : 1;
    const from = endOf(this.spot);
    if (position < 1 || position > positions) return this.end("OPEN", noPosition(from, position));
    const next = nextStep(device, port, position);
    if (next === undefined) return this.end("OPEN", noMapping(from));
    const left = positions > 1 ? rest : stack;
    const to = { deviceCode: device.code, portName: next.port.name };
    const last = this.hops.at(-1);
    if (last !== undefined) this.hops = [...this.hops.slice(0, -1), { ...last, outPort: next.port.name }];
    this.#segments = [...this.#segments, { from, to }];
    const onward = (next.port.positions ?? 1) > 1 ? [next.position, ...left] : left;
    this.spot = { device, port: next.port, side: "CABLE", stack: onward };
    return undefined;
  }
}

/** Whether a port passes on all that it gets, from front to rear. */
export function isPassive({ kind }: Port): boolean {
  return kind === "FRONT" || kind === "REAR";
}

/** The port and position on the other side of a device that a position of one of its passive ports leads to. */
function nextStep(
  { ports = [] }: Device,
  port: Port,
  position: number,
): { readonly port: Port; readonly position: number } | undefined {
  if (port.kind === "FRONT") {
    const mapping = port.mappings?.find(({ frontPosition }) => frontPosition === position);
    const rear = ports.find(({ name, kind }) => name === mapping?.rearPort && kind === "REAR");
    return mapping === undefined || rear === undefined ? undefined : { port: rear, position: mapping.rearPosition };
  }
  for (const front of ports) {
    const mapping = front.mappings?.find(
      ({ rearPort, rearPosition }) => rearPort === port.name && rearPosition === position,
    );
    if (mapping !== undefined) return { port: front, position: mapping.frontPosition };
  }
  return undefined;
}

/** The ways from a port at which fibres part: one for each position that leads on. */
export function branchesAt({ device, port, positions }: Parting): readonly Branch[] {
  const from = endOf({ device, port });
  return Array.from({ length: positions }, (_, index) => index + 1).flatMap((position) => {
    const next = nextStep(device, port, position);
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
