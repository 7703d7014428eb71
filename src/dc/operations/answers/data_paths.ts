import { type TraceSite, traceCable } from "../../analysis/cabling/cable_trace.ts";
import {
  HostPaths,
  type NetworkState,
  selectIsolatedHosts,
  selectWorkingPaths,
} from "../../analysis/rehearsal/further_effects.ts";
import { FabricLossFinder } from "../../analysis/rehearsal/loss.ts";
import type { Topology } from "../../analysis/topology.ts";
import { MAX_HOPS } from "../../limits.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { SourceConsumer } from "../../model/inventory.ts";
import { codeKey, toPortKey } from "../../model/ref.ts";
import type { Cable, Crac, Device, FabricLink, PortRef } from "../../model/resources.ts";
import type { DcReader } from "../../ports.ts";
import { readResourcePages } from "../database_pages.ts";
import type { CooperativeScheduler } from "./cooperative_scheduler.ts";
import { listNodeDevices } from "./failing_sources.ts";
import { createSwitchLookup, readSwitchesOnce } from "./switch_devices.ts";

export interface NetworkSession {
  readonly topology: Topology;
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
}

/** One path between two ports: the ports at its ends, and the keys of the devices and ports along it. */
export interface TracedPath {
  readonly ends: readonly [PortRef, PortRef];
  readonly devices: readonly string[];
  readonly ports: readonly string[];
}

/** Follows data cables through patch panels for one call. Reads and traces nothing twice. */
export class PathTracer {
  readonly #site: BatchedSite;
  readonly #yieldIfDue: () => Promise<void>;
  readonly #pathsByPort = new Map<string, Promise<readonly TracedPath[]>>();

  constructor({ reader, scheduler }: NetworkSession) {
    this.#site = new BatchedSite(reader);
    this.#yieldIfDue = async () => scheduler.yieldIfDue();
  }

  /** Returns the paths of all fibres through a port. A path through a patch panel's port includes both of its ends. */
  tracePaths(port: PortRef): Promise<readonly TracedPath[]> {
    return this.#pathsByPort.getOrInsertComputed(toPortKey(port), () => this.#trace(port));
  }

  async #trace(port: PortRef): Promise<readonly TracedPath[]> {
    const options = { stopAtPower: true, followSplits: true, maxHops: MAX_HOPS, pause: this.#yieldIfDue };
    const paths = await traceCable(port, this.#site, options);
    return paths.flatMap(({ hops }): TracedPath[] => {
      const [first, last] = [hops[0], hops.at(-1)];
      if (first === undefined || last === undefined) return [];
      return [
        {
          ends: [
            { deviceCode: first.device.code, portName: first.outPort },
            { deviceCode: last.device.code, portName: last.inPort === "" ? last.outPort : last.inPort },
          ],
          devices: hops.map(({ device }) => codeKey(device.code)),
          ports: hops.flatMap(({ device: { code: deviceCode }, inPort, outPort }) =>
            [inPort, outPort].map((portName) => toPortKey({ deviceCode, portName })),
          ),
        },
      ];
    });
  }
}

/** Returns the path of a cable between two devices. */
function createDirectPath(own: PortRef, far: PortRef): TracedPath {
  return {
    ends: [own, far],
    devices: [codeKey(own.deviceCode), codeKey(far.deviceCode)],
    ports: [toPortKey(own), toPortKey(far)],
  };
}

/** The failed parts of a network. Nodes are indexes in the power graph. */
export interface DeadNetworkElements {
  /** Nodes of devices that are off. */
  readonly off: Iterable<number>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Failed ports, including both ends of failed cables. */
  readonly ports: readonly PortRef[];
}

/** Keys of the failed parts of a network. */
interface DeadKeys {
  readonly devices: ReadonlySet<string>;
  readonly ports: ReadonlySet<string>;
}

/** Stands among the nodes of a path for its failed ports. */
const FAILED_PORT = -2;

/** The data paths of devices to switches. Reads and traces each path once for all failures that are queried. */
export class DataPaths {
  readonly #session: NetworkSession;
  readonly #tracer: PathTracer;
  /** Keys of the codes of the switches with fabric links. */
  readonly #switchKeys: ReadonlySet<string>;
  /** Keys of the codes of the switches at the other ends of fabric links that were met. */
  readonly #linkedKeys = new Set<string>();
  /** Paths from devices along their data cables, by the key of the device code. */
  readonly #pathsByDevice = new Map<string, readonly TracedPath[]>();

