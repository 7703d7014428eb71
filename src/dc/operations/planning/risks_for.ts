import { computeRackRisks } from "#dc/analysis/rehearsal/rack_risks.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import type { RackRisks } from "../answers/floor_plan.ts";
import type { ReadSession } from "../rpc.ts";
import { rehearseEveryFailure } from "./rehearsals.ts";

/**
 * Returns the effects of single failures on each rack; undefined if the floor's colouring does not show them, because
 * they require a rehearsal of every failure.
 */
export async function findRackRisks(
  session: ReadSession,
  topology: Topology,
  coloring: Coloring,
): Promise<RackRisks | undefined> {
  if (coloring !== "RISK") return undefined;
  const { followed } = await rehearseEveryFailure(session, topology);
  const failures = [...followed.groups.values()].flatMap((group) => group.failures);
  return session.scheduler.run(computeRackRisks(topology, failures));
}
