import type { RehearseFailuresResponse, ThermalHeadroomResponse, ZoneShortage } from "#gen/datacenter/v1/json.ts";
import { formatKilowatts, formatPercent } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { getVisibleShareState } from "../../shared/state_of_share.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { Gauge } from "./gauge.tsx";

/** Maximum number of sites whose cooling is summed up. With more sites, the list of sites shows their cooling. */
const MAX_SUMMED_SITES = 4;

/** Gauges of heat and cooling capacity over all sites, one for air and one for liquid. */
export function CoolingGauges(props: { sites: readonly string[]; rehearsal: RehearseFailuresResponse | undefined }) {
  const { sites, rehearsal } = props;
  // The number of hooks must not depend on the number of sites.
  const scopes = Array.from({ length: MAX_SUMMED_SITES }, (_, at) => sites[at]);
  const answers = scopes.map(useSiteCooling).filter((answer) => answer !== undefined);
  const sumReplies = (getFigure: (answer: ThermalHeadroomResponse) => number) =>
    answers.reduce((all, answer) => all + getFigure(answer), 0);
  const known = answers.length === Math.min(sites.length, MAX_SUMMED_SITES);
  const zones = rehearsal?.causes.flatMap((cause) => cause.zones) ?? [];
  const href = sites.length === 1 ? formatPageUrl("thermal", `site:${sites[0]}`) : formatPageUrl("cooling");
  const siteNote = sites.length > MAX_SUMMED_SITES ? `of ${MAX_SUMMED_SITES} sites` : "";
  return (
    <>
      <MediumGauge
        name="Cooling, air"
        href={href}
        note={siteNote}
        heat={sumReplies(({ air_heat_kw }) => air_heat_kw)}
        usable={sumReplies(({ usable_kw }) => usable_kw)}
        headroom={sumReplies(({ headroom_kw }) => headroom_kw)}
        effective={sumReplies(({ effective_kw }) => effective_kw)}
        known={known}
        worst={findWorstZone(zones, "COOLING_MEDIUM_AIR")}
      />
      <MediumGauge
        name="Cooling, liquid"
        href={href}
        note={siteNote}
        heat={sumReplies(({ liquid_heat_kw }) => liquid_heat_kw)}
        usable={sumReplies(({ liquid_usable_kw }) => liquid_usable_kw)}
        headroom={sumReplies(({ liquid_headroom_kw }) => liquid_headroom_kw)}
        effective={sumReplies(({ liquid_effective_kw }) => liquid_effective_kw)}
        known={known}
        worst={findWorstZone(zones, "COOLING_MEDIUM_LIQUID")}
      />
    </>
  );
}

function useSiteCooling(site: string | undefined): ThermalHeadroomResponse | undefined {
  const request =
    site === undefined ? undefined : { scope_ref: `site:${site}`, render: { format: "RENDER_FORMAT_NONE" } };
  return useCall("ThermalHeadroom", request).reply;
}

/** Returns the area with the highest ratio of heat to cooling after the loss of one unit. */
function findWorstZone(zones: readonly ZoneShortage[], medium: string): ZoneShortage | undefined {
  return zones.filter((zone) => zone.medium === medium).sort((a, b) => computeHeatShare(b) - computeHeatShare(a))[0];
}

function computeHeatShare({ heat_kw, capacity_kw }: ZoneShortage): number {
  return capacity_kw === 0 ? Number.POSITIVE_INFINITY : (100 * heat_kw) / capacity_kw;
}

interface MediumGaugeProps {
  readonly name: string;
  readonly href: string;
  readonly note: string;
  readonly heat: number;
  readonly usable: number;
  readonly headroom: number;
  readonly effective: number;
  /** Whether the replies for all sites have arrived. */
  readonly known: boolean;
  readonly worst: ZoneShortage | undefined;
}

function MediumGauge(props: MediumGaugeProps) {
  if (!props.known) return <UnknownGauge {...props} />;
  return props.effective === 0 ? <UnservedGauge {...props} /> : <ServedGauge {...props} />;
}

/** Gauge with a dash before the reply arrives, because 0 kW would look like a good value. */
function UnknownGauge({ name, href }: MediumGaugeProps) {
  return <Gauge name={name} href={href} value="–" state="unknown" unit="kW" share={undefined} lines={[]} />;
}

/** Gauge of heat without a recorded cooling unit, which has no percentage. */
function UnservedGauge({ name, href, note, heat }: MediumGaugeProps) {
  const isNeeded = heat > 0;
  const [value = "", unit = ""] = formatKilowatts(heat).split(" ");
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={isNeeded ? "unknown" : undefined}
      unit={`${unit} of heat ${note}`}
      share={isNeeded ? undefined : 0}
      lines={[
        ["Cooling units", isNeeded ? "none recorded" : "none needed"],
        ["Reserve", isNeeded ? "unknown" : "not needed"],
      ]}
    />
  );
}

function ServedGauge({ name, href, note, heat, usable, headroom, effective, worst }: MediumGaugeProps) {
  const share = (100 * heat) / effective;
  const [value = "", unit = ""] = formatKilowatts(heat).split(" ");
  const after = worst === undefined ? undefined : computeHeatShare(worst);
  return (
    <Gauge
      name={name}
      href={href}
      value={value}
      state={getVisibleShareState(after ?? share) ?? "ok"}
      unit={`${unit} of ${formatKilowatts(effective)} ${note}`}
      share={share}
      failoverShare={after}
      lines={[
        ["Headroom", formatKilowatts(headroom), headroom < 0 ? Math.max(80, share) : 0],
        worst === undefined
          ? ["Reserve", formatKilowatts(effective - usable)]
          : [
              <>one unit lost, {getRefName(worst.ref)}</>,
              Number.isFinite(after) ? formatPercent(after) : "none left",
              after ?? 0,
            ],
      ]}
    />
  );
}
