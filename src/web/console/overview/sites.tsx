import { formatCount } from "#words/figures.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { formatPageUrl } from "../router.ts";
import { type Column, TableCard } from "../ui/table.tsx";
import { WorstLossSentence } from "./worst_loss.tsx";

type SiteOverview = InventoryOverview["sites"][number];

/** Maximum number of sites whose worst failure is loaded; the list shows all sites. */
const MAX_SITES = 12;

const sumFloorCounts = ({ floors }: SiteOverview, what: "racks" | "devices" | "cracs") =>
  floors.reduce((sum, floor) => sum + floor[what], 0);

const SITE_COLUMNS: readonly Column<SiteOverview>[] = [
  { name: "Site", cell: ({ site_id }) => <a href={formatPageUrl("site", site_id)}>{site_id}</a> },
  { name: "Racks", numeric: true, cell: (site) => formatCount(sumFloorCounts(site, "racks")) },
  { name: "Devices", numeric: true, cell: (site) => formatCount(sumFloorCounts(site, "devices")) },
  { name: "Worst single failure", cell: ({ site_id }) => <WorstLossSentence scope={`site:${site_id}`} /> },
];

/** Card with a table of the largest sites, each with the effect of its worst single failure. */
export function SiteCards({ inventory: { sites } }: { readonly inventory: InventoryOverview }) {
  const bySize = [...sites].sort((a, b) => sumFloorCounts(b, "racks") - sumFloorCounts(a, "racks"));
  return (
    <TableCard
      title="Sites"
      action={<a href={formatPageUrl("sites")}>All {formatCount(sites.length)} sites</a>}
      caption="Sites with the worst failure of each, the largest first"
      columns={SITE_COLUMNS}
      rows={bySize.slice(0, MAX_SITES)}
      rowKey={({ site_id }) => site_id}
      empty="No site is recorded."
    />
  );
}
