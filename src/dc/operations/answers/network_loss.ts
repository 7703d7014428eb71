import { FabricWatch } from "#dc/analysis/rehearsal/fabric_loss.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { fabricLinkRef } from "#dc/model/ref.ts";
import { type FailedNetwork, NetworkTracer, panelsOf } from "./network_tracer.ts";
import type { NetworkSession } from "./traced_ways.ts";

/** What a failure does to networks. */
export interface NetworkLoss {
  /** References of the working links that go down, in order. */
  readonly linksDown: readonly string[];
  readonly lostMbps: number;
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: readonly number[];
}

const NOTHING: NetworkLoss = { linksDown: [], lostMbps: 0, cutOff: [], isolated: [] };

/**
 * Finds what goes down with devices, ports, cables, patch panels and links. Data paths are followed for parts of networks and
 * for places.
 *
 * @param off nodes of devices that do not work any more
 *
 * Cost: the links of all fabrics, traces from the failed ports, and data paths as of `DataPaths.isolatedBy`.
 */
export async function networkLoss(
  session: NetworkSession,
  failed: FailedNetwork & { readonly isPlace: boolean },
  off: readonly number[],
): Promise<NetworkLoss> {
  const { topology } = session;
  const isNetwork = failed.links.size + failed.networkPorts.length + panelsOf(topology, failed.nodes).length > 0;
  if (!isNetwork && !touchesSwitch(topology, off)) return NOTHING;
  const tracer = await NetworkTracer.of(session);
  const watch = new FabricWatch(topology, tracer.deviceOf);
  const { links: down, cutOff } = watch.after(off, await tracer.cutLinks(watch, failed));
  const refs = watch.linksAt(down).map(({ a, b }) => fabricLinkRef(a, b));
  const isFollowed = isNetwork || failed.isPlace;
  const isolated = isFollowed ? await tracer.isolatedBy({ off, cutOff, ports: failed.networkPorts }) : [];
  return { linksDown: refs.sort(), lostMbps: watch.mbpsOf(down), cutOff, isolated };
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
