import { racksInScope } from "#dc/analysis/placement/candidates.ts";
import { findPlaces } from "#dc/analysis/placement/find_places.ts";
import { hostSwitchesNear } from "#dc/analysis/placement/switch_ports.ts";
import type { Wanted } from "#dc/analysis/placement/wanted.ts";
import { steadyUntil } from "#dc/analysis/steady_until.ts";
import type { NetworkPorts } from "#dc/model/network_ports.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { placementReply } from "./placement_reply.ts";
import { readPlacement } from "./placement_request.ts";

/** Switches whose ports are read at once: some milliseconds' work. */
const READ_AT_ONCE = 200;

export const findPlacement = defineRead({
  method: PlanningService.method.findPlacement,
  effect: "read",
  async run(session, request) {
    const question = await readPlacement(session, request);
    const topology = await session.judgedTopology();
    session.lapsesAt(steadyUntil(racksInScope(topology, question.wanted), session.now));
    const switches = await portsOfSwitches(session, question.wanted);
    const placement = await findPlaces({ topology, wanted: question.wanted, switches }, session.scheduler);
    const revision = await session.reader.revision();
    return placementReply({ question, placement, revision, withItems: request.includeItems }, session);
  },
});

/** The free ports of the switches that racks of the scope may use. */
async function portsOfSwitches(
  { reader, topology, scheduler }: ReadSession,
  wanted: Wanted,
): Promise<ReadonlyMap<string, NetworkPorts>> {
  const found = new Map<string, NetworkPorts>();
  if (wanted.ports.length === 0) return found;
  const known = await topology();
  const codes = hostSwitchesNear(known, racksInScope(known, wanted)).map(({ code }) => code);
  for (let at = 0; at < codes.length; at += READ_AT_ONCE) {
    await scheduler.yieldIfDue();
    for (const [key, ports] of await reader.networkPorts(codes.slice(at, at + READ_AT_ONCE))) found.set(key, ports);
  }
  return found;
}
