import { portKey } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { type FibreEnd, type Stack, type Walked, walkFibre } from "./fibre_walk.ts";
import { endOf, type Place, type TraceMemo } from "./trace_site.ts";

/** The port that has the cable of an end port, and the positions in it that the end port uses; empty means all. */
export interface Connector {
  readonly place: Place;
  readonly channels: Stack;
}

/** One fibre of a connector, named by its positions, and its far end. */
export interface Fibre {
  readonly stack: Stack;
  readonly end: FibreEnd;
  /** The port that the fibre meets; absent if it ends elsewhere. */
  readonly met?: Met;
}

/** A far port as a fibre meets it. */
export interface Met {
  /** The port that has the cable. */
  readonly cabled: Place;
  /** The breakout channel that the fibre belongs to, else the cabled port. */
  readonly named: Place;
  /** Positions left: the named port uses more fibres than this one. */
  readonly rest: Stack;
}

/** Fibres of one trace. Ours: four connectors of 1,024 positions. */
const MAX_FIBRES = 4096;

/** The connector that a port uses: its own, or that of the physical port of a breakout channel. */
export async function connectorOf(memo: TraceMemo, start: Place): Promise<Connector | undefined> {
  let { port } = start;
  let channels: Stack = [];
  for (let depth = 0; depth <= 8; depth += 1) {
    const place = { device: start.device, port };
    if ((await memo.cableAt(endOf(place))) !== undefined) return { place, channels };
    const { channel, parentPort } = port;
    const parent = start.device.ports?.find(({ name }) => name === parentPort);
    if (parentPort === undefined || parent === undefined) return undefined;
    if (channel !== undefined) channels = [channel, ...channels];
    port = parent;
  }
  return undefined;
}

/** Names the channel of a port that a fibre belongs to, or undefined if the port is divided without that channel. */
export async function channelAt(memo: TraceMemo, place: Place, stack: Stack): Promise<Omit<Met, "cabled"> | undefined> {
  const [top, ...rest] = stack;
  if (top === undefined) return { named: place, rest: stack };
  const riders = await memo.riders(place);
  if (riders.length === 0) return { named: place, rest: stack };
  const port = riders.find(({ channel }) => channel === top);
  return port === undefined ? undefined : channelAt(memo, { device: place.device, port }, rest);
}

/** The path that all fibres of a connector share on leaving it, up to the point where they split or end. */
export function leave(memo: TraceMemo, { place, channels }: Connector, maxHops: number): Promise<Walked> {
  return walkFibre(memo, place, { side: "CABLE", stack: channels, maxHops });
}

/** All fibres of a connector, or those of one of its positions, in the order of positions. Cost: that of their walks. */
export async function fibresOf(memo: TraceMemo, { channels }: Connector, near: Walked): Promise<readonly Fibre[]> {
  const found: Fibre[] = [];
  for (const { stack, ends } of await fibreEnds([near], channels)) {
    for (const end of ends) found.push(await fibreOf(memo, stack, end));
  }
  return found;
}

/** A fibre by its positions, and its end on each side that was walked. */
interface FibreEnds {
  readonly stack: Stack;
  readonly ends: readonly FibreEnd[];
}

/**
 * Traces all fibres of a port, in the order of positions. Each side is traced from the point where the fibres split, so
 * that shared parts are traced once.
 *
 * @param positions number of positions of the port itself, if more than one
 */
export async function fibreEnds(
  sides: readonly Walked[],
  stack: Stack,
  positions?: number,
): Promise<readonly FibreEnds[]> {
  const found: FibreEnds[] = [];
  const waiting: { readonly stack: Stack; readonly reach: () => Promise<readonly Walked[]> }[] = [
    { stack, reach: async () => sides },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { stack } = next;
    const reached = await next.reach();
    const widths = reached.flatMap((side) => (side.status === "PARTING" ? [side.positions] : []));
    const isWhole = found.length === 0 && waiting.length === 0;
    const width = (isWhole ? positions : undefined) ?? Math.max(0, ...widths);
    if (width === 0 || found.length + waiting.length + width > MAX_FIBRES) {
      found.push({ stack, ends: reached.map(truncateSide) });
      continue;
    }
    for (let position = width; position >= 1; position -= 1) {
      const reach = () => Promise.all(reached.map((side) => deeper(side, position)));
      waiting.push({ stack: [...stack, position], reach });
    }
  }
  return found;
}

/** A side of a fibre of which one more position is known. */
async function deeper(side: Walked, position: number): Promise<Walked> {
  return side.status === "PARTING" ? side.follow(position) : { ...side, stack: [...side.stack, position] };
}

function truncateSide(side: Walked): FibreEnd {
  return side.status === "PARTING" ? { ...side, stack: [], status: "TRUNCATED" } : side;
}

/** Names the port that a fibre meets. A divided port without its channel is an open end. */
export async function fibreOf(memo: TraceMemo, stack: Stack, end: FibreEnd): Promise<Fibre> {
  if (end.status !== "COMPLETE") return { stack, end };
  const { device, port } = end;
  const cabled = { device, port };
  const named = await channelAt(memo, cabled, end.stack);
  if (named !== undefined) return { stack, end, met: { cabled, ...named } };
  return withoutChannel({ stack, end }, cabled, end.stack[0]);
}

/** A fibre that belongs to no channel of a divided port is open there. */
export function withoutChannel({ stack, end }: Fibre, { device, port }: Place, channel = stack[0]): Fibre {
  if (end.status !== "COMPLETE") return { stack, end };
  const ref = `port:${device.code}/${port.name}`;
  const message = `Port "${ref}" is divided and has no channel ${channel}`;
  return { stack, end: { ...end, status: "OPEN", problem: { code: "NO_CHANNEL", message, ref } } };
}

/** The one port that all fibres meet under one of their names, or undefined. */
export function onePort(fibres: readonly { readonly met?: Met }[], by: "named" | "cabled"): Place | undefined {
  const [first] = fibres;
  const place = first?.met?.[by];
  if (place === undefined) return undefined;
  const key = portKey(endOf(place));
  return fibres.every(({ met }) => met !== undefined && portKey(endOf(met[by])) === key) ? place : undefined;
}

export function samePlace(one: Place, other: Place): boolean {
  return portKey(endOf(one)) === portKey(endOf(other));
}

/** Orders fibres by their positions. */
export function compareStacks(a: Stack, b: Stack): number {
  for (const [index, position] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return a.length - b.length;
}

export function keyOf(end: PortRef | undefined): string {
  return end === undefined ? "" : portKey(end);
}
