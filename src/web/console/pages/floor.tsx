import type { FloorPlan, RackTile } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { linkTo, type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters } from "../ui/fields.tsx";
import { FailThis, PageHead } from "../ui/page.tsx";
import { Card, HealthBadge, HealthCounts, RefLink } from "../ui/parts.tsx";
import { Picture } from "../ui/picture.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useRender } from "../ui/use_theme.ts";
import { decimal, percent, refName, watts } from "../words.ts";
import { Reasons } from "./reasons.tsx";

const COLORINGS = [
  ["", "Health"],
  ["COLORING_POWER", "Power"],
  ["COLORING_THERMAL", "Heat"],
  ["COLORING_UTILIZATION", "Space"],
] as const;

const COLUMNS: readonly Column<RackTile>[] = [
  { name: "Rack", cell: ({ code }) => <a href={linkTo("rack", code)}>{code}</a> },
  { name: "Row", cell: ({ row }) => row },
  { name: "Health", cell: ({ health }) => <HealthBadge health={health} /> },
  { name: "Space", numeric: true, cell: ({ space_pct }) => percent(space_pct) },
  { name: "Power", numeric: true, cell: ({ power_pct }) => percent(power_pct) },
  { name: "Heat", numeric: true, cell: ({ heat_w }) => watts(heat_w) },
  { name: "Inlet", numeric: true, cell: ({ inlet_temp_c }) => decimal(inlet_temp_c, "°C") },
  { name: "Why", cell: ({ reasons }) => <Reasons reasons={reasons} /> },
];

const ORDER = ["HEALTH_FAULT", "HEALTH_WATCH", "HEALTH_OK"];

export function Floor({ place }: { readonly place: Place }) {
  const floorRef = place.subject;
  const coloring = place.settings.get("coloring") ?? "";
  const request = { floor_ref: floorRef, render: { ...useRender(), ...(coloring === "" ? {} : { coloring }) } };
  const plan = useCall<FloorPlan>("FloorPlan", request);
  return (
    <>
      <PageHead
        title={`Floor ${refName(floorRef)}`}
        action={
          <>
            <a class="button" href={linkTo("thermal", floorRef)}>
              Cooling
            </a>
            <a class="button" href={linkTo("fabric", "", { scope: floorRef })}>
              Fabric
            </a>
            <FailThis target={floorRef} />
          </>
        }
      />
      <Filters>
        <ChoiceField
          label="Colours show"
          value={coloring}
          choices={COLORINGS}
          change={(value) => setSettings(place, { coloring: value })}
        />
      </Filters>
      <Answer asked={plan}>{(reply) => <Plan plan={reply} question={{ rpc: "FloorPlan", request }} />}</Answer>
    </>
  );
}

function Plan({
  plan: { racks, counts, unplaced, render, floor_ref },
  question,
}: {
  readonly plan: FloorPlan;
  readonly question: { readonly rpc: string; readonly request: object };
}) {
  const sorted = [...racks].sort((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health));
  return (
    <>
      <HealthCounts counts={counts} />
      <Picture label={`Floor plan of ${refName(floor_ref)}`} render={render} question={question} />
      {unplaced.length === 0 ? null : (
        <Card title="Without a place on the plan">
          <ul class="inline">
            {unplaced.map((ref) => (
              <li key={ref}>
                <RefLink to={ref} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title="Racks">
        <Table
          caption="Racks of this floor, the worst first"
          columns={COLUMNS}
          rows={sorted}
          rowKey={({ code }) => code}
          empty="No rack has a place on this floor."
        />
      </Card>
    </>
  );
}
