import type { Capacity, GetRackResponse, Occupant, Rack as RackFields } from "#gen/datacenter/v1/json.ts";
import { formatCapacity } from "#words/capacity_figures.ts";
import { formatDecimal, formatWatts } from "#words/figures.ts";
import { formatConstant, formatEnum } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { toConstant } from "../address_words.ts";
import { toCamelCaseKeys } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { listFacts } from "../edit/facts.ts";
import { RackBoard } from "../edit/rack_board.tsx";
import { RackLoss } from "../overview/worst_loss.tsx";
import { useMeasured } from "../readings/measured.tsx";
import { ShownFindings } from "../readings/shown_findings.tsx";
import { changeSettings, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, Filters } from "../ui/fields.tsx";
import { Card, Empty, Facts, HealthBadge, Meter } from "../ui/parts.tsx";
import { Picture } from "../ui/picture.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { CapacityLeft } from "./capacity_left.tsx";
import { ElementFrame } from "./element_frame.tsx";
import { ChangesOf } from "./latest_changes.tsx";
import { placeTrail } from "./place_trail.ts";
import { place as placeWords } from "./place_words.tsx";
import { cordsOf, Supply, Uplinks, useRows, WhatIf } from "./rack_cards.tsx";
import { Reasons } from "./reasons.tsx";
import { ThingActions } from "./thing_actions.tsx";

const COLUMNS: readonly Column<Occupant>[] = [
  { name: "U", numeric: true, cell: ({ position_u }) => formatDecimal(position_u) },
  { name: "Device", cell: ({ device_code }) => <a href={formatPageUrl("device", device_code)}>{device_code}</a> },
  { name: "Role", cell: ({ role }) => role },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "DEVICE_KIND") },
  { name: "Height", numeric: true, cell: ({ u_height }) => formatDecimal(u_height, "U") },
  { name: "Face", cell: ({ face }) => formatEnum(face, "FACE") },
  { name: "Status", cell: ({ status }) => formatEnum(status, "DEVICE_STATUS") },
  { name: "Draw", numeric: true, cell: ({ draw_w }) => (draw_w === 0 ? "–" : formatWatts(draw_w)) },
];

const VIEWS = [
  ["", "Both faces"],
  ["front", "Front"],
  ["rear", "Rear"],
] as const;

const COLORINGS = [
  ["", "Role"],
  ["status", "Status"],
  ["power", "Power"],
] as const;

export function Rack({ place }: { readonly place: PageAddress }) {
  const [view, coloring, tab] = ["view", "coloring", "tab"].map((name) => place.settings.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const usual = useRender();
  const render = {
    ...usual,
    ...(view === "" ? {} : { view: toConstant("RENDER_VIEW", view) }),
    ...(coloring === "" ? {} : { coloring: toConstant("COLORING", coloring) }),
  };
  const code = place.subject;
  const request = tab === "picture" ? { code, render } : { code };
  const asked = useCall("GetRack", request);
  const ref = `rack:${code}`;
  const rack = asked.reply?.rack;
  return (
    <ElementFrame
      place={place}
      asked={asked}
      kind={rack === undefined ? "Rack" : rackWords(rack)}
      trail={placeTrail(rack?.location)}
      state={rack === undefined ? null : <HealthBadge health={rack.health} />}
      sentence={<RackLoss code={code} location={rack?.location} />}
      actions={<ThingActions target={ref} edit={{ kind: "rack", identity: { code } }} history={ref} />}
      options={tab === "" || tab === "picture" ? <DrawnBy view={view} coloring={coloring} /> : null}
      tabs={[
        {
          key: "",
          name: "Overview",
          content: (reply) => <Shown answer={reply} view={view} coloring={coloring} />,
        },
        {
          key: "devices",
          name: "Devices",
          count: asked.reply?.occupants.length,
          content: ({ occupants }) => (
            <Table
              caption="Devices of this rack"
              columns={COLUMNS}
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
            <Picture label={`Rack ${code}`} render={drawn} question={{ rpc: "GetRack", request }} told />
          ),
        },
        { key: "history", name: "Changes", content: () => <ChangesOf entity={ref} /> },
      ]}
    />
  );
}

function DrawnBy({ view, coloring }: { readonly view: string; readonly coloring: string }) {
  return (
    <Filters>
      <ChoiceField label="View" value={view} choices={VIEWS} change={(value) => changeSettings({ view: value })} />
      <ChoiceField
        label="Colours show"
        value={coloring}
        choices={COLORINGS}
        change={(value) => changeSettings({ coloring: value })}
      />
    </Filters>
  );
}

/** What the rack is, in one line: "compute rack, active, 2N". */
function rackWords({ role, status, required_redundancy }: RackFields): string {
  const words = [
    `${role} rack`.trim(),
    formatEnum(status, "RACK_STATUS").toLowerCase(),
    formatEnum(required_redundancy, "REDUNDANCY"),
  ];
  return words.filter((word) => word !== "").join(", ");
}

function Shown(props: { readonly answer: GetRackResponse; readonly view: string; readonly coloring: string }) {
  const { answer, view, coloring } = props;
  const { rack, capacity, conflicts, occupants } = answer;
  const supplies = useRows("SUPPLY", { rack: [rack.code] });
  const measured = useMeasured(`rack:${rack.code}`);
  const inlets = useRows("PORT", { rack: [rack.code], kind: ["POWER_IN"] });
  return (
    <div class="rack-page">
      <RackBoard answer={answer} view={view} coloring={coloring} cords={cordsOf(inlets, supplies)} />
      <div>
        {capacity === undefined ? null : <Used capacity={capacity} hasSupplies={supplies.length > 0} />}
        <Supply supplies={supplies} />
        <CapacityLeft scope={`rack:${rack.code}`} />
      </div>
      <div>
        <Card title="Findings">
          {rack.health_reasons.length + conflicts.length === 0 ? <Empty>Nothing to watch.</Empty> : null}
          <Reasons reasons={rack.health_reasons} all />
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
        <ShownFindings scope={`rack:${rack.code}`} most={1} />
        <WhatIf scope={`rack:${rack.code}`} />
        <Uplinks occupants={occupants} />
        <Card title="Facts">
          <Facts
            rows={[
              ...listFacts("rack", rack, "name facility_id"),
              ["Place", placeWords(rack.location)],
              ...measured,
              ...listFacts("rack", rack, "serial asset_tag tenant tags labels comments"),
            ]}
          />
        </Card>
      </div>
    </div>
  );
}

function Used({ capacity, hasSupplies }: { readonly capacity: Capacity; readonly hasSupplies: boolean }) {
  const { freeSpace, power, sides, weight, heat } = formatCapacity(toCamelCaseKeys(capacity));
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
