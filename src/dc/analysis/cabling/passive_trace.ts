import { comparePorts } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { type CablePath, finishPath, joinedWay, type PathProblem, worseStatus } from "./cable_path.ts";
import { compareStacks, type Fibre, fibreEnds, fibreOf, keyOf, onePort, samePlace } from "./connector.ts";
import { branchesAt, type FibreEnd, type Stack, type Walked, walkFibre } from "./fibre_walk.ts";
import type { TraceOptions } from "./trace_site.ts";
import { endOf, type Place, type TraceMemo } from "./trace_site.ts";

/** The questions about the ends of a path that are answered from there. */
export interface ByEnd {
  meetingOf(start: Place): Promise<Place | undefined>;
  answeringPort(start: Place): Promise<Place>;
  partingOf(start: Place): Promise<CablePath["branches"]>;
}

/** One fibre through a passive port, with both of its ends. */
interface Passing {
  readonly stack: Stack;
  readonly left: Fibre;
  readonly right: Fibre;
}

/**
 * Traces a port of a patch panel to both sides: inward on the left, along its cable on the right. Both sides of one fibre
 * have the same positions, so they are paired by position.
 */
export async function tracePassive(
  memo: TraceMemo,
  start: Place,
  options: TraceOptions,
  ends: ByEnd,
): Promise<readonly CablePath[]> {
  const { maxHops } = options;
  const left = await walkFibre(memo, start, { side: "INSIDE", stack: [], maxHops });
  const right = await walkFibre(memo, start, { side: "CABLE", stack: [], maxHops });
  const passing = await passingOf(memo, start, [left, right]);
  const [only] = passing;
  const origin = endOf(start);
  const hops = [{ device: start.device, inPort: "", outPort: start.port.name }];
  if (passing.every(({ left, right }) => !isCabled(left) && !isCabled(right))) {
    return [finishPath({ origin, status: "UNCONNECTED", hops, segments: [] })];
  }
  if (only?.right.end.status === "LOOP" && passing.length === 1) return [loopPath(origin, only.right.end)];
  const whole = await meetingPair(passing, ends);
  if (whole !== undefined) return [joinSides(origin, leastPassing(passing), whole)];
  if (options.followSplits) return eachPassing(origin, await Promise.all(passing.map((one) => asAnswered(one, ends))));
  if (only === undefined || passing.length > 1) return [pathToSplits(memo, origin, [left, right])];
  const ends2 = [only.left.met, only.right.met];
  if (ends2.includes(undefined)) return [joinSides(origin, only)];
  const branches = [];
  for (const met of ends2)
    if (met !== undefined && met.rest.length > 0) branches.push(...(await ends.partingOf(met.named)));
  return [{ ...withoutDestination(joinSides(origin, only)), status: "SPLIT", branches }];
}

/** All fibres through a port, from its two sides. */
async function passingOf(memo: TraceMemo, { port }: Place, sides: readonly Walked[]): Promise<readonly Passing[]> {
  const { positions = 1 } = port;
  const found: Passing[] = [];
  for (const { stack, ends } of await fibreEnds(sides, [], positions > 1 ? positions : undefined)) {
    const [left, right] = ends;
    if (left === undefined || right === undefined) throw new Error("A passive port has two sides");
    found.push({ stack, left: await fibreOf(memo, stack, left), right: await fibreOf(memo, stack, right) });
  }
  return found;
}

/** The path on both sides up to the points where its fibres split. */
function pathToSplits(memo: TraceMemo, origin: PortRef, sides: readonly [Walked, Walked]): CablePath {
  return finishPath({
    origin,
    status: "SPLIT",
    ...joinedWay(...sides),
    branches: sides.flatMap((side) => (side.status === "PARTING" ? branchesAt(memo, side) : [])),
    problems: sides.flatMap((side) => (side.status === "PARTING" ? [] : problemOf(side))),
  });
}

function isCabled({ end }: Fibre): boolean {
  return end.segments.some(({ cable }) => cable !== undefined);
}

