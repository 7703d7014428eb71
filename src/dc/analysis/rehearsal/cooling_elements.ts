import type { Crac } from "#dc/model/resources.ts";
import type { Impact } from "#gen/datacenter/v1/messages.ts";
import { deratedKw } from "../cooling/cooling_units.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { Element } from "./outcome.ts";

/** The cooling units in service among some nodes. */
export function coolingUnitsAt({ nodes }: PowerGraph, indexes: Iterable<number>): readonly Crac[] {
  const found: Crac[] = [];
  for (const index of indexes) {
    const node = nodes[index];
    if (node?.kind === "CRAC" && !node.blocked) found.push(node.crac);
  }
  return found;
}

/** Adds the cooling units that fail themselves, which a blast radius leaves out as failed sources. */
export function withCooling({ nodes }: PowerGraph, impact: Impact, elements: readonly Element[]): Impact {
  let { cracsOffline, coolingLostKw } = impact;
  for (const { index } of elements) {
    const node = nodes[index];
    if (node?.kind !== "CRAC") continue;
    cracsOffline += 1;
    coolingLostKw += deratedKw(node.crac);
  }
  return cracsOffline === impact.cracsOffline ? impact : { ...impact, cracsOffline, coolingLostKw };
}
