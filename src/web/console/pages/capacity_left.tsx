import type { ComponentChildren } from "preact";
import type { AreaCapacity, FreeCooling, FreePorts, FreePower } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal } from "#words/figures.ts";
import { formatEnum, formatPortType } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Facts, RefLink } from "../ui/parts.tsx";

/** What is left in a site, room, row or rack, now and after the worst single failure. */
export function CapacityLeft({ scope }: { readonly scope: string }) {
  const asked = useCall("datacenter.v1.PlanningService/GetCapacity", { scope_ref: scope });
  const sheet = scope.startsWith("rack:") ? undefined : <a href={formatPageUrl("capacity", scope)}>Capacity</a>;
  return (
    <Card title="What is left" action={sheet}>
      <Answer asked={asked}>
        {({ areas: [area] }) =>
          area === undefined ? null : <Facts rows={capacityRows(area).map(({ name, held }) => [name, held] as const)} />
        }
      </Answer>
      <MeasuredDraw scope={scope} />
    </Card>
  );
}

/** What meters say that an area draws, beside the rest, which is planned; nothing if nothing is measured. */
function MeasuredDraw({ scope }: { readonly scope: string }) {
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

/** One fact about what is left: as it is shown, and as it is compared. */
interface LeftRow {
  readonly name: string;
  readonly held: ComponentChildren;
  readonly text: string;
}

/** What is left in an area, a line for each resource. */
export function capacityRows(area: AreaCapacity): readonly LeftRow[] {
  const { power, air, liquid, racks_without_supply: without } = area;
  const block = `largest block ${formatDecimal(area.largest_free_block_u, "U")} in ${area.largest_free_block_rack}`;
  const units = `${formatCount(area.free_u)} of ${formatCount(area.total_u)} free, ${block}`;
  const kilowatts = (name: string, free: FreePower | FreeCooling | undefined): readonly LeftRow[] =>
    free === undefined ? [] : [{ name, held: <FreeKilowatts free={free} />, text: kilowattWords(free) }];
  return [
    ...kilowatts("Power", power),
    ...(without === 0 ? [] : [{ name: "Racks without supply", held: String(without), text: String(without) }]),
    ...kilowatts("Air cooling", air),
    ...kilowatts("Liquid cooling", liquid),
    { name: "Units", held: units, text: `${area.free_u} ${area.total_u} ${area.largest_free_block_u}` },
    ...area.ports.map((ports) => ({
      name: portsName(ports),
      held: <PortsLeft ports={ports} />,
      text: `${ports.free} ${ports.failover_free}`,
    })),
  ];
}

/** Free ports of an area as facts. */
export function portsRows({ ports }: AreaCapacity): readonly (readonly [string, ComponentChildren])[] {
  return ports.map((one) => [portsName(one), <PortsLeft key="left" ports={one} />] as const);
}

function kilowattWords({ free_kw, failover_free_kw }: FreePower | FreeCooling): string {
  const now = free_kw === undefined ? "not recorded" : `${formatDecimal(free_kw, "kW")} now`;
  return `${now}${failover_free_kw === undefined ? "" : `, ${formatDecimal(failover_free_kw, "kW")} after one failure`}`;
}

function FreeKilowatts({ free }: { readonly free: FreePower | FreeCooling }) {
  return (
    <>
      {kilowattWords(free)}
      <Failure target={free.failure_ref} />
    </>
  );
}

function PortsLeft({ ports: { free, failover_free, failure_ref } }: { readonly ports: FreePorts }) {
  return (
    <>
      {free} free, {failover_free} after one failure
      <Failure target={failure_ref} />
    </>
  );
}

function Failure({ target }: { readonly target: string }) {
  return target === "" ? null : (
    <>
      {" of "}
      <RefLink to={target} />
    </>
  );
}

function portsName({ kind, type }: FreePorts): string {
  const what = kind === "PORT_KIND_POWER_OUT" ? "Outlets" : `${formatEnum(kind, "PORT_KIND")} ports`;
  return type === "" ? what : `${what} ${formatPortType(type)}`;
}
