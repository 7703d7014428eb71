import type { Capacity, GetRackResponse, Occupant } from "#gen/datacenter/v1/json.ts";
import { decimal, watts } from "#words/figures.ts";
import { constantWord, enumWord } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { constantOf } from "../address_words.ts";
import { useCall } from "../api/use_call.ts";
import { EditActions } from "../edit/edit_buttons.tsx";
import { factsOf } from "../edit/facts.ts";
import { RackBoard } from "../edit/rack_board.tsx";
import { linkTo, type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import type { Question } from "../ui/download.tsx";
import { ChoiceField, Filters } from "../ui/fields.tsx";
import { FailThis, HistoryLink, PageHead } from "../ui/page.tsx";
import { Card, Facts, HealthBadge, Meter } from "../ui/parts.tsx";
import { Picture } from "../ui/picture.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { CapacityLeft } from "./capacity_left.tsx";
import { placeTrail } from "./place_trail.ts";
import { place as placeWords } from "./place_words.tsx";
import { Reasons } from "./reasons.tsx";

const COLUMNS: readonly Column<Occupant>[] = [
  { name: "U", numeric: true, cell: ({ position_u }) => decimal(position_u) },
  { name: "Device", cell: ({ device_code }) => <a href={linkTo("device", device_code)}>{device_code}</a> },
  { name: "Role", cell: ({ role }) => role },
  { name: "Kind", cell: ({ kind }) => enumWord(kind, "DEVICE_KIND") },
  { name: "Height", numeric: true, cell: ({ u_height }) => decimal(u_height, "U") },
  { name: "Face", cell: ({ face }) => enumWord(face, "FACE") },
  { name: "Status", cell: ({ status }) => enumWord(status, "DEVICE_STATUS") },
  { name: "Draw", numeric: true, cell: ({ draw_w }) => (draw_w === 0 ? "–" : watts(draw_w)) },
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

export function Rack({ place }: { readonly place: Place }) {
  const [view, coloring] = [place.settings.get("view") ?? "", place.settings.get("coloring") ?? ""];
  const look = {
    ...(view === "" ? {} : { view: constantOf("RENDER_VIEW", view) }),
    ...(coloring === "" ? {} : { coloring: constantOf("COLORING", coloring) }),
  };
  const render = { ...useRender(), ...look };
  const request = { code: place.subject, render };
  const asked = useCall("GetRack", request);
  const ref = `rack:${place.subject}`;
  const isMissing = asked.error?.code === "not_found";
  return (
    <>
      <PageHead
        kind="Rack"
        title={place.subject}
        {...(asked.reply?.rack.location === undefined ? {} : { trail: placeTrail(asked.reply.rack.location) })}
        action={
          <>
            {isMissing ? null : <EditActions kind="rack" identity={{ code: place.subject }} />}
            <HistoryLink target={ref} />
            {isMissing ? null : <FailThis target={ref} />}
          </>
        }
      />
      <Filters>
        <ChoiceField label="View" value={view} choices={VIEWS} change={(value) => setSettings({ view: value })} />
        <ChoiceField
          label="Colours show"
          value={coloring}
          choices={COLORINGS}
          change={(value) => setSettings({ coloring: value })}
        />
      </Filters>
      <Answer asked={asked}>{(reply) => <Shown answer={reply} question={{ rpc: "GetRack", request }} />}</Answer>
    </>
  );
}

function Shown({ answer, question }: { readonly answer: GetRackResponse; readonly question: Question }) {
  const { rack, occupants, capacity, conflicts, render } = answer;
  return (
    <div class="columns">
      <div class="rack-views">
        <RackBoard answer={answer} />
        <Picture label={`Rack ${rack.code}`} render={render} question={question} told />
      </div>
      <div>
        <Card title="Rack" action={<HealthBadge health={rack.health} />}>
          <Facts
            rows={[
              ...factsOf("rack", rack, "name facility_id"),
              ["Place", placeWords(rack.location)],
              ...factsOf("rack", rack, "role status required_redundancy serial asset_tag tenant tags labels comments"),
              [
                "Health",
                rack.health_reasons.length === 0 ? "" : <Reasons key="health" reasons={rack.health_reasons} all />,
              ],
            ]}
          />
        </Card>
        {capacity === undefined ? null : <Used capacity={capacity} />}
        <CapacityLeft scope={`rack:${rack.code}`} />
        {conflicts.length === 0 ? null : (
          <Card title="Conflicts">
            <ul>
              {conflicts.map(({ device_code, other_code, position_u, code }) => (
                <li key={`${device_code} ${other_code} ${position_u}`}>
                  {constantWord(code)}: {device_code} and {other_code} at U {position_u}
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
      <Card title="Devices">
        <Table
          caption="Devices of this rack"
          columns={COLUMNS}
          rows={occupants}
          rowKey={({ device_code }) => device_code}
          empty="The rack is empty."
        />
      </Card>
    </div>
  );
}

const NOT_RECORDED = "not recorded";

/** Devices without a recorded weight weigh something, so that the sum is a lower bound. */
function weightText({ weight_kg, max_load_kg, devices, devices_without_weight: missing }: Capacity): string {
  if (missing > 0 && missing === devices) return NOT_RECORDED;
  const known = used(decimal(weight_kg, "kg"), max_load_kg, (value) => decimal(value, "kg"));
  return missing === 0 ? known : `at least ${known}, ${missing} of ${devices} devices without weight`;
}

/** A rack's cooling capacity is for heat to air; liquid has its own units. */
function heatText({ heat_w, air_heat_w, cooling_capacity_w }: Capacity): string {
  const air = used(watts(air_heat_w), cooling_capacity_w, watts);
  return heat_w > air_heat_w ? `${air}; ${watts(heat_w - air_heat_w)} to liquid` : air;
}

function Used({ capacity }: { readonly capacity: Capacity }) {
  const isDrawn = capacity.allocated_w > 0 || capacity.devices === 0;
  const isHeated = capacity.heat_w > 0 || capacity.devices === 0;
  const isWeighed = capacity.devices_without_weight < capacity.devices || capacity.devices === 0;
  const { power_capacity_w: powerLimit, cooling_capacity_w: coolingLimit, max_load_kg: weightLimit } = capacity;
  return (
    <Card title="Capacity">
      <Meter
        label="Space"
        harmless
        share={capacity.space_pct}
        text={`${decimal(capacity.used_u)} of ${capacity.total_u} U, longest free run ${capacity.largest_free_block_u} U`}
      />
      <Meter
        label="Power"
        share={isDrawn ? capacity.power_pct : undefined}
        text={isDrawn ? used(watts(capacity.allocated_w), powerLimit, watts) : NOT_RECORDED}
      />
      {capacity.failover_w_by_path.map(({ power_path, normal_w, failover_w }) => (
        <Meter
          key={power_path}
          label={`Side ${power_path}`}
          share={share(failover_w, powerLimit)}
          text={`${watts(normal_w)}; alone ${watts(failover_w)}`}
        />
      ))}
      <Meter
        label="Heat to air"
        share={isHeated ? share(capacity.air_heat_w, coolingLimit) : undefined}
        text={isHeated ? heatText(capacity) : NOT_RECORDED}
      />
      <Meter
        label="Weight"
        share={isWeighed ? share(capacity.weight_kg, weightLimit) : undefined}
        text={weightText(capacity)}
      />
    </Card>
  );
}

function share(value: number, limit: number | undefined): number | undefined {
  return limit === undefined || limit === 0 ? undefined : (100 * value) / limit;
}

function used(value: string, limit: number | undefined, words: (value: number) => string): string {
  return limit === undefined ? `${value}, limit unknown` : `${value} of ${words(limit)}`;
}
