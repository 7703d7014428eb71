import { comparePortRefs, toPortKey } from "../../model/ref.ts";
import type { PortRef } from "../../model/resources.ts";
import {
  type Connector,
  compareStacks,
  createNoMappingProblem,
  createOpenFibre,
  type Fibre,
  type FibreEnd,
  findChannel,
  findCommonPort,
  findCommonWholePort,
  findConnector,
  findWholePort,
  formatFibreEndKey,
  isPassivePort,
  isSameDevicePort,
  listBranches,
  listCabledChannels,
  nameFarPort,
  type PositionStack,
  prefixChannel,
  traceFibreEnds,
  traceFibres,
  type WalkResult,
  walkFibre,
  walkFromConnector,
} from "./fibres.ts";
import {
  type CablePath,
  combineHalfStatuses,
  completeCablePath,
  joinPaths,
  type PathProblem,
  type TracedPath,
  traceSupply,
} from "./supply_trace.ts";
import { createPortRef, type DevicePort, TraceMemo, type TraceOptions, type TraceSite } from "./trace_site.ts";

export type { TraceOptions, TraceSite } from "./trace_site.ts";

/**
 * Follows fibres from a port through patch panels to the far port, or a supply to its root. A passive port is traced to
 * both sides. Paths are computed on every read and never stored.
 *
 * @returns one path, or with `followSplits` one for each fibre, consumer or root
 *
 * Cost: two look-ups per hop. Source: docs/contract/datacenter-analyses.md#cable-trace.
 */
export async function traceCable(
  start: PortRef,
  site: TraceSite,
  options: TraceOptions,
): Promise<readonly CablePath[]> {
  const memo = new TraceMemo(site, options.pause);
  const place = await memo.findDevicePort(start);
  if (place === undefined) return [completeCablePath({ origin: start, status: "UNCONNECTED", hops: [], segments: [] })];
  if (place.port.kind === "POWER_IN" || place.port.kind === "POWER_OUT") return traceSupply(memo, place, options);
  const tracer = new EndPortTracer(memo, options);
  const paths = isPassivePort(place.port) ? tracePassivePort(memo, place, options, tracer) : tracer.tracePort(place);
  // If some fibres were not followed to their ends, it is unknown whether all of them lead to one port.
  return (await paths).map((path) =>
    path.status === "SPLIT" && memo.hasSpentSteps ? { ...path, status: "TRUNCATED" } : path,
  );
}

/** All fibres of a port at which paths end. */
interface EndPortFibres {
  readonly start: DevicePort;
  readonly connector: Connector;
  /** Path up to the point where the fibres split or end. */
  readonly sharedWalk: WalkResult;
  readonly fibres: readonly Fibre[];
}

/** The fibres of a port, and the far port if all fibres of both ports connect these two. */
interface EndPortTrace extends EndPortFibres {
  readonly exclusiveFarPort?: { readonly place: DevicePort; readonly by: "named" | "cabled" };
}

/** Traces ports at which paths end: network and console ports. */
class EndPortTracer implements EndPortQueries {
  readonly #memo: TraceMemo;
  readonly #options: TraceOptions;
  readonly #fibresByPort = new Map<string, Promise<EndPortFibres | undefined>>();
  readonly #tracesByPort = new Map<string, Promise<EndPortTrace | undefined>>();

  constructor(memo: TraceMemo, options: TraceOptions) {
    this.#memo = memo;
    this.#options = options;
  }

