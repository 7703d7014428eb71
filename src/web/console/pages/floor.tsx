import type { FloorPlanResponse, Health, RackTile } from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatKnownSum, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName, hasUnrecordedPower } from "#words/names.ts";
import { ShareText } from "../../shared/marks.tsx";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { bindSetting, convertToConstant, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import {
  Badge,
  Card,
  type Column,
  EmptyText,
  HealthBadge,
  HealthCounts,
  RefLink,
  TableCard,
  type Tone,
} from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";
import { ElementActions, HealthReasons } from "./element_parts.tsx";

const COLORING_CHOICES = [
  ["", "One failure"],
  ["health", "Health"],
  ["power", "Power"],
  ["thermal", "Heat"],
  ["utilization", "Space"],
] as const;

/** Colourings by readings: word in the URL, label, and colouring in the request. */
const MEASURED_COLORINGS = [
  ["measured-power", "Measured power", "power"],
  ["measured-temperature", "Measured temperature", "thermal"],
] as const;

/** Effect of the worst single failure on a rack: label and tone. */
const RISK_LABELS: Readonly<Record<string, readonly [string, Tone]>> = {
  RACK_RISK_DARK: ["goes dark", "fault"],
  RACK_RISK_PARTIAL: ["loses several devices", "watch"],
  RACK_RISK_DEVICE: ["loses one device", "plain"],
  RACK_RISK_NONE: ["stays on", "plain"],
};

function RackRiskCell({ risk, risk_ref }: RackTile) {
  const [words, tone] = RISK_LABELS[risk ?? ""] ?? ["supply not recorded", "unknown"];
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {risk_ref === undefined ? null : (
        <>
          {" by "}
          <RefLink to={risk_ref} />
        </>
      )}
    </>
  );
}

const RACK_COLUMNS: readonly Column<RackTile>[] = [
  { name: "Rack", cell: ({ code }) => <a href={formatPageUrl("rack", code)}>{code}</a> },
  { name: "Row", cell: ({ row }) => row },
  { name: "Health", cell: HealthBadge },
  { name: "Space", numeric: true, cell: ({ space_pct }) => formatPercent(space_pct) },
  { name: "Power", numeric: true, cell: ({ power_pct }) => <ShareText pct={power_pct} /> },
  {
    name: "Heat",
    numeric: true,
    cell: ({ heat_w, devices_without_heat }) => formatKnownSum(heat_w, devices_without_heat),
  },
  { name: "Inlet", numeric: true, cell: ({ inlet_temp_c }) => formatDecimal(inlet_temp_c, "°C") },
  { name: "Why", cell: ({ reasons }) => <HealthReasons reasons={reasons} /> },
];

/** Maximum number of footprints drawn individually: people read a hall rack by rack, and its picture scrolls. */
const MAX_NODES = 2000;

/** Columns of the table if the colours show the effect of one failure. */
const RISK_COLUMNS = [
  ...RACK_COLUMNS.slice(0, 2),
  { name: "After one failure", cell: RackRiskCell },
  ...RACK_COLUMNS.slice(2),
];

/** Columns of the table if the colours show readings. */
const MEASURED_COLUMNS: readonly Column<RackTile>[] = [
  ...RACK_COLUMNS.slice(0, 2),
  {
    name: "Measured",
    numeric: true,
    cell: ({ measured_w }) => (measured_w === undefined ? "" : formatWatts(measured_w)),
  },
  ...RACK_COLUMNS.slice(2),
];

const HEALTH_ORDER: readonly Health[] = ["HEALTH_FAULT", "HEALTH_WATCH", "HEALTH_OK"];

/** Returns the rank of a rack's risk; 0 is the worst. An unknown risk is before none. */
function rankRackRisk({ risk }: RackTile): number {
  const at = Object.keys(RISK_LABELS).indexOf(risk ?? "");
  return at === -1 ? Object.keys(RISK_LABELS).length - 1.5 : at;
}

