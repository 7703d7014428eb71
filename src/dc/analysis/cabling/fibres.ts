import type { PathStatus } from "#dc/model/enum_values.ts";
import { formatPortReference, toPortKey } from "#dc/model/ref.ts";
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

/** The port with the cable of an end port, and the positions that the end port uses in it; empty means all. */
export interface Connector {
  readonly place: DevicePort;
  readonly channels: PositionStack;
}

/** One fibre of a connector, identified by its positions, and its far end. */
export interface Fibre {
  readonly stack: PositionStack;
  readonly end: FibreEnd;
  /** Port at the far end; absent if the fibre ends elsewhere. */
  readonly met?: FarPort;
}

/** The port at the far end of a fibre. */
export interface FarPort {
  /** The port that has the cable. */
  readonly cabled: DevicePort;
  /** Breakout channel that the fibre belongs to; otherwise the cabled port. */
  readonly named: DevicePort;
  /** Remaining positions, if the named port uses more fibres than the traced port. */
  readonly remainingStack: PositionStack;
}

/** Maximum number of fibres of one trace. Our choice: four connectors of 1,024 positions. */
const MAX_FIBRES = 4096;

/** Returns the connector that a port uses: its own, or that of the physical port of a breakout channel. */
export async function findConnector(memo: TraceMemo, start: DevicePort): Promise<Connector | undefined> {
  let { port } = start;
  let channels: PositionStack = [];
  for (let depth = 0; depth <= 8; depth += 1) {
    const place = { device: start.device, port };
    if ((await memo.loadCable(createPortRef(place))) !== undefined) return { place, channels };
    const { channel, parentPort } = port;
    const parent = start.device.ports?.find(({ name }) => name === parentPort);
    if (parentPort === undefined || parent === undefined) return undefined;
    if (channel !== undefined) channels = [channel, ...channels];
    port = parent;
  }
  return undefined;
}

/** Returns the channel of a port that a fibre belongs to; undefined if the port is divided and has no such channel. */
export async function findChannel(
  memo: TraceMemo,
  place: DevicePort,
  stack: PositionStack,
): Promise<Omit<FarPort, "cabled"> | undefined> {
  const [top, ...rest] = stack;
  if (top === undefined) return { named: place, remainingStack: stack };
  const riders = await memo.loadUncabledChannels(place);
  if (riders.length === 0) return { named: place, remainingStack: stack };
  const port = riders.find(({ channel }) => channel === top);
  return port === undefined ? undefined : findChannel(memo, { device: place.device, port }, rest);
}

/** Walks along the path that all fibres of a connector share, up to the point where they split or end. */
export function walkFromConnector(
  memo: TraceMemo,
  { place, channels }: Connector,
  maxHops: number,
): Promise<WalkResult> {
  return walkFibre(memo, place, { side: "CABLE", stack: channels, maxHops });
}

/** Returns the fibres at a connector's positions, sorted by position. Cost: that of walking the fibres. */
export async function traceFibres(
  memo: TraceMemo,
  { channels }: Connector,
  near: WalkResult,
): Promise<readonly Fibre[]> {
  const found: Fibre[] = [];
  for (const { stack, ends } of await traceFibreEnds([near], channels)) {
    for (const end of ends) found.push(await nameFarPort(memo, stack, end));
  }
  return found;
}

/** A fibre by its positions, and its end on each side that was walked. */
interface FibreEnds {
  readonly stack: PositionStack;
  readonly ends: readonly FibreEnd[];
}

/**
 * Traces all fibres of a port, sorted by position. Each side is traced from the point where the fibres split, so that
 * shared parts are traced once.
 *
 * @param positions number of positions of the port itself, if more than one
 */
export async function traceFibreEnds(
  sides: readonly WalkResult[],
  stack: PositionStack,
  positions?: number,
): Promise<readonly FibreEnds[]> {
  const found: FibreEnds[] = [];
  const openFibres: { readonly stack: PositionStack; readonly reach: () => Promise<readonly WalkResult[]> }[] = [
    { stack, reach: async () => sides },
  ];
  for (let next = openFibres.pop(); next !== undefined; next = openFibres.pop()) {
    const { stack } = next;
    const reached = await next.reach();
    const widths = reached.flatMap((side) => (side.status === "PARTING" ? [side.positions] : []));
    const isWhole = found.length === 0 && openFibres.length === 0;
    const width = (isWhole ? positions : undefined) ?? Math.max(0, ...widths);
    if (width === 0 || found.length + openFibres.length + width > MAX_FIBRES) {
      found.push({ stack, ends: reached.map(truncateSide) });
      continue;
    }
    for (let position = width; position >= 1; position -= 1) {
      const reach = () => Promise.all(reached.map((side) => continueWalk(side, position)));
      openFibres.push({ stack: [...stack, position], reach });
    }
  }
  return found;
}

