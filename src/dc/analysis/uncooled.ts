import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { formatRef, type Ref } from "#dc/model/ref.ts";
import { areaKey, placeHeat } from "./places.ts";
import type { ThermalAnswer } from "./thermal.ts";
import type { Topology } from "./topology.ts";

/** Heat of equipment where no cooling unit is recorded to serve, working or not. */
export interface Uncooled {
  /** Kilowatts that go into the air. */
  readonly airKw: number;
  /** Keys of the racks that give it off. */
  readonly racks: ReadonlySet<string>;
}

/** Places of a scope that warm the air and that nothing cools; the losses of power equipment count nowhere here. Cost: O(places + units). */
export function uncooledIn(topology: Topology, scope: Ref, basis: LoadBasis): Uncooled {
  const scopeKey = areaKey(scope);
  const served = new Set(topology.estate.cracs.flatMap(({ serves = [] }) => serves.map((area) => area.toLowerCase())));
  const found = topology
    .places()
    .filter(({ areas }) => areas.has(scopeKey) && areas.isDisjointFrom(served))
    .map((place) => ({ place, watts: placeHeat(place, basis).airW }))
    .filter(({ watts }) => watts > 0);
  return {
    airKw: found.reduce((sum, { watts }) => sum + watts, 0) / 1000,
    racks: new Set(
      found
        .flatMap(({ place }) => place.devices.flatMap(({ rackCode }) => rackCode ?? []))
        .map((code) => codeKey(code)),
    ),
  };
}

/**
 * The answer with what is uncooled as a fault: a zone without units has no roll-up of its own. Source:
 * docs/contract/datacenter-analyses.md#thermal-headroom.
 */
export function withUncooled<Answer extends Pick<ThermalAnswer, "hotspots" | "racks" | "redundancyOk">>(
  answer: Answer,
  scope: Ref,
  { airKw, racks }: Uncooled,
): Answer {
  if (airKw === 0) return answer;
  return {
    ...answer,
    redundancyOk: false,
    racks: answer.racks.map((rack) => (racks.has(codeKey(rack.code)) ? { ...rack, health: "FAULT" as const } : rack)),
    hotspots: [
      ...answer.hotspots,
      { ref: formatRef(scope), severity: "FAULT" as const, code: "ZONE_WITHOUT_COOLING", value: airKw, limit: 0 },
    ],
  };
}