  async tracePort(start: DevicePort): Promise<readonly CablePath[]> {
    const view = await this.#loadTrace(start);
    if (view === undefined) return this.#traceUncabledPort(start);
    const { connector, fibres, exclusiveFarPort } = view;
    const isChannel = connector.channels.length > 0;
    // A port of the same device without a channel number is a logical part of the physical port.
    if (!isChannel && !isSameDevicePort(connector.place, start)) return this.tracePort(connector.place);
    if (exclusiveFarPort !== undefined) return [this.#createCompletePath(view, exclusiveFarPort)];
    const answering = await this.#findSubstitutePort(view);
    if (answering !== undefined) return this.tracePort(answering);
    const whole = isChannel ? undefined : await this.#findWholePath(findWholePort(start));
    if (whole !== undefined) return [whole];
    if (this.#options.followSplits) return this.#traceEachFibre(view);
    const [only, ...others] = fibres;
    if (only !== undefined && others.length === 0 && only.met === undefined) return [createFibrePath(start, only)];
    return [await this.#createSplitPath(view)];
  }

  /** Returns the far port if all fibres of both ports connect these two; otherwise undefined. */
  async findExclusiveFarPort(start: DevicePort): Promise<DevicePort | undefined> {
    return (await this.#loadTrace(start))?.exclusiveFarPort?.place;
  }

  /** Returns the port whose path is returned for a port: the port itself, or the parent of a channel. */
  async findReportedPort(start: DevicePort): Promise<DevicePort> {
    const view = await this.#loadTrace(start);
    if (view === undefined || view.exclusiveFarPort !== undefined) return start;
    const answering = await this.#findSubstitutePort(view);
    return answering === undefined ? start : this.findReportedPort(answering);
  }

  /** Returns the port to trace instead of a breakout channel, if the far port has more fibres than the channel. */
  async #findSubstitutePort({ start, connector, fibres }: EndPortTrace): Promise<DevicePort | undefined> {
    const { device, port } = start;
    const parentPort = device.ports?.find(({ name }) => name === port.parentPort);
    if (connector.channels.length === 0 || parentPort === undefined) return undefined;
    if (!fibres.some(({ met }) => met !== undefined && met.remainingStack.length > 0)) return undefined;
    const parent = { device, port: parentPort };
    if (!this.#options.followSplits) return parent;
    if ((await this.findExclusiveFarPort(connector.place)) !== undefined) return connector.place;
    const undivided = await findConnector(this.#memo, parent);
    if (undivided === undefined) return undefined;
    // If no device on the path divides the fibres, all channels share one path, that of the parent port.
    const { maxHops } = this.#options;
    const walked = await walkFromConnector(this.#memo, undivided, maxHops);
    return walked.status === "PARTING" ? undefined : parent;
  }

  #loadTrace(start: DevicePort): Promise<EndPortTrace | undefined> {
    return this.#tracesByPort.getOrInsertComputed(toPortKey(createPortRef(start)), () => this.#findTrace(start));
  }

  async #findTrace(start: DevicePort): Promise<EndPortTrace | undefined> {
    const own = await this.#loadFibres(start);
    for (const by of ["named", "cabled"] as const) {
      if (own === undefined || (by === "cabled" && own.connector.channels.length > 0)) continue;
      const place = findCommonPort(own.fibres, by);
      if (place !== undefined && (await this.#doFibresReturn(own, place, by)))
        return { ...own, exclusiveFarPort: { place, by } };
    }
    return own;
  }

  /** Whether all fibres of the far port return to this port. */
  async #doFibresReturn({ start, fibres }: EndPortFibres, far: DevicePort, by: "named" | "cabled"): Promise<boolean> {
    // If the only fibre ends without remaining positions, neither port has another fibre.
    if (fibres.length === 1 && fibres[0]?.met?.remainingStack.length === 0 && fibres[0].stack.length === 0) return true;
    const back = findCommonPort((await this.#loadFibres(far))?.fibres ?? [], by);
    return back !== undefined && isSameDevicePort(back, start);
  }

  #loadFibres(start: DevicePort): Promise<EndPortFibres | undefined> {
    return this.#fibresByPort.getOrInsertComputed(toPortKey(createPortRef(start)), async () => {
      const connector = await findConnector(this.#memo, start);
      if (connector === undefined) return undefined;
      const near = await walkFromConnector(this.#memo, connector, this.#options.maxHops);
      return { start, connector, sharedWalk: near, fibres: await traceFibres(this.#memo, connector, near) };
    });
  }

  #createCompletePath(
    { start, fibres }: EndPortTrace,
    { place, by }: NonNullable<EndPortTrace["exclusiveFarPort"]>,
  ): CablePath {
    const fibre = selectFibre(
      fibres.map(({ stack, end }) => ({ near: stack, far: end.stack, end })),
      comparePortRefs(createPortRef(start), createPortRef(place)) <= 0,
    );
    return completeCablePath({
      origin: createPortRef(start),
      status: "COMPLETE",
      destination: createPortRef(place),
      ...nameFibreEnds(fibre.end, start, by === "named" ? place : undefined),
    });
  }

  /** Returns one path for each fibre; fibres between the same two ports share one path. */
  async #traceEachFibre({ start, connector, fibres }: EndPortTrace): Promise<readonly CablePath[]> {
    const groups = new Map<string, { readonly origin: DevicePort; readonly fibres: Fibre[] }>();
    for (const walked of fibres) {
      const own = await findChannel(this.#memo, connector.place, walked.stack);
      const fibre = own === undefined ? createOpenFibre(walked, connector.place) : walked;
      const origin = own?.named ?? start;
      // A path between two channels of one port is found from both ends.
      const key = [toPortKey(createPortRef(origin)), formatFibreEndKey(fibre)].toSorted().join(" ");
      const group = groups.getOrInsertComputed(key, () => ({ origin, fibres: [] }));
      if (isSameDevicePort(group.origin, origin)) group.fibres.push(fibre);
    }
    return [...groups.values()].map((group) => {
      const far = group.fibres[0]?.met?.named;
      const isFirst = far === undefined || comparePortRefs(createPortRef(group.origin), createPortRef(far)) <= 0;
      const chosen = selectFibre(
        group.fibres.map((fibre) => ({ near: fibre.stack, far: fibre.end.stack, fibre })),
        isFirst,
      );
      return createFibrePath(group.origin, chosen.fibre);
    });
  }

  /** Returns the path to the port, near or far, at which the fibres split. */
  async #createSplitPath({ start, sharedWalk, fibres }: EndPortTrace): Promise<CablePath> {
    const origin = createPortRef(start);
    if (sharedWalk.status === "PARTING") {
      const branches = listBranches(this.#memo, sharedWalk);
      const way = { hops: sharedWalk.hops, segments: sharedWalk.segments };
      if (branches.length > 0) return completeCablePath({ origin, status: "SPLIT", branches, ...way });
      return completeCablePath({
        origin,
        status: "OPEN",
        problems: [createNoMappingProblem(createPortRef(sharedWalk))],
        ...way,
      });
    }
    const met = fibres[0]?.met;
    return completeCablePath({
      origin,
      status: "SPLIT",
      branches: met === undefined ? [] : await this.listSplitBranches(met.named),
      hops: sharedWalk.hops,
      segments: sharedWalk.segments,
    });
  }

  /** Returns the branches at which the fibres of a port split. */
  async listSplitBranches(start: DevicePort): Promise<CablePath["branches"]> {
    const near = (await this.#loadFibres(start))?.sharedWalk;
    return near?.status === "PARTING" ? listBranches(this.#memo, near) : [];
  }

  /** Returns the path of a port if all fibres of it, or of its cabled channels, end at one port that has no others. */
  async #findWholePath(start: DevicePort): Promise<CablePath | undefined> {
    const fibres = await this.#loadWholeFibres(start);
    const far = findCommonWholePort(fibres);
    const back = far === undefined ? undefined : findCommonWholePort(await this.#loadWholeFibres(far));
    if (far === undefined || back === undefined || !isSameDevicePort(back, start)) return undefined;
    // Without a channel that has its own cable, the fibres of the two ports say all.
    const cabled = await Promise.all([start, far].map((place) => this.#memo.loadCable(createPortRef(place))));
    if (!cabled.includes(undefined)) return undefined;
    const isFirst = comparePortRefs(createPortRef(start), createPortRef(far)) <= 0;
    const fibre = selectFibre(
      fibres.map(({ stack, end, met }) => ({ near: stack, far: prefixChannel(met?.cabled, end.stack), end })),
      isFirst,
    );
    const ends = { origin: createPortRef(start), destination: createPortRef(far) };
    return completeCablePath({ ...ends, status: "COMPLETE", ...nameFibreEnds(fibre.end, start, far) });
  }

  /** Returns the fibres of a port, or those of its cabled channels. */
  async #loadWholeFibres(start: DevicePort): Promise<readonly Fibre[]> {
    const own = await this.#loadFibres(start);
    if (own !== undefined) return own.fibres;
    const legs = await listCabledChannels(this.#memo, start);
    const found: Fibre[] = [];
    // The path of an only channel is its own.
    for (const leg of legs.length < 2 ? [] : legs) {
      const { fibres = [] } = (await this.#loadFibres(leg)) ?? {};
      found.push(...fibres.map((fibre) => ({ ...fibre, stack: prefixChannel(leg, fibre.stack) })));
    }
    return found;
  }

  /** Returns the paths of a port without a cable: those of its cabled breakout channels, or one unconnected path. */
  async #traceUncabledPort({ device, port }: DevicePort): Promise<readonly CablePath[]> {
    const origin = createPortRef({ device, port });
    const hops = [{ device, inPort: "", outPort: port.name }];
    const legs = await listCabledChannels(this.#memo, { device, port });
    if (legs.length === 0) return [completeCablePath({ origin, status: "UNCONNECTED", hops, segments: [] })];
    const whole = await this.#findWholePath({ device, port });
    if (whole !== undefined) return [whole];
    if (this.#options.followSplits) return (await Promise.all(legs.map((leg) => this.tracePort(leg)))).flat();
    const branches = legs.map((leg) => ({ from: origin, to: createPortRef(leg), position: leg.port.channel ?? 0 }));
    return [completeCablePath({ origin, status: "SPLIT", hops, segments: [], branches })];
  }
}

function createFibrePath(origin: DevicePort, { end, met }: Fibre): CablePath {
  return completeCablePath({
    origin: createPortRef(origin),
    status: end.status,
    ...(met !== undefined && { destination: createPortRef(met.named) }),
    ...nameFibreEnds(end, origin, met?.named),
    ...(end.problem !== undefined && { problems: [end.problem] }),
  });
}

/** Returns a fibre's path in which the given ports, such as breakout channels, replace the ports at its ends. */
function nameFibreEnds(
  end: FibreEnd,
  origin: DevicePort,
  far: DevicePort | undefined,
): Pick<TracedPath, "hops" | "segments"> {
  const last = end.hops.length - 1;
  const hops = end.hops.map((hop, index) => ({
    ...hop,
    ...(index === 0 && { outPort: origin.port.name }),
    ...(index === last && index > 0 && far !== undefined && { inPort: far.port.name }),
  }));
  return { hops, segments: end.segments };
}

/** Queries about ports at which paths end, for the trace of a passive port. */
interface EndPortQueries {
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
async function tracePassivePort(
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
function selectFibre<One extends { readonly near: PositionStack; readonly far: PositionStack }>(
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
