import type { FabricSummary, Finding } from "#gen/datacenter/v1/messages.ts";
import type { PhysicalMatch } from "../../model/enum_values.ts";
import { codeKey, formatPort, getFabricKey, toPortKey } from "../../model/ref.ts";
import type { Device, FabricLink } from "../../model/resources.ts";
import type { CablePath } from "../cabling/supply_trace.ts";
import {
  createLinkView,
  type FabricLinkView,
  type FindDeviceByKey,
  getTierName,
  type LinkDevices,
  type LinkLimits,
  listExpectedMesh,
  rankTiers,
  type TierByKey,
} from "./fabric_tiers.ts";

export type { FabricLinkView } from "./fabric_tiers.ts";

export interface FabricOptions extends LinkLimits, Pick<LinkDevices, "blocked"> {
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
    return views.getOrInsertComputed(link, () =>
      createLinkView(link, { ...options, deviceOf: findDevice, failed }, options),
    );
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
  return codeKey(formatPort(path.destination)) === codeKey(formatPort(b)) ? "MATCHED" : "MISMATCH";
}

type FabricFinding = Omit<Finding, "field">;

/**
 * Reported spread of the utilisation in one ECMP group, in percent of its mean. Source:
 * docs/contract/datacenter-analyses.md#fabric.
 */
const ECMP_IMBALANCE_PCT = 25;

function listDownLinkFindings({ live, ref, link, health, cause }: FabricLinkView): readonly FabricFinding[] {
  if (live || health !== "FAULT") return [];
  const { status = "UP" } = link;
  const own = { message: "The link carries no traffic", value: status, expected: "UP" };
  const { message, value, expected } = status === "DOWN" || cause === undefined ? own : cause;
  return [{ code: "LINK_DOWN", severity: "WARNING", message, ref, value, expected }];
}

/** Lists findings about the links of a switch to higher tiers. */
function listSwitchFindings(
  { device }: FabricNode,
  links: SwitchLinks,
  { tiers, watchPct }: { readonly tiers: TierByKey; readonly watchPct: number },
): readonly FabricFinding[] {
  if (links.upward.length === 0) return [];
  const ref = `device:${device.code}`;
  const found: FabricFinding[] = [];
  if (!links.upward.some(({ live }) => live)) {
    const expected = "at least one";
    found.push({ code: "NO_UPLINK", severity: "WARNING", message: "No uplink is left", ref, value: "0", expected });
  }
  return [
    ...found,
    ...listUnequalLinkFindings(ref, links, tiers),
    ...listImbalanceFindings(device.code, links, watchPct),
  ];
}

/** Reports different numbers of parallel links to the switches of one tier in one fabric. */
function listUnequalLinkFindings(
  ref: string,
  { key, upward }: SwitchLinks,
  tiers: TierByKey,
): readonly FabricFinding[] {
  const groups = Map.groupBy(upward, (view) => `${tiers.get(getFarSwitchKey(view, key))} ${getFabricKey(view.link)}`);
  return [...groups.values()].flatMap((views): FabricFinding[] => {
    const perSwitch = [...Map.groupBy(views, (view) => getFarSwitchKey(view, key)).values()].map(
      ({ length }) => length,
    );
    const [fewest, most] = [Math.min(...perSwitch), Math.max(...perSwitch)];
    if (fewest === most) return [];
    const message = "The numbers of links to the switches above differ, which loads some more than others";
    const expected = "the same to every switch";
    return [{ code: "UNEQUAL_LINKS", severity: "WARNING", message, ref, value: `${fewest} to ${most}`, expected }];
  });
}

/**
 * Reports unevenly loaded links of each ECMP group: a warning if the busiest exceeds the watch limit, otherwise
 * information. Ignores links without a recorded capacity or measured traffic, because their share is unknown.
 */
