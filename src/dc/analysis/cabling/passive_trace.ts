import { comparePortRefs } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { type CablePath, combineHalfStatuses, completeCablePath, joinPaths, type PathProblem } from "./cable_path.ts";
import {
  compareStacks,
  type Fibre,
  findCommonPort,
  formatFibreEndKey,
  isSameDevicePort,
  nameFarPort,
  traceFibreEnds,
} from "./connector.ts";
import { type FibreEnd, listBranches, type PositionStack, type WalkResult, walkFibre } from "./fibre_walk.ts";
import type { TraceOptions } from "./trace_site.ts";
import { createPortRef, type DevicePort, type TraceMemo } from "./trace_site.ts";

/** Queries about ports at which paths end, for the trace of a passive port. */
export interface EndPortQueries {
  findExclusiveFarPort(start: DevicePort): Promise<DevicePort | undefined>;
  findReportedPort(start: DevicePort): Promise<DevicePort>;
  listSplitBranches(start: DevicePort): Promise<CablePath["branches"]>;
}

/** One fibre through a passive port, with both of its ends. */
interface PassingFibre {
  readonly stack: PositionStack;
  readonly left: Fibre;
  readonly right: Fibre;
}

/**
 * Traces a port of a patch panel to both sides: through the device on the left, along its cable on the right. Both
 * sides of one fibre have the same positions, so they are paired by position.
 */
export async function tracePassivePort(
  memo: TraceMemo,
  start: DevicePort,
  options: TraceOptions,
  ends: EndPortQueries,
): Promise<readonly CablePath[]> {
  const { maxHops } = options;
  const left = await walkFibre(memo, start, { side: "INSIDE", stack: [], maxHops });
  const right = await walkFibre(memo, start, { side: "CABLE", stack: [], maxHops });
  const passing = await pairPassingFibres(memo, start, [left, right]);
  const [only] = passing;
  const origin = createPortRef(start);
  const hops = [{ device: start.device, inPort: "", outPort: start.port.name }];
  if (passing.every(({ left, right }) => !hasCabledSegment(left) && !hasCabledSegment(right))) {
    return [completeCablePath({ origin, status: "UNCONNECTED", hops, segments: [] })];
  }
  if (only?.right.end.status === "LOOP" && passing.length === 1) return [createLoopPath(origin, only.right.end)];
  const whole = await findPortPair(passing, ends);
  if (whole !== undefined) return [joinPassingSides(origin, selectPassingFibre(passing), whole)];
  if (options.followSplits)
    return createPassingPaths(origin, await Promise.all(passing.map((one) => namePassingEnds(one, ends))));
  if (only === undefined || passing.length > 1) return [createPathToSplits(memo, origin, [left, right])];
  const farPorts = [only.left.met, only.right.met];
  if (farPorts.includes(undefined)) return [joinPassingSides(origin, only)];
  const branches = [];
  for (const met of farPorts)
    if (met !== undefined && met.remainingStack.length > 0) branches.push(...(await ends.listSplitBranches(met.named)));
  return [{ ...removeDestination(joinPassingSides(origin, only)), status: "SPLIT", branches }];
}

/** Pairs all fibres through a port from its two sides. */
async function pairPassingFibres(
  memo: TraceMemo,
  { port }: DevicePort,
  sides: readonly WalkResult[],
): Promise<readonly PassingFibre[]> {
  const { positions = 1 } = port;
  const found: PassingFibre[] = [];
  for (const { stack, ends } of await traceFibreEnds(sides, [], positions > 1 ? positions : undefined)) {
    const [left, right] = ends;
    if (left === undefined || right === undefined) throw new Error("A passive port has two sides");
    found.push({ stack, left: await nameFarPort(memo, stack, left), right: await nameFarPort(memo, stack, right) });
  }
  return found;
}

/** Returns the path on both sides of a port up to the points where the port's fibres split. */
function createPathToSplits(memo: TraceMemo, origin: PortRef, sides: readonly [WalkResult, WalkResult]): CablePath {
  return completeCablePath({
    origin,
    status: "SPLIT",
    ...joinPaths(...sides),
    branches: sides.flatMap((side) => (side.status === "PARTING" ? listBranches(memo, side) : [])),
    problems: sides.flatMap((side) => (side.status === "PARTING" ? [] : listFibreEndProblems(side))),
  });
}

function hasCabledSegment({ end }: Fibre): boolean {
  return end.segments.some(({ cable }) => cable !== undefined);
}

