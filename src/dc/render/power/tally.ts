import { ownDrawW } from "#dc/analysis/power_load.ts";
import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { counted, watts } from "../parts/labels.ts";
import { IMPACT_STATES, type ImpactState, type PowerFailure } from "./failure.ts";
import type { Folded } from "./fold.ts";
import type { Shown } from "./impact_styles.ts";
import type { Drawn } from "./node_grouper.ts";

/** What became of the members of a card or group. */
export interface Tally {
  /** Devices and cooling units; outlets are not counted. */
  readonly elements: number;
  readonly impacts: ReadonlyMap<ImpactState, number>;
  readonly racksDark: number;
  readonly racksPartial: number;
  readonly racks: number;
  readonly overloaded: number;
  readonly tripped: number;
  /** Draw of the consumers that went off, in watts. */
  readonly lostW: number;
}

/** Counts the members of everything drawn. Cost: O(members). */
export function tallyOf({ graph, blast, basis }: PowerFailure, { reach }: Folded, { members }: Drawn): Tally {
  const elements = members.filter((index) => graph.nodes[index]?.kind !== "OUTLET");
  const impacts = new Map<ImpactState, number>();
  const racks = new Set<string>();
  let lostW = 0;
  for (const index of elements) {
    const node = graph.nodes[index];
    const impact = reach.impacts.get(index) ?? "LIVE";
    impacts.set(impact, (impacts.get(impact) ?? 0) + 1);
    if (node?.kind !== "DEVICE") continue;
    if (node.device.rackCode !== undefined) racks.add(node.device.rackCode);
    if (impact === "OFFLINE" && !isPowerKind(node.device.kind)) lostW += ownDrawW(graph, index, basis);
  }
  const keys = new Set([...racks].map(codeKey));
  const states = [...keys].map((key) => blast.racks.get(key));
  const dark = states.filter((state) => state === "DARK").length;
  const partial = states.filter((state) => state === "PARTIAL").length;
  return {
    elements: elements.length,
    impacts,
    racks: keys.size,
    racksDark: dark,
    racksPartial: partial,
    overloaded: reach.overloads.size === 0 ? 0 : members.filter((index) => reach.overloads.has(index)).length,
    tripped: reach.trips.size === 0 ? 0 : members.filter((index) => reach.trips.has(index)).length,
    lostW,
  };
}

/** What a card or group is, taken together: a rack by its own rule, any other place by what its members say. */
export function shownAs({ blast }: PowerFailure, { id }: Drawn, { impacts, elements }: Tally): Shown {
  const rack = id.startsWith("rack:") ? blast.racks.get(codeKey(id.slice("rack:".length))) : undefined;
  if (impacts.get("FAILED") === elements) return "FAILED";
  if (rack === "DARK") return "OFFLINE";
  if (rack === "PARTIAL") return "PARTIAL";
  const off = (impacts.get("OFFLINE") ?? 0) + (impacts.get("FAILED") ?? 0);
  if (off > 0) return off === elements ? "OFFLINE" : "PARTIAL";
  return IMPACT_STATES.find((impact) => impacts.has(impact)) ?? "LIVE";
}

const WORDS: Readonly<Record<ImpactState, string>> = {
  FAILED: "failed",
  OFFLINE: "offline",
  ON_BATTERY: "on battery",
  DEGRADED: "protected",
  LIVE: "live",
  OFF: "off before",
};

/** The counts of a tally in words, such as "23 offline, 2 protected". */
export function impactLabel({ impacts }: Tally): string {
  return IMPACT_STATES.flatMap((impact) =>
    impacts.has(impact) ? [`${impacts.get(impact)} ${WORDS[impact]}`] : [],
  ).join(", ");
}

/** How many a group holds and what became of its racks. */
export function groupWords({ elements, racks, racksDark, racksPartial, lostW, overloaded, tripped }: Tally): string {
  const parts = [
    counted(elements, "element"),
    ...(racks > 1 ? [counted(racks, "rack")] : []),
    ...(racksDark > 0 && racks > 1 ? [`${racksDark} dark`] : []),
    ...(racksPartial > 0 && racks > 1 ? [`${racksPartial} partly`] : []),
    ...(lostW > 0 ? [`${watts(lostW)} lost`] : []),
    ...(overloaded > 0 ? [`${overloaded} overloaded`] : []),
    ...(tripped > 0 ? [`${tripped} tripped`] : []),
  ];
  return parts.join(" · ");
}