function listImbalanceFindings(code: string, { upward }: SwitchLinks, watchPct: number): readonly FabricFinding[] {
  const ref = `device:${code}`;
  const groups = new Map<string, number[]>();
  for (const { live, link, utilizationPct } of upward) {
    const isMeasured = link.aToBMbps !== undefined || link.bToAMbps !== undefined;
    if (!live || !isMeasured || link.capacityMbps === undefined) continue;
    const group = link.ecmpGroup ?? code;
    groups.getOrInsert(group, []).push(utilizationPct);
  }
  return [...groups].flatMap(([group, list]): FabricFinding[] => {
    const mean = list.reduce((sum, one) => sum + one, 0) / list.length;
    const busiest = Math.max(...list);
    const spread = mean === 0 ? 0 : ((busiest - Math.min(...list)) * 100) / mean;
    if (spread <= ECMP_IMBALANCE_PCT) return [];
    const severity = busiest > watchPct ? "WARNING" : "INFO";
    const message = `The links of ECMP group "${group}" are loaded unevenly`;
    const expected = `at most ${ECMP_IMBALANCE_PCT} % of the mean`;
    return [{ code: "ECMP_IMBALANCE", severity, message, ref, value: `${Math.round(spread)} %`, expected }];
  });
}

/** A switch with its total bandwidths in megabits per second, regardless of the displayed part of the fabric. */
export interface FabricNode {
  readonly device: Device;
  readonly tier: number;
  readonly downlinkMbps: number;
  readonly uplinkMbps: number;
  readonly oversubscription?: number;
  /** Oversubscription after the loss of the upper switch with the largest share of its uplinks. */
  readonly oversubscriptionN1?: number;
  readonly uplinksUp: number;
  readonly uplinksTotal: number;
  readonly failed: boolean;
}

/** Links of a switch: all, those to higher tiers, and those to lower tiers. */
interface SwitchLinks {
  readonly key: string;
  readonly upward: readonly FabricLinkView[];
  readonly downward: readonly FabricLinkView[];
  readonly all: readonly FabricLinkView[];
}

/** Divides the links of a switch by the tiers of their other ends. */
function divideLinksByTier(key: string, all: readonly FabricLinkView[], tiers: TierByKey): SwitchLinks {
  const own = tiers.get(key) ?? 0;
  const getFarTier = (view: FabricLinkView) => tiers.get(getFarSwitchKey(view, key)) ?? 0;
  return {
    key,
    all,
    upward: all.filter((view) => getFarTier(view) > own),
    downward: all.filter((view) => getFarTier(view) < own),
  };
}

function getFarSwitchKey({ link: { a, b } }: FabricLinkView, key: string): string {
  const near = codeKey(a.deviceCode);
  return near === key ? codeKey(b.deviceCode) : near;
}

function createFabricNode(
  device: Device,
  { key, all, upward, downward }: SwitchLinks,
  { tier, failed }: { readonly tier: number; readonly failed: boolean },
): FabricNode {
  const counted = upward.length > 0 ? upward : all;
  const toFar = new Map<string, number>();
  for (const view of upward.filter(({ live }) => live)) {
    const far = getFarSwitchKey(view, key);
    toFar.set(far, (toFar.get(far) ?? 0) + (view.link.capacityMbps ?? 0));
  }
  const uplinkMbps = [...toFar.values()].reduce((sum, one) => sum + one, 0);
  const left = uplinkMbps - Math.max(0, ...toFar.values());
  const below = downward.reduce((sum, { live, link }) => sum + (live ? (link.capacityMbps ?? 0) : 0), 0);
  const downlinkMbps = downward.length > 0 ? below : sumHostBandwidth(device, all);
  return {
    device,
    tier,
    downlinkMbps,
    uplinkMbps,
    ...(uplinkMbps > 0 && { oversubscription: downlinkMbps / uplinkMbps }),
    ...(left > 0 && { oversubscriptionN1: downlinkMbps / left }),
    uplinksUp: counted.filter(({ live }) => live).length,
    uplinksTotal: counted.length,
    failed,
  };
}

/** Sums the bandwidth in Mbit/s of ports with a host role, otherwise of network ports without a role or fabric link. */
function sumHostBandwidth({ code, ports = [] }: Device, links: readonly FabricLinkView[]): number {
  const bound = new Set(links.flatMap(({ link: { a, b } }) => [toPortKey(a), toPortKey(b)]));
  const network = ports.filter(
    ({ kind, enabled, parentPort }) => kind === "NETWORK" && enabled !== false && parentPort === undefined,
  );
  const marked = network.filter(({ netRole }) => netRole === "DOWNLINK" || netRole === "HOST");
  const free = network.filter(
    ({ name, netRole, mgmtOnly, type }) =>
      netRole === undefined &&
      mgmtOnly !== true &&
      type !== "lag" &&
      !bound.has(toPortKey({ deviceCode: code, portName: name })),
  );
  return (marked.length > 0 ? marked : free).reduce((sum, { speedMbps = 0 }) => sum + speedMbps, 0);
}
