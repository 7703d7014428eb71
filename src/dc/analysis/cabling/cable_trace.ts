import { comparePorts, portKey } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { type CablePath, finishPath, type PathParts } from "./cable_path.ts";
import {
  type Connector,
  channelAt,
  connectorOf,
  type Fibre,
  fibresOf,
  keyOf,
  leave,
  onePort,
  samePlace,
  withoutChannel,
} from "./connector.ts";
import { branchesAt, type FibreEnd, isPassive, noMapping, type Walked } from "./fibre_walk.ts";
import { type ByEnd, leastFibre, tracePassive } from "./passive_trace.ts";
import { supplyPaths } from "./supply_trace.ts";
import { endOf, loadOnce, type Place, TraceMemo, type TraceOptions, type TraceSite } from "./trace_site.ts";

export type { TraceOptions, TraceSite } from "./trace_site.ts";

/**
 * Follows fibres from a port through patch panels to the port that they meet, or a supply to its root. A passive port is
 * traced to both sides. Paths are computed on every read and never stored.
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
  const place = await memo.place(start);
  if (place === undefined) return [finishPath({ origin: start, status: "UNCONNECTED", hops: [], segments: [] })];
  if (place.port.kind === "POWER_IN" || place.port.kind === "POWER_OUT") return supplyPaths(memo, place, options);
  const tracer = new EndTracer(memo, options);
  const paths = isPassive(place.port) ? tracePassive(memo, place, options, tracer) : tracer.trace(place);
  // If some fibres were not followed to their ends, it is unknown whether all of them meet one port.
  return (await paths).map((path) =>
    path.status === "SPLIT" && memo.isSpent ? { ...path, status: "TRUNCATED" } : path,
  );
}

/** All fibres of an end port. */
interface Leaving {
  readonly start: Place;
  readonly connector: Connector;
  /** The path up to the point where the fibres split or end. */
  readonly near: Walked;
  readonly fibres: readonly Fibre[];
}

/** All fibres of an end port, and the port that all of them meet with all of its fibres. */
interface EndView extends Leaving {
  readonly meets?: { readonly place: Place; readonly by: "named" | "cabled" };
}

/** Traces ports at which paths end: network and console ports. */
class EndTracer implements ByEnd {
  readonly #memo: TraceMemo;
  readonly #options: TraceOptions;
  readonly #leavings = new Map<string, Promise<Leaving | undefined>>();
  readonly #views = new Map<string, Promise<EndView | undefined>>();

  constructor(memo: TraceMemo, options: TraceOptions) {
    this.#memo = memo;
    this.#options = options;
  }