  constructor(session: NetworkSession, traced: PathTracer, switches: ReadonlySet<string>) {
    this.#session = session;
    this.#tracer = traced;
    this.#switchKeys = switches;
  }

  /**
   * Finds the devices that stay on and lose their last data path to a switch: each that worked before passes a failed
   * port or a device that is off or cut off. Omits switches with fabric links, power equipment and patch panels.
   * Cost: the cables of the dead switches and failed panels and those of the devices behind them; a trace for each
   * cable at a patch panel.
   * @returns nodes
   */
  async findIsolatedDevices(before: NetworkState, { off, cutOff, ports }: DeadNetworkElements) {
    const { topology } = this.#session;
    const devices = new Set(listNodeDevices(topology.power, [...off, ...cutOff]).map(({ code }) => codeKey(code)));
    const failed = { devices, ports: new Set(ports.map(toPortKey)) };
    const nodeOf = createNodeLookup(topology);
    const paths = new Map<number, readonly (readonly number[])[]>();
    const listNodes = ({ devices: passed, ports: used }: TracedPath) => [
      ...passed.map(nodeOf),
      ...(used.some((key) => failed.ports.has(key)) ? [FAILED_PORT] : []),
    ];
    for (const [code, ways] of await this.#listPaths(await this.#findAffectedHosts(failed))) {
      const own = selectSwitchPaths(topology, this.#switchKeys, code, ways);
      paths.set(nodeOf(code), own.map(listNodes));
    }
    const dead = new Set([...off, ...cutOff, FAILED_PORT]);
    return selectIsolatedHosts(paths.keys(), selectWorkingPaths(paths, before), { live: before.live, dead });
  }

  /** Keys of the codes of all devices whose paths were queried, and of the devices along these paths. */
  get followedDeviceKeys(): ReadonlySet<string> {
    const followed = [...this.#pathsByDevice].flatMap(([code, paths]) => [
      code,
      ...paths.flatMap(({ devices }) => devices),
    ]);
    return new Set([...followed, ...this.#linkedKeys]);
  }

  /** Returns the keys of hosts on data paths that start at a dead switch, a dead patch panel or a failed port. */
  async #findAffectedHosts(dead: DeadKeys): Promise<Iterable<string>> {
    const { topology } = this.#session;
    const isStart = (code: string) =>
      this.#switchKeys.has(code) || ["PATCH_PANEL", "SWITCH"].includes(topology.device(code)?.kind ?? "");
    const starts = new Set([...dead.devices].filter(isStart));
    for (const key of dead.ports) starts.add(key.slice(0, key.indexOf("/")));
    const ends = new Set<string>();
    for (const [start, ways] of await this.#listPaths(starts)) {
      for (const code of [start, ...ways.flatMap(({ devices }) => devices)])
        if (this.#isWorkingHost(code, dead)) ends.add(code);
    }
    return ends;
  }

  async #listPaths(codes: Iterable<string>): Promise<readonly (readonly [string, readonly TracedPath[]])[]> {
    const all = [...codes];
    await this.#readPaths(all.filter((code) => !this.#pathsByDevice.has(code)));
    return all.map((code) => [code, this.#pathsByDevice.get(code) ?? []] as const);
  }

  async #readPaths(codes: readonly string[]): Promise<void> {
    if (codes.length === 0) return;
    const { reader, scheduler } = this.#session;
    const found = new Map<string, TracedPath[]>(codes.map((code) => [code, []]));
    const farEnds = mapLinkPorts(this.#session.topology.inventory.fabricLinks);
    // Concurrent traces share the statements that read devices and cables.
    const traces: Promise<void>[] = [];
    const cables = await reader.cablesOfAll(codes);
    for (const { a, b } of cables.filter(isActiveDataCable)) {
      for (const [own, far] of [
        [a, b],
        [b, a],
      ] as const) {
        const list = found.get(codeKey(own.deviceCode));
        if (list === undefined) continue;
        await scheduler.yieldIfDue();
        const linked = farEnds.get(toPortKey(own));
        if (linked !== undefined) {
          // The port of a fabric link leads to the other switch, not to a host.
          this.#linkedKeys.add(linked);
          continue;
        }
        traces.push(
          traceDataPaths(this.#session.topology, this.#tracer, own, far).then((paths) => void list.push(...paths)),
        );
      }
    }
    await Promise.all(traces);
    for (const [code, ways] of found) this.#pathsByDevice.set(code, ways);
  }

  #isWorkingHost(code: string, dead: DeadKeys): boolean {
    return !dead.devices.has(code) && isHost(this.#session.topology, this.#switchKeys, code);
  }
}

const linkPortsByLinks = new WeakMap<readonly FabricLink[], ReadonlyMap<string, string>>();

/** Maps the ports of fabric links to the keys of the devices at the other ends. Computed once per list. */
function mapLinkPorts(links: readonly FabricLink[]): ReadonlyMap<string, string> {
  return linkPortsByLinks.getOrInsertComputed(
    links,
    () =>
      new Map(
        links.flatMap(({ a, b }) => [
          [toPortKey(a), codeKey(b.deviceCode)],
          [toPortKey(b), codeKey(a.deviceCode)],
        ]),
      ),
  );
}

/** Whether a device is at the end of data paths: no switch with fabric links, no power equipment and no patch panel. */
function isHost(topology: Topology, switchKeys: ReadonlySet<string>, code: string): boolean {
  const kind = topology.device(code)?.kind;
  return kind !== undefined && kind !== "PATCH_PANEL" && !isPowerKind(kind) && !switchKeys.has(code);
}

/**
 * Selects the paths by which a device is reached: those to switches with fabric links; without such paths, those to any
 * switch. A switch without fabric links has none of the latter, because no record says which of two switches is above.
 */
function selectSwitchPaths(
  topology: Topology,
  switchKeys: ReadonlySet<string>,
  code: string,
  paths: readonly TracedPath[],
): readonly TracedPath[] {
  const fabric = paths.filter(({ devices }) => switchKeys.has(devices.at(-1) ?? ""));
  if (fabric.length > 0 || topology.device(code)?.kind === "SWITCH") return fabric;
  return paths.filter(({ devices }) => topology.device(devices.at(-1) ?? "")?.kind === "SWITCH");
}

async function traceDataPaths(
  topology: Topology,
  tracer: PathTracer,
  own: PortRef,
  far: PortRef,
): Promise<readonly TracedPath[]> {
  const isPanel = ({ deviceCode }: PortRef) => topology.device(deviceCode)?.kind === "PATCH_PANEL";
  return isPanel(own) || isPanel(far) ? tracer.tracePaths(own) : [createDirectPath(own, far)];
}

/** Device codes along the data paths of hosts, by the key of the host's code. */
type CodesByHost = ReadonlyMap<string, readonly (readonly string[])[]>;

const pathsByNetwork = new WeakMap<object, CodesByHost>();
const hostPathsByTopology = new WeakMap<Topology, HostPaths>();

/**
 * Returns the data paths of all devices, once per topology. Reads and traces the cables again only after a change that
 * can alter a path. Concurrent calls do not share running work, because its reads end with the call.
 */
export async function readHostPaths(session: NetworkSession): Promise<HostPaths> {
  const { topology, reader, scheduler } = session;
  const known = hostPathsByTopology.get(topology);
  if (known !== undefined) return known;
  const paths = pathsByNetwork.get(topology.dataNetwork) ?? (await readPathsByHost(session));
  pathsByNetwork.set(topology.dataNetwork, paths);
  const nodeOf = createNodeLookup(topology);
  const byNode = new Map<number, readonly (readonly number[])[]>();
  for (const [host, own] of paths) {
    await scheduler.yieldIfDue();
    byNode.set(
      nodeOf(host),
      own.map((codes) => codes.map(nodeOf)),
    );
  }
  const { cutOffBefore } = FabricLossFinder.of(topology, await createSwitchLookup(reader, topology));
  const made = new HostPaths(byNode, { live: topology.live, cutOff: cutOffBefore });
  hostPathsByTopology.set(topology, made);
  return made;
}

function createNodeLookup({ power: { indexOf } }: Topology): (code: string) => number {
  return (code) => indexOf.get(`device:${code}`) ?? -1;
}

async function readPathsByHost(session: NetworkSession): Promise<CodesByHost> {
  const { topology, reader, scheduler } = session;
  const { keys } = await readSwitchesOnce(reader, topology);
  const tracer = new PathTracer(session);
  const found = new Map<string, TracedPath[]>();
  for await (const page of readResourcePages(reader, "cable")) {
    const traces: Promise<void>[] = [];
    for (const { a, b } of page.filter(isActiveDataCable)) {
      for (const [own, far] of [
        [a, b],
        [b, a],
      ] as const) {
        const code = codeKey(own.deviceCode);
        if (!isHost(topology, keys, code)) continue;
        await scheduler.yieldIfDue();
        const list = found.getOrInsertComputed(code, () => []);
        traces.push(traceDataPaths(topology, tracer, own, far).then((paths) => void list.push(...paths)));
      }
    }
    await Promise.all(traces);
  }
  const selected = [...found].map(
    ([code, paths]) =>
      [code, selectSwitchPaths(topology, keys, code, paths).map(({ devices }) => devices.slice(1))] as const,
  );
  return new Map(selected.filter(([, paths]) => paths.length > 0));
}

/** Whether a cable is a connected data cable. */
export function isActiveDataCable({ type, status = "CONNECTED" }: Cable): boolean {
  return type !== "POWER" && status === "CONNECTED";
}

/**
 * Reads inventory for many concurrent traces. Combines concurrent reads of devices and cables, and reads neither twice.
 * Cost: two such reads per hop of the longest trace, regardless of the number of traces.
 */
export class BatchedSite implements TraceSite {
  readonly #reader: DcReader;
  readonly #devices: BatchLoader<Device>;
  readonly #cables: BatchLoader<ReadonlyMap<string, Cable>>;

  constructor(reader: DcReader) {
    this.#reader = reader;
    this.#devices = new BatchLoader(async (codes) => {
      const found = await reader.devices(codes);
      return new Map(found.map((device) => [codeKey(device.code), device]));
    });
    this.#cables = new BatchLoader(async (codes) => groupCablesByDevice(await reader.cablesOfAll(codes)));
  }

  device(code: string): Promise<Device | undefined> {
    return this.#devices.load(codeKey(code));
  }

  async cableAt(end: PortRef): Promise<Cable | undefined> {
    return (await this.#cables.load(codeKey(end.deviceCode)))?.get(toPortKey(end));
  }

  feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.#reader.feedDeclarer(feedId);
  }

  crac(code: string): Promise<Crac | undefined> {
    return this.#reader.crac(code);
  }

  consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]> {
    return this.#reader.consumersOf(sourceRefs);
  }
}

function groupCablesByDevice(cables: readonly Cable[]): ReadonlyMap<string, ReadonlyMap<string, Cable>> {
  const found = new Map<string, Map<string, Cable>>();
  for (const cable of cables) {
    for (const end of [cable.a, cable.b]) {
      const key = codeKey(end.deviceCode);
      found.getOrInsertComputed(key, () => new Map()).set(toPortKey(end), cable);
    }
  }
  return found;
}

interface PendingRead<Value> {
  readonly key: string;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

class BatchLoader<Value> {
  readonly #load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #loads = new Map<string, Promise<Value | undefined>>();
  #pending: PendingRead<Value>[] = [];

  constructor(load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#load = load;
  }

  load(key: string): Promise<Value | undefined> {
    return this.#loads.getOrInsertComputed(key, () => {
      // Waits for the next turn of the event loop, so that all callers that have resumed by then share one read.
      if (this.#pending.length === 0) setTimeout(() => void this.#loadBatch(), 0);
      return new Promise((resolve, reject) => this.#pending.push({ key, resolve, reject }));
    });
  }

  async #loadBatch(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    try {
      const found = await this.#load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
