import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import { isNothing, outageHarm, racksIn } from "./harm.ts";
import type { Judged } from "./judgement.ts";
import type { WindowSite } from "./outage.ts";

/**
 * References of the racks of which each alone, taken out as well, leaves nothing lost that is not accepted: its load ends
 * a trip, or its heat a shortage. No other loss ends by taking more out, so racks are tried only for these two.
 * Cost: one failure for each touched rack, or rack in an area that falls short.
 */
export function* relievingRacks(window: WindowSite, judged: Judged): Steps<readonly string[]> {
  const { topology } = window.ground;
  const { indexOf } = topology.power;
  const found: string[] = [];
  for (const code of candidates(judged)) {
    const inside = topology
      .devicesInRack(code)
      .flatMap((device) => indexOf.get(`device:${codeKey(device.code)}`) ?? []);
    if (inside.length === 0) continue;
    const outage = yield* window.outage(inside);
    if (isNothing(judged.accepted.left(outageHarm(topology, outage)))) found.push(`rack:${code}`);
    yield;
  }
  return found.sort(compareText);
}

function candidates({ ground: { topology }, harm, outage }: Judged): ReadonlySet<string> {
  const codes = new Set<string>();
  if (harm.trips.size > 0) for (const key of outage.blast.racks.keys()) codes.add(topology.rack(key)?.code ?? key);
  for (const { ref } of harm.short.values()) for (const { code } of racksIn(topology, ref)) codes.add(code);
  return codes;
}
