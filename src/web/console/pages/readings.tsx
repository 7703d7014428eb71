import type { AreaCapacity, ListFindingsResponse, ReadingFinding } from "#gen/datacenter/v1/json.ts";
import { formatKilowatts, formatPercent } from "#words/figures.ts";
import { formatEnum, stripRefKinds } from "#words/names.ts";
import { useCall } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { formatQuantityName } from "../readings/measured.tsx";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, EmptyText, HealthBadge, RefLink, Table, TableCard, TimeText } from "../ui/parts.tsx";

const STOPPED_KIND = "FINDING_KIND_READING_STOPPED";
/** Number of rows of each table that are shown at first: with these, the tables fit on two printed pages. */
const INITIAL_ROWS = { found: 16, silent: 8 };
const MAX_FINDINGS = 1000;

/** Page about readings: coverage by meters, and differences from recorded values. */
export function ReadingsPage({ place: { settings } }: { readonly place: PageAddress }) {
  const findings = useCall("datacenter.v1.PlanningService/ListFindings", { page_size: MAX_FINDINGS });
  const rooms = useCall("datacenter.v1.PlanningService/GetCapacity", {
    by: "AREA_KIND_ROOM",
    load_basis: "LOAD_BASIS_MEASURED",
    page_size: 1000,
  });
  const { fault_count = 0, watch_count = 0 } = findings.reply ?? {};
  const all = fault_count + watch_count;
  return (
    <div class="whole-tables">
      <PageHead
        title="Readings"
        kind={
          findings.reply === undefined
            ? "What meters say"
            : all === 0
              ? "No reading that is kept differs from what is recorded"
              : `${formatQuantity(all, "finding")}, ${formatQuantity(fault_count, "fault")}`
        }
      />
      <ReplyView asked={findings} shape="rows">
        {(reply) => <ReadingFindings reply={reply} isWhole={settings.get("all") === "yes"} />}
      </ReplyView>
      <Card title="Measured by room">
        <ReplyView asked={rooms}>{({ areas }) => <MeterCoverage areas={areas} />}</ReplyView>
      </Card>
    </div>
  );
}

const FINDING_COLUMNS: readonly Column<ReadingFinding>[] = [
  { name: "Element", cell: ({ element_ref, source }) => (element_ref === "" ? source : <RefLink to={element_ref} />) },
  { name: "State", cell: ({ severity }) => <HealthBadge health={severity} /> },
  { name: "What", cell: ({ kind }) => formatEnum(kind, "FINDING_KIND") },
  { name: "Since", cell: ({ since }) => (since === undefined ? "" : <TimeText at={since} />) },
  { name: "Figures", cell: ({ summary }) => stripRefKinds(summary) },
];

const STOPPED_COLUMNS: readonly Column<ReadingFinding>[] = [
  {
    name: "Element",
    cell: ({ element_ref, source }) => (element_ref === "" ? `All of ${source}` : <RefLink to={element_ref} />),
  },
  { name: "What", cell: ({ quantities }) => quantities.map(formatQuantityName).join(", ") },
  { name: "Last reading", cell: ({ since }) => (since === undefined ? "" : <TimeText at={since} />) },
  { name: "Source", cell: ({ source }) => source },
];

function ReadingFindings({ reply, isWhole }: { readonly reply: ListFindingsResponse; readonly isWhole: boolean }) {
  const { findings, total_count } = reply;
  const stopped = findings.filter(({ kind }) => kind === STOPPED_KIND);
  const found = findings.filter(({ kind }) => kind !== STOPPED_KIND);
  const [shownFound, shownStopped] = isWhole
    ? [found, stopped]
    : [found.slice(0, INITIAL_ROWS.found), stopped.slice(0, INITIAL_ROWS.silent)];
  const rest = total_count - shownFound.length - shownStopped.length;
  const getFindingKey = ({ kind, element_ref, source }: ReadingFinding) => `${kind} ${element_ref} ${source}`;
  return (
    <>
      <TableCard
        title="Where readings differ from what is recorded"
        caption="Findings, faults first"
        columns={FINDING_COLUMNS}
        rows={shownFound}
        rowKey={getFindingKey}
        empty="No reading differs from what is recorded."
      />
      {stopped.length === 0 ? null : (
        <TableCard title="Readings that stopped" columns={STOPPED_COLUMNS} rows={shownStopped} rowKey={getFindingKey} />
      )}
      {rest === 0 ? null : (
        <p>
          {isWhole ? (
            `${formatQuantity(rest, "finding")} more than one page lists.`
          ) : (
            <a href={formatPageUrl("readings", "", { all: "yes" })}>List {formatQuantity(rest, "more finding")}</a>
          )}
        </p>
      )}
    </>
  );
}

/** Returns the measured share of an area's draw; the remainder is planned. */
function computeMeasuredShare({ draw_kw, measured_draw_kw = 0 }: AreaCapacity): number {
  return draw_kw > 0 ? (100 * measured_draw_kw) / draw_kw : 0;
}

const ROOM_COLUMNS: readonly Column<AreaCapacity>[] = [
  { name: "Room", cell: ({ ref }) => <RefLink to={ref} /> },
  { name: "Draw", numeric: true, cell: ({ draw_kw }) => formatKilowatts(draw_kw) },
  { name: "Measured", numeric: true, cell: ({ measured_draw_kw }) => formatKilowatts(measured_draw_kw ?? 0) },
  {
    name: "Share",
    numeric: true,
    cell: (area) =>
      area.draw_kw === 0 ? (
        ""
      ) : computeMeasuredShare(area) === 0 ? (
        <Badge tone="unknown">none</Badge>
      ) : (
        formatPercent(computeMeasuredShare(area))
      ),
  },
];

function MeterCoverage({ areas }: { readonly areas: readonly AreaCapacity[] }) {
  if (areas.every(({ measured_draw_kw }) => measured_draw_kw === undefined)) {
    return (
      <EmptyText>
        No reading of power is kept. Probes report readings with a token of the role meter, by the call{" "}
        <code>ReportReadings</code>.
      </EmptyText>
    );
  }
  return (
    <Table
      caption="Measured draw of each room"
      columns={ROOM_COLUMNS}
      rows={areas}
      rowKey={({ ref }) => ref}
      empty="No room is recorded."
    />
  );
}
