import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Takeover, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { BlastRadius, BlastSite } from "../power/blast_radius.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import type { Topology } from "../topology.ts";
import { selectCoolingUnits } from "./elements.ts";
import { ZoneShortageFinder } from "./zone_shortage.ts";

/** Returns nodes of devices and cooling units that do not work after a failure, failed elements included. */
export function listNonworkingNodes(
  { nodes }: { readonly nodes: ReadonlySet<number> },
  { hits }: BlastRadius,
): readonly number[] {
  return [...new Set([...nodes, ...hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index)])];
}

/** Lists the supplies whose load rises after a failure, the most utilized first. Cost: the nodes whose loads change. */
export function listLoadTakeovers(
  site: BlastSite,
  { live, apparentAfter: after, changedLoadNodes }: BlastRadius,
  basis: LoadBasis,
): readonly Takeover[] {
  const { power } = site;
  const before = site.apparentLoads(basis);
  const found: Takeover[] = [];
  for (const index of changedLoadNodes) {
    if (live[index] !== 1 || (after.watts[index] ?? 0) <= (before.watts[index] ?? 0)) continue;
    const { ref = "", capacityW } = power.nodes[index] ?? {};
    const load = computeComparableLoad(power, index, after);
    if (load <= computeComparableLoad(power, index, before)) continue;
    found.push({
      ref,
      loadBeforeW: before.watts[index] ?? 0,
      loadAfterW: after.watts[index] ?? 0,
      ...(capacityW !== undefined && { capacityW, utilizationPct: capacityW === 0 ? 0 : (load / capacityW) * 100 }),
    });
  }
  return found.sort(
    (a, b) =>
      (b.utilizationPct ?? -1) - (a.utilizationPct ?? -1) || b.loadAfterW - a.loadAfterW || compareText(a.ref, b.ref),
  );
}

/** Lists areas whose cooling a failure reduces, sorted by reference and medium. @param off nodes that do not work */
export function listZoneShortages(
  topology: Topology,
  off: readonly number[],
  basis: LoadBasis,
): readonly ZoneShortage[] {
  const lost = selectCoolingUnits(topology.power, off);
  if (lost.length === 0) return [];
  const zones = new ZoneShortageFinder(topology, basis).listShortages(lost, off);
  return zones.toSorted((a, b) => compareText(a.ref, b.ref) || compareText(a.medium, b.medium));
}