function problemOf({ problem }: FibreEnd): readonly PathProblem[] {
  return problem === undefined ? [] : [problem];
}

/** The two ports that the fibres join, if these have no others. */
async function meetingPair(passing: readonly Passing[], ends: ByEnd): Promise<readonly [Place, Place] | undefined> {
  for (const by of ["named", "cabled"] as const) {
    const left = onePort(
      passing.map((one) => one.left),
      by,
    );
    const right = onePort(
      passing.map((one) => one.right),
      by,
    );
    if (left === undefined || right === undefined) continue;
    const met = await ends.meetingOf(left);
    if (met !== undefined && samePlace(met, right)) return [left, right];
  }
  return undefined;
}

/** One path for each fibre; those between the same two ends are one path. */
function eachPassing(origin: PortRef, passing: readonly Passing[]): readonly CablePath[] {
  const groups = Map.groupBy(passing, ({ left, right }) =>
    // A plug that loops a trunk back brings the same path in from the other side.
    [endKey(left), endKey(right)].toSorted().join(" | "),
  );
  return [...groups.values()].map((group) => joinSides(origin, leastPassing(group)));
}

/** A fibre with its ends named as the paths from there name them: a channel, or the whole port. */
async function asAnswered({ stack, left, right }: Passing, ends: ByEnd): Promise<Passing> {
  const named = async (fibre: Fibre, far: Fibre): Promise<Fibre> => {
    const { met } = fibre;
    if (met === undefined || samePlace(met.named, met.cabled) || (far.met?.rest.length ?? 0) === 0) return fibre;
    return { ...fibre, met: { ...met, named: await ends.answeringPort(met.named) } };
  };
  return { stack, left: await named(left, right), right: await named(right, left) };
}

function endKey({ end, met }: Fibre): string {
  return met === undefined ? `${end.status} ${keyOf(endOf(end))}` : keyOf(endOf(met.named));
}

/** The fibre that a path of several shows: the first at the lesser of its two ends, so that it is the same from either. */
function leastPassing(passing: readonly Passing[]): Passing {
  const [first] = passing;
  const isLeft = first === undefined || comparePorts(endOf(first.left.end), endOf(first.right.end)) <= 0;
  return leastFibre(
    passing.map((one) => ({ near: one.left.end.stack, far: one.right.end.stack, ...one })),
    isLeft,
  );
}

/** The fibre with the lowest positions at the near or the far end. */
export function leastFibre<One extends { readonly near: Stack; readonly far: Stack }>(
  fibres: readonly One[],
  byNear: boolean,
): One {
  const sorted = fibres.toSorted((a, b) => (byNear ? compareStacks(a.near, b.near) : compareStacks(a.far, b.far)));
  const [least] = sorted;
  if (least === undefined) throw new Error("A path needs a fibre");
  return least;
}

function joinSides(start: PortRef, { left, right }: Passing, ends?: readonly [Place, Place]): CablePath {
  const [near, far] = [ends?.[0] ?? left.met?.named, ends?.[1] ?? right.met?.named];
  const way = joinedWay(left.end, right.end);
  const last = way.hops.length - 1;
  const hops = way.hops.map((hop, index) => ({
    ...hop,
    ...(index === 0 && last > 0 && near !== undefined && hop.inPort === "" && { outPort: near.port.name }),
    ...(index === last && last > 0 && far !== undefined && hop.outPort === "" && { inPort: far.port.name }),
  }));
  return finishPath({
    // If the left half is open, it has no far end, and the path begins at the traced port.
    origin: near === undefined ? start : endOf(near),
    ...(far !== undefined && { destination: endOf(far) }),
    status: worseStatus(left.end.status, right.end.status),
    hops,
    segments: way.segments,
    problems: [...problemOf(left.end), ...problemOf(right.end)],
  });
}

function loopPath(origin: PortRef, end: FibreEnd): CablePath {
  const { hops, segments } = end;
  return finishPath({ origin, status: "LOOP", hops, segments, problems: problemOf(end) });
}

function withoutDestination({ destination: _, ...path }: CablePath): CablePath {
  return path;
}
