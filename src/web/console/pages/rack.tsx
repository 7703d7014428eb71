import type { Capacity, GetRackResponse, Occupant, Rack as RackFields } from "#gen/datacenter/v1/json.ts";
import { formatCapacity } from "#words/capacity_figures.ts";
import { formatDecimal, formatWatts } from "#words/figures.ts";
import { formatConstant, formatEnum } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { convertToConstant } from "../address_words.ts";
import { convertKeysToCamelCase } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { listResourceFacts } from "../edit/facts.ts";
import { RackBoard } from "../edit/rack_board.tsx";
import { RackLossSentence } from "../overview/worst_loss.tsx";
import { useReadingRows } from "../readings/measured.tsx";
import { WorstFindings } from "../readings/shown_findings.tsx";
import { bindSetting, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow } from "../ui/fields.tsx";
import { Card, EmptyText, FactList, HealthBadge, Meter } from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { FreeCapacityCard } from "./capacity_left.tsx";
import { ElementPage } from "./element_frame.tsx";
import { ElementChanges } from "./latest_changes.tsx";
import { createLocationTrail } from "./place_trail.ts";
import { renderLocation as placeWords } from "./place_words.tsx";
import { FailureEffectsCard, groupPowerPaths, SupplyCard, UplinksCard, useInventoryRows } from "./rack_cards.tsx";
import { HealthReasons } from "./reasons.tsx";
import { ElementActions } from "./thing_actions.tsx";

const OCCUPANT_COLUMNS: readonly Column<Occupant>[] = [
  { name: "U", numeric: true, cell: ({ position_u }) => formatDecimal(position_u) },
  { name: "Device", cell: ({ device_code }) => <a href={formatPageUrl("device", device_code)}>{device_code}</a> },
  { name: "Role", cell: ({ role }) => role },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "DEVICE_KIND") },
  { name: "Height", numeric: true, cell: ({ u_height }) => formatDecimal(u_height, "U") },
  { name: "Face", cell: ({ face }) => formatEnum(face, "FACE") },
  { name: "Status", cell: ({ status }) => formatEnum(status, "DEVICE_STATUS") },
  { name: "Draw", numeric: true, cell: formatOccupantDraw },
];

const VIEW_CHOICES = [
  ["", "Both faces"],
  ["front", "Front"],
  ["rear", "Rear"],
] as const;

function formatOccupantDraw({ draw_w, draw_source }: { readonly draw_w: number; readonly draw_source: string }) {
  if (draw_source === "DRAW_SOURCE_NOT_RECORDED") return "not recorded";
  return draw_w === 0 ? "–" : formatWatts(draw_w);
}

const COLORING_CHOICES = [
  ["", "Role"],
  ["status", "Status"],
  ["power", "Power"],
] as const;

