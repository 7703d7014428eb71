import { type TraceSite, traceCable } from "../../analysis/cabling/cable_trace.ts";
import { isPassivePort } from "../../analysis/cabling/fibres.ts";
import { findDeviceNode } from "../../analysis/power/power_nodes.ts";
import { FAILED_PORT, PathIndex, type PathsByHost } from "../../analysis/rehearsal/further_effects.ts";
import type { EarlierPaths, PathsByHostKey, Topology } from "../../analysis/topology.ts";
import { MAX_HOPS } from "../../limits.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { DeviceKind } from "../../model/enum_values.ts";
import type { SourceConsumer } from "../../model/inventory.ts";
import { codeKey, toPortKey } from "../../model/ref.ts";
import type { Cable, Crac, Device, FabricLink, PortRef } from "../../model/resources.ts";
import { type DcReader, readResourcePages } from "../../ports.ts";
import type { CooperativeScheduler } from "./cooperative_scheduler.ts";
import { listNodeDevices } from "./failing_sources.ts";
import { readSwitchesOnce } from "./switch_devices.ts";

export interface NetworkSession {
  readonly topology: Topology;
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
}

/** One path between two ports: the ports at its ends, and the keys of the devices and ports along it. */
export interface TracedPath {
  readonly ends: readonly [PortRef, PortRef];
  readonly devices: readonly string[];
  readonly listPorts: () => readonly string[];
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

  /**
   * Returns the paths of all fibres through a port over connected cables. A path through a patch panel's port includes
   * both of its ends.
   */
  tracePaths(port: PortRef): Promise<readonly TracedPath[]> {
    return this.#pathsByPort.getOrInsertComputed(toPortKey(port), () => this.#trace(port));
  }

  async #trace(port: PortRef): Promise<readonly TracedPath[]> {
    const options = { stopAtPower: true, followSplits: true, maxHops: MAX_HOPS, pause: this.#yieldIfDue };
    const paths = await traceCable(port, this.#site, options);
    return paths.flatMap(({ hops, segments }): TracedPath[] => {
      const [first, last] = [hops[0], hops.at(-1)];
      if (first === undefined || last === undefined) return [];
      if (segments.some(({ cable }) => cable !== undefined && !isActiveDataCable(cable))) return [];
      return [
        {
          ends: [
            { deviceCode: first.device.code, portName: first.outPort },
            { deviceCode: last.device.code, portName: last.inPort === "" ? last.outPort : last.inPort },
          ],
          devices: hops.map(({ device }) => codeKey(device.code)),
          listPorts: () =>
            hops.flatMap(({ device: { code: deviceCode }, inPort, outPort }) =>
              [inPort, outPort].map((portName) => toPortKey({ deviceCode, portName })),
            ),
        },
      ];
    });
  }
}

/** The data paths of devices to switches. Reads and traces each path once for all failures that are queried. */
export class DataPaths {
  readonly #session: NetworkSession;
  readonly #tracer: PathTracer;
  /** Keys of the codes of the switches with fabric links. */
  readonly #switchKeys: ReadonlySet<string>;
  /** Paths from devices along their data cables, by the key of the device code. */
  readonly #pathsByDevice = new Map<string, readonly TracedPath[]>();

  constructor(session: NetworkSession, traced: PathTracer, switches: ReadonlySet<string>) {
    this.#session = session;
    this.#tracer = traced;
    this.#switchKeys = switches;
  }