/** Continues the walk on one side of a fibre with one more known position. */
async function continueWalk(side: WalkResult, position: number): Promise<WalkResult> {
  return side.status === "PARTING" ? side.followPosition(position) : { ...side, stack: [...side.stack, position] };
}

function truncateSide(side: WalkResult): FibreEnd {
  return side.status === "PARTING" ? { ...side, stack: [], status: "TRUNCATED" } : side;
}

/** Names the port at the far end of a fibre. A divided port without a matching channel is an open end. */
export async function nameFarPort(memo: TraceMemo, stack: PositionStack, end: FibreEnd): Promise<Fibre> {
  if (end.status !== "COMPLETE") return { stack, end };
  const { device, port } = end;
  const cabled = { device, port };
  const named = await findChannel(memo, cabled, end.stack);
  if (named !== undefined) return { stack, end, met: { cabled, ...named } };
  return createOpenFibre({ stack, end }, cabled, end.stack[0]);
}

/** Returns the fibre with an open end, because it belongs to no channel of a divided port. */
export function createOpenFibre({ stack, end }: Fibre, { device, port }: DevicePort, channel = stack[0]): Fibre {
  if (end.status !== "COMPLETE") return { stack, end };
  const ref = `port:${device.code}/${port.name}`;
  const message = `Port "${ref}" is divided and has no channel ${channel}`;
  return { stack, end: { ...end, status: "OPEN", problem: { code: "NO_CHANNEL", message, ref } } };
}

/** Returns the port to which all fibres lead under one of its two names; undefined if they lead to several ports. */
export function findCommonPort(
  fibres: readonly { readonly met?: FarPort }[],
  by: "named" | "cabled",
): DevicePort | undefined {
  const [first] = fibres;
  const place = first?.met?.[by];
  if (place === undefined) return undefined;
  const key = toPortKey(createPortRef(place));
  return fibres.every(({ met }) => met !== undefined && toPortKey(createPortRef(met[by])) === key) ? place : undefined;
}

export function isSameDevicePort(one: DevicePort, other: DevicePort): boolean {
  return toPortKey(createPortRef(one)) === toPortKey(createPortRef(other));
}

/** Compares fibres by their positions, outermost connector first. */
export function compareStacks(a: PositionStack, b: PositionStack): number {
  for (const [index, position] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return a.length - b.length;
}

/** Formats the far port of a fibre, or the status and position of its open end. */
export function formatFibreEndKey({ end, met }: Fibre): string {
  return met === undefined ? `${end.status} ${toPortKey(createPortRef(end))}` : toPortKey(createPortRef(met.named));
}

/** Lists the channels of a port to which a cable is recorded. */
export async function listCabledChannels(
  memo: TraceMemo,
  { device, port }: DevicePort,
): Promise<readonly DevicePort[]> {
  const legs: DevicePort[] = [];
  for (const child of device.ports ?? []) {
    const leg = { device, port: child };
    const isLeg = child.parentPort === port.name && child.channel !== undefined;
    if (isLeg && (await memo.loadCable(createPortRef(leg))) !== undefined) legs.push(leg);
  }
  return legs;
}

/** Returns the port that a cabled channel belongs to; other ports are whole. */
export function findWholePort(place: DevicePort): DevicePort {
  const { device, port } = place;
  const parent = port.channel === undefined ? undefined : device.ports?.find(({ name }) => name === port.parentPort);
  return parent === undefined ? place : { device, port: parent };
}

/** As `findCommonPort`, for the ports as a whole: the channels of one port count as that port. */
export function findCommonWholePort(fibres: readonly Fibre[]): DevicePort | undefined {
  const whole = fibres.map(({ met }) => ({
    ...(met !== undefined && { met: { ...met, named: findWholePort(met.cabled) } }),
  }));
  return findCommonPort(whole, "named");
}

/** Returns positions with those of the channel that a port is, if any, before them. */
export function prefixChannel(place: DevicePort | undefined, stack: PositionStack): PositionStack {
  const channel = place?.port.channel;
  return channel === undefined ? stack : [channel, ...stack];
}
