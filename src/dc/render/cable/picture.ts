import type { CablePath, Hop, Segment } from "#dc/analysis/cable_path.ts";
import type { PortRef } from "#dc/model/resources.ts";

/** Traced paths from one port: one, or one per branch. */
export interface CablePicture {
  readonly start: PortRef;
  readonly paths: readonly CablePath[];
}

/** A device on the way, or several that are told in a count; `link` leads to it from the stop before. */
export interface Stop {
  readonly hops: readonly Hop[];
  /** Drawn on another lane already; here only to show where this one leaves. */
  readonly repeated: boolean;
  readonly link?: Segment;
}

/** One path as it is drawn. */
export interface Lane {
  readonly path: CablePath;
  readonly stops: readonly Stop[];
}

export interface FoldedPaths {
  readonly lanes: readonly Lane[];
  /** Paths that are not drawn. */
  readonly pathsLeft: number;
  /** Devices that are told in counts or stand on paths that are not drawn. */
  readonly omitted: number;
}

/** Devices of one path below which its middle cannot be folded. */
const LEAST = 3;

/**
 * Shortens long paths in their middle, and leaves paths out that no longer fit. A device that a path shares with the
 * path before, from the port asked for, is drawn once. Cost: O(hops).
 */
export function foldPaths({ paths }: CablePicture, maxNodes: number): FoldedPaths {
  const own = paths.map((path, index) => laneOf(path, paths[index - 1]));
  const total = own.reduce((sum, lane) => sum + newHops(lane), 0);
  if (total <= maxNodes) return { lanes: own, pathsLeft: 0, omitted: 0 };
  const most = Math.max(1, Math.floor(maxNodes / LEAST));
  const share = Math.max(1, Math.floor(maxNodes / Math.min(most, own.length)));
  const lanes = own.slice(0, most).map((lane) => shortened(lane, share));
  const shown = lanes.reduce(
    (sum, { stops }) => sum + stops.filter(({ hops, repeated }) => hops.length === 1 && !repeated).length,
    0,
  );
  return { lanes, pathsLeft: own.length - lanes.length, omitted: total - shown };
}

function newHops({ stops }: Lane): number {
  return stops.reduce((sum, { hops, repeated }) => sum + (repeated ? 0 : hops.length), 0);
}

function laneOf(path: CablePath, before: CablePath | undefined): Lane {
  const shared = before === undefined ? 0 : sharedHops(before, path);
  const links = path.segments.filter(({ cable, from, to }) => cable !== undefined || from.deviceCode !== to.deviceCode);
  const first = Math.max(0, shared - 1);
  const stops = path.hops.slice(first).map((hop, index): Stop => {
    const link = links[first + index - 1];
    return { hops: [hop], repeated: index === 0 && shared > 0, ...(index > 0 && link !== undefined && { link }) };
  });
  return { path, stops };
}

/** How many devices two paths have in common from their beginning; the last of them is where they part. */
function sharedHops(one: CablePath, other: CablePath): number {
  const length = Math.min(one.hops.length, other.hops.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.hops[index], other.hops[index]];
    if (a?.device.code !== b?.device.code || a?.inPort !== b?.inPort) return index;
    if (a?.outPort !== b?.outPort) return index + 1;
  }
  return length;
}

/** At most `share` stops, the repeated one not counted: both ends and the count of what is between. */
function shortened(lane: Lane, share: number): Lane {
  const kept = lane.stops.filter(({ repeated }) => repeated);
  const own = lane.stops.slice(kept.length);
  if (own.length <= share) return lane;
  const tail = share < LEAST ? 0 : Math.floor((share - 1) / 2);
  const head = share < LEAST ? 0 : share - 1 - tail;
  const middle = own.slice(head, own.length - tail);
  const [first] = middle;
  const group: Stop = {
    hops: middle.flatMap(({ hops }) => hops),
    repeated: false,
    ...(first?.link !== undefined && { link: first.link }),
  };
  return { ...lane, stops: [...kept, ...own.slice(0, head), group, ...own.slice(own.length - tail)] };
}
