import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { getVisibleShareState } from "../../shared/state_of_share.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { formatPageUrl } from "../router.ts";
import { CoolingGauges } from "./cooling_gauges.tsx";
import { Gauge, WaitingGauge } from "./gauge.tsx";

const NO_RENDER = { format: "RENDER_FORMAT_NONE" };
/** Maximum number of links for which the first screen loads the state of the whole fabric. */
const MAX_LOADED_LINKS = 5000;

export function OverviewGauges({ inventory }: { readonly inventory: InventoryOverview }) {
  return (
    <div class="gauges">
      <PowerGauge />
      <CoolingGauges sites={inventory.sites.map(({ site_id }) => site_id)} />
      <SpaceGauge />
      {inventory.totals.fabric_links === 0 ? <NoFabricGauge /> : <FabricGauge links={inventory.totals.fabric_links} />}
    </div>
  );
}

/** Loads the first row of a list. `more` contains further request fields, such as the order. */
function useFirstRow(kind: string, more: object) {
  const request = { kind: `INVENTORY_KIND_${kind}`, page_size: 1, ...more };
  const { reply } = useCall(LIST_INVENTORY_RPC, request);
  return { reply, row: reply?.rows[0] };
}

function PowerGauge() {
  const { reply: sites } = useFirstRow("SITE", { sums: ["draw_w"] });
  const { row: now, reply: loads } = useFirstRow("SUPPLY", { order_by: "load_pct desc" });
  const { row: then, reply: failovers } = useFirstRow("SUPPLY", { order_by: "failover_pct desc" });
  const href = formatPageUrl("supplies", "", { order: "failover_pct desc" });
  if (sites === undefined || loads === undefined || failovers === undefined)
    return <WaitingGauge name="Power" href={href} />;
  const share = now?.figures["load_pct"];
  const after = then?.figures["failover_pct"];
  const [value = "–", unit = ""] = formatWatts(sites?.sums["draw_w"]).split(" ");
  return (
    <Gauge
      name="Power"
      href={href}
      state={getVisibleShareState(after ?? share)}
      value={value}
      unit={`${unit} planned load`}
      share={share}
      failoverShare={after}
      lines={[
        [<>Busiest, {getRowName(now)}</>, formatRecordedFigure(share, formatPercent), share ?? 0],
        [<>after one failure, {getRowName(then)}</>, formatRecordedFigure(after, formatPercent), after ?? 0],
      ]}
    />
  );
}

function getRowName(row: InventoryRow | undefined): string {
  return row?.name ?? "no supply";
}

function formatRecordedFigure(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? "not recorded" : format(value);
}

function SpaceGauge() {
  const { reply, row } = useFirstRow("RACK", { order_by: "largest_free_block_u desc", sums: ["free_u", "height_u"] });
  const href = formatPageUrl("racks", "", { order: "largest_free_block_u desc" });
  if (reply === undefined) return <WaitingGauge name="Space" href={href} />;
  const { free_u: free, height_u: height } = reply.sums;
  const used = free === undefined || !height ? undefined : (100 * (height - free)) / height;
  return (
    <Gauge
      name="Space"
      href={href}
      state={used === undefined ? "unknown" : undefined}
      isHarmless
      value={formatCount(free)}
      unit={`U free of ${formatCount(height)}`}
      share={used}
      lines={[
        ["Used", formatRecordedFigure(used, formatPercent)],
        [
          <>Largest block, {row?.name ?? "no rack"}</>,
          formatRecordedFigure(row?.figures["largest_free_block_u"], (u) => formatDecimal(u, "U")),
        ],
      ]}
    />
  );
}

function NoFabricGauge() {
  return (
    <Gauge
      name="Fabric"
      href={formatPageUrl("fabrics")}
      state="unknown"
      value="0"
      unit="links recorded"
      share={undefined}
      lines={[["Busiest link", "not recorded"]]}
    />
  );
}

function FabricGauge({ links }: { readonly links: number }) {
  const { reply } = useCall(LIST_INVENTORY_RPC, {
    kind: "INVENTORY_KIND_FABRIC",
    order_by: "busiest_pct desc",
    sums: ["links", "congested", "down"],
  });
  const request = links > MAX_LOADED_LINKS ? undefined : { render: NO_RENDER };
  const { reply: topology } = useCall("FabricTopology", request);
  if (reply === undefined || (request !== undefined && topology === undefined))
    return <WaitingGauge name="Fabrics" href={formatPageUrl("fabrics")} />;
  const worst = topology?.nodes.toSorted((a, b) => (b.oversubscription_n1 ?? 0) - (a.oversubscription_n1 ?? 0))[0];
  const { congested = 0, down = 0 } = reply.sums;
  const busiest = reply.rows[0]?.figures["busiest_pct"];
  const [only] = reply.rows;
  // A fabric without a recorded load is not known to be well.
  const calm = busiest === undefined ? "unknown" : (getVisibleShareState(busiest) ?? (congested > 0 ? "watch" : "ok"));
  return (
    <Gauge
      name={reply.rows.length === 1 ? `Fabric ${only?.name}` : "Fabrics"}
      href={reply.rows.length === 1 ? formatPageUrl("fabric", only?.name) : formatPageUrl("fabrics")}
      state={down > 0 ? "fault" : calm}
      value={formatCount(reply.sums["congested"])}
      unit={`of ${formatCount(links)} links over 80 %`}
      share={busiest}
      lines={[
        ["Busiest link", formatRecordedFigure(busiest, formatPercent), busiest ?? 0],
        [
          worst?.oversubscription_n1 === undefined ? "After one spine lost" : <>one spine lost, {worst.code}</>,
          worst?.oversubscription_n1 === undefined
            ? "see the fabric"
            : `${formatDecimal(worst.oversubscription_n1)} : 1`,
        ],
      ]}
    />
  );
}
