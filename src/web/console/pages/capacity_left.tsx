import type { ComponentChildren } from "preact";
import type { AreaCapacity, FreeCooling, FreePorts, FreePower } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal } from "#words/figures.ts";
import { formatEnum, formatPortType } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card, FactList, RefLink } from "../ui/parts.tsx";

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
      Draws {formatDecimal(draw_kw, "kW")}
      {planned < 0.05
        ? ", all of it measured"
        : `: ${formatDecimal(measured_draw_kw, "kW")} measured, ${formatDecimal(planned, "kW")} planned for want of a reading`}
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
export function listFreePortRows({ ports }: AreaCapacity): readonly (readonly [string, ComponentChildren])[] {
  return ports.map((one) => [formatPortsName(one), <FreePortsText key="left" ports={one} />] as const);
}

function formatFreeKilowatts({ free_kw, failover_free_kw }: FreePower | FreeCooling): string {
  const now = free_kw === undefined ? "not recorded" : `${formatDecimal(free_kw, "kW")} now`;
  return `${now}${failover_free_kw === undefined ? "" : `, ${formatDecimal(failover_free_kw, "kW")} after one failure`}`;
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