function listFibreEndProblems({ problem }: FibreEnd): readonly PathProblem[] {
  return problem === undefined ? [] : [problem];
}

/** Returns the two ports that the fibres connect, if these ports have no other fibres. */
async function findPortPair(
  passing: readonly PassingFibre[],
  ends: EndPortQueries,
): Promise<readonly [DevicePort, DevicePort] | undefined> {
  for (const by of ["named", "cabled"] as const) {
    const left = findCommonPort(
      passing.map((one) => one.left),
      by,
    );
    const right = findCommonPort(
      passing.map((one) => one.right),
      by,
    );
    if (left === undefined || right === undefined) continue;
    const met = await ends.findExclusiveFarPort(left);
    if (met !== undefined && isSameDevicePort(met, right)) return [left, right];
  }
  return undefined;
}

/** Returns one path for each fibre; fibres between the same two ends share one path. */
function createPassingPaths(origin: PortRef, passing: readonly PassingFibre[]): readonly CablePath[] {
  const groups = Map.groupBy(passing, ({ left, right }) =>
    // A cable that loops a trunk back gives the same path with its ends swapped.
    [formatFibreEndKey(left), formatFibreEndKey(right)].toSorted().join(" | "),
  );
  return [...groups.values()].map((group) => joinPassingSides(origin, selectPassingFibre(group)));
}

/** Returns a fibre whose far ports have the names of the paths from these ports: a channel, or the whole port. */
async function namePassingEnds({ stack, left, right }: PassingFibre, ends: EndPortQueries): Promise<PassingFibre> {
  const nameEnd = async (fibre: Fibre, far: Fibre): Promise<Fibre> => {
    const { met } = fibre;
    if (met === undefined || isSameDevicePort(met.named, met.cabled) || (far.met?.remainingStack.length ?? 0) === 0)
      return fibre;
    return { ...fibre, met: { ...met, named: await ends.findReportedPort(met.named) } };
  };
  return { stack, left: await nameEnd(left, right), right: await nameEnd(right, left) };
}

/** Returns the fibre that represents several. Traces from both ends select the same one. */
function selectPassingFibre(passing: readonly PassingFibre[]): PassingFibre {
  const [first] = passing;
  const isLeft =
    first === undefined || comparePortRefs(createPortRef(first.left.end), createPortRef(first.right.end)) <= 0;
  return selectFibre(
    passing.map((one) => ({ near: one.left.end.stack, far: one.right.end.stack, ...one })),
    isLeft,
  );
}

/** Returns the fibre with the lowest positions at the near or the far end. */
export function selectFibre<One extends { readonly near: PositionStack; readonly far: PositionStack }>(
  fibres: readonly One[],
  byNear: boolean,
): One {
  const sorted = fibres.toSorted((a, b) => (byNear ? compareStacks(a.near, b.near) : compareStacks(a.far, b.far)));
  const [least] = sorted;
  if (least === undefined) throw new Error("A path needs a fibre");
  return least;
}

function joinPassingSides(
  start: PortRef,
  { left, right }: PassingFibre,
  ends?: readonly [DevicePort, DevicePort],
): CablePath {
  const [near, far] = [ends?.[0] ?? left.met?.named, ends?.[1] ?? right.met?.named];
  const way = joinPaths(left.end, right.end);
  const last = way.hops.length - 1;
  const hops = way.hops.map((hop, index) => ({
    ...hop,
    ...(index === 0 && last > 0 && near !== undefined && hop.inPort === "" && { outPort: near.port.name }),
    ...(index === last && last > 0 && far !== undefined && hop.outPort === "" && { inPort: far.port.name }),
  }));
  return completeCablePath({
    // Without a far port on the left, the path begins at the traced port.
    origin: near === undefined ? start : createPortRef(near),
    ...(far !== undefined && { destination: createPortRef(far) }),
    status: combineHalfStatuses(left.end.status, right.end.status),
    hops,
    segments: way.segments,
    problems: [...listFibreEndProblems(left.end), ...listFibreEndProblems(right.end)],
  });
}

function createLoopPath(origin: PortRef, end: FibreEnd): CablePath {
  const { hops, segments } = end;
  return completeCablePath({ origin, status: "LOOP", hops, segments, problems: listFibreEndProblems(end) });
}

function removeDestination({ destination: _, ...path }: CablePath): CablePath {
  return path;
}
