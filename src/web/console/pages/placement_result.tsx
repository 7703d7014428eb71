import type { Finding } from "../api/replies.ts";
import { count, counted, decimal, percent, watts } from "../labels.ts";
import type { Question } from "../ui/download.tsx";
import { Card, Figure, Figures, MeterBar, RefLink } from "../ui/parts.tsx";
import { Picture } from "../ui/picture.tsx";
import { StateMark } from "../ui/state.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { FoundPlace, PlacementAnswer, Refusal } from "./placement_request.ts";

const PLACES: readonly Column<FoundPlace>[] = [
  {
    name: "Rack",
    cell: ({ rank, rack_code }) => <RefLink to={`rack:${rack_code}`} label={`${rank}.\u00a0${rack_code}`} />,
  },
  { name: "Unit", numeric: true, cell: ({ position_u }) => `U${position_u}` },
  { name: "New device", cell: ({ device_code }) => device_code },
  {
    name: "Supplies",
    cell: ({ inlets = [] }) => inlets.map(({ source_ref }) => source_ref.replace(/^(?:device|port):/, "")).join(", "),
  },
  {
    name: "Ports",
    cell: ({ ports = [] }) => ports.map((one) => `${one.switch_code}/${one.switch_port}`).join(", "),
  },
  {
    name: "Busiest supply, now and after one failure",
    cell: ({ after }) => <Load now={after.power_now_pct} failed={after.power_failover_pct} />,
  },
  { name: "Rack draw", numeric: true, cell: ({ after }) => watts(after.rack_draw_w) },
  { name: "Of its power", numeric: true, cell: ({ after }) => known(after.rack_power_pct) },
  { name: "Of its cooling", numeric: true, cell: ({ after }) => known(after.rack_cooling_pct) },
  {
    name: "Air left",
    numeric: true,
    cell: ({ after }) => (after.air_headroom_kw === undefined ? "unknown" : decimal(after.air_headroom_kw, "kW")),
  },
  { name: "Of its load", numeric: true, cell: ({ after }) => known(after.weight_pct) },
  { name: "Free units", numeric: true, cell: ({ after }) => count(after.free_u ?? 0) },
  {
    name: "Free ports",
    numeric: true,
    cell: ({ after }) => (after.free_ports === undefined ? "" : count(after.free_ports)),
  },
];

const REFUSALS: readonly Column<Refusal>[] = [
  { name: "Reason", cell: ({ reason, message }) => `${REASONS[reason] ?? reason}: ${message}` },
  { name: "Racks", numeric: true, cell: ({ racks }) => count(racks) },
  {
    name: "Such as",
    cell: ({ examples = [] }) =>
      examples.map((code, at) => (
        <>
          {at > 0 ? ", " : ""}
          <RefLink to={`rack:${code}`} />
        </>
      )),
  },
];

const REASONS: Readonly<Record<string, string>> = {
  RACK_STATUS: "The rack is not in use",
  RACK_TENANT: "The rack belongs to another tenant",
  NO_SPACE: "No free units",
  WEIGHT_LIMIT: "Too heavy",
  RACK_POWER: "Above the rack's power",
  RACK_COOLING: "Above the rack's cooling",
  AIRFLOW: "Opposite airflow",
  COOLING_METHOD: "Another way of cooling",
  NO_COOLING_UNIT: "No cooling unit",
  COOLING_CAPACITY: "Cooling units would be too small",
  COOLING_RESERVE: "Cooling would lose its reserve",
  NO_SUPPLY: "No supply is recorded",
  SUPPLY_DEAD: "A supply gives no power",
  ONE_SIDE: "Both sides fail together",
  SINGLE_CORDED: "One inlet is not enough",
  NO_OUTLET: "No free outlet",
  SUPPLY_LIMIT: "A supply would exceed its limit",
  SUPPLY_FAILOVER: "A supply would be overloaded after one failure",
  PHASE_LIMIT: "A phase would exceed its limit",
  NO_SWITCH: "No switch",
  NO_SWITCH_PORT: "No free port",
};

interface ResultProps {
  readonly answer: PlacementAnswer;
  readonly question: Question;
  /** Absent for readers. */
  readonly write?: () => void;
}

/** The places with their figures, and why other racks take nothing. */
export function PlacementResult({ answer, question, write }: ResultProps) {
  const { placed = 0, requested = 0, proven = false, places = [], refusals = [], limits = [], announced = [] } = answer;
  const total = answer.racks_in_scope ?? 0;
  const refused = answer.racks_refused ?? 0;
  return (
    <>
      <Figures>
        <Figure
          label="Devices that fit"
          value={`${count(placed)} of ${count(requested)}`}
          tone={placed < requested ? "watch" : "ok"}
          note={placed === requested ? `in ${counted(answer.racks_used ?? 0, "rack")}` : shortfall(proven)}
        />
        <Figure label="Racks that take one" value={`${count(total - refused)} of ${count(total)}`} />
        <Figure label="Holds for" value={`revision ${answer.revision ?? 0}`} />
      </Figures>
      <Card
        title="Places"
        action={
          write === undefined || placed === 0 ? undefined : (
            <button type="button" class="primary" onClick={write}>
              Place {counted(placed, "device")}
            </button>
          )
        }
      >
        <Table
          caption="Places with the figures after all of them are taken"
          columns={PLACES}
          rows={places}
          rowKey={({ rank }) => String(rank)}
          empty="No rack takes such a device. The reasons are below."
        />
      </Card>
      {announced.length === 0 ? null : <AnnouncedList announced={announced} />}
      {limits.length === 0 ? null : <Reasons title="Why no further device fits" rows={limits} />}
      {refusals.length === 0 ? null : <Reasons title={`${counted(refused, "rack")} refused`} rows={refusals} />}
      <Picture label="The floor with the places" render={answer.render} question={question} />
    </>
  );
}

function shortfall(proven: boolean): string {
  return proven ? "no more fit, whatever places are chosen" : "at least; another choice might fit more";
}

function Reasons({ title, rows }: { readonly title: string; readonly rows: readonly Refusal[] }) {
  return (
    <Card title={title}>
      <Table caption={title} columns={REFUSALS} rows={rows} rowKey={({ reason }) => reason} empty="" />
    </Card>
  );
}

const ANNOUNCED: readonly Column<Finding>[] = [
  {
    name: "What",
    cell: ({ message, severity }) => (
      <>
        <StateMark state={severity === "SEVERITY_WARNING" ? "watch" : "info"} label={wordOf(severity)} /> {message}
      </>
    ),
  },
];

function wordOf(severity: string): string {
  return severity === "SEVERITY_WARNING" ? "warning" : "information";
}

function AnnouncedList({ announced }: { readonly announced: readonly Finding[] }) {
  return (
    <Card title="Known before you place">
      <Table
        caption="Known before you place"
        columns={ANNOUNCED}
        rows={announced}
        rowKey={({ code, ref }) => `${code} ${ref}`}
        empty=""
      />
    </Card>
  );
}

function Load({ now, failed }: { readonly now: number | undefined; readonly failed: number | undefined }) {
  if (now === undefined && failed === undefined) return <>unknown</>;
  return (
    <>
      <MeterBar share={now} after={failed} /> {percent(now)}, {percent(failed)}
    </>
  );
}

function known(value: number | undefined): string {
  return value === undefined ? "unknown" : percent(value);
}
