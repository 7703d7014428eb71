import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DevicePlace, FittingRack } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { formatQuantity } from "../labels.ts";
import { changeSettings } from "../router.ts";
import { MeterBar, RefLink } from "../ui/parts.tsx";
import { type Column, TableCard } from "../ui/table.tsx";
import { getPlaceKey } from "./placement_request.ts";

const POSITION_COLUMNS: readonly Column<DevicePlace>[] = [
  {
    name: "Rack",
    cell: ({ rank, rack_code }) => <RefLink to={`rack:${rack_code}`} label={`${rank}.\u00a0${rack_code}`} />,
  },
  { name: "Unit", numeric: true, cell: ({ position_u }) => `U${position_u}` },
  { name: "New device", cell: ({ device_code }) => device_code },
  {
    name: "Supplies",
    cell: ({ inlets = [] }) =>
      renderUnbrokenNames(inlets.map(({ source_ref }) => source_ref.replace(/^(?:device|port):/, ""))),
  },
  {
    name: "Ports",
    cell: ({ ports = [] }) => renderUnbrokenNames(ports.map((one) => `${one.switch_code}/${one.switch_port}`)),
  },
  {
    name: "Busiest supply, now and after one failure",
    cell: ({ after }) => <LoadAfterPlacement now={after.power_now_pct} failed={after.power_failover_pct} />,
  },
  { name: "Rack draw", numeric: true, cell: ({ after }) => formatWatts(after.rack_draw_w) },
  { name: "Power used", numeric: true, cell: ({ after }) => formatKnownPercent(after.rack_power_pct) },
  { name: "Cooling used", numeric: true, cell: ({ after }) => formatKnownPercent(after.rack_cooling_pct) },
  {
    name: "Air left",
    numeric: true,
    cell: ({ after }) => (after.air_headroom_kw === undefined ? "unknown" : formatDecimal(after.air_headroom_kw, "kW")),
  },
  { name: "Load used", numeric: true, cell: ({ after }) => formatKnownPercent(after.weight_pct) },
  { name: "Free units", numeric: true, cell: ({ after }) => formatCount(after.free_u ?? 0) },
  {
    name: "Free ports",
    numeric: true,
    cell: ({ after }) => (after.free_ports === undefined ? "unknown" : formatCount(after.free_ports)),
  },
];

/** Renders names that a browser does not break at their hyphens. */
function renderUnbrokenNames(names: readonly string[]): ComponentChildren {
  return names.map((name, at) => (
    <span key={name}>
      <span class="whole">
        {name}
        {at < names.length - 1 ? "," : ""}
      </span>{" "}
    </span>
  ));
}

interface PositionTableProps {
  readonly places: readonly DevicePlace[];
  /** Places the chosen devices; undefined for people who may not write. */
  readonly write: ((chosen: readonly DevicePlace[]) => void) | undefined;
  readonly empty: string;
}

/** Table of found positions; a writer can place all devices or chosen ones. */
export function PositionTable({ places, write, empty }: PositionTableProps) {
  const [omittedKeys, setOmittedKeys] = useState<ReadonlySet<string>>(new Set());
  const chosen = places.filter((place) => !omittedKeys.has(getPlaceKey(place)));
  const setChosen = (place: DevicePlace, on: boolean) => {
    const next = new Set(omittedKeys);
    if (on) next.delete(getPlaceKey(place));
    else next.add(getPlaceKey(place));
    setOmittedKeys(next);
  };
  const choice: Column<DevicePlace> = {
    name: "Take",
    isCheckbox: true,
    cell: (place) => (
      <input
        type="checkbox"
        aria-label={`Take ${place.device_code} in ${place.rack_code}`}
        checked={!omittedKeys.has(getPlaceKey(place))}
        onChange={({ currentTarget }) => setChosen(place, currentTarget.checked)}
      />
    ),
  };
  const setAll = (on: boolean) => setOmittedKeys(new Set(on ? [] : places.map(getPlaceKey)));
  return (
    <TableCard
      title="Places"
      action={
        write === undefined || places.length === 0 ? undefined : (
          <div class="card-actions">
            <button type="button" onClick={() => setAll(chosen.length < places.length)}>
              {chosen.length < places.length ? "Take all" : "Take none"}
            </button>
            <button type="button" class="primary" disabled={chosen.length === 0} onClick={() => write(chosen)}>
              Place {formatQuantity(chosen.length, "device")}
            </button>
          </div>
        )
      }
      caption="Places with the figures after all of them are taken"
      columns={write === undefined ? POSITION_COLUMNS : [choice, ...POSITION_COLUMNS]}
      rows={places}
      rowKey={({ rank }) => String(rank)}
      empty={empty}
    />
  );
}

/** Maximum number of racks that are listed. */
const MAX_LISTED_RACKS = 40;

/** Table of racks with room for a device. A button limits the search to one rack. */
export function FittingRacks({ racks }: { readonly racks: readonly FittingRack[] }) {
  if (racks.length < 2) return null;
  return (
    <TableCard
      title="Racks that take one"
      columns={FITTING_RACK_COLUMNS}
      rows={racks.slice(0, MAX_LISTED_RACKS)}
      rowKey={({ rack_code }) => rack_code}
    >
      {racks.length > MAX_LISTED_RACKS ? (
        <p>And {formatQuantity(racks.length - MAX_LISTED_RACKS, "other rack")}: choose a scope.</p>
      ) : null}
    </TableCard>
  );
}

const FITTING_RACK_COLUMNS: readonly Column<FittingRack>[] = [
  { name: "Rack", cell: ({ rack_code }) => <RefLink to={`rack:${rack_code}`} /> },
  { name: "Fit if no other rack takes any, at most", numeric: true, cell: ({ fits }) => formatCount(fits) },
  { name: "Placed by this answer", numeric: true, cell: ({ placed = 0 }) => formatCount(placed) },
  {
    name: "Choose",
    cell: ({ rack_code }) => (
      <button type="button" onClick={() => changeSettings({ scope: `rack:${rack_code}` })}>
        Only {rack_code}
      </button>
    ),
  },
];

function LoadAfterPlacement(props: { readonly now: number | undefined; readonly failed: number | undefined }) {
  const { now, failed } = props;
  if (now === undefined && failed === undefined) return <>unknown</>;
  return (
    <>
      <MeterBar share={now} after={failed} /> {formatPercent(now)}, {formatPercent(failed)}
    </>
  );
}

function formatKnownPercent(value: number | undefined): string {
  return value === undefined ? "unknown" : formatPercent(value);
}
