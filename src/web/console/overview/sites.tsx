import { formatCount } from "#words/figures.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { formatPageUrl } from "../router.ts";
import { Card } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { WorstLossSentence } from "./worst_loss.tsx";

type Site = InventoryOverview["sites"][number];

/** Maximum number of sites whose worst failure is loaded; the list shows all sites. */
const SHOWN = 12;

const sumOf = ({ floors }: Site, what: "racks" | "devices" | "cracs") =>
  floors.reduce((sum, floor) => sum + floor[what], 0);

const COLUMNS: readonly Column<Site>[] = [
  { name: "Site", cell: ({ site_id }) => <a href={formatPageUrl("site", site_id)}>{site_id}</a> },
  { name: "Racks", numeric: true, cell: (site) => formatCount(sumOf(site, "racks")) },
  { name: "Devices", numeric: true, cell: (site) => formatCount(sumOf(site, "devices")) },
  { name: "Worst single failure", cell: ({ site_id }) => <WorstLossSentence scope={`site:${site_id}`} /> },
];

/** Card with a table of the largest sites, each with the effect of its worst single failure. */
export function SiteCards({ inventory: { sites } }: { readonly inventory: InventoryOverview }) {
  const bySize = [...sites].sort((a, b) => sumOf(b, "racks") - sumOf(a, "racks"));
  return (
    <Card title="Sites" action={<a href={formatPageUrl("sites")}>All {formatCount(sites.length)} sites</a>}>
      <Table
        caption="Sites with the worst failure of each, the largest first"
        columns={COLUMNS}
        rows={bySize.slice(0, SHOWN)}
        rowKey={({ site_id }) => site_id}
        empty="No site is recorded."
      />
    </Card>
  );
}
