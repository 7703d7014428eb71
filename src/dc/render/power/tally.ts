import { ownDrawW } from "#dc/analysis/power_load.ts";
import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { counted, watts } from "../parts/words.ts";
import { FATES, type Fate, type PowerFailure } from "./failure.ts";
import type { Shown } from "./fates.ts";
import type { Folded } from "./fold.ts";
import type { Drawn } from "./folder.ts";

/** What became of the members of a card or group. */
export interface Tally {
  /** Devices and cooling units; outlets are not counted. */
  readonly elements: number;
  readonly fates: ReadonlyMap<Fate, number>;
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
  const fates = new Map<Fate, number>();
  const racks = new Set<string>();
  let lostW = 0;
  for (const index of elements) {
    const node = graph.nodes[index];
    const fate = reach.fates.get(index) ?? "LIVE";
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
    if (node?.kind !== "DEVICE") continue;
    if (node.device.rackCode !== undefined) racks.add(node.device.rackCode);
    if (fate === "OFFLINE" && !isPowerKind(node.device.kind)) lostW += ownDrawW(graph, index, basis);
  }
  const keys = new Set([...racks].map(codeKey));
  const states = [...keys].map((key) => blast.racks.get(key));
  const dark = states.filter((state) => state === "DARK").length;
  const partial = states.filter((state) => state === "PARTIAL").length;
  return {
    elements: elements.length,
    fates,
    racks: keys.size,
    racksDark: dark,
    racksPartial: partial,
    overloaded: reach.overloads.size === 0 ? 0 : members.filter((index) => reach.overloads.has(index)).length,
    tripped: reach.trips.size === 0 ? 0 : members.filter((index) => reach.trips.has(index)).length,
    lostW,
  };
}

/** What a card or group is, taken together: a rack by its own rule, any other place by what its members say. */
export function shownAs({ blast }: PowerFailure, { id }: Drawn, { fates, elements }: Tally): Shown {
  const rack = id.startsWith("rack:") ? blast.racks.get(codeKey(id.slice("rack:".length))) : undefined;
  if (fates.get("FAILED") === elements) return "FAILED";
  if (rack === "DARK") return "OFFLINE";
  if (rack === "PARTIAL") return "PARTIAL";
  const off = (fates.get("OFFLINE") ?? 0) + (fates.get("FAILED") ?? 0);
  if (off > 0) return off === elements ? "OFFLINE" : "PARTIAL";
  return FATES.find((fate) => fates.has(fate)) ?? "LIVE";
}

const WORDS: Readonly<Record<Fate, string>> = {
  FAILED: "failed",
  OFFLINE: "offline",
  ON_BATTERY: "on battery",
  DEGRADED: "protected",
  LIVE: "live",
  OFF: "off before",
};

/** The counts of a tally in words, such as "23 offline, 2 protected". */
export function fateWords({ fates }: Tally): string {
  return FATES.flatMap((fate) => (fates.has(fate) ? [`${fates.get(fate)} ${WORDS[fate]}`] : [])).join(", ");
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
