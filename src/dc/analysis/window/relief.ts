import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import { collectOutageLosses, isLossSetEmpty, listRacksInArea } from "./harm.ts";
import type { JudgementInput } from "./judgement.ts";
import type { WindowSite } from "./outage.ts";

/**
 * Returns references of racks that each end all unaccepted losses if they are taken out too. Less load or heat can end
 * only trips and cooling shortages, so only racks that a trip or a shortage may affect are tried. Cost: one failure for
 * each tried rack.
 */
export function* findRelievingRacks(window: WindowSite, judged: JudgementInput): Steps<readonly string[]> {
  const { topology } = window.input;
  const { indexOf } = topology.power;
  const found: string[] = [];
  for (const code of collectCandidateRacks(judged)) {
    const inside = topology
      .listDevicesInRack(code)
      .flatMap((device) => indexOf.get(`device:${codeKey(device.code)}`) ?? []);
    if (inside.length === 0) continue;
    const outage = yield* window.computeOutage(inside);
    if (isLossSetEmpty(judged.accepted.removeAccepted(collectOutageLosses(topology, outage))))
      found.push(`rack:${code}`);
    yield;
  }
  return found.sort(compareText);
}

function collectCandidateRacks({ ground: { topology }, harm, outage }: JudgementInput): ReadonlySet<string> {
  const codes = new Set<string>();
  if (harm.trips.size > 0) for (const key of outage.blast.racks.keys()) codes.add(topology.rack(key)?.code ?? key);
  for (const { ref } of harm.shortages.values()) for (const { code } of listRacksInArea(topology, ref)) codes.add(code);
  return codes;
}
