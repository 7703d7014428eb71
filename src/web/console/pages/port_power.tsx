import { count, decimal, percent, watts } from "#words/figures.ts";
import { enumWord } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Facts, RefLink } from "../ui/parts.tsx";

interface PortAnswer {
  readonly power?: PortPower;
}

interface Load {
  readonly load_va: number;
  readonly load_pct?: number;
  readonly failover_va: number;
  readonly failover_pct?: number;
  readonly failover_ref: string;
}

interface PortPower extends Load {
  readonly live: boolean;
  readonly load_w: number;
  readonly capacity_va?: number;
  readonly worst_leg: string;
  readonly phases: readonly (Load & { readonly leg: string })[];
}

/** What a power port and its phases carry, now and after one failure. */
export function PortPowerCard({ port }: { readonly port: string }) {
  const asked = useCall<PortAnswer>("GetPort", { port_ref: port });
  return <Answer asked={asked}>{({ power }) => (power === undefined ? null : <Carried power={power} />)}</Answer>;
}

function Carried({ power }: { readonly power: PortPower }) {
  const { live, load_w, capacity_va, worst_leg, phases } = power;
  return (
    <Card title="What it carries">
      <Facts
        rows={[
          ["Power", live ? "arrives" : "does not arrive"],
          ["Load now", `${watts(load_w)}${share(power.load_pct)}`],
          ["After one failure", <After key="after" load={power} />],
          ["Rating", capacity_va === undefined ? "" : `${count(capacity_va)} VA`],
          ["Busiest phase", worst_leg === "PHASE_LEG_UNSPECIFIED" ? "" : enumWord(worst_leg, "PHASE_LEG")],
          ...phases.map(
            (phase) =>
              [
                `Phase ${enumWord(phase.leg, "PHASE_LEG")}`,
                <span key={phase.leg}>
                  {decimal(phase.load_va, "VA")}
                  {share(phase.load_pct)}, after one failure <After load={phase} />
                </span>,
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}

function After({ load: { failover_va, failover_pct, failover_ref } }: { readonly load: Load }) {
  return (
    <>
      {decimal(failover_va, "VA")}
      {share(failover_pct)}
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

function share(value: number | undefined): string {
  return value === undefined ? "" : `, ${percent(value)}`;
}
