import type {
  Capacity,
  GetRackResponse,
  InventoryRow,
  ListInventoryResponse,
  Occupant,
  Rack as RackFields,
} from "#gen/datacenter/v1/json.ts";
import { formatCapacity } from "#words/capacity_figures.ts";
import { formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { formatConstant, formatEnum, getRefName, stripRefKinds } from "#words/names.ts";
import { ShareText, StateMark } from "../../shared/marks.tsx";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { type CallState, useCall } from "../api/client.ts";
import { convertKeysToCamelCase } from "../api/replies.ts";
import { RackBoard } from "../edit/rack_board.tsx";
import { listResourceFacts } from "../edit/values.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { RackLossSentence, useScopeFailures } from "../overview/causes.tsx";
import { formatCauseUrl, getCauseState } from "../overview/rehearsal.ts";
import { useReadingRows, WorstFindings } from "../readings/measured.tsx";
import { bindSetting, convertToConstant, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow } from "../ui/fields.tsx";
import { Card, type Column, EmptyText, FactList, HealthBadge, Meter, RefLink, Table } from "../ui/parts.tsx";
import { PictureView } from "../ui/picture.tsx";
import { FreeCapacityCard } from "./capacity.tsx";
import {
  createLocationTrail,
  ElementActions,
  ElementPage,
  HealthReasons,
  renderLocation as placeWords,
} from "./element_parts.tsx";
import { ElementChanges } from "./entries.tsx";

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
      state={rack === undefined ? null : <HealthBadge health={rack.health} reasons={rack.health_reasons} />}
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

/** Maximum number of rows that one call loads. */
const MAX_ROWS = 1000;

/** Loads the rows of a list that match the conditions, at most 1,000. */
export function useInventoryRows(
  kind: string,
  conditions: Readonly<Record<string, readonly string[]>>,
): readonly InventoryRow[] {
  return useInventoryRowsCall(kind, conditions).reply?.rows ?? [];
}

export function useInventoryRowsCall(kind: string, conditions: Readonly<Record<string, readonly string[]>>) {
  const columns = Object.entries(conditions).map(([column, values]) => ({ column, values }));
  const isAsked = columns.every(({ values }) => values.length > 0);
  const request = { kind: `INVENTORY_KIND_${kind}`, conditions: columns, page_size: MAX_ROWS };
  return useCall(LIST_INVENTORY_RPC, isAsked ? request : undefined) as CallState<ListInventoryResponse>;
}

const getFigure = ({ figures }: InventoryRow, name: string) => figures[name];

/** Card with the load of each supply, now and after the failure that is worst for it. */
export function SupplyCard({ supplies }: { readonly supplies: readonly InventoryRow[] }) {
  if (supplies.length === 0) return null;
  return (
    <Card title="Supply" action={<span class="muted">planned draw</span>}>
      {supplies.map((row) => (
        <div key={row.ref} class="supply">
          <Meter
            label={row.texts["side"] ? `Side ${row.texts["side"]}` : "Supply"}
            share={getFigure(row, "load_pct")}
            after={getFigure(row, "failover_pct")}
            text={`${formatWatts(getFigure(row, "load_w"))} of ${formatWatts(getFigure(row, "capacity_w"))}`}
          />
          <p>
            <RefLink to={row.ref} label={row.name} />
            {row.texts["failover_ref"] ? (
              <>
                , when <RefLink to={row.texts["failover_ref"]} /> is lost {formatWatts(getFigure(row, "failover_w"))},{" "}
                <ShareText pct={getFigure(row, "failover_pct")} />
              </>
            ) : null}
          </p>
        </div>
      ))}
    </Card>
  );
}

/** Effects of single failures inside a location, one line each. */
export function FailureEffectsCard({ scope }: { readonly scope: string }) {
  const causes = useScopeFailures(scope)?.causes;
  if (causes === undefined || causes.length === 0) return null;
  return (
    <Card title="What a failure inside takes" action={<a href={formatPageUrl("rehearsal", "", { scope })}>Rehearse</a>}>
      <ul class="lines">
        {causes.map((cause) => (
          <li key={`${cause.kind} ${cause.summary}`}>
            <StateMark state={getCauseState(cause)} label={`${getCauseState(cause)}:`} />
            <a href={formatCauseUrl(cause)}>{stripRefKinds(cause.summary)}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Card with the load of the uplinks of a rack's switches. */
function UplinksCard({ occupants }: Pick<GetRackResponse, "occupants">) {
  const switches = occupants.filter(({ kind }) => kind === "DEVICE_KIND_SWITCH").map((one) => one.device_code);
  const links = Map.groupBy(
    useInventoryRows("FABRIC_LINK", { a_device: switches }),
    ({ texts }) => texts["a_device"] ?? "",
  );
  if (links.size === 0) return null;
  return (
    <Card title="Uplinks">
      <ul class="lines">
        {[...links].map(([leaf, all]) => {
          const loads = all.flatMap(({ figures }) => figures["load_pct"] ?? []);
          const up = all.filter(({ texts }) => texts["traffic"] === "UP").length;
          return (
            <li key={leaf}>
              <a href={formatPageUrl("links", "", { a_device: leaf })}>{leaf}</a>
              <span>
                {up} of {all.length} up, mean {formatPercent(loads.reduce((sum, one) => sum + one / loads.length, 0))},
                busiest <ShareText pct={Math.max(0, ...loads)} />
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** Returns the power paths of each device's inlets, by the device's code; "" for an unknown path. */
function groupPowerPaths(
  inlets: readonly InventoryRow[],
  supplies: readonly InventoryRow[],
): ReadonlyMap<string, readonly string[]> {
  const sides = new Map(supplies.map(({ name, texts }) => [name, texts["side"] ?? ""]));
  const cords = Map.groupBy(inlets, ({ texts }) => texts["device"] ?? "");
  const getSide = ({ texts: { source = "" } }: InventoryRow) => sides.get(getRefName(source).split("/")[0] ?? "") ?? "";
  return new Map([...cords].map(([device, all]) => [device, all.map(getSide)]));
}