  /**
   * Lists all paths of the hosts with a path through failed ports or devices; a path through a failed port passes
   * `FAILED_PORT` too. Cost: the cables of the failed devices and those of the hosts behind them; a trace for each cable
   * at a patch panel.
   * @param nodes of devices
   */
  async listAffectedPaths(failedPorts: readonly PortRef[], nodes: readonly number[] = []): Promise<PathsByHost> {
    const { topology } = this.#session;
    const devices = new Set(listNodeDevices(topology.power, nodes).map(({ code }) => codeKey(code)));
    const ports = new Set(failedPorts.map(toPortKey));
    const nodeOf = (code: string) => findDeviceNode(topology.power, code);
    const found = new Map<number, readonly (readonly number[])[]>();
    for (const [code, paths] of await this.#listPaths(await this.#findAffectedHosts(devices, ports))) {
      const own = selectSwitchPaths(topology, this.#switchKeys, code, paths);
      const listNodes = ({ devices: passed, listPorts }: TracedPath) => [
        ...(ports.size > 0 && listPorts().some((key) => ports.has(key)) ? [FAILED_PORT] : []),
        ...passed.slice(1).map(nodeOf),
      ];
      found.set(nodeOf(code), own.map(listNodes));
    }
    return found;
  }

  /** Returns the keys of hosts on data paths that start at a dead switch, a dead patch panel or a failed port. */
  async #findAffectedHosts(devices: ReadonlySet<string>, ports: ReadonlySet<string>): Promise<Iterable<string>> {
    const { topology } = this.#session;
    const isStart = (code: string) => this.#switchKeys.has(code) || canPassSignals(findKind(topology, code));
    const starts = new Set([...devices].filter(isStart));
    for (const key of ports) starts.add(key.slice(0, key.indexOf("/")));
    const ends = new Set<string>();
    for (const [start, ways] of await this.#listPaths(starts)) {
      for (const code of [start, ...ways.flatMap((way) => way.devices)])
        if (!devices.has(code) && isHost(topology, this.#switchKeys, code)) ends.add(code);
    }
    return ends;
  }

  async #listPaths(codes: Iterable<string>): Promise<readonly (readonly [string, readonly TracedPath[]])[]> {
    const all = [...codes];
    const unread = all.filter((code) => !this.#pathsByDevice.has(code));
    // The port of a fabric link leads to the other switch, not to a host.
    const linkPorts = listLinkPorts(this.#session.topology.inventory.fabricLinks);
    for (const [code, paths] of await this.#readPaths(unread, linkPorts)) this.#pathsByDevice.set(code, paths);
    return all.map((code) => [code, this.#pathsByDevice.get(code) ?? []] as const);
  }

  /** Reads the paths from devices. @param skipped keys of ports at which no path begins */
  async #readPaths(codes: readonly string[], skipped = NO_PORTS): Promise<ReadonlyMap<string, readonly TracedPath[]>> {
    const { reader, scheduler } = this.#session;
    const found = new Map<string, TracedPath[]>(codes.map((code) => [code, []]));
    for (let at = 0; at < codes.length; at += DEVICES_PER_READ) {
      const some = codes.slice(at, at + DEVICES_PER_READ);
      await scheduler.yieldIfDue();
      const own = new Set(some);
      const isStart = (code: string, port: PortRef) => own.has(code) && !skipped.has(toPortKey(port));
      await this.#followCables(await reader.cablesOfAll(some), found, isStart);
    }
    return found;
  }

  /** Follows data cables from the devices at their ends. @param isStart whether a path begins at a port of a device */
  async #followCables(
    cables: readonly Cable[],
    found: Map<string, TracedPath[]>,
    isStart: (code: string, port: PortRef) => boolean,
  ): Promise<void> {
    const { scheduler, topology } = this.#session;
    // Concurrent traces share the statements that read devices and cables.
    const traces: Promise<void>[] = [];
    for (const { a, b } of cables.filter(isActiveDataCable)) {
      const [start, end] = [codeKey(a.deviceCode), codeKey(b.deviceCode)];
      const isTraced = isPanel(topology, start) || isPanel(topology, end);
      for (const [own, far, code] of [
        [a, b, start],
        [b, a, end],
      ] as const) {
        if (!isStart(code, own)) continue;
        await scheduler.yieldIfDue();
        const list = found.getOrInsert(code, []);
        if (!isTraced)
          list.push({
            ends: [own, far],
            devices: [code, codeKey(far.deviceCode)],
            listPorts: () => [own, far].map(toPortKey),
          });
        else traces.push(this.#tracer.tracePaths(own).then((paths) => void list.push(...paths)));
      }
    }
    await Promise.all(traces);
  }

  /** Reads all data paths, or only those that can differ from earlier ones, which are returned if none can. */
  async readPathsByHost(): Promise<PathsByHostKey> {
    const { topology, reader } = this.#session;
    const isStart = (code: string) => isHost(topology, this.#switchKeys, code);
    const { earlier } = topology.dataNetwork;
    if (earlier === undefined) {
      const all = new Map<string, TracedPath[]>();
      for await (const page of readResourcePages(reader, "cable")) await this.#followCables(page, all, isStart);
      return this.#addPaths(new Map(), all);
    }
    const recabled = new Set([...earlier.recabled, ...(await this.#selectPassedDevices(earlier))]);
    if (recabled.size === 0) return earlier.paths;
    const affected = new Set(recabled);
    for (const [host, paths] of earlier.paths)
      if (paths.some((codes) => codes.some((code) => recabled.has(code)))) affected.add(host);
    for (const code of await this.#listReachedDevices([...recabled])) affected.add(code);
    const paths = new Map(earlier.paths);
    for (const code of affected) paths.delete(code);
    return this.#addPaths(paths, await this.#listPaths([...affected].filter(isStart)));
  }

  /** Lists the devices on the paths from some devices, also beyond devices of other kinds that pass signals on. */
  async #listReachedDevices(codes: readonly string[]): Promise<readonly string[]> {
    const paths = [...(await this.#readPaths(codes)).values()].flat();
    const beside = new Set(paths.flatMap(({ devices }) => devices));
    const isOther = (code: string) => !isPanel(this.#session.topology, code);
    const passive = await this.#readPassivePorts([...beside].filter(isOther));
    const beyond = await Promise.all(passive.map((port) => this.#tracer.tracePaths(port)));
    return [...beside, ...beyond.flat().flatMap(({ devices }) => devices)];
  }

  /** Returns the front and rear ports of devices, which are read in parts. */
  async #readPassivePorts(codes: readonly string[]): Promise<readonly PortRef[]> {
    const { reader, scheduler } = this.#session;
    const found: PortRef[] = [];
    for (let at = 0; at < codes.length; at += DEVICES_PER_READ) {
      await scheduler.yieldIfDue();
      found.push(...(await readPassivePorts(reader, codes.slice(at, at + DEVICES_PER_READ))));
    }
    return found;
  }

  /** Selects the changed devices through which paths lead now, by their front and rear ports, or led before. */
  async #selectPassedDevices({ paths, changed }: EarlierPaths): Promise<readonly string[]> {
    const passed = new Set<string>();
    for (const own of changed.size === 0 ? [] : paths.values())
      for (const codes of own) for (const code of codes.length > 1 ? codes.slice(0, -1) : []) passed.add(code);
    const passive = await this.#readPassivePorts([...changed.difference(passed)]);
    return [...changed.intersection(passed), ...passive.map(({ deviceCode }) => codeKey(deviceCode))];
  }

  /** Adds the paths by which each host is reached. */
  #addPaths(
    paths: Map<string, readonly (readonly string[])[]>,
    found: Iterable<readonly [string, readonly TracedPath[]]>,
  ): PathsByHostKey {
    for (const [code, ways] of found) {
      const own = selectSwitchPaths(this.#session.topology, this.#switchKeys, code, ways);
      if (own.length > 0)
        paths.set(
          code,
          own.map(({ devices }) => devices.slice(1)),
        );
    }
    return paths;
  }
}

/** Whether a failing device may take paths that pass it or end at it: no server, and no power equipment. */
export function canPassSignals(kind: DeviceKind | undefined): boolean {
  return kind !== undefined && !isPowerKind(kind) && !["SERVER", "STORAGE", "BLADE"].includes(kind);
}

/** Number of devices that are read in one statement. Our choice: some ten milliseconds. */
const DEVICES_PER_READ = 1000;

/** Reads the front and rear ports of devices, which those of any kind may have: every fibre passes one of each. */
export async function readPassivePorts(reader: DcReader, codes: readonly string[]): Promise<readonly PortRef[]> {
  const devices = codes.length === 0 ? [] : await reader.devices(codes);
  return devices.flatMap(({ code: deviceCode, ports = [] }) =>
    ports.filter(isPassivePort).map(({ name: portName }) => ({ deviceCode, portName })),
  );
}

const NO_PORTS: ReadonlySet<string> = new Set();
const portsByLinks = new WeakMap<readonly FabricLink[], ReadonlySet<string>>();

/** Returns the keys of the ports of fabric links. Computed once per list. */
function listLinkPorts(links: readonly FabricLink[]): ReadonlySet<string> {
  return portsByLinks.getOrInsertComputed(links, () => new Set(links.flatMap(({ a, b }) => [a, b].map(toPortKey))));
}

function findKind({ power }: Topology, code: string): DeviceKind | undefined {
  const node = power.nodes[findDeviceNode(power, code)];
  return node?.kind === "DEVICE" ? node.device.kind : undefined;
}

function isPanel(topology: Topology, code: string): boolean {
  return findKind(topology, code) === "PATCH_PANEL";
}

/** Whether a device is at the end of data paths: no switch with fabric links, no power equipment and no patch panel. */
function isHost(topology: Topology, switchKeys: ReadonlySet<string>, code: string): boolean {
  const kind = findKind(topology, code);
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
  const getEnd = ({ devices }: TracedPath) => devices.at(-1) ?? "";
  const fabric = paths.filter((path) => switchKeys.has(getEnd(path)));
  if (fabric.length > 0 || findKind(topology, code) === "SWITCH") return fabric;
  return paths.filter((path) => findKind(topology, getEnd(path)) === "SWITCH");
}

/** Indexes of the paths of one cabling, by the numbering of nodes. */
const indexesByPaths = new WeakMap<PathsByHostKey, WeakMap<object, PathIndex>>();

/**
 * Returns the data paths of all devices. Reads and traces all cables once, later only those that changed. Concurrent
 * calls do not share running work, because its reads end with the call.
 */
export async function readHostPaths(session: NetworkSession): Promise<PathIndex> {
  const { dataNetwork, numbering } = session.topology;
  const { keys } = await readSwitchesOnce(session.reader, session.topology);
  const paths = dataNetwork.paths ?? (await new DataPaths(session, new PathTracer(session), keys).readPathsByHost());
  dataNetwork.setPaths(paths);
  const indexes = indexesByPaths.getOrInsertComputed(paths, () => new WeakMap());
  const index = indexes.get(numbering) ?? (await indexPaths(session, paths));
  indexes.set(numbering, index);
  return index;
}

async function indexPaths({ topology, scheduler }: NetworkSession, paths: PathsByHostKey): Promise<PathIndex> {
  const nodeOf = (code: string) => findDeviceNode(topology.power, code);
  const byNode = new Map<number, readonly (readonly number[])[]>();
  for (const [host, own] of paths) {
    await scheduler.yieldIfDue();
    byNode.set(
      nodeOf(host),
      own.map((codes) => codes.map(nodeOf)),
    );
  }
  return new PathIndex(byNode);
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
      // Yields to the event loop, so that all callers that have resumed by then share one read.
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
