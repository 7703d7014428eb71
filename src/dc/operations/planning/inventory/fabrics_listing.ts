import { createLinkView, type FabricLinkView } from "#dc/analysis/fabric/fabric_links.ts";
import type { FindDeviceByKey } from "#dc/analysis/fabric/fabric_tiers.ts";
import { compareText } from "#dc/model/ref.ts";
import { getFabricKey } from "#dc/model/resource_key.ts";
import type { FabricLink } from "#dc/model/resources.ts";
import { getRefName } from "#words/names.ts";
import { CONGESTED_PCT, WATCHED_PCT } from "../../messages/messages.ts";
import { createRoundedCell, createTextCell, type Listing, splitIntoBatches } from "./listing.ts";

const LINK_LIMITS = { congestionPct: CONGESTED_PCT, watchPct: WATCHED_PCT };
const NONE_FAILED: ReadonlySet<string> = new Set();

/** Lists fabric links with their load. @param views every link with the state that results from its ends */
export function createLinksListing(views: readonly FabricLinkView[]): Listing<FabricLinkView> {
  return {
    getRef: ({ ref }) => ref,
    getName: ({ ref }) => getRefName(ref),
    columns: {
      fabric: ({ link }) => createTextCell(link.fabricId),
      a_device: ({ link }) => link.a.deviceCode,
      a_port: ({ link }) => createTextCell(link.a.portName),
      b_device: ({ link }) => link.b.deviceCode,
      b_port: ({ link }) => createTextCell(link.b.portName),
      health: ({ health }) => health,
      status: ({ link: { status = "UP" } }) => status,
      traffic: ({ live }) => (live ? "UP" : "DOWN"),
      capacity_mbps: ({ link }) => link.capacityMbps,
      load_pct: (view) => computeLinkLoadPct(view),
      errors: ({ link }) => link.errorCount,
      ecmp_group: ({ link }) => createTextCell(link.ecmpGroup),
      lag: ({ link }) => createTextCell(link.lag),
    },
    readBatches: () => splitIntoBatches(views),
    total: views.length,
  };
}

/** Returns the load of a link in percent; undefined without a capacity or a measurement. */
function computeLinkLoadPct({ link: { capacityMbps, aToBMbps, bToAMbps }, utilizationPct }: FabricLinkView) {
  const isKnown = (capacityMbps ?? 0) > 0 && (aToBMbps ?? bToAMbps) !== undefined;
  return isKnown ? createRoundedCell(utilizationPct) : undefined;
}

/** Returns the state of each link, computed from its own state and that of the ports and devices at its ends. */
export function computeLinkViews(links: readonly FabricLink[], deviceOf: FindDeviceByKey): readonly FabricLinkView[] {
  return links.map((link) => createLinkView(link, { deviceOf, failed: NONE_FAILED }, LINK_LIMITS));
}

interface FabricRow {
  readonly id: string;
  readonly views: readonly FabricLinkView[];
}

export function createFabricsListing(views: readonly FabricLinkView[]): Listing<FabricRow> {
  const byId = Map.groupBy(views, ({ link }) => getFabricKey(link));
  const rows = [...byId.values()]
    .map((own) => ({ id: own[0]?.link.fabricId ?? "", views: own }))
    .sort((a, b) => compareText(a.id, b.id));
  return {
    getRef: ({ id }) => `fabric:${id}`,
    getName: ({ id }) => id,
    columns: {
      links: (row) => row.views.length,
      up: (row) => row.views.filter(({ live }) => live).length,
      down: (row) => row.views.filter(({ live }) => !live).length,
      congested: (row) =>
        row.views.filter(({ live, utilizationPct }) => live && utilizationPct >= CONGESTED_PCT).length,
      busiest_pct: (row) => createRoundedCell(findHighestLoadPct(row)),
      switches: (row) => new Set(row.views.flatMap(({ link }) => [link.a.deviceCode, link.b.deviceCode])).size,
    },
    readBatches: () => splitIntoBatches(rows),
    total: rows.length,
  };
}

function findHighestLoadPct({ views }: FabricRow): number | undefined {
  const shares = views.map(computeLinkLoadPct).filter((share) => typeof share === "number");
  return shares.length === 0 ? undefined : Math.max(...shares);
}
