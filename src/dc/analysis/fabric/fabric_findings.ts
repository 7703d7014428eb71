import { getFabricKey } from "#dc/model/resource_key.ts";
import type { Finding } from "#gen/datacenter/v1/messages.ts";
import type { FabricLinkView } from "./fabric_links.ts";
import { type FabricNode, getFarSwitchKey, type SwitchLinks } from "./fabric_nodes.ts";
import type { TierByKey } from "./fabric_tiers.ts";

export type FabricFinding = Omit<Finding, "field">;

/**
 * Reported spread of the utilisation in one ECMP group, in percent of its mean. Source:
 * docs/contract/datacenter-analyses.md#fabric.
 */
const ECMP_IMBALANCE_PCT = 25;

export function listDownLinkFindings({ live, ref, link, health, cause }: FabricLinkView): readonly FabricFinding[] {
  if (live || health !== "FAULT") return [];
  const { status = "UP" } = link;
  const own = { message: "The link carries no traffic", value: status, expected: "UP" };
  const { message, value, expected } = status === "DOWN" || cause === undefined ? own : cause;
  return [{ code: "LINK_DOWN", severity: "WARNING", message, ref, value, expected }];
}

/** Lists findings about the links of a switch to higher tiers. */
export function listSwitchFindings(
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
