import type { Branch } from "#gen/datacenter/v1/messages.ts";
import type { DeviceKind, PathStatus } from "../../model/enum_values.ts";
import type { SourceConsumer } from "../../model/inventory.ts";
import { listEnabledInlets } from "../../model/power_walk.ts";
import { formatPortReference, isSamePort, parseRef, toPortKey } from "../../model/ref.ts";
import { type Cable, type Device, isInService, type Port, type PortRef } from "../../model/resources.ts";
import { createPortRef, type DevicePort, type TraceMemo, type TraceOptions } from "./trace_site.ts";

/** Maximum number of paths of one supply. Our choice: each transfer switch in a row doubles the number of paths. */
const MAX_SUPPLY_PATHS = 1024;

interface TracedInlet {
  readonly at: PortRef;
  readonly sourceRef: string | undefined;
}

/** Path between the consumer and the current node of the trace. It grows upstream and shrinks on backtracking. */
interface PartialPath {
  readonly hops: PathHop[];
  readonly segments: PathSegment[];
  readonly branches: Branch[];
  readonly seen: Set<string>;
}

/**
 * Follows a supply from an inlet upstream to its roots. The supply of an outlet is that of its consumers' inlets, from
 * the root to the consumer. If a device has several inlets, the path uses the active one and lists all as branches.
 *
 * @returns one path, or with `followSplits` one for each consumer and each path to a root
 */
export async function traceSupply(
  memo: TraceMemo,
  start: DevicePort,
  options: TraceOptions,
): Promise<readonly CablePath[]> {
  const trace = new SupplyTracer(memo, options);
  const { device, port } = start;
  return port.kind === "POWER_IN"
    ? trace.traceConsumer(device, port.name, port.powerIn?.sourceRef)
    : trace.traceOutlet(start);
}

class SupplyTracer {
  readonly #memo: TraceMemo;
  readonly #options: TraceOptions;
  readonly #inletsByOutlet = new Map<string, Promise<readonly Port[]>>();
  #pathCount = 0;

  constructor(memo: TraceMemo, options: TraceOptions) {
    this.#memo = memo;
    this.#options = options;
  }

  async traceOutlet(outlet: DevicePort): Promise<readonly CablePath[]> {
    const origin = createPortRef(outlet);
    const consumers = await this.#listConsumers(outlet);
    const chosen = consumers.find(({ device }) => isInService(device)) ?? consumers[0];
    if (chosen === undefined) {
      const hops = [{ device: outlet.device, inPort: "", outPort: outlet.port.name }];
      return [completeCablePath({ origin, status: "UNCONNECTED", hops, segments: [] })];
    }
    const branches = consumers.map(({ device, inlet }, index) => ({
      from: origin,
      to: { deviceCode: device.code, portName: inlet },
      position: index + 1,
    }));
    const paths: CablePath[] = [];
    for (const { device, inlet, sourceRef } of this.#options.followSplits ? consumers : [chosen]) {
      paths.push(...(await this.traceConsumer(device, inlet, sourceRef)));
    }
    const isOpen = !this.#options.followSplits && consumers.length > 1;
    return paths.map((path) => reverseSupplyPath(path, origin, isOpen ? branches : []));
  }

  traceConsumer(device: HopDevice, inlet: string, sourceRef: string | undefined): Promise<readonly CablePath[]> {
    const at = { deviceCode: device.code, portName: inlet };
    const hops = [{ device, inPort: "", outPort: inlet }];
    return this.#traceUpstream({ at, sourceRef }, { hops, segments: [], branches: [], seen: new Set() });
  }

