import { codeKey } from "#dc/model/code.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { FigureChange, RackPreview } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { RackMoment, RackStanding } from "../racks/rack_facts.ts";
import { areReasonsEqual } from "../racks/rack_health.ts";
import type { DraftTopology, Topology } from "../topology.ts";
import { compareElementFigures, type Figures, type HealthChange, sortWorstFirst } from "./figures.ts";
import type { FindingComparison } from "./findings.ts";

type RackFigureName = Exclude<keyof RackPreview, keyof HealthChange | "rackCode">;

export type RackChange = HealthChange & { readonly rackCode: string } & Readonly<
    Partial<Record<RackFigureName, FigureChange>>
  >;

/** Compares affected racks: figures, health and findings. Cost: linear in the affected racks and all findings. */
export function* listRackChanges(
  before: Topology,
  { topology: after, racks }: DraftTopology,
  moment: RackMoment,
  findings: FindingComparison,
): Steps<readonly RackChange[]> {
  const found: RackChange[] = [];
  for (const key of new Set([...racks, ...yieldRejudgedRacks(before, after, moment)])) {
    yield;
    const [was, is] = [findRackStanding(before, key, moment), findRackStanding(after, key, moment)];
    findings.compareReasons(was?.reasons ?? [], is?.reasons ?? [], 1);
    const rack = after.rack(key) ?? before.rack(key);
    const change = rack && compareRackStandings(rack, was, is);
    if (change !== undefined) found.push(change);
  }
  return sortWorstFirst(found);
}

/** Yields keys of racks whose supply findings changed, or for which cooling of air or liquid was added or removed. */
function* yieldRejudgedRacks(before: Topology, after: Topology, { basis }: RackMoment): Generator<string> {
  const isCooledAnew = before.inventory.cracs !== after.inventory.cracs;
  for (const rack of after.inventory.racks) {
    const [was, is] = [before.powerFindings(rack.code, basis), after.powerFindings(rack.code, basis)];
    if (!areReasonsEqual(was, is) || (isCooledAnew && hasDifferentCooling(before, after, rack)))
      yield codeKey(rack.code);
  }
}

function hasDifferentCooling(before: Topology, after: Topology, rack: Rack): boolean {
  const [was, is] = [before.mediaServing(rack), after.mediaServing(rack)];
  return was.air !== is.air || was.liquid !== is.liquid;
}

function findRackStanding(topology: Topology, key: string, moment: RackMoment): RackStanding | undefined {
  const rack = topology.rack(key);
  return rack && topology.computeRackStanding(rack, moment);
}

function compareRackStandings(
  { code }: Rack,
  was: RackStanding | undefined,
  is: RackStanding | undefined,
): RackChange | undefined {
  const { figures, isDifferent } = compareElementFigures(was && selectRackFigures(was), is && selectRackFigures(is));
  if (!isDifferent && was?.health === is?.health) return undefined;
  return {
    ref: `rack:${code}`,
    rackCode: code,
    ...figures,
    ...(was !== undefined && { healthBefore: was.health }),
    ...(is !== undefined && { healthAfter: is.health }),
  };
}

function selectRackFigures({ elevation: { capacity }, thermal }: RackStanding): Figures<RackFigureName> {
  const { allocatedW, powerCapacityW, usedU, freeU, largestFreeBlockU, weightKg, maxLoadKg } = capacity;
  const { airHeatW, coolingCapacityW } = thermal;
  const space = { usedU, freeU, largestFreeBlockU, weightKg, maxLoadKg };
  // Rounded to whole watts as in the reply of GetRack.
  return { drawW: allocatedW, powerCapacityW, ...space, airHeatW: Math.round(airHeatW), coolingCapacityW };
}
