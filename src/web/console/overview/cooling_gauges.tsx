import type { AreaCapacity, FreeCooling, ThermalHeadroomResponse } from "#gen/datacenter/v1/json.ts";
import { formatKilowatts } from "#words/figures.ts";
import { getRefName, listSomeNames } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { Gauge, WaitingGauge } from "./gauge.tsx";

/** Maximum number of sites whose heat is loaded. With more sites, the list of sites shows their cooling. */
const MAX_SUMMED_SITES = 4;
/** Maximum number of areas that a gauge names. */
const MAX_NAMED_AREAS = 2;

interface CoolingFigures {
  /** Undefined while the replies are awaited. */
  readonly areas: readonly AreaCapacity[] | undefined;
  readonly sites: readonly ThermalHeadroomResponse[] | undefined;
}

/** Gauges of the cooling that is left, one for air and one for liquid: the best area, and the areas that are short. */
export function CoolingGauges({ sites }: { readonly sites: readonly string[] }) {
  // The number of hooks must not depend on the number of sites.
  const scopes = Array.from({ length: MAX_SUMMED_SITES }, (_, at) => sites[at]);
  const replies = scopes.map(useSiteCooling).filter((reply) => reply !== undefined);
  const known = replies.length === Math.min(sites.length, MAX_SUMMED_SITES) ? replies : undefined;
  const figures = { areas: useCooledAreas(), sites: known };
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
  const [first, ...others] = left.toSorted((a, b) => b.failover_free_kw - a.failover_free_kw);
  if (first === undefined) return <UnservedGauge name={name} href={href} heatKw={heatKw} />;
  return <ServedGauge name={name} href={href} best={first} all={[first, ...others]} />;
}

interface AreaCooling extends FreeCooling {
  readonly ref: string;
}

/** Gauge of heat without a recorded cooling unit, which has no percentage. */
function UnservedGauge({ name, href, heatKw }: { readonly name: string; readonly href: string; heatKw: number }) {
  const isNeeded = heatKw > 0;
  const [value = "", unit = ""] = formatKilowatts(heatKw).split(" ");
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={isNeeded ? "unknown" : undefined}
      unit={`${unit} of heat`}
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
  const listNames = (areas: readonly AreaCooling[]) =>
    areas.length === 0
      ? "none"
      : listSomeNames(
          areas.map(({ ref }) => getRefName(ref)),
          MAX_NAMED_AREAS,
        );
  const [value = "", unit = ""] = formatKilowatts(best.failover_free_kw).split(" ");
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={now.length > 0 ? "fault" : later.length > 0 ? "watch" : "ok"}
      unit={`${unit} left in ${getRefName(best.ref)}, the most, after one failure`}
      lines={[
        ["Short now", listNames(now), now.length > 0 ? 100 : 0],
        ["Short after one failure", listNames(later), later.length > 0 ? 90 : 0],
      ]}
    />
  );
}
