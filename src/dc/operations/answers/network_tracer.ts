import type { FindDeviceByKey, LinkDevices } from "#dc/analysis/fabric/fabric_tiers.ts";
import { findDeviceNode } from "#dc/analysis/power/power_nodes.ts";
import type { FailedNetwork } from "#dc/analysis/rehearsal/elements.ts";
import { type NetworkCut, selectIsolatedHosts } from "#dc/analysis/rehearsal/further_effects.ts";
import { FabricLossFinder } from "#dc/analysis/rehearsal/loss.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey, formatEdgeKey, formatFabricLinkRef, getResourceKey } from "#dc/model/ref.ts";
import type { Device, FabricLink, PortRef } from "#dc/model/resources.ts";
import {
  canPassSignals,
  DataPaths,
  type NetworkSession,
  PathTracer,
  readPassivePorts,
  type TracedPath,
} from "./data_paths.ts";
import { listNodeDevices } from "./failing_sources.ts";
import { getLinkEndKeys, readSwitchesOnce, type SwitchDevices } from "./switch_devices.ts";

type NetworkSwitches = SwitchDevices & LinkDevices;

/** Reads the devices at the ends of all fabric links, and the links that are blocked between their ends. */
export async function readNetworkSwitches(session: NetworkSession): Promise<NetworkSwitches> {
  const switches = await readSwitchesOnce(session.reader, session.topology);
  return { ...switches, blocked: await readBlockedLinks(session, switches.deviceOf) };
}

/**
 * Finds the fabric links whose path leads through a device that is out of service, and that device, by the key of the
 * link. Cost: traces through these devices, once until cables, links or devices change.
 */
export async function readBlockedLinks(
  session: NetworkSession,
  deviceOf: FindDeviceByKey,
): Promise<ReadonlyMap<string, Device>> {
  const { topology, reader } = session;
  const { dataNetwork, power, inventory } = topology;
  if (dataNetwork.blockedLinks !== undefined) return dataNetwork.blockedLinks;
  const found = new Map<string, Device>();
  const links = Map.groupBy(inventory.fabricLinks, ({ a }) => codeKey(a.deviceCode));
  const out = [...power.nodes.keys()].filter((index) => links.size > 0 && power.nodes[index]?.blocked === true);
  const tracer = new PathTracer(session);
  for (const port of await readPassivePorts(reader, listPassiveCodes(topology, out))) {
    for (const { ends } of await tracer.tracePaths(port)) {
      const beside = ends.flatMap(({ deviceCode }) => links.get(codeKey(deviceCode)) ?? []);
      for (const link of beside.filter((one) => doesLinkUsePath(one, ends, deviceOf)))
        found.set(getResourceKey(link), topology.device(port.deviceCode) as Device);
    }
  }
  dataNetwork.blockedLinks = found;
  return found;
}

/** Traces the effects of failures on networks, for all failures of one call. */
export class NetworkTracer {
  readonly switches: NetworkSwitches;
  readonly #session: NetworkSession;
  readonly #pathTracer: PathTracer;
  readonly paths: DataPaths;
  readonly fabrics: FabricLossFinder;

