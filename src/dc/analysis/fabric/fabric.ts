import { codeKey } from "#dc/model/code.ts";
import type { PhysicalMatch } from "#dc/model/enum_values.ts";
import { formatPort } from "#dc/model/ref.ts";
import { getFabricKey } from "#dc/model/resource_key.ts";
import type { FabricLink, PortRef } from "#dc/model/resources.ts";
import type { FabricSummary } from "#gen/datacenter/v1/messages.ts";
import type { CablePath } from "../cabling/cable_path.ts";
import { type FabricFinding, listDownLinkFindings, listSwitchFindings } from "./fabric_findings.ts";
import { createLinkView, type FabricLinkView, type LinkLimits } from "./fabric_links.ts";
import { createFabricNode, divideLinksByTier, type FabricNode } from "./fabric_nodes.ts";
import { type FindDeviceByKey, getTierName, listExpectedMesh, rankTiers, type TierByKey } from "./fabric_tiers.ts";

export type { FabricLinkView } from "./fabric_links.ts";
export type { FabricNode } from "./fabric_nodes.ts";

export interface FabricOptions extends LinkLimits {
  readonly failedDeviceCodes: readonly string[];
  /** Whether a switch is in the requested scope. A missing link is listed if one of its ends is in scope. */
  readonly inScope?: (deviceCode: string) => boolean;
}

/** Links of a query. A scope limits the listed links, not the links of a switch. */
export interface FabricLinks {
  /** Links of the queried scope, which the reply lists. */
  readonly listed: readonly FabricLink[];
  /** All links of the fabrics of the listed links. */
  readonly mesh: readonly FabricLink[];
  /** All links of the switches at the ends of the listed links. */
  readonly own: readonly FabricLink[];
}

export interface FabricReport {
  /** Switches sorted by tier, highest first, then by code. */
  readonly nodes: readonly FabricNode[];
  readonly links: readonly FabricLinkView[];
  readonly congested: readonly string[];
  readonly missing: readonly { readonly leafCode: string; readonly spineCode: string }[];
  readonly findings: readonly FabricFinding[];
  readonly summary: FabricSummary;
}

/**
 * Analyses a fabric of any number of tiers: the uplinks and downlinks of each switch, and congested, missing or uneven
 * links.
 * @param findDevice returns a device at the end of a link by the key of its code
 *
 * Cost: O(links + pairs of the mesh). Source: docs/contract/datacenter-analyses.md#fabric.
 */
export function analyseFabric(
  { listed, mesh, own }: FabricLinks,
  findDevice: FindDeviceByKey,
  options: FabricOptions,
): FabricReport {
  const failed = new Set(options.failedDeviceCodes.map(codeKey));
  const views = new Map<FabricLink, FabricLinkView>();
  const getLinkView = (link: FabricLink) => {
    return views.getOrInsertComputed(link, () => createLinkView(link, { deviceOf: findDevice, failed }, options));
  };
  const tiers = rankTiers([...mesh, ...own], findDevice);
  const links = listed.map(getLinkView);
  const bySwitch = groupLinksBySwitch(own.map(getLinkView));
  const switches = [...new Set(links.flatMap(({ link: { a, b } }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]))]
    .toSorted((a, b) => (tiers.get(b) ?? 0) - (tiers.get(a) ?? 0) || (a < b ? -1 : 1))
    .flatMap((key) => {
      const device = findDevice(key);
      if (device === undefined) return [];
      const own = divideLinksByTier(key, bySwitch.get(key) ?? [], tiers);
      return [{ own, node: createFabricNode(device, own, { tier: tiers.get(key) ?? 0, failed: failed.has(key) }) }];
    });
  const congested = links.filter((view) => view.live && view.utilizationPct >= options.congestionPct);
  return {
    nodes: switches.map(({ node }) => node),
    links,
    congested: congested.map(({ ref }) => ref),
    missing: listMissingLinks(mesh, tiers, findDevice).filter(
      ({ leafCode, spineCode }) => options.inScope === undefined || [leafCode, spineCode].some(options.inScope),
    ),
    findings: [
      ...links.flatMap(listDownLinkFindings),
      ...switches.flatMap(({ node, own }) => listSwitchFindings(node, own, { tiers, watchPct: options.watchPct })),
    ],
    summary: summarizeFabric(links, tiers, congested.length),
  };
}

