import type { ThermalHeadroomResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatKnownSum, formatPercent, isSumUnknown } from "#words/figures.ts";
import { formatEnum, getReasonUnit, getRefName } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { describeReason } from "../reason_words.ts";
import { bindSetting, changeSettings, changeSubject, type PageAddress } from "../router.ts";
import { FilterRow, RefField, TextField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, type Column, EmptyText, Figure, FigureRow, HealthBadge, RefLink, TableCard } from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";

/** Headroom in percent at or below which its state is "watch", as in the picture. */
const LOW_HEADROOM_PCT = 20;

const HOTSPOT_COLUMNS: readonly Column<ThermalHeadroomResponse["hotspots"][number]>[] = [
  { name: "Where", cell: ({ ref }) => <RefLink to={ref} /> },
  { name: "Grade", cell: ({ severity }) => <HealthBadge health={severity} /> },
  { name: "What", cell: ({ code }) => describeReason(code) },
  { name: "Found", numeric: true, cell: ({ code, value }) => formatDecimal(value, getReasonUnit(code)) },
  { name: "Limit", numeric: true, cell: ({ code, limit }) => formatDecimal(limit, getReasonUnit(code)) },
];

type Zone = ThermalHeadroomResponse["zones"][number];

function formatHeat(kw: number, devicesWithoutHeat: number): string {
  return formatKnownSum(kw, devicesWithoutHeat, (known) => formatDecimal(known, "kW"));
}

/** Whether nothing in a zone has a recorded heat. */
function isZoneHeatUnknown({ heat_kw, liquid_heat_kw, devices_without_heat }: Zone): boolean {
  return isSumUnknown(heat_kw + liquid_heat_kw, devices_without_heat);
}

function ReserveBadge(zone: Zone) {
  const { redundancy_ok, heat_kw, effective_kw } = zone;
  if (heat_kw > effective_kw) return <Badge tone="fault">too little with it</Badge>;
  if (!redundancy_ok) return <Badge tone="watch">too little</Badge>;
  return isZoneHeatUnknown(zone) ? <Badge tone="unknown">unknown</Badge> : <Badge tone="ok">enough</Badge>;
}

const ZONE_COLUMNS: readonly Column<ThermalHeadroomResponse["zones"][number]>[] = [
  { name: "Zone", cell: ({ ref }) => <RefLink to={ref} /> },
  {
    name: "Heat",
    numeric: true,
    cell: ({ heat_kw, devices_without_heat }) => formatHeat(heat_kw, devices_without_heat),
  },
  { name: "Cooling", numeric: true, cell: ({ effective_kw }) => formatDecimal(effective_kw, "kW") },
  { name: "Less reserve", numeric: true, cell: ({ usable_kw }) => formatDecimal(usable_kw, "kW") },
  {
    name: "Headroom",
    numeric: true,
    cell: (zone) => (isZoneHeatUnknown(zone) ? "not recorded" : formatDecimal(zone.headroom_kw, "kW")),
  },
  {
    name: "Without its reserve",
    cell: ReserveBadge,
  },
  { name: "Units", cell: ({ crac_codes }) => crac_codes.join(", ") },
  { name: "Racks", numeric: true, cell: ({ rack_codes }) => rack_codes.length },
];

export function ThermalPage({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const failed = (settings.get("failed") ?? "").split(" ").filter((code) => code !== "");
  const reserve = settings.get("reserve") ?? "";
  const request = {
    scope_ref: subject,
    failed_crac_codes: failed,
    ...(/^\d+$/.test(reserve) ? { reserve_units: Number(reserve) } : {}),
    render: useRenderOptions(),
  };
  return (
    <>
      <PageHead kind="Cooling" title={subject === "" ? "Is there cooling left?" : getRefName(subject)} />
      <FilterRow>
        <RefField
          label="Scope"
          placeholder="AMS1/1, DH1, B03"
          kinds={SCOPE_KINDS}
          value={subject}
          change={changeSubject}
        />
        <TextField label="Units in reserve" placeholder="1" {...bindSetting(settings, "reserve")} />
      </FilterRow>
      {subject === "" ? (
        <EmptyText>Name a scope above, or press “Cooling” on a floor's page.</EmptyText>
      ) : (
        <HeadroomView
          key={subject}
          request={request}
          fail={(code) => changeSettings({ failed: toggleCode(failed, code).join(" ") })}
        />
      )}
    </>
  );
}

/** Balance of heat and cooling in a location, with its picture. */
export function HeadroomView({ request, fail }: { readonly request: object; readonly fail: (code: string) => void }) {
  const asked = useCall("ThermalHeadroom", request);
  return (
    <ReplyView asked={asked}>
      {(reply) => <HeadroomDetails answer={reply} question={{ rpc: "ThermalHeadroom", request }} fail={fail} />}
    </ReplyView>
  );
}

function toggleCode(codes: readonly string[], code: string): readonly string[] {
  return codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code];
}

