import { computeRackRisks } from "#dc/analysis/rehearsal/rack_risks.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import type { RackRisks } from "../answers/floor_plan.ts";
import type { ReadSession } from "../rpc.ts";
import { everyFailure } from "./rehearsals.ts";

/** What single failures take of each rack, if the colours of a floor show it: it takes a rehearsal of every failure. */
export async function risksFor(
  session: ReadSession,
  topology: Topology,
  coloring: Coloring,
): Promise<RackRisks | undefined> {
  if (coloring !== "RISK") return undefined;
  const { followed } = await everyFailure(session, topology);
  const failures = [...followed.groups.values()].flatMap((group) => group.failures);
  return session.scheduler.run(computeRackRisks(topology, failures));
}
