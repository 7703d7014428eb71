import type { ComponentChildren } from "preact";
import type { AreaCapacity, FreeCooling, FreePorts, FreePower } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatKilowatts } from "#words/figures.ts";
import { describeBestArea, formatEnum, formatPortType, getRefName, listFreePorts } from "#words/names.ts";
import { useCall } from "../api/client.ts";
import { formatMoment } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { bindSetting, changeSubject, convertToConstant, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow, RefField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, FactList, Figure, FigureRow, RefLink, TableCard } from "../ui/parts.tsx";

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
  const formatFree = (kw: number | undefined) => (kw === undefined ? "not recorded" : formatKilowatts(kw));
  const getFreeTone = (kw: number | undefined) => (kw !== undefined && kw <= 0 ? "watch" : "plain");
  const createCoolingFigure = (label: string, free: FreeCooling | undefined) =>
    free === undefined ? null : (
      <Figure
        label={label}
        value={formatFree(getBestCoolingKw(free))}
        note={describeCooledAreas(free)}
        tone={free.short_refs.length > 0 ? "watch" : getFreeTone(getBestCoolingKw(free))}
      />
    );
  return (
    <>
      <FigureRow>
        <Figure
          label="Free power now"
          value={formatFree(power?.free_kw)}
          note={ALL_RACKS}
          tone={getFreeTone(power?.free_kw)}
        />
        <Figure
          label="Free power after one failure"
          value={formatFree(power?.failover_free_kw)}
          note={ALL_RACKS}
          tone={getFreeTone(power?.failover_free_kw)}
        />
        <Figure label="Free units" value={`${formatCount(area.free_u)} of ${formatCount(area.total_u)} U`} />
        <Figure
          label="Largest block"
          value={formatDecimal(area.largest_free_block_u, "U")}
          note={area.largest_free_block_rack}
        />
        {createCoolingFigure("Air cooling after one failure", air)}
        {createCoolingFigure("Liquid cooling after one failure", liquid)}
      </FigureRow>
      {area.ports.length === 0 ? null : (
        <Card title="Ports left">
          <FactList rows={listFreePortRows(area)} />
        </Card>
      )}
    </>
  );
}

/** Says that a figure of power is a total: it is added to all racks alike. */
const ALL_RACKS = "all racks together";

/** Cooling that is left after one failure: of several areas that units serve, in the one that has most. */
function getBestCoolingKw(free: FreeCooling): number | undefined {
  const { best_ref, best_failover_free_kw, failover_free_kw, heat_not_recorded } = free;
  if (heat_not_recorded) return undefined;
  return best_ref === "" ? failover_free_kw : best_failover_free_kw;
}

function describeCooledAreas({ best_ref, short_refs, omitted_short_refs }: FreeCooling): string {
  return best_ref === "" ? "" : describeBestArea(best_ref, short_refs, omitted_short_refs);
}

/** A free amount of power or cooling in kW, amber if it is zero or less. */
function FreeAmount({ kw }: { readonly kw: number | undefined }) {
  if (kw === undefined) return <span class="muted">not recorded</span>;
  return kw > 0 ? <span>{formatKilowatts(kw)}</span> : <Badge tone="watch">{formatKilowatts(kw)}</Badge>;
}

/** Cooling that is left in the best of the areas that units serve, and how many of these are short. */
function BestCooling({ free }: { readonly free: FreeCooling }) {
  const short = free.short_refs.length + free.omitted_short_refs;
  return (
    <>
      <FreeAmount kw={getBestCoolingKw(free)} />
      {free.best_ref === "" ? null : ` in ${getRefName(free.best_ref)}`}
      {short === 0 ? null : <Badge tone="watch">{formatCount(short)} short</Badge>}
    </>
  );
}

/** Formats an area's draw with the number of devices whose draw is not recorded. */
function formatAreaDraw({ draw_kw, devices_without_draw }: AreaCapacity) {
  if (devices_without_draw === 0) return formatKilowatts(draw_kw);
  const missing = `${formatCount(devices_without_draw)} not recorded`;
  return draw_kw === 0 ? missing : `${formatKilowatts(draw_kw)}, ${missing}`;
}

const MAX_PORT_TYPES = 2;

function formatAreaPorts({ ports }: AreaCapacity): string {
  return listFreePorts(
    ports.map(({ kind, type, free }) => ({ isOutlet: kind === "PORT_KIND_POWER_OUT", type, free })),
    MAX_PORT_TYPES,
  );
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
    cell: ({ air }) => (air === undefined ? "" : <BestCooling free={air} />),
  },
  { name: "Free ports", cell: formatAreaPorts },
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

