import type { PhaseLoad, PortPower } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { formatEnum } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card, FactList, RefLink } from "../ui/parts.tsx";

/** Card with the load of a power port and its phases, now and after one failure. */
export function PortPowerCard({ port }: { readonly port: string }) {
  const asked = useCall("GetPort", { port_ref: port });
  return (
    <ReplyView asked={asked}>{({ power }) => (power === undefined ? null : <PortLoad power={power} />)}</ReplyView>
  );
}

function PortLoad({ power }: { readonly power: PortPower }) {
  const { live, load_w, capacity_va, worst_leg, phases } = power;
  return (
    <Card title="What it carries">
      <FactList
        rows={[
          ["Power", live ? "arrives" : "does not arrive"],
          ["Load now", `${formatWatts(load_w)}${formatShareSuffix(power.load_pct)}`],
          ["After one failure", <LoadAfterFailure key="after" load={power} />],
          ["Rating", capacity_va === undefined ? "" : `${formatCount(capacity_va)} VA`],
          ["Busiest phase", worst_leg === "PHASE_LEG_UNSPECIFIED" ? "" : formatEnum(worst_leg, "PHASE_LEG")],
          ...phases.map(
            (phase) =>
              [
                `Phase ${formatEnum(phase.leg, "PHASE_LEG")}`,
                <span key={phase.leg}>
                  {formatDecimal(phase.load_va, "VA")}
                  {formatShareSuffix(phase.load_pct)}, after one failure <LoadAfterFailure load={phase} />
                </span>,
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}

function LoadAfterFailure(props: { readonly load: PhaseLoad | PortPower }) {
  const {
    load: { failover_va, failover_pct, failover_ref },
  } = props;
  return (
    <>
      {formatDecimal(failover_va, "VA")}
      {formatShareSuffix(failover_pct)}
      {failover_ref === "" ? null : (
        <>
          {" when "}
          <RefLink to={failover_ref} />
          {" is lost"}
        </>
      )}
    </>
  );
}

function formatShareSuffix(value: number | undefined): string {
  return value === undefined ? "" : `, ${formatPercent(value)}`;
}