export function RackPage({ place }: { readonly place: PageAddress }) {
  const [view, coloring, tab] = ["view", "coloring", "tab"].map((name) => place.settings.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const usual = useRenderOptions();
  const render = {
    ...usual,
    ...(view === "" ? {} : { view: convertToConstant("RENDER_VIEW", view) }),
    ...(coloring === "" ? {} : { coloring: convertToConstant("COLORING", coloring) }),
  };
  const code = place.subject;
  const request = tab === "picture" ? { code, render } : { code };
  const asked = useCall("GetRack", request);
  const ref = `rack:${code}`;
  const rack = asked.reply?.rack;
  return (
    <ElementPage
      place={place}
      asked={asked}
      kind={rack === undefined ? "Rack" : describeRack(rack)}
      trail={createLocationTrail(rack?.location)}
      state={rack === undefined ? null : <HealthBadge health={rack.health} />}
      sentence={<RackLossSentence code={code} location={rack?.location} />}
      actions={<ElementActions target={ref} edit={{ kind: "rack", identity: { code } }} history={ref} />}
      options={tab === "" || tab === "picture" ? <ElevationControls settings={place.settings} /> : null}
      tabs={[
        {
          key: "",
          name: "Overview",
          content: (reply) => <RackOverview answer={reply} view={view} coloring={coloring} />,
        },
        {
          key: "devices",
          name: "Devices",
          count: asked.reply?.occupants.length,
          content: ({ occupants }) => (
            <Table
              caption="Devices of this rack"
              columns={OCCUPANT_COLUMNS}
              rows={occupants}
              rowKey={({ device_code }) => device_code}
              empty="The rack is empty."
            />
          ),
        },
        {
          key: "picture",
          name: "Picture",
          content: ({ render: drawn }) => (
            <PictureView label={`Rack ${code}`} render={drawn} question={{ rpc: "GetRack", request }} omitsHeading />
          ),
        },
        { key: "history", name: "Changes", content: () => <ElementChanges entity={ref} /> },
      ]}
    />
  );
}

function ElevationControls({ settings }: { readonly settings: URLSearchParams }) {
  return (
    <FilterRow>
      <ChoiceField label="View" {...bindSetting(settings, "view")} choices={VIEW_CHOICES} />
      <ChoiceField label="Colours show" {...bindSetting(settings, "coloring")} choices={COLORING_CHOICES} />
    </FilterRow>
  );
}

/** Describes a rack by its role, status and redundancy: "compute rack, active, 2N". */
function describeRack({ role, status, required_redundancy }: RackFields): string {
  const words = [
    `${role} rack`.trim(),
    formatEnum(status, "RACK_STATUS").toLowerCase(),
    formatEnum(required_redundancy, "REDUNDANCY"),
  ];
  return words.filter((word) => word !== "").join(", ");
}

function RackOverview(props: { readonly answer: GetRackResponse; readonly view: string; readonly coloring: string }) {
  const { answer, view, coloring } = props;
  const { rack, capacity, conflicts, occupants } = answer;
  const supplies = useInventoryRows("SUPPLY", { rack: [rack.code] });
  const measured = useReadingRows(`rack:${rack.code}`);
  const inlets = useInventoryRows("PORT", { rack: [rack.code], kind: ["POWER_IN"] });
  return (
    <div class="rack-page">
      <RackBoard answer={answer} view={view} coloring={coloring} cords={groupPowerPaths(inlets, supplies)} />
      <div>
        {capacity === undefined ? null : <UsedCapacity capacity={capacity} hasSupplies={supplies.length > 0} />}
        <SupplyCard supplies={supplies} />
        <FreeCapacityCard scope={`rack:${rack.code}`} />
      </div>
      <div>
        <Card title="Findings">
          {rack.health_reasons.length + conflicts.length === 0 ? <EmptyText>Nothing to watch.</EmptyText> : null}
          <HealthReasons reasons={rack.health_reasons} all />
          {conflicts.length === 0 ? null : (
            <ul>
              {conflicts.map(({ device_code, other_code, position_u, code }) => (
                <li key={`${device_code} ${other_code} ${position_u}`}>
                  {formatConstant(code)}: {device_code} and {other_code} at U {position_u}
                </li>
              ))}
            </ul>
          )}
        </Card>
        <WorstFindings scope={`rack:${rack.code}`} most={1} />
        <FailureEffectsCard scope={`rack:${rack.code}`} />
        <UplinksCard occupants={occupants} />
        <Card title="Facts">
          <FactList
            rows={[
              ...listResourceFacts("rack", rack, "name facility_id"),
              ["Place", placeWords(rack.location)],
              ...measured,
              ...listResourceFacts("rack", rack, "serial asset_tag tenant tags labels comments"),
            ]}
          />
        </Card>
      </div>
    </div>
  );
}

function UsedCapacity({ capacity, hasSupplies }: { readonly capacity: Capacity; readonly hasSupplies: boolean }) {
  const { freeSpace, power, sides, weight, heat } = formatCapacity(convertKeysToCamelCase(capacity));
  return (
    <Card title="Capacity">
      <Meter label="Space" harmless share={capacity.space_pct} text={freeSpace} />
      {[power, ...(hasSupplies ? [] : sides), weight, heat].map(({ label, value, note = "", pct, usualPct }) => (
        <Meter
          key={label}
          label={label}
          share={usualPct}
          after={pct}
          text={note === "" ? value : `${value}; ${note}`}
        />
      ))}
    </Card>
  );
}