/** Card with the free capacity of a site, room, row or rack, now and after the worst single failure. */
export function FreeCapacityCard({ scope }: { readonly scope: string }) {
  const asked = useCall("datacenter.v1.PlanningService/GetCapacity", { scope_ref: scope });
  const sheet = scope.startsWith("rack:") ? undefined : <a href={formatPageUrl("capacity", scope)}>Capacity</a>;
  return (
    <Card title="What is left" action={sheet}>
      <ReplyView asked={asked}>
        {({ areas: [area] }) =>
          area === undefined ? null : (
            <FactList rows={listCapacityRows(area).map(({ name, content }) => [name, content] as const)} />
          )
        }
      </ReplyView>
      <MeasuredDrawFact scope={scope} />
    </Card>
  );
}

/** Measured draw of an area next to the planned remainder; hidden if nothing is measured. */
function MeasuredDrawFact({ scope }: { readonly scope: string }) {
  const { reply } = useCall("datacenter.v1.PlanningService/GetCapacity", {
    scope_ref: scope,
    load_basis: "LOAD_BASIS_MEASURED",
  });
  const [area] = reply?.areas ?? [];
  if (area?.measured_draw_kw === undefined || area.measured_draw_kw === 0) return null;
  const { draw_kw, measured_draw_kw } = area;
  const planned = draw_kw - measured_draw_kw;
  return (
    <p>
      Draws {formatKilowatts(draw_kw)}
      {planned < 0.05
        ? ", all of it measured"
        : `: ${formatKilowatts(measured_draw_kw)} measured, ${formatKilowatts(planned)} planned for want of a reading`}
      .
    </p>
  );
}

/** One line about free capacity: its content as shown, and a text that is compared with other lines. */
interface CapacityRow {
  readonly name: string;
  readonly content: ComponentChildren;
  readonly text: string;
}

/** Returns the free capacity of an area, one row per resource. */
export function listCapacityRows(area: AreaCapacity): readonly CapacityRow[] {
  const { power, air, liquid, racks_without_supply: without } = area;
  const block = `largest block ${formatDecimal(area.largest_free_block_u, "U")} in ${area.largest_free_block_rack}`;
  const units = `${formatCount(area.free_u)} of ${formatCount(area.total_u)} free, ${block}`;
  const createKilowattRows = (name: string, free: FreePower | FreeCooling | undefined): readonly CapacityRow[] =>
    free === undefined ? [] : [{ name, content: <FreeKilowatts free={free} />, text: formatFreeKilowatts(free) }];
  return [
    ...createKilowattRows("Power", power),
    ...(without === 0 ? [] : [{ name: "Racks without supply", content: String(without), text: String(without) }]),
    ...createKilowattRows("Air cooling", air),
    ...createKilowattRows("Liquid cooling", liquid),
    { name: "Units", content: units, text: `${area.free_u} ${area.total_u} ${area.largest_free_block_u}` },
    ...area.ports.map((ports) => ({
      name: formatPortsName(ports),
      content: <FreePortsText ports={ports} />,
      text: `${ports.free} ${ports.failover_free}`,
    })),
  ];
}

/** Returns the name of each kind of port in an area with its free ports. */
function listFreePortRows({ ports }: AreaCapacity): readonly (readonly [string, ComponentChildren])[] {
  return ports.map((one) => [formatPortsName(one), <FreePortsText key="left" ports={one} />] as const);
}

function formatFreeKilowatts(free: FreePower | FreeCooling): string {
  const { free_kw, failover_free_kw } = free;
  if ("heat_not_recorded" in free && free.heat_not_recorded) return "heat not recorded";
  if ("best_ref" in free && free.best_ref !== "")
    return `${formatKilowatts(free.best_failover_free_kw)} after one failure ${describeCooledAreas(free)}`;
  const now = free_kw === undefined ? "not recorded" : `${formatKilowatts(free_kw)} now`;
  return `${now}${failover_free_kw === undefined ? "" : `, ${formatKilowatts(failover_free_kw)} after one failure`}`;
}

function FreeKilowatts({ free }: { readonly free: FreePower | FreeCooling }) {
  return (
    <>
      {formatFreeKilowatts(free)}
      <FailureLink target={free.failure_ref} />
    </>
  );
}

function FreePortsText({ ports: { free, failover_free, failure_ref } }: { readonly ports: FreePorts }) {
  return (
    <>
      {free} free, {failover_free} after one failure
      <FailureLink target={failure_ref} />
    </>
  );
}

function FailureLink({ target }: { readonly target: string }) {
  return target === "" ? null : (
    <>
      {" of "}
      <RefLink to={target} />
    </>
  );
}

function formatPortsName({ kind, type }: FreePorts): string {
  const what = kind === "PORT_KIND_POWER_OUT" ? "Outlets" : `${formatEnum(kind, "PORT_KIND")} ports`;
  return type === "" ? what : `${what} ${formatPortType(type)}`;
}
