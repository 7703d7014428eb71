import type { CablePath, PathHop, PathSegment } from "#dc/analysis/cabling/cable_path.ts";
import { codeKey } from "#dc/model/code.ts";
import type { PortRef } from "#dc/model/resources.ts";

/** The paths traced from one port: a single path, or one path for each branch. */
export interface CablePicture {
  readonly start: PortRef;
  readonly paths: readonly CablePath[];
}

/** A device on the path, or several devices shown as a count; `link` connects it to the previous stop. */
export interface Stop {
  readonly hops: readonly PathHop[];
  /** Whether another lane draws the device too; it is repeated to show where this lane branches off. */
  readonly isRepeated: boolean;
  readonly link?: PathSegment;
}

export interface Lane {
  readonly path: CablePath;
  readonly stops: readonly Stop[];
}

export interface CableCollapseOptions {
  readonly maxNodes: number;
  /** References of devices that are collapsed last. */
  readonly highlight: ReadonlySet<string>;
  /** Whether only the ends of every path are shown. */
  readonly isCompact: boolean;
}

export interface CollapsedPaths {
  readonly lanes: readonly Lane[];
  /** Number of paths that are not drawn. */
  readonly omittedPaths: number;
  /** Number of devices that are collapsed into counts or on omitted paths. */
  readonly omittedDevices: number;
}

/** Minimum number of devices drawn per path: both ends and a count. */
const MIN_STOPS_PER_PATH = 3;

/**
 * Collapses the middle of long paths, and omits paths that still exceed the limit. Devices that a path shares with the
 * previous one, from the traced port on, are drawn once. Cost: O(hops).
 */
export function collapsePaths(
  { paths }: CablePicture,
  { maxNodes, highlight, isCompact }: CableCollapseOptions,
): CollapsedPaths {
  const own = paths.map((path, index) => buildLane(path, paths[index - 1]));
  const total = own.reduce((sum, lane) => sum + countNewHops(lane), 0);
  if (total <= maxNodes && !isCompact) return { lanes: own, omittedPaths: 0, omittedDevices: 0 };
  const maxLanes = Math.max(1, Math.floor(maxNodes / MIN_STOPS_PER_PATH));
  const room = Math.max(1, Math.floor(maxNodes / Math.min(maxLanes, own.length)));
  const pinned = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const lanes = own
    .slice(0, maxLanes)
    .map((lane) => shortenLane(lane, isCompact ? Math.min(room, MIN_STOPS_PER_PATH) : room, pinned));
  const shown = lanes.reduce(
    (sum, { stops }) => sum + stops.filter(({ hops, isRepeated }) => hops.length === 1 && !isRepeated).length,
    0,
  );
  return { lanes, omittedPaths: own.length - lanes.length, omittedDevices: total - shown };
}

function countNewHops({ stops }: Lane): number {
  return stops.reduce((sum, { hops, isRepeated }) => sum + (isRepeated ? 0 : hops.length), 0);
}

function buildLane(path: CablePath, before: CablePath | undefined): Lane {
  const shared = before === undefined ? 0 : countSharedHops(before, path);
  const links = path.segments.filter(({ cable, from, to }) => cable !== undefined || from.deviceCode !== to.deviceCode);
  const first = Math.max(0, shared - 1);
  const stops = path.hops.slice(first).map((hop, index): Stop => {
    const link = links[first + index - 1];
    return { hops: [hop], isRepeated: index === 0 && shared > 0, ...(index > 0 && link !== undefined && { link }) };
  });
  return { path, stops };
}

/** Counts the devices that two paths share from their beginning; the last of them is where they branch. */
function countSharedHops(one: CablePath, other: CablePath): number {
  const length = Math.min(one.hops.length, other.hops.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.hops[index], other.hops[index]];
    if (a?.device.code !== b?.device.code || a?.inPort !== b?.inPort) return index;
    if (a?.outPort !== b?.outPort) return index + 1;
  }
  return length;
}

/** Collapses all but both ends and pinned stops into counts: at most `share` stops, not counting the repeated one. */
function shortenLane(lane: Lane, maxStops: number, pinned: ReadonlySet<string>): Lane {
  const repeated = lane.stops.filter((stop) => stop.isRepeated);
  const own = lane.stops.slice(repeated.length);
  if (own.length <= maxStops) return lane;
  const isPinned = ({ hops: [hop] }: Stop) => pinned.has(`device:${codeKey(hop?.device.code ?? "")}`);
  const pinnedCount = own.filter(isPinned).length;
  // Each pinned stop may split the collapsed middle into one more count.
  const ends = Math.max(0, maxStops - 1 - 2 * pinnedCount);
  const [head, tail] = [Math.ceil(ends / 2), Math.floor(ends / 2)];
  const isKept = (stop: Stop, place: number) =>
    place < head || place >= own.length - tail || (2 * pinnedCount + 1 <= maxStops && isPinned(stop));
  const stops: Stop[] = [...repeated];
  let between = false;
  for (const [place, stop] of own.entries()) {
    const last = stops.at(-1);
    const kept = isKept(stop, place);
    if (kept || !between || last === undefined) stops.push(stop);
    else stops[stops.length - 1] = { ...last, hops: [...last.hops, ...stop.hops] };
    between = !kept;
  }
  return { ...lane, stops };
}