/** Figure for liquid cooling, which has a separate balance because air units remove none of its heat. */
function LiquidFigure(props: { answer: ThermalHeadroomResponse }) {
  const {
    answer: { liquid_heat_kw, liquid_effective_kw, liquid_headroom_kw, zones },
  } = props;
  if (liquid_heat_kw === 0 && liquid_effective_kw === 0) return null;
  if (liquid_effective_kw === 0) {
    return <Figure label="Liquid cooling" value="none recorded" note="no unit takes this heat" tone="watch" />;
  }
  return (
    <Figure
      label={zones.length > 1 ? "Liquid headroom, all zones" : "Liquid headroom"}
      value={formatDecimal(liquid_headroom_kw, "kW")}
      note={`of ${formatDecimal(liquid_effective_kw, "kW")}`}
      tone={liquid_headroom_kw < 0 ? "fault" : "ok"}
    />
  );
}

/** Cooling indices. They are known only if units run or inlets are measured. */
function CoolingIndices({ answer: { ccf, rci_hi_pct, rci_lo_pct } }: { readonly answer: ThermalHeadroomResponse }) {
  return (
    <>
      {ccf === 0 ? null : <Figure label="Cooling capacity factor" value={formatDecimal(ccf)} />}
      {rci_hi_pct === undefined ? null : <Figure label="Rack cooling index, high" value={formatPercent(rci_hi_pct)} />}
      {rci_lo_pct === undefined ? null : <Figure label="Rack cooling index, low" value={formatPercent(rci_lo_pct)} />}
    </>
  );
}

function CoolingFigures({ answer }: { readonly answer: ThermalHeadroomResponse }) {
  const { effective_kw, reserve_kw, air_heat_kw, devices_without_heat, redundancy_ok, zones } = answer;
  const unknown = zones.filter((zone) => zone.redundancy_ok && isZoneHeatUnknown(zone)).length;
  const safe = zones.filter((zone) => zone.redundancy_ok).length - unknown;
  return (
    <>
      <Figure
        label="Cooling"
        value={formatDecimal(effective_kw, "kW")}
        note={`reserve ${formatDecimal(reserve_kw, "kW")}`}
      />
      {isSumUnknown(air_heat_kw, devices_without_heat) ? (
        <Figure label="Headroom" value="not recorded" note="no heat is recorded" />
      ) : (
        <HeadroomFigure answer={answer} />
      )}
      <Figure
        label="Zones that keep a reserve"
        value={`${formatCount(safe)} of ${formatCount(zones.length)}`}
        {...(unknown > 0 && { note: `heat of ${formatCount(unknown)} not recorded` })}
        tone={!redundancy_ok ? "watch" : unknown > 0 ? "plain" : "ok"}
      />
    </>
  );
}

/** Headroom of a scope; of several zones a total, with the zone that has most of it. */
function HeadroomFigure({
  answer: { headroom_kw, headroom_pct, zones },
}: {
  readonly answer: ThermalHeadroomResponse;
}) {
  const known = zones.filter((zone) => !isZoneHeatUnknown(zone));
  const [best] = zones.length > 1 ? known.toSorted((a, b) => b.headroom_kw - a.headroom_kw) : [];
  return (
    <Figure
      label={zones.length > 1 ? "Headroom, all zones together" : "Headroom"}
      value={formatDecimal(headroom_kw, "kW")}
      note={best === undefined ? formatPercent(headroom_pct) : describeBestZone(best)}
      tone={headroom_kw < 0 ? "fault" : headroom_pct <= LOW_HEADROOM_PCT ? "watch" : "ok"}
    />
  );
}

