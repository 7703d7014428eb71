import { utilization } from "#dc/analysis/power/power_findings.ts";
import type { PowerNode } from "#dc/analysis/power/power_graph.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { PLACE_COLUMNS } from "./columns.ts";
import { inBatches, type Listing, rounded, textCell } from "./listing.ts";

interface Supply {
  readonly index: number;
  readonly node: PowerNode;
  /** The equipment, or what declares the feed. */
  readonly device: Device | undefined;
}

/** Power equipment and feeds with what they carry now and after one failure. Needs a judged topology. */
export function powerListing(topology: Topology): Listing<Supply> {
  const { power, live } = topology;
  const carried = topology.carried("ALLOCATED");
  const rows = [...power.nodes.entries()]
    .flatMap(([index, node]) => supplyOf(topology, index, node) ?? [])
    .sort((a, b) => compareText(a.node.ref.toLowerCase(), b.node.ref.toLowerCase()));
  return {
    ref: ({ node }) => node.ref,
    name: ({ node }) => node.ref.slice(node.ref.indexOf(":") + 1),
    columns: {
      kind: ({ node, device }) => (node.kind === "DEVICE" ? device?.kind : "FEED"),
      status: ({ device }) => device?.status ?? (device === undefined ? undefined : "ACTIVE"),
      power: ({ index }) => (live[index] === 1 ? "LIVE" : "DEAD"),
      side: ({ device }) => textCell(device?.power?.powerPath),
      load_w: ({ index }) => rounded(carried.loads.watts[index]),
      capacity_w: ({ node }) => node.capacityW,
      load_pct: ({ index }) => rounded(utilization(carried, index)?.normalPct),
      failover_w: ({ index }) => rounded(carried.failover.loads[index]),
      failover_pct: ({ index }) => rounded(utilization(carried, index)?.failoverPct),
      failover_ref: ({ index }) => textCell(power.nodes[carried.failover.lost[index] ?? -1]?.ref),
      limit_pct: ({ node }) => node.maxUtilizationPct,
      consumers: ({ index }) => power.supplies[index]?.length ?? 0,
      site: ({ device }) => device && PLACE_COLUMNS.site(device),
      floor: ({ device }) => device && PLACE_COLUMNS.floor(device),
      room: ({ device }) => device && PLACE_COLUMNS.room(device),
      rack: ({ device }) => textCell(device?.rackCode),
      source: ({ node }) => (node.kind === "OUTLET" ? `${node.end.deviceCode}/${node.end.portName}` : undefined),
    },
    batches: () => inBatches(rows),
    total: rows.length,
  };
}

function supplyOf(topology: Topology, index: number, node: PowerNode): Supply | undefined {
  if (node.kind === "DEVICE") return isPowerKind(node.device.kind) ? { index, node, device: node.device } : undefined;
  if (!node.ref.startsWith("feed:")) return undefined;
  return { index, node, device: node.kind === "OUTLET" ? topology.device(node.end.deviceCode) : undefined };
}