  async trace(start: Place): Promise<readonly CablePath[]> {
    const view = await this.#view(start);
    if (view === undefined) return this.#withoutCable(start);
    const { connector, fibres, meets } = view;
    const isChannel = connector.channels.length > 0;
    // A port of the same device without a channel number is a logical part of the physical port.
    if (!isChannel && !samePlace(connector.place, start)) return this.trace(connector.place);
    if (meets !== undefined) return [this.#completePath(view, meets)];
    const answering = await this.#answeringFor(view);
    if (answering !== undefined) return this.trace(answering);
    if (this.#options.followSplits) return this.#each(view);
    const [only, ...others] = fibres;
    if (only !== undefined && others.length === 0 && only.met === undefined) return [fibrePath(start, only)];
    return [await this.#splitPath(view)];
  }

  /** The port that all fibres of a port meet with all of its fibres. */
  async meetingOf(start: Place): Promise<Place | undefined> {
    return (await this.#view(start))?.meets?.place;
  }

  /** The port whose path is returned for a port: the port itself, or the parent of a channel. */
  async answeringPort(start: Place): Promise<Place> {
    const view = await this.#view(start);
    if (view === undefined || view.meets !== undefined) return start;
    const answering = await this.#answeringFor(view);
    return answering === undefined ? start : this.answeringPort(answering);
  }

  /** The divided port that answers for its channel, because the far port is not divided. */
  async #answeringFor({ start, connector, fibres }: EndView): Promise<Place | undefined> {
    const { device, port } = start;
    const parentPort = device.ports?.find(({ name }) => name === port.parentPort);
    if (connector.channels.length === 0 || parentPort === undefined) return undefined;
    if (!fibres.some(({ met }) => met !== undefined && met.rest.length > 0)) return undefined;
    const parent = { device, port: parentPort };
    if (!this.#options.followSplits) return parent;
    if ((await this.meetingOf(connector.place)) !== undefined) return connector.place;
    const undivided = await connectorOf(this.#memo, parent);
    if (undivided === undefined) return undefined;
    // If nothing on the path needs the channel, the far port sees one fibre of the parent.
    const { maxHops } = this.#options;
    const walked = await leave(this.#memo, undivided, maxHops);
    return walked.status === "PARTING" ? undefined : parent;
  }

  #view(start: Place): Promise<EndView | undefined> {
    return loadOnce(this.#views, portKey(endOf(start)), () => this.#viewed(start));
  }

  async #viewed(start: Place): Promise<EndView | undefined> {
    const own = await this.#leaving(start);
    for (const by of ["named", "cabled"] as const) {
      if (own === undefined || (by === "cabled" && own.connector.channels.length > 0)) continue;
      const place = onePort(own.fibres, by);
      if (place !== undefined && (await this.#meetsBack(own, place, by))) return { ...own, meets: { place, by } };
    }
    return own;
  }

  /** Whether all fibres of the far port return to this one. */
  async #meetsBack({ start, fibres }: Leaving, far: Place, by: "named" | "cabled"): Promise<boolean> {
    // A single fibre that ends without positions left is all that both ports have.
    if (fibres.length === 1 && fibres[0]?.met?.rest.length === 0 && fibres[0].stack.length === 0) return true;
    const back = onePort((await this.#leaving(far))?.fibres ?? [], by);
    return back !== undefined && samePlace(back, start);
  }

  #leaving(start: Place): Promise<Leaving | undefined> {
    return loadOnce(this.#leavings, portKey(endOf(start)), async () => {
      const connector = await connectorOf(this.#memo, start);
      if (connector === undefined) return undefined;
      const near = await leave(this.#memo, connector, this.#options.maxHops);
      return { start, connector, near, fibres: await fibresOf(this.#memo, connector, near) };
    });
  }

  #completePath({ start, fibres }: EndView, { place, by }: NonNullable<EndView["meets"]>): CablePath {
    const fibre = leastFibre(
      fibres.map(({ stack, end }) => ({ near: stack, far: end.stack, end })),
      comparePorts(endOf(start), endOf(place)) <= 0,
    );
    return finishPath({
      origin: endOf(start),
      status: "COMPLETE",
      destination: endOf(place),
      ...namedWay(fibre.end, start, by === "named" ? place : undefined),
    });
  }

  /** One path for each fibre; those between the same two ports are one path. */
  async #each({ start, connector, fibres }: EndView): Promise<readonly CablePath[]> {
    const groups = new Map<string, { readonly origin: Place; readonly fibres: Fibre[] }>();
    for (const walked of fibres) {
      const own = await channelAt(this.#memo, connector.place, walked.stack);
      const fibre = own === undefined ? withoutChannel(walked, connector.place) : walked;
      const origin = own?.named ?? start;
      const { end, met } = fibre;
      const far = met === undefined ? `${end.status} ${keyOf(endOf(end))}` : keyOf(endOf(met.named));
      // A path between two channels of one port is found from both.
      const key = [keyOf(endOf(origin)), far].toSorted().join(" ");
      const group = groups.get(key) ?? { origin, fibres: [] };
      groups.set(key, group);
      if (samePlace(group.origin, origin)) group.fibres.push(fibre);
    }
    return [...groups.values()].map((group) => {
      const far = group.fibres[0]?.met?.named;
      const isFirst = far === undefined || comparePorts(endOf(group.origin), endOf(far)) <= 0;
      const chosen = leastFibre(
        group.fibres.map((fibre) => ({ near: fibre.stack, far: fibre.end.stack, fibre })),
        isFirst,
      );
      return fibrePath(group.origin, chosen.fibre);
    });
  }

  /** The path up to the split: on this side, or at the far port that uses more of the fibres. */
  async #splitPath({ start, near, fibres }: EndView): Promise<CablePath> {
    const origin = endOf(start);
    if (near.status === "PARTING") {
      const branches = branchesAt(this.#memo, near);
      const way = { hops: near.hops, segments: near.segments };
      if (branches.length > 0) return finishPath({ origin, status: "SPLIT", branches, ...way });
      return finishPath({ origin, status: "OPEN", problems: [noMapping(endOf(near))], ...way });
    }
    const met = fibres[0]?.met;
    return finishPath({
      origin,
      status: "SPLIT",
      branches: met === undefined ? [] : await this.partingOf(met.named),
      hops: near.hops,
      segments: near.segments,
    });
  }

  /** The branches at which the fibres of a port part. */
  async partingOf(start: Place): Promise<CablePath["branches"]> {
    const near = (await this.#leaving(start))?.near;
    return near?.status === "PARTING" ? branchesAt(this.#memo, near) : [];
  }

  /** Returns no path for a port without a cable, or one path per breakout channel that has a cable. */
  async #withoutCable({ device, port }: Place): Promise<readonly CablePath[]> {
    const origin = endOf({ device, port });
    const hops = [{ device, inPort: "", outPort: port.name }];
    const legs: Place[] = [];
    for (const child of device.ports ?? []) {
      const leg = { device, port: child };
      const isLeg = child.parentPort === port.name && child.channel !== undefined;
      if (isLeg && (await this.#memo.cableAt(endOf(leg))) !== undefined) legs.push(leg);
    }
    if (legs.length === 0) return [finishPath({ origin, status: "UNCONNECTED", hops, segments: [] })];
    if (this.#options.followSplits) return (await Promise.all(legs.map((leg) => this.trace(leg)))).flat();
    const branches = legs.map((leg) => ({ from: origin, to: endOf(leg), position: leg.port.channel ?? 0 }));
    return [finishPath({ origin, status: "SPLIT", hops, segments: [], branches })];
  }
}

/** The path of one fibre. */
function fibrePath(origin: Place, { end, met }: Fibre): CablePath {
  return finishPath({
    origin: endOf(origin),
    status: end.status,
    ...(met !== undefined && { destination: endOf(met.named) }),
    ...namedWay(end, origin, met?.named),
    ...(end.problem !== undefined && { problems: [end.problem] }),
  });
}

/** The path of a fibre with its ends named by the channels that use it. */
function namedWay(end: FibreEnd, origin: Place, far: Place | undefined): Pick<PathParts, "hops" | "segments"> {
  const last = end.hops.length - 1;
  const hops = end.hops.map((hop, index) => ({
    ...hop,
    ...(index === 0 && { outPort: origin.port.name }),
    ...(index === last && index > 0 && far !== undefined && { inPort: far.port.name }),
  }));
  return { hops, segments: end.segments };
}