  private constructor(session: NetworkSession, switches: NetworkSwitches) {
    this.switches = switches;
    this.fabrics = FabricLossFinder.of(session.topology, switches);
    this.#session = session;
    this.#pathTracer = new PathTracer(session);
    this.paths = new DataPaths(session, this.#pathTracer, switches.keys);
  }

  static async create(session: NetworkSession): Promise<NetworkTracer> {
    return new NetworkTracer(session, await readNetworkSwitches(session));
  }

  /**
   * Finds the numbers of the links that go down with failed ports, cables, patch panels and links, even if their
   * switches stay on. A link goes down with a passive part if a path between its two ports leads through that part.
   * Cost: traces from the failed ports.
   */
  async findCutLinks({ links, networkPorts, nodes }: FailedNetwork): Promise<readonly number[]> {
    const { topology, reader } = this.#session;
    const { fabrics } = this;
    const named = links.size === 0 ? [] : fabrics.listLinkNumbers(({ a, b }) => links.has(formatEdgeKey(a, b)));
    const passive = [...networkPorts, ...(await readPassivePorts(reader, listPassiveCodes(topology, nodes)))];
    const ways = (await Promise.all(passive.map((port) => this.#pathTracer.tracePaths(port)))).flat();
    const riding = ways.flatMap(({ ends }) => {
      const node = findDeviceNode(topology.power, codeKey(ends[0].deviceCode));
      return fabrics.listNodeLinkNumbers(node, (link) => doesLinkUsePath(link, ends, this.switches.deviceOf));
    });
    return [...new Set([...named, ...riding])];
  }

  /** Finds the links and paths that go down with failed elements. Cost: traces from failed ports, and their hosts. */
  async findCut(failed: FailedNetwork): Promise<NetworkCut> {
    return { links: await this.findCutLinks(failed), paths: await this.paths.listAffectedPaths(failed.networkPorts) };
  }
}

/** Returns the codes of the devices among some nodes that may pass signals on. */
function listPassiveCodes({ power }: Topology, nodes: Iterable<number>): readonly string[] {
  return listNodeDevices(power, nodes).flatMap(({ kind, code }) => (canPassSignals(kind) ? [code] : []));
}

/** Whether a link connects the two ends of a path. A link of a divided port uses the whole port and its channels. */
function doesLinkUsePath({ a, b }: FabricLink, [from, to]: TracedPath["ends"], deviceOf: FindDeviceByKey): boolean {
  const isSameEnd = (one: PortRef, other: PortRef) => isSameOrChannelPort(one, other, deviceOf);
  return (isSameEnd(a, from) && isSameEnd(b, to)) || (isSameEnd(a, to) && isSameEnd(b, from));
}

function isSameOrChannelPort(one: PortRef, other: PortRef, deviceOf: FindDeviceByKey): boolean {
  if (codeKey(one.deviceCode) !== codeKey(other.deviceCode)) return false;
  if (one.portName === other.portName) return true;
  const ports = deviceOf(codeKey(one.deviceCode))?.ports ?? [];
  const findParentPort = (name: string) => ports.find((port) => port.name === name)?.parentPort;
  return findParentPort(one.portName) === other.portName || findParentPort(other.portName) === one.portName;
}

/**
 * Finds the links, switches and devices that lose their connection with failed devices, ports, cables, patch panels and
 * links. Cost: the links of all fabrics, traces from the failed ports, and data paths.
 * @param off nodes of devices that do not work any more, the failed ones included
 * @returns references of the working links that go down, in order, and their capacity; nodes of switches that stay on
 * and lose their last working uplink, and of devices that stay on without a data path
 */
export async function findNetworkLoss(session: NetworkSession, failed: FailedNetwork, off: readonly number[]) {
  const { topology } = session;
  const linkEnds = getLinkEndKeys(topology.inventory.fabricLinks);
  const isNetwork = listNodeDevices(topology.power, off).some(
    ({ kind, code }) => canPassSignals(kind) || linkEnds.has(codeKey(code)),
  );
  if (!isNetwork && failed.links.size + failed.networkPorts.length === 0)
    return { linksDown: [], lostMbps: 0, cutOff: [], isolated: [] };
  const tracer = await NetworkTracer.create(session);
  const { fabrics } = tracer;
  const { links: down, cutOff } = fabrics.computeFabricLoss(off, await tracer.findCutLinks(failed));
  const refs = fabrics.listLinks(down).map(({ a, b }) => formatFabricLinkRef(a, b));
  const paths = await tracer.paths.listAffectedPaths(failed.networkPorts, [...off, ...cutOff]);
  const before = { topology, cutOff: fabrics.cutOffBefore };
  const isolated = selectIsolatedHosts(paths.keys(), paths, before, { off, cutOff, failed: failed.nodes });
  return { linksDown: refs.sort(), lostMbps: fabrics.sumMbps(down), cutOff, isolated };
}
