import type { ComponentChildren } from "preact";
import type { AreaCapacity, FreeCooling, InventoryRow, ThermalHeadroomResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatKilowatts, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName, listSomeNames } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { useCall } from "../api/client.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { formatQuantity } from "../labels.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { formatPageUrl } from "../router.ts";
import { MeterBar } from "../ui/parts.tsx";

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
  const { reply: sites } = useFirstRow("SITE", { sums: ["draw_w", "devices_without_draw"] });
  const { row: now, reply: loads } = useFirstRow("SUPPLY", { order_by: "load_pct desc" });
  const { row: then, reply: failovers } = useFirstRow("SUPPLY", { order_by: "failover_pct desc" });
  const href = formatPageUrl("supplies", "", { order: "failover_pct desc" });
  if (sites === undefined || loads === undefined || failovers === undefined)
    return <WaitingGauge name="Power" href={href} />;
  const share = now?.figures["load_pct"];
  const after = then?.figures["failover_pct"];
  const { draw_w: draw = 0, devices_without_draw: unknown = 0 } = sites.sums;
  const isKnown = draw > 0 || unknown === 0;
  const [value = "", unit = ""] = isKnown ? formatWatts(draw).split(" ") : ["–"];
  return (
    <Gauge
      name="Power"
      href={href}
      state={getVisibleShareState(after ?? share)}
      value={value}
      unit={isKnown ? `${unit} planned load` : "no load recorded"}
      share={share}
      failoverShare={after}
      lines={[
        [<>Busiest, {getRowName(now)}</>, formatRecordedFigure(share, formatPercent), share ?? 0],
        [<>after one failure, {getRowName(then)}</>, formatRecordedFigure(after, formatPercent), after ?? 0],
        ...(unknown === 0 ? [] : [["Draw not recorded", formatQuantity(unknown, "device")] as const]),
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

/** Maximum number of sites whose heat is loaded and summed; of more sites no sum is shown. */
const MAX_SUMMED_SITES = 4;
/** Maximum number of areas that a gauge names. */
const MAX_NAMED_AREAS = 2;

interface CoolingFigures {
  /** Undefined while the replies are awaited. */
  readonly areas: readonly AreaCapacity[] | undefined;
  readonly sites: readonly ThermalHeadroomResponse[] | undefined;
  readonly siteCount: number;
}

/** Gauges of the cooling that is left, one for air and one for liquid: the best area, and the areas that are short. */
function CoolingGauges({ sites }: { readonly sites: readonly string[] }) {
  // The number of hooks must not depend on the number of sites.
  const scopes = Array.from({ length: MAX_SUMMED_SITES }, (_, at) => sites[at]);
  const replies = scopes.map(useSiteCooling).filter((reply) => reply !== undefined);
  const known = replies.length === Math.min(sites.length, MAX_SUMMED_SITES) ? replies : undefined;
  const figures = { areas: useCooledAreas(), sites: known, siteCount: sites.length };
  const href = sites.length === 1 ? formatPageUrl("thermal", `site:${sites[0]}`) : formatPageUrl("cooling");
  return (
    <>
      <MediumGauge name="Cooling, air" href={href} figures={figures} medium="air" heat="air_heat_kw" />
      <MediumGauge name="Cooling, liquid" href={href} figures={figures} medium="liquid" heat="liquid_heat_kw" />
    </>
  );
}

function useSiteCooling(site: string | undefined): ThermalHeadroomResponse | undefined {
  const request =
    site === undefined ? undefined : { scope_ref: `site:${site}`, render: { format: "RENDER_FORMAT_NONE" } };
  return useCall("ThermalHeadroom", request).reply;
}

/** Loads what is left in all rows, and in the sites as well if some racks are in no row. */
function useCooledAreas(): readonly AreaCapacity[] | undefined {
  const rpc = "datacenter.v1.PlanningService/GetCapacity";
  const rows = useCall(rpc, { by: "AREA_KIND_ROW", page_size: 1000 }).reply?.areas;
  const sites = useCall(rpc, { page_size: 1000 }).reply?.areas;
  if (rows === undefined || sites === undefined) return undefined;
  const countRacks = (areas: readonly AreaCapacity[]) => areas.reduce((sum, { racks }) => sum + racks, 0);
  return countRacks(rows) === countRacks(sites) && rows.length > 0 ? rows : [...rows, ...sites];
}

function MediumGauge(props: {
  readonly name: string;
  readonly href: string;
  readonly figures: CoolingFigures;
  readonly medium: "air" | "liquid";
  readonly heat: "air_heat_kw" | "liquid_heat_kw";
}) {
  const { name, href, figures, medium, heat } = props;
  if (figures.areas === undefined || figures.sites === undefined) return <WaitingGauge name={name} href={href} />;
  const left = figures.areas.flatMap(({ ref, [medium]: free }) => (free === undefined ? [] : [{ ref, ...free }]));
  const heatKw = figures.sites.reduce((sum, reply) => sum + reply[heat], 0);
  const known = left.filter(({ heat_not_recorded }) => !heat_not_recorded);
  const [first] = known.toSorted((a, b) => b.failover_free_kw - a.failover_free_kw);
  if (first !== undefined) return <ServedGauge name={name} href={href} best={first} all={left} />;
  if (left.length > 0) {
    const reserve = [["Reserve", "unknown"]] as const;
    return <Gauge name={name} href={href} value="–" state="unknown" unit="no heat recorded" lines={reserve} />;
  }
  const without = medium === "air" ? "devices_without_heat" : "devices_without_liquid_heat";
  const isUnknown = heatKw === 0 && figures.sites.some((site) => site[without] > 0);
  if (figures.siteCount <= MAX_SUMMED_SITES)
    return <UnservedGauge name={name} href={href} heatKw={isUnknown ? undefined : heatKw} />;
  const value = formatCount(figures.siteCount);
  const lines = [["Reserve", "unknown"]] as const;
  return (
    <Gauge name={name} href={href} value={value} state="unknown" unit="sites without a cooling unit" lines={lines} />
  );
}

interface AreaCooling extends FreeCooling {
  readonly ref: string;
}

/** Gauge of heat without a recorded cooling unit, which has no percentage; undefined is heat that nothing records. */
function UnservedGauge(props: { readonly name: string; readonly href: string; heatKw: number | undefined }) {
  const { name, href, heatKw } = props;
  const isNeeded = heatKw !== 0;
  const [value = "", unit = ""] = heatKw === undefined ? ["–"] : formatKilowatts(heatKw).split(" ");
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={isNeeded ? "unknown" : undefined}
      unit={heatKw === undefined ? "no heat recorded" : `${unit} of heat`}
      lines={[
        ["Cooling units", isNeeded ? "none recorded" : "none needed"],
        ["Reserve", isNeeded ? "unknown" : "not needed"],
      ]}
    />
  );
}

function ServedGauge(props: {
  readonly name: string;
  readonly href: string;
  readonly best: AreaCooling;
  readonly all: readonly AreaCooling[];
}) {
  const { name, href, best, all } = props;
  const now = all.filter(({ free_kw }) => free_kw < 0);
  const later = all.filter(({ failover_free_kw }) => failover_free_kw < 0);
  const unknown = all.filter(({ heat_not_recorded }) => heat_not_recorded);
  const getName = ({ ref }: AreaCooling) => getRefName(ref);
  const listNames = (areas: readonly AreaCooling[]) => listSomeNames(areas.map(getName), MAX_NAMED_AREAS) || "none";
  const calm = unknown.length > 0 ? "unknown" : "ok";
  const [value = "", unit = ""] = formatKilowatts(best.failover_free_kw).split(" ");
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={now.length > 0 ? "fault" : later.length > 0 ? "watch" : calm}
      unit={`${unit} left in ${getRefName(best.ref)}, the most, after one failure`}
      lines={[
        ["Short now", listNames(now), now.length > 0 ? 100 : 0],
        ["Short after one failure", listNames(later), later.length > 0 ? 90 : 0],
        ...(unknown.length === 0 ? [] : [["Heat not recorded", listNames(unknown)] as const]),
      ]}
    />
  );
}

interface GaugeProps {
  readonly name: string;
  readonly href: string;
  readonly state: State | undefined;
  readonly value: string;
  readonly unit: string;
  /** Percentage of the bar; undefined if it is not known. Without this property there is no bar. */
  readonly share?: number | undefined;
  readonly failoverShare?: number | undefined;
  /** Whether a full gauge is harmless, so that its bar has no colour. */
  readonly isHarmless?: true;
  readonly lines: readonly (readonly [name: ComponentChildren, value: string, share?: number])[];
}

/** Gauge of a figure of the whole inventory: its value, its limit, and the value after one failure. */
function Gauge(props: GaugeProps) {
  const { name, href, state, value, unit, share, failoverShare, isHarmless, lines } = props;
  return (
    <section class="gauge" aria-label={name}>
      <p class="gauge-name">
        <a href={href}>{name}</a>
        {state === undefined ? null : <StateMark state={state} label={state} />}
      </p>
      <p class="gauge-value">
        {value} <small>{unit}</small>
      </p>
      {"share" in props ? <MeterBar share={share} after={failoverShare} harmless={isHarmless} /> : null}
      {lines.map(([label, figure, judged], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a gauge keep their order
        <p key={at} class="gauge-line">
          <span>{label}</span>
          <strong class={judged === undefined ? "" : (getVisibleShareState(judged) ?? "")}>{figure}</strong>
        </p>
      ))}
    </section>
  );
}

/** Gauge without figures while a reply is awaited: it says neither that all is well nor that nothing is recorded. */
function WaitingGauge({ name, href }: Pick<GaugeProps, "name" | "href">) {
  return <Gauge name={name} href={href} state={undefined} value="…" unit="waiting for the answer" lines={[]} />;
}
