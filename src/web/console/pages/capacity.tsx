import type { AreaCapacity } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { convertToConstant } from "../address_words.ts";
import { useCall } from "../api/use_call.ts";
import { formatMoment } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { bindSetting, changeSubject, type PageAddress } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { ChoiceField, FilterRow } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Badge, Card, FactList, Figure, FigureRow, RefLink } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { type Column, TableCard } from "../ui/table.tsx";
import { listFreePortRows } from "./capacity_left.tsx";

const CAPACITY_RPC = "datacenter.v1.PlanningService/GetCapacity";

const AREA_CHOICES = [
  ["", "Rows"],
  ["room", "Rooms"],
  ["floor", "Floors"],
  ["rack", "Racks"],
] as const;

/** Free capacity of a site on one page: the whole site and its parts, now and after the worst failure. */
export function CapacityPage({ place: { subject, settings } }: { readonly place: PageAddress }) {
  const by = settings.get("by") ?? "";
  const whole = useCall(CAPACITY_RPC, { scope_ref: subject });
  const parts = useCall(CAPACITY_RPC, {
    scope_ref: subject,
    by: convertToConstant("AREA_KIND", by || "row"),
    page_size: 1000,
  });
  return (
    <>
      <PageHead
        title={subject === "" ? "What is left" : `What is left in ${getRefName(subject)}`}
        kind={
          whole.reply === undefined
            ? "Capacity"
            : `Revision ${formatCount(whole.reply.revision)}, ${formatMoment(new Date().toISOString())}`
        }
      />
      <FilterRow>
        <RefField
          label="Site, room, row or rack"
          placeholder="Everything"
          kinds={SCOPE_KINDS}
          value={subject}
          change={changeSubject}
        />
        <ChoiceField label="Lines are" {...bindSetting(settings, "by")} choices={AREA_CHOICES} />
      </FilterRow>
      <ReplyView asked={whole} shape="tiles">
        {({ areas }) => {
          const [only, ...others] = areas;
          return only === undefined || others.length > 0 ? (
            <AreaTable title="Sites" areas={areas} />
          ) : (
            <AreaFigures area={only} />
          );
        }}
      </ReplyView>
      <ReplyView asked={parts} shape="rows">
        {({ areas }) => <AreaTable title="By area" areas={areas} />}
      </ReplyView>
    </>
  );
}

function AreaFigures({ area }: { readonly area: AreaCapacity }) {
  const { power, air, liquid } = area;
  const formatFree = (kw: number | undefined) => (kw === undefined ? "not recorded" : formatDecimal(kw, "kW"));
  const getFreeTone = (kw: number | undefined) => (kw !== undefined && kw <= 0 ? "watch" : "plain");
  return (
    <>
      <FigureRow>
        <Figure label="Free power now" value={formatFree(power?.free_kw)} tone={getFreeTone(power?.free_kw)} />
        <Figure
          label="Free power after one failure"
          value={formatFree(power?.failover_free_kw)}
          tone={getFreeTone(power?.failover_free_kw)}
        />
        <Figure label="Free units" value={`${formatCount(area.free_u)} of ${formatCount(area.total_u)} U`} />
        <Figure
          label="Largest block"
          value={formatDecimal(area.largest_free_block_u, "U")}
          note={area.largest_free_block_rack}
        />
        {air === undefined ? null : (
          <Figure
            label="Air cooling after one failure"
            value={formatFree(air.failover_free_kw)}
            tone={getFreeTone(air.failover_free_kw)}
          />
        )}
        {liquid === undefined ? null : (
          <Figure
            label="Liquid cooling after one failure"
            value={formatFree(liquid.failover_free_kw)}
            tone={getFreeTone(liquid.failover_free_kw)}
          />
        )}
      </FigureRow>
      {area.ports.length === 0 ? null : (
        <Card title="Ports left">
          <FactList rows={listFreePortRows(area)} />
        </Card>
      )}
    </>
  );
}

/** A free amount of power or cooling in kW, amber if it is zero or less. */
function FreeAmount({ kw }: { readonly kw: number | undefined }) {
  if (kw === undefined) return <span class="muted">not recorded</span>;
  return kw > 0 ? <span>{formatDecimal(kw, "kW")}</span> : <Badge tone="watch">{formatDecimal(kw, "kW")}</Badge>;
}

/** Formats an area's draw with the number of devices whose draw is not recorded. */
function formatAreaDraw({ draw_kw, devices_without_draw }: AreaCapacity) {
  if (devices_without_draw === 0) return formatDecimal(draw_kw, "kW");
  const missing = `${formatCount(devices_without_draw)} not recorded`;
  return draw_kw === 0 ? missing : `${formatDecimal(draw_kw, "kW")}, ${missing}`;
}

const AREA_COLUMNS: readonly Column<AreaCapacity>[] = [
  { name: "Area", cell: ({ ref }) => <RefLink to={ref} /> },
  { name: "Racks", numeric: true, cell: ({ racks }) => formatCount(racks) },
  { name: "Draw", numeric: true, cell: formatAreaDraw },
  { name: "Free power", numeric: true, cell: ({ power }) => <FreeAmount kw={power?.free_kw} /> },
  { name: "After one failure", numeric: true, cell: ({ power }) => <FreeAmount kw={power?.failover_free_kw} /> },
  { name: "Of", cell: ({ power }) => (power?.failure_ref ? <RefLink to={power.failure_ref} /> : "") },
  {
    name: "Free units",
    numeric: true,
    cell: ({ free_u, total_u }) => `${formatCount(free_u)} of ${formatCount(total_u)}`,
  },
  {
    name: "Largest block",
    cell: ({ largest_free_block_u, largest_free_block_rack }) =>
      largest_free_block_u === 0 ? "" : `${largest_free_block_u} U in ${largest_free_block_rack}`,
  },
  {
    name: "Air after one failure",
    numeric: true,
    cell: ({ air }) => (air === undefined ? "" : <FreeAmount kw={air.failover_free_kw} />),
  },
  { name: "Ports", numeric: true, cell: ({ ports }) => formatCount(ports.reduce((sum, { free }) => sum + free, 0)) },
];

function AreaTable({ title, areas }: { readonly title: string; readonly areas: readonly AreaCapacity[] }) {
  return (
    <TableCard
      title={title}
      caption={title === "Sites" ? "What is left in each site" : "What is left in each area"}
      columns={AREA_COLUMNS}
      rows={areas}
      rowKey={({ ref }) => ref}
      empty="No such area is recorded here. Choose other lines."
    >
      <p class="muted">Areas share supplies and cooling units: their figures do not add up.</p>
    </TableCard>
  );
}
