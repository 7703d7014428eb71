import { codeKey } from "#dc/model/code.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { FabricLinkView } from "./fabric_links.ts";
import type { TierByKey } from "./fabric_tiers.ts";

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
export interface SwitchLinks {
  readonly key: string;
  readonly upward: readonly FabricLinkView[];
  readonly downward: readonly FabricLinkView[];
  readonly all: readonly FabricLinkView[];
}

/** Divides the links of a switch by the tiers of their other ends. */
export function divideLinksByTier(key: string, all: readonly FabricLinkView[], tiers: TierByKey): SwitchLinks {
  const own = tiers.get(key) ?? 0;
  const getFarTier = (view: FabricLinkView) => tiers.get(getFarSwitchKey(view, key)) ?? 0;
  return {
    key,
    all,
    upward: all.filter((view) => getFarTier(view) > own),
    downward: all.filter((view) => getFarTier(view) < own),
  };
}

export function getFarSwitchKey({ link: { a, b } }: FabricLinkView, key: string): string {
  const near = codeKey(a.deviceCode);
  return near === key ? codeKey(b.deviceCode) : near;
}

export function createFabricNode(
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
