import type { AreaCapacity, FreeCooling, FreePorts, FreePower } from "#gen/datacenter/v1/json.ts";
import { decimal } from "#words/figures.ts";
import { enumWord } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Facts, RefLink } from "../ui/parts.tsx";

/** What is left in a site, room, row or rack, now and after the worst single failure. */
export function CapacityLeft({ scope }: { readonly scope: string }) {
  const asked = useCall("datacenter.v1.PlanningService/GetCapacity", { scope_ref: scope });
  return (
    <Card title="What is left">
      <Answer asked={asked}>{({ areas: [area] }) => (area === undefined ? null : <Left area={area} />)}</Answer>
    </Card>
  );
}

function Left({ area }: { readonly area: AreaCapacity }) {
  const { power, air, liquid, racks_without_supply: without } = area;
  const block = `largest block ${decimal(area.largest_free_block_u, "U")} in ${area.largest_free_block_rack}`;
  return (
    <Facts
      rows={[
        ["Power", power && <FreeKilowatts free={power} />],
        ["Racks without supply", without === 0 ? "" : String(without)],
        ["Air cooling", air && <FreeKilowatts free={air} />],
        ["Liquid cooling", liquid && <FreeKilowatts free={liquid} />],
        ["Units", `${area.free_u} of ${area.total_u} free, ${block}`],
        ...area.ports.map((ports) => [portsName(ports), <PortsLeft key="left" ports={ports} />] as const),
      ]}
    />
  );
}

function FreeKilowatts({
  free: { free_kw, failover_free_kw, failure_ref },
}: {
  readonly free: FreePower | FreeCooling;
}) {
  return (
    <>
      {free_kw === undefined ? "not recorded" : `${decimal(free_kw, "kW")} now`}
      {failover_free_kw === undefined ? "" : `, ${decimal(failover_free_kw, "kW")} after one failure`}
      <Failure target={failure_ref} />
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
  const what = kind === "PORT_KIND_POWER_OUT" ? "Outlets" : `${enumWord(kind, "PORT_KIND")} ports`;
  return type === "" ? what : `${what} ${type}`;
}
