import type { FindDeviceByKey } from "#dc/analysis/fabric/fabric_tiers.ts";
import { findDeviceNode } from "#dc/analysis/power/power_nodes.ts";
import type { PathsByHost } from "#dc/analysis/rehearsal/further_effects.ts";
import { FabricLossFinder } from "#dc/analysis/rehearsal/loss.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey, formatEdgeKey, formatFabricLinkRef } from "#dc/model/ref.ts";
import type { FabricLink, PortRef } from "#dc/model/resources.ts";
import {
  DataPaths,
  type DeadNetworkElements,
  type NetworkSession,
  PathTracer,
  readPassivePorts,
  type TracedPath,
} from "./data_paths.ts";
import { listNodeDevices } from "./failing_sources.ts";
import { getLinkEndKeys, readSwitchesOnce, type SwitchDevices } from "./switch_devices.ts";

/**
 * Failed elements of networks: ports, keys of fabric links, and nodes of the power graph. Only patch panels among the
 * nodes matter.
 */
export interface FailedNetwork {
  readonly nodes: ReadonlySet<number>;
  readonly networkPorts: readonly PortRef[];
  readonly links: ReadonlySet<string>;
}

/** Traces the effects of failures on networks, for all failures of one call. */
export class NetworkTracer {
  readonly findDevice: FindDeviceByKey;
  readonly #session: NetworkSession;
  readonly #pathTracer: PathTracer;
  readonly #paths: DataPaths;
  #fabrics: FabricLossFinder | undefined;

  private constructor(session: NetworkSession, { deviceOf, keys }: SwitchDevices) {
    this.findDevice = deviceOf;
    this.#session = session;
    this.#pathTracer = new PathTracer(session);
    this.#paths = new DataPaths(session, this.#pathTracer, keys);
  }

  static async create(session: NetworkSession): Promise<NetworkTracer> {
    return new NetworkTracer(session, await readSwitchesOnce(session.reader, session.topology));
  }

  get fabrics(): FabricLossFinder {
    this.#fabrics ??= FabricLossFinder.of(this.#session.topology, this.findDevice);
    return this.#fabrics;
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
    const passive = [...networkPorts, ...(await readPassivePorts(reader, listPanelCodes(topology, nodes)))];
    const ways = (await Promise.all(passive.map((port) => this.#pathTracer.tracePaths(port)))).flat();
    const riding = ways.flatMap(({ ends }) => {
      const node = findDeviceNode(topology.power, codeKey(ends[0].deviceCode));
      return fabrics.listNodeLinkNumbers(node, (link) => doesLinkUsePath(link, ends, this.findDevice));
    });
    return [...new Set([...named, ...riding])];
  }

  /** Lists all data paths of the hosts that have one through failed ports. Cost: traces from these ports and hosts. */
  listCutPaths(ports: readonly PortRef[]): Promise<PathsByHost> {
    return this.#paths.listAffectedPaths(ports);
  }

  /**
   * Returns the nodes of devices that stay on and lose their last data path. The cost is that of
   * `DataPaths.findIsolatedDevices`.
   */
  findIsolatedDevices(dead: DeadNetworkElements): Promise<readonly number[]> {
    return this.#paths.findIsolatedDevices(
      { live: this.#session.topology.live, cutOff: this.fabrics.cutOffBefore },
      dead,
    );
  }
}

/** Returns the codes of the patch panels among some nodes. */
export function listPanelCodes({ power }: Topology, nodes: Iterable<number>): readonly string[] {
  return listNodeDevices(power, nodes).flatMap(({ kind, code }) => (kind === "PATCH_PANEL" ? [code] : []));
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

/** Effects of a failure on networks. */
interface NetworkLoss {
  /** References of the working links that go down, in order. */
  readonly linksDown: readonly string[];
  readonly lostMbps: number;
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: readonly number[];
}

const NO_NETWORK_LOSS: NetworkLoss = { linksDown: [], lostMbps: 0, cutOff: [], isolated: [] };

/**
 * Finds the links, switches and devices that lose their connection with failed devices, ports, cables, patch panels and
 * links. Cost: the links of all fabrics, traces from the failed ports, and data paths.
 * @param off nodes of devices that do not work any more
 */
export async function findNetworkLoss(
  session: NetworkSession,
  failed: FailedNetwork,
  off: readonly number[],
): Promise<NetworkLoss> {
  const { topology } = session;
  const isNetwork = failed.links.size + failed.networkPorts.length + listPanelCodes(topology, failed.nodes).length > 0;
  if (!isNetwork && !includesSwitch(topology, off)) return NO_NETWORK_LOSS;
  const tracer = await NetworkTracer.create(session);
  const { fabrics } = tracer;
  const { links: down, cutOff } = fabrics.computeFabricLoss(off, await tracer.findCutLinks(failed));
  const refs = fabrics.listLinks(down).map(({ a, b }) => formatFabricLinkRef(a, b));
  const isolated = await tracer.findIsolatedDevices({ off, cutOff, ports: failed.networkPorts });
  return { linksDown: refs.sort(), lostMbps: fabrics.sumMbps(down), cutOff, isolated };
}

function includesSwitch({ inventory, power }: Topology, off: readonly number[]): boolean {
  const switches = getLinkEndKeys(inventory.fabricLinks);
  return listNodeDevices(power, off).some(({ kind, code }) => kind === "SWITCH" || switches.has(codeKey(code)));
}
