import { isInService } from "#dc/model/in_service.ts";
import { listEnabledInlets } from "#dc/model/power_walk.ts";
import { formatPortReference, isSamePort, parseRef, toPortKey } from "#dc/model/ref.ts";
import type { Device, Port, PortRef } from "#dc/model/resources.ts";
import type { SourceConsumer } from "#dc/model/site.ts";
import type { Branch } from "#gen/datacenter/v1/messages.ts";
import {
  type CablePath,
  completeCablePath,
  type HopDevice,
  type PathHop,
  type PathProblem,
  type PathSegment,
  reversePath,
} from "./cable_path.ts";
import type { TraceOptions } from "./trace_site.ts";
import { createPortRef, type DevicePort, type TraceMemo } from "./trace_site.ts";

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
  return start.port.kind === "POWER_IN" ? trace.traceInlet(start) : trace.traceOutlet(start);
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

  async traceInlet({ device, port }: DevicePort): Promise<readonly CablePath[]> {
    return this.#traceConsumer(device, port.name, port.powerIn?.sourceRef);
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
      paths.push(...(await this.#traceConsumer(device, inlet, sourceRef)));
    }
    const isOpen = !this.#options.followSplits && consumers.length > 1;
    return paths.map((path) => reverseSupplyPath(path, origin, isOpen ? branches : []));
  }

  #traceConsumer(device: HopDevice, inlet: string, sourceRef: string | undefined): Promise<readonly CablePath[]> {
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
    const inlets = this.#options.stopAtPower ? [] : await this.#loadSupplyingInlets(device, at);
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

  #loadSupplyingInlets(device: Device, at: PortRef): Promise<readonly Port[]> {
    return this.#inletsByOutlet.getOrInsertComputed(toPortKey(at), () =>
      this.#listSupplyingInlets(device, at.portName),
    );
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