/** Returns the rank of a health; 0 is the worst. Cooling units have no health and come last. */
function rankHealth(tile: RackTile | undefined): number {
  if (tile === undefined) return HEALTH_ORDER.length;
  return HEALTH_ORDER.indexOf(tile.health) - (hasUnrecordedPower(tile.reasons) ? 0.5 : 0);
}

export function FloorPage({ place }: { readonly place: PageAddress }) {
  const floorRef = place.subject;
  const coloring = place.settings.get("coloring") ?? "";
  const measured = MEASURED_COLORINGS.find(([word]) => word === coloring);
  const render = {
    ...useRenderOptions(),
    max_nodes: MAX_NODES,
    coloring: convertToConstant("COLORING", measured?.[2] ?? (coloring || "risk")),
  };
  const request = {
    floor_ref: floorRef,
    render,
    ...(measured !== undefined && { load_basis: "LOAD_BASIS_MEASURED" as const }),
  };
  const { reply: kept } = useCall("datacenter.v1.PlanningService/ListReadings", { page_size: 1 });
  const isMeasurable = measured !== undefined || (kept?.readings.length ?? 0) > 0;
  const plan = useCall("FloorPlan", floorRef === "" ? undefined : request);
  return (
    <>
      <PageHead
        title={`Floor ${getRefName(floorRef)}`}
        action={
          floorRef === "" || plan.error?.code === "not_found" ? null : (
            <>
              <a class="button" href={formatPageUrl("thermal", floorRef)}>
                Cooling
              </a>
              <ElementActions target={floorRef}>
                <a class="button" href={formatPageUrl("fabric", "", { scope: floorRef })}>
                  Fabric
                </a>
              </ElementActions>
            </>
          )
        }
      />
      <FilterRow>
        <ChoiceField
          label="Colours show"
          {...bindSetting(place.settings, "coloring")}
          choices={
            isMeasurable
              ? [...COLORING_CHOICES, ...MEASURED_COLORINGS.map(([word, name]) => [word, name] as const)]
              : COLORING_CHOICES
          }
        />
      </FilterRow>
      {floorRef === "" ? (
        <EmptyText>
          Choose a floor on the <a href={formatPageUrl("overview")}>overview</a>.
        </EmptyText>
      ) : (
        <ReplyView asked={plan}>
          {(reply) => (
            <FloorPlanView
              plan={reply}
              question={{ rpc: "FloorPlan", request }}
              hasRisk={coloring === "" || coloring === "risk"}
            />
          )}
        </ReplyView>
      )}
    </>
  );
}

function FloorPlanView(props: {
  readonly plan: FloorPlanResponse;
  readonly question: PictureRequest;
  readonly hasRisk: boolean;
}) {
  const {
    plan: { racks, counts, unplaced, unplaced_racks, render, floor_ref, load_basis },
    question,
    hasRisk,
  } = props;
  const all = [...racks, ...unplaced_racks].sort(
    (a, b) => rankRackRisk(a) - rankRackRisk(b) || rankHealth(a) - rankHealth(b),
  );
  const tiles = new Map(unplaced_racks.map((tile) => [`rack:${tile.code}`, tile]));
  const without = unplaced
    .map((ref) => ({ ref, tile: tiles.get(ref) }))
    .sort((a, b) => rankHealth(a.tile) - rankHealth(b.tile));
  return (
    <>
      <HealthCounts counts={counts} />
      <PictureView label={`Floor plan of ${getRefName(floor_ref)}`} render={render} question={question} omitsHeading />
      {unplaced.length === 0 ? null : (
        <Card title="Without a place on the plan">
          <ul class="inline">
            {without.map(({ ref, tile }) => (
              <li key={ref}>
                <RefLink to={ref} /> {tile === undefined ? null : <HealthBadge {...tile} />}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <TableCard
        title="Racks"
        caption="Racks of this floor, the worst first"
        columns={hasRisk ? RISK_COLUMNS : load_basis === "LOAD_BASIS_MEASURED" ? MEASURED_COLUMNS : RACK_COLUMNS}
        rows={all}
        rowKey={({ code }) => code}
        empty="No rack stands on this floor."
      />
    </>
  );
}