  /** Lists the consumers of an outlet: by its cable, by a reference to it, or by the feed that it declares. */
  async #listConsumers({ device, port }: DevicePort) {
    const end = createPortRef({ device, port });
    const feedId = port.powerOut?.feedId;
    const cable = await this.#memo.loadCable(end);
    const cabled =
      cable === undefined ? undefined : await this.#memo.findDevicePort(isSamePort(cable.a, end) ? cable.b : cable.a);
    const named = await this.#memo.site.consumersOf([
      formatPortReference(end),
      ...(feedId === undefined ? [] : [`feed:${feedId}`]),
    ]);
    const found: { readonly device: HopDevice; readonly inlet: string; readonly sourceRef: string | undefined }[] = [];
    if (cabled !== undefined) {
      found.push({ device: cabled.device, inlet: cabled.port.name, sourceRef: cabled.port.powerIn?.sourceRef });
    }
    for (const consumer of named) {
      const one = await this.#readConsumer(consumer);
      if (one === undefined) continue;
      if (cabled !== undefined && one.device.code === cabled.device.code && one.inlet === cabled.port.name) continue;
      found.push(one);
    }
    return found;
  }

  async #readConsumer({ kind, code, inlet }: SourceConsumer) {
    if (kind === "device") {
      const place = await this.#memo.findDevicePort({ deviceCode: code, portName: inlet });
      return place && { device: place.device, inlet, sourceRef: place.port.powerIn?.sourceRef };
    }
    const crac = await this.#memo.site.crac(code);
    if (crac === undefined) return undefined;
    const { name, location, rackCode, powerInputs = [] } = crac;
    const device = {
      code: crac.code,
      ...(name !== undefined && { name }),
      ...(location !== undefined && { location }),
      ...(rackCode !== undefined && { rackCode }),
    };
    return { device, inlet: `power_inputs[${inlet}]`, sourceRef: powerInputs[Number(inlet)]?.sourceRef };
  }

  /** Continues from an inlet to the outlet or device that supplies it. */
  async #traceUpstream({ at, sourceRef }: TracedInlet, way: PartialPath): Promise<readonly CablePath[]> {
    await this.#memo.countStep();
    const isTooLong = way.hops.length > this.#options.maxHops || this.#pathCount >= MAX_SUPPLY_PATHS;
    if (isTooLong || this.#memo.hasSpentSteps) return [this.#createPath(way, "TRUNCATED")];
    const key = formatPortReference(at).toLowerCase();
    if (way.seen.has(key)) {
      const problem = {
        code: "LOOP",
        message: `The supply returns to "${formatPortReference(at)}"`,
        ref: key,
      } as const;
      return [this.#createPath(way, "LOOP", { problem })];
    }
    way.seen.add(key);
    const paths = await this.#traceSupplier({ at, sourceRef }, way);
    way.seen.delete(key);
    return paths;
  }

  async #traceSupplier({ at, sourceRef }: TracedInlet, way: PartialPath): Promise<readonly CablePath[]> {
    const cable = await this.#memo.loadCable(at);
    if (cable !== undefined)
      return this.#enterSupplier(way, { from: at, to: isSamePort(cable.a, at) ? cable.b : cable.a, cable });
    const ref = sourceRef === undefined ? undefined : parseRef(sourceRef);
    if (ref?.kind === "device")
      return this.#enterSupplier(way, { from: at, to: { deviceCode: ref.code, portName: "" } });
    if (ref?.kind === "port") return this.#enterSupplier(way, { from: at, to: ref.end });
    if (ref?.kind !== "feed") return [this.#createPath(way, way.segments.length > 0 ? "OPEN" : "UNCONNECTED")];
    const outlet = await this.#memo.loadFeedDeclarer(ref.code);
    if (outlet !== undefined) return this.#enterSupplier(way, { from: at, to: outlet });
    const message = `No outlet declares "${sourceRef}": it counts as an external supply`;
    const problem = { code: "UNDECLARED_FEED", message, ref: sourceRef ?? "" } as const;
    return [this.#createPath(way, "COMPLETE", { problem, destination: at })];
  }

  /** Enters an outlet, or a device that is named without an outlet, and continues from the inlets that supply it. */
  async #enterSupplier(way: PartialPath, { from, to, cable }: PathSegment): Promise<readonly CablePath[]> {
    const device = await this.#memo.loadDevice(to.deviceCode);
    const outlet = device?.ports?.find(({ name }) => name === to.portName);
    if (device === undefined || (outlet === undefined && to.portName !== "")) return [this.#createPath(way, "OPEN")];
    const at = { deviceCode: device.code, portName: to.portName };
    way.segments.push({ from, to: at, ...(cable !== undefined && { cable }) });
    way.hops.push({ device, inPort: at.portName, outPort: "" });
    const paths = await this.#continueUpstream(way, device, at);
    way.segments.pop();
    way.hops.pop();
    return paths;
  }

  /** Continues from the inlets that supply an outlet: from all of them, or from the active one. */
  async #continueUpstream(way: PartialPath, device: Device, at: PortRef): Promise<readonly CablePath[]> {
    const inlets = this.#options.stopAtPower
      ? []
      : await this.#inletsByOutlet.getOrInsertComputed(toPortKey(at), () =>
          this.#listSupplyingInlets(device, at.portName),
        );
    if (inlets.length === 0) return [this.#createPath(way, "COMPLETE", { destination: at })];
    if (this.#options.followSplits) {
      const paths: CablePath[] = [];
      for (const inlet of inlets) paths.push(...(await this.#traceThroughInlet(way, at, inlet)));
      return paths;
    }
    const used = inlets.length === 1 ? undefined : await this.#options.inletInUse?.(device.code);
    const chosen = inlets.find(({ name }) => name === used) ?? inlets[0];
    if (chosen === undefined) return [];
    if (inlets.length > 1) {
      const to = inlets.map(({ name }) => ({ deviceCode: device.code, portName: name }));
      way.branches.push(...to.map((one, index) => ({ from: at, to: one, position: index + 1 })));
    }
    return this.#traceThroughInlet(way, at, chosen);
  }

  /** Continues from one inlet of the last device. */
  async #traceThroughInlet(way: PartialPath, from: PortRef, { name, powerIn }: Port): Promise<readonly CablePath[]> {
    const last = way.hops.pop();
    if (last === undefined) return [];
    const at = { deviceCode: from.deviceCode, portName: name };
    way.hops.push({ ...last, outPort: name });
    way.segments.push({ from, to: at });
    const paths = await this.#traceUpstream({ at, sourceRef: powerIn?.sourceRef }, way);
    way.segments.pop();
    return paths;
  }

  /** Lists the inlets with a recorded source that supply an outlet: the inlet that it names, otherwise all. */
  async #listSupplyingInlets(device: Device, outletName: string): Promise<readonly Port[]> {
    const outlet = device.ports?.find(({ name }) => name === outletName);
    const recorded: Port[] = [];
    for (const inlet of listEnabledInlets(device)) {
      const isNamed = inlet.powerIn?.sourceRef !== undefined;
      if (isNamed || (await this.#memo.loadCable(createPortRef({ device, port: inlet }))) !== undefined)
        recorded.push(inlet);
    }
    const named = recorded.filter(({ name }) => name === outlet?.powerOut?.inletName);
    return named.length > 0 ? named : recorded;
  }

  #createPath(
    { hops, segments, branches }: PartialPath,
    status: CablePath["status"],
    { problem, destination }: { readonly problem?: PathProblem; readonly destination?: PortRef } = {},
  ): CablePath {
    this.#pathCount += 1;
    this.#memo.count(hops.length);
    const [first] = hops;
    const origin = { deviceCode: first?.device.code ?? "", portName: first?.outPort ?? "" };
    const problems = problem === undefined ? [] : [problem];
    const way = { hops: [...hops], segments: [...segments], branches: [...branches] };
    return completeCablePath({ origin, destination, status, ...way, problems });
  }
}

/** Reverses a supply path to lead from the root to the consumer; without a root, it begins at the traced outlet. */
function reverseSupplyPath(path: CablePath, tracedOutlet: PortRef, consumers: readonly Branch[]): CablePath {
  const isComplete = path.status === "COMPLETE";
  return completeCablePath({
    ...path,
    ...reversePath(path),
    origin: isComplete ? (path.destination ?? tracedOutlet) : tracedOutlet,
    destination: path.origin,
    branches: [...path.branches, ...consumers],
  });
}

/** Fields of a device that a path includes. A cooling unit at the end of a supply has no device kind. */
export interface HopDevice
  extends Pick<Device, "code" | "name" | "role" | "status" | "location" | "rackCode" | "positionU" | "face" | "ports"> {
  readonly kind?: DeviceKind;
}

/** A device on a path, with the ports by which the path enters and leaves. One port is empty at an end of the path. */
export interface PathHop {
  readonly device: HopDevice;
  readonly inPort: string;
  readonly outPort: string;
}

/** A cable, or a connection inside a device or along a feed. */
export interface PathSegment {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly cable?: Cable;
}

export interface PathProblem {
  readonly code: "UNDECLARED_FEED" | "NO_MAPPING" | "NO_POSITION" | "NO_CHANNEL" | "LOOP";
  readonly message: string;
  readonly ref: string;
}

/** A path through cables and devices. Lengths are in metres. */
export interface CablePath {
  readonly origin: PortRef;
  readonly destination?: PortRef;
  readonly status: PathStatus;
  /** Whether every cable is CONNECTED and every device is in service; false for a port without a connection. */
  readonly active: boolean;
  readonly totalLengthM: number;
  /** Whether a cable without a recorded length is part of the path. */
  readonly lengthIsPartial: boolean;
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
  readonly branches: readonly Branch[];
  readonly problems: readonly PathProblem[];
}

/** Parts of a path from which its other fields are computed. */
export interface TracedPath {
  readonly origin: PortRef;
  readonly destination?: PortRef | undefined;
  readonly status: PathStatus;
  readonly hops: readonly PathHop[];
  readonly segments: readonly PathSegment[];
  readonly branches?: readonly Branch[] | undefined;
  readonly problems?: readonly PathProblem[] | undefined;
}

/** Computes the length and activity of a path from its cables and devices. */
export function completeCablePath({ destination, branches = [], problems = [], ...parts }: TracedPath): CablePath {
  const cables = parts.segments.flatMap(({ cable }) => (cable === undefined ? [] : [cable]));
  return {
    ...parts,
    ...(destination !== undefined && { destination }),
    active:
      parts.segments.length > 0 &&
      cables.every(({ status = "CONNECTED" }) => status === "CONNECTED") &&
      parts.hops.every(({ device }) => isInService(device)),
    totalLengthM: Math.round(cables.reduce((sum, { lengthM = 0 }) => sum + lengthM, 0) * 1000) / 1000,
    lengthIsPartial: cables.some(({ lengthM }) => lengthM === undefined),
    branches,
    problems,
  };
}

function reversePath({ hops, segments }: Pick<TracedPath, "hops" | "segments">) {
  return {
    hops: hops.toReversed().map(({ device, inPort, outPort }) => ({ device, inPort: outPort, outPort: inPort })),
    segments: segments.toReversed().map(({ from, to, ...rest }): PathSegment => ({ from: to, to: from, ...rest })),
  };
}

/** Joins two paths that start at one port. The left path is reversed. */
export function joinPaths(
  left: Pick<TracedPath, "hops" | "segments">,
  right: Pick<TracedPath, "hops" | "segments">,
): Pick<TracedPath, "hops" | "segments"> {
  const [leftStart, ...leftRest] = left.hops;
  const [rightStart, ...rightRest] = right.hops;
  const middle = rightStart ?? leftStart;
  const before = reversePath({ hops: leftRest, segments: left.segments });
  return {
    hops: [
      ...before.hops,
      ...(middle === undefined
        ? []
        : [{ device: middle.device, inPort: leftStart?.outPort ?? "", outPort: rightStart?.outPort ?? "" }]),
      ...rightRest,
    ],
    segments: [...before.segments, ...right.segments],
  };
}

const STATUSES_BY_SEVERITY: readonly PathStatus[] = ["COMPLETE", "UNCONNECTED", "OPEN", "SPLIT", "TRUNCATED", "LOOP"];

/** Returns the state of a path with two halves: complete only if both halves are complete. */
export function combineHalfStatuses(a: PathStatus, b: PathStatus): PathStatus {
  if (a === "UNCONNECTED" && b === "UNCONNECTED") return "UNCONNECTED";
  const worst = Math.max(STATUSES_BY_SEVERITY.indexOf(a), STATUSES_BY_SEVERITY.indexOf(b));
  const status = STATUSES_BY_SEVERITY[worst] ?? "OPEN";
  return status === "UNCONNECTED" ? "OPEN" : status;
}
