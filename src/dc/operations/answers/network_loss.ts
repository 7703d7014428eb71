import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { DeviceOf } from "#dc/analysis/fabric/fabric_tiers.ts";
import { FabricWatch } from "#dc/analysis/rehearsal/fabric_loss.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_HOPS } from "#dc/limits.ts";
import { codeKey } from "#dc/model/code.ts";
import { fabricLinkRef } from "#dc/model/ref.ts";
import { edgeKey } from "#dc/model/resource_key.ts";
import type { FabricLink, PortRef } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { BatchedSite } from "./batched_site.ts";
import type { CooperativeScheduler } from "./cooperative_scheduler.ts";
import type { FailingSources } from "./failing_sources.ts";
import { allSwitches } from "./switch_devices.ts";

export interface NetworkLoss {
  /** References of the working links that go down, in order. */
  readonly linksDown: readonly string[];
  readonly lostMbps: number;
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
}

const NOTHING: NetworkLoss = { linksDown: [], lostMbps: 0, cutOff: [] };

interface Session {
  readonly topology: Topology;
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
}

/**
 * Finds the fabric links that go down with devices, ports, cables, patch panels and links. A link goes down with a passive
 * part if the path between its two ports leads through it.
 *
 * @param off nodes of devices that do not work any more
 *
 * Cost: the links of all fabrics, and traces from the failed ports.
 */
export async function networkLoss(
  session: Session,
  failed: FailedNetwork,
  off: readonly number[],
): Promise<NetworkLoss> {
  const { topology } = session;
  const isSilent = failed.links.size + failed.networkPorts.length + panelsOf(topology, failed.nodes).length === 0;
  if (isSilent && !touchesSwitch(topology, off)) return NOTHING;
  const watch = new FabricWatch(topology, await allSwitches(session.reader, topology));
  const cut = await cutLinks(session, watch, failed);
  const { links: down, cutOff } = watch.after(off, cut);
  const refs = watch.linksAt(down).map(({ a, b }) => fabricLinkRef(a, b));
  return { linksDown: refs.sort(), lostMbps: watch.mbpsOf(down), cutOff };
}

type FailedNetwork = Pick<FailingSources, "links" | "networkPorts" | "nodes">;

/**
 * Finds the numbers of the links that go down with ports, cables, patch panels and links that fail, whatever is at their ends.
 * Cost: as of `networkLoss`.
 */
export async function cutLinks(
  session: Session,
  watch: FabricWatch,
  { links, networkPorts, nodes }: FailedNetwork,
): Promise<readonly number[]> {
  const { topology, reader } = session;
  const passive = [...networkPorts, ...(await portsOf(reader, panelsOf(topology, nodes)))];
  const paths = await brokenPaths(session, passive);
  if (links.size + paths.length === 0) return [];
  const deviceOf = await allSwitches(reader, topology);
  const isCut = (link: FabricLink) =>
    links.has(edgeKey(link.a, link.b)) || paths.some((path) => rides(link, path, deviceOf));
  return watch.numbersOf(isCut);
}

/** Codes of the patch panels among some nodes. */
function panelsOf({ power }: Topology, nodes: ReadonlySet<number>): readonly string[] {
  return [...nodes].flatMap((index) => {
    const node = power.nodes[index];
    return node?.kind === "DEVICE" && node.device.kind === "PATCH_PANEL" ? [node.device.code] : [];
  });
}

function touchesSwitch({ inventory, power }: Topology, off: readonly number[]): boolean {
  const gone = new Set(
    off.flatMap((index) => {
      const node = power.nodes[index];
      return node?.kind === "DEVICE" ? [codeKey(node.device.code)] : [];
    }),
  );
  return inventory.fabricLinks.some(({ a, b }) => gone.has(codeKey(a.deviceCode)) || gone.has(codeKey(b.deviceCode)));
}

/** The two ports at the ends of a path; one port alone for one that meets nothing. */
type Ends = readonly [PortRef, PortRef];

/** Ports of patch panels: every fibre of a panel passes a front or a rear. */
async function portsOf(reader: DcReader, codes: readonly string[]): Promise<readonly PortRef[]> {
  const devices = codes.length === 0 ? [] : await reader.devices(codes);
  return devices.flatMap(({ code: deviceCode, ports = [] }) =>
    ports
      .filter(({ kind }) => kind === "FRONT" || kind === "REAR")
      .map(({ name: portName }) => ({ deviceCode, portName })),
  );
}

/** The ends of every path through some ports. */
async function brokenPaths({ reader, scheduler }: Session, ports: readonly PortRef[]): Promise<readonly Ends[]> {
  const site = new BatchedSite(reader);
  const options = {
    stopAtPower: true,
    followSplits: true,
    maxHops: MAX_HOPS,
    pause: () => scheduler.yieldIfDue(),
  };
  const traced = await Promise.all(ports.map((port) => traceCable(port, site, options)));
  return traced.flat().flatMap(({ hops }): Ends[] => {
    const [first, last] = [hops[0], hops.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [
      [
        { deviceCode: first.device.code, portName: first.outPort },
        { deviceCode: last.device.code, portName: last.inPort === "" ? last.outPort : last.inPort },
      ],
    ];
  });
}

/** Whether a link is between the ends of a path. A link of a divided port rides on the whole port and on its channels. */
function rides({ a, b }: FabricLink, [from, to]: Ends, deviceOf: DeviceOf): boolean {
  const is = (one: PortRef, other: PortRef) => isWithin(one, other, deviceOf);
  return (is(a, from) && is(b, to)) || (is(a, to) && is(b, from));
}

function isWithin(one: PortRef, other: PortRef, deviceOf: DeviceOf): boolean {
  if (codeKey(one.deviceCode) !== codeKey(other.deviceCode)) return false;
  if (one.portName === other.portName) return true;
  const ports = deviceOf(codeKey(one.deviceCode))?.ports ?? [];
  const parentOf = (name: string) => ports.find((port) => port.name === name)?.parentPort;
  return parentOf(one.portName) === other.portName || parentOf(other.portName) === one.portName;
}
