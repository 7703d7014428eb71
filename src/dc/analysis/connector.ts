import { portKey } from "#dc/model/ref.ts";
import type { Port, PortRef } from "#dc/model/resources.ts";
import { type FibreEnd, type Stack, walkFibre } from "./fibre_walk.ts";
import { endOf, type Place, type TraceMemo } from "./trace_site.ts";

/** The port that holds the cable of an end port, and the positions in it that the end port uses; none means all. */
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
  /** The port that holds the cable. */
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

/** The breakout channels of a port that have no cable. */
async function ridersOf(memo: TraceMemo, { device, port }: Place): Promise<readonly Port[]> {
  const found: Port[] = [];
  for (const child of device.ports ?? []) {
    if (child.parentPort !== port.name || child.channel === undefined) continue;
    if ((await memo.cableAt(endOf({ device, port: child }))) === undefined) found.push(child);
  }
  return found;
}

/** Names the channel of a port that a fibre belongs to, or undefined if the port is divided without that channel. */
export async function channelAt(memo: TraceMemo, place: Place, stack: Stack): Promise<Omit<Met, "cabled"> | undefined> {
  const [top, ...rest] = stack;
  if (top === undefined) return { named: place, rest: stack };
  const riders = await ridersOf(memo, place);
  if (riders.length === 0) return { named: place, rest: stack };
  const port = riders.find(({ channel }) => channel === top);
  return port === undefined ? undefined : channelAt(memo, { device: place.device, port }, rest);
}

/** All fibres of a connector, or those of one of its positions, in the order of positions. Cost: that of their walks. */
export async function fibresOf(
  memo: TraceMemo,
  { place, channels }: Connector,
  maxHops: number,
): Promise<readonly Fibre[]> {
  const found: Fibre[] = [];
  const waiting: Stack[] = [channels];
  for (let stack = waiting.pop(); stack !== undefined; stack = waiting.pop()) {
    const walked = await walkFibre(memo, place, { side: "CABLE", stack, maxHops });
    if (walked.status !== "PARTING") found.push(await fibreOf(memo, stack, walked));
    else if (found.length + waiting.length + walked.positions <= MAX_FIBRES) {
      waiting.push(...deeper(stack, walked.positions).toReversed());
    } else found.push({ stack, end: { ...walked, stack, status: "TRUNCATED" } });
  }
  return found;
}

/** The stack with each of the positions of the connector in which its fibre parts. */
export function deeper(stack: Stack, positions: number): readonly Stack[] {
  return Array.from({ length: positions }, (_, index) => [...stack, index + 1]);
}

/** Names what a fibre meets; a divided port without its channel is an open end. */
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

/** The one port that all fibres meet under one of their names, if there is one. */
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

/** The text of an end of a path, for telling ends apart. */
export function keyOf(end: PortRef | undefined): string {
  return end === undefined ? "" : portKey(end);
}