function groupLinksBySwitch(views: readonly FabricLinkView[]): ReadonlyMap<string, readonly FabricLinkView[]> {
  const found = new Map<string, FabricLinkView[]>();
  for (const view of views) {
    for (const key of new Set([codeKey(view.link.a.deviceCode), codeKey(view.link.b.deviceCode)])) {
      found.getOrInsert(key, []).push(view);
    }
  }
  return found;
}

/** Lists pairs of the expected mesh of each fabric that no link connects. */
function listMissingLinks(
  links: readonly FabricLink[],
  tiers: TierByKey,
  deviceOf: FindDeviceByKey,
): FabricReport["missing"] {
  const found = new Map<string, { readonly leafCode: string; readonly spineCode: string }>();
  const getDeviceCode = (key: string) => deviceOf(key)?.code ?? key;
  for (const own of Map.groupBy(links, getFabricKey).values()) {
    const joined = new Set(
      own.flatMap(({ a, b }) => {
        const [one, other] = [codeKey(a.deviceCode), codeKey(b.deviceCode)];
        return [`${one} ${other}`, `${other} ${one}`];
      }),
    );
    for (const { low, high } of listExpectedMesh(own, tiers, deviceOf)) {
      const key = `${low} ${high}`;
      if (!joined.has(key)) found.set(key, { leafCode: getDeviceCode(low), spineCode: getDeviceCode(high) });
    }
  }
  return [...found.values()];
}

function summarizeFabric(links: readonly FabricLinkView[], tiers: TierByKey, congested: number): FabricSummary {
  const loads = links.filter(({ live }) => live).map(({ utilizationPct }) => utilizationPct);
  return {
    linksUp: loads.length,
    linksDown: links.length - loads.length,
    congested,
    maxUtilPct: loads.reduce((most, one) => Math.max(most, one), 0),
    p95UtilPct: computeNearestRankPercentile(loads, 95),
    ...computeBisection(links, tiers),
  };
}

/** Returns half the working capacity of the listed links across the narrowest boundary of neighbouring tiers. */
function computeBisection(
  links: readonly FabricLinkView[],
  tiers: TierByKey,
): Pick<FabricSummary, "bisectionMbps" | "bisectionCounted"> {
  const crossing = links.map(({ live, link: { a, b, capacityMbps = 0 } }) => {
    const ranks = [a, b].map(({ deviceCode }) => tiers.get(codeKey(deviceCode)) ?? 0);
    return { low: Math.min(...ranks), high: Math.max(...ranks), mbps: live ? capacityMbps : 0 };
  });
  const ranks = [...new Set(crossing.flatMap(({ low, high }) => [low, high]))].sort((a, b) => a - b);
  const [narrowest] = ranks
    .slice(1)
    .map((high, at) => {
      const low = ranks[at] ?? 0;
      const across = crossing.filter((one) => one.low <= low && one.high >= high);
      return { low, high, count: across.length, mbps: across.reduce((sum, { mbps }) => sum + mbps, 0) };
    })
    .toSorted((a, b) => a.mbps - b.mbps);
  if (narrowest === undefined) return { bisectionMbps: 0, bisectionCounted: "No links between tiers" };
  const { low, high, count, mbps } = narrowest;
  const least = ranks.length > 2 ? ", the tiers with the least of it" : "";
  const between = `${getTierName(low)} and ${getTierName(high)}${least}`;
  return {
    bisectionMbps: mbps / 2,
    bisectionCounted: `Half of the working capacity of the ${count} listed links between ${between}`,
  };
}

/** Returns the nearest-rank percentile; 0 for an empty list. */
function computeNearestRankPercentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

/** Compares the end of the cable path from a link's lower port with the link's upper port. UNKNOWN without a path. */
export function matchCablePath({ a, b }: FabricLink, path: CablePath | undefined): PhysicalMatch {
  if (a.portName === "" || path === undefined) return "UNKNOWN";
  if (path.destination === undefined) return path.status === "UNCONNECTED" ? "MISSING" : "MISMATCH";
  return isSamePortRef(path.destination, b) ? "MATCHED" : "MISMATCH";
}

function isSamePortRef(one: PortRef, other: PortRef): boolean {
  return codeKey(formatPort(one)) === codeKey(formatPort(other));
}
