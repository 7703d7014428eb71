import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PowerGraph } from "./power_graph.ts";

/** Loads of a site's power equipment. */
interface Loaded {
  readonly power: PowerGraph;
  loads(basis: LoadBasis): Float64Array;
}

/** The heat of power equipment from the power that it passes on, in watts. */
export function lossesOf(devices: readonly Device[], site: Loaded, basis: LoadBasis): number {
  let sum = 0;
  for (const { code, power } of devices) {
    if (power?.efficiencyPct === undefined) continue;
    const watts = site.loads(basis)[site.power.indexOf.get(`device:${codeKey(code)}`) ?? -1] ?? 0;
    sum += watts * (1 - power.efficiencyPct / 100);
  }
  return sum;
}