function describeBestZone({ ref, headroom_kw }: Zone): string {
  return `${getRefName(ref)} has the most, ${formatDecimal(headroom_kw, "kW")}`;
}

function describeNoHotspot(devicesWithoutHeat: number): string {
  if (devicesWithoutHeat === 0) return "Nothing is too warm or short of cooling.";
  return `Nothing recorded is too warm or short of cooling; the heat of ${formatQuantity(devicesWithoutHeat, "device")} is not recorded.`;
}

function HeadroomDetails(props: {
  readonly answer: ThermalHeadroomResponse;
  readonly question: PictureRequest;
  readonly fail: (code: string) => void;
}) {
  const { answer, question, fail } = props;
  const { hotspots, zones, cracs, render } = answer;
  const isAirHeatUnknown = isSumUnknown(answer.air_heat_kw, answer.devices_without_heat);
  const units: readonly Column<ThermalHeadroomResponse["cracs"][number]>[] = [
    { name: "Unit", cell: ({ code }) => <RefLink to={`crac:${code}`} /> },
    { name: "Status", cell: ({ status }) => formatEnum(status, "CRAC_STATUS") },
    { name: "Rated", numeric: true, cell: ({ rated_kw }) => formatDecimal(rated_kw, "kW") },
    { name: "Effective", numeric: true, cell: ({ effective_kw }) => formatDecimal(effective_kw, "kW") },
    {
      name: "Load",
      numeric: true,
      cell: ({ load_kw, devices_without_heat }) => formatHeat(load_kw, devices_without_heat),
    },
    {
      name: "Used",
      numeric: true,
      // A unit that does not run has no capacity, so it has no utilization.
      cell: ({ effective_kw, utilization_pct, load_kw, devices_without_heat }) =>
        formatPercent(effective_kw > 0 && (load_kw > 0 || devices_without_heat === 0) ? utilization_pct : undefined),
    },
    {
      name: "What if",
      cell: ({ code, failed }) => (
        <button type="button" aria-pressed={failed} onClick={() => fail(code)}>
          {failed ? "Failed: bring back" : "Fail it"}
          <span class="sr-only"> {code}</span>
        </button>
      ),
    },
  ];
  return (
    <>
      <FigureRow>
        <Figure
          label="Heat in the air"
          value={formatHeat(answer.air_heat_kw, answer.devices_without_heat)}
          {...(!isAirHeatUnknown && {
            note: `with ${formatDecimal(answer.infrastructure_heat_kw, "kW")} of power losses`,
          })}
        />
        <Figure label="Heat in liquid" value={formatHeat(answer.liquid_heat_kw, answer.devices_without_liquid_heat)} />
        {cracs.length === 0 ? (
          <Figure
            label="Cooling"
            value="none"
            note="no unit is recorded to serve this scope"
            tone={answer.air_heat_kw > 0 ? "fault" : isAirHeatUnknown ? "unknown" : "plain"}
          />
        ) : (
          <CoolingFigures answer={answer} />
        )}
        <LiquidFigure answer={answer} />
        <CoolingIndices answer={answer} />
      </FigureRow>
      <PictureView label="Cooling" render={render} question={question} omitsHeading />
      <TableCard
        title="Too warm, or short of cooling"
        caption="Warm inlets and missing cooling"
        columns={HOTSPOT_COLUMNS}
        rows={hotspots}
        rowKey={({ ref, code }) => `${ref} ${code}`}
        empty={describeNoHotspot(answer.devices_without_heat)}
      />
      <TableCard
        title="Zones"
        columns={ZONE_COLUMNS}
        rows={zones}
        rowKey={({ ref }) => ref}
        empty="There is no zone, since no cooling unit serves this scope."
      />
      <TableCard
        title="Cooling units"
        columns={units}
        rows={cracs}
        rowKey={({ code }) => code}
        empty="No cooling unit serves this scope."
      />
    </>
  );
}
