import { formatWatts } from "#words/figures.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { computeLostDrawW } from "../../analysis/power/load_lanes.ts";
import type { PowerGraph } from "../../analysis/power/power_nodes.ts";
import { isPowerKind } from "../../model/draw.ts";
import { codeKey } from "../../model/ref.ts";
import type { Device } from "../../model/resources.ts";
import type { Paint } from "../palette.ts";
import { createRect, createText, type Hatch, type Item, type Stroke } from "../scene.ts";
import { IMPACT_STATES, type ImpactState, type PowerFailure } from "./failure.ts";
import type { CollapsedFailure, DrawnNode } from "./node_grouper.ts";

/** Counts of the members of a drawn node. */
export interface ImpactTally {
  /** Number of devices and cooling units; outlets are not counted. */
  readonly elements: number;
  readonly impacts: ReadonlyMap<ImpactState, number>;
  /** Counts of devices except rack PDUs; equal to `impacts` if the node has no such device. */
  readonly deviceImpacts: ReadonlyMap<ImpactState, number>;
  readonly racksDark: number;
  readonly racksPartial: number;
  readonly racks: number;
  readonly overloaded: number;
  readonly tripped: number;
  /** Draw of the consumers that went off, in watts. */
  readonly lostW: number;
}

/** Counts the members of a drawn node by state. Cost: O(members). */
export function countImpacts(
  { graph, blast, basis }: PowerFailure,
  { surroundings }: CollapsedFailure,
  { members }: DrawnNode,
): ImpactTally {
  const elements = members.filter((index) => graph.nodes[index]?.kind !== "OUTLET");
  const impacts = new Map<ImpactState, number>();
  const parts = new Map<ImpactState, number>();
  const racks = new Set<string>();
  const isGone = (index: number) => surroundings.impacts.get(index) === "OFFLINE";
  for (const index of elements) {
    const node = graph.nodes[index];
    const impact = surroundings.impacts.get(index) ?? "LIVE";
    impacts.set(impact, (impacts.get(impact) ?? 0) + 1);
    if (node?.kind !== "DEVICE") continue;
    if (node.device.rackCode !== undefined) racks.add(node.device.rackCode);
    if (!isRackPdu(node.device)) parts.set(impact, (parts.get(impact) ?? 0) + 1);
  }
  const lost = elements.filter((index) => isGone(index) && isItDevice(graph, index));
  const lostW = lost.reduce((sum, index) => sum + computeLostDrawW(graph, index, { isGone, basis }), 0);
  const states = [...new Set([...racks].map(codeKey))].map((key) => blast.racks.get(key));
  const countMembersIn = (known: ReadonlyMap<number, unknown>) => members.filter((index) => known.has(index)).length;
  return {
    elements: elements.length,
    impacts,
    deviceImpacts: parts.size === 0 ? impacts : parts,
    racks: states.length,
    racksDark: states.filter((state) => state === "DARK").length,
    racksPartial: states.filter((state) => state === "PARTIAL").length,
    overloaded: surroundings.overloads.size === 0 ? 0 : countMembersIn(surroundings.overloads),
    tripped: surroundings.trips.size === 0 ? 0 : countMembersIn(surroundings.trips),
    lostW,
  };
}

/**
 * Returns the state of a card or group: for a rack the state that the analysis found, for another area a state derived
 * from its members. A de-energized rack PDU does not count as a loss.
 */
export function findDrawnState(
  { blast }: PowerFailure,
  { id }: DrawnNode,
  { impacts, deviceImpacts, elements }: ImpactTally,
): DrawnState {
  const rack = id.startsWith("rack:") ? blast.racks.get(codeKey(id.slice("rack:".length))) : undefined;
  if (impacts.get("FAILED") === elements) return "FAILED";
  if (rack !== undefined) return RACK_STATES[rack];
  const all = [...deviceImpacts.values()].reduce((sum, count) => sum + count, 0);
  const off = (deviceImpacts.get("OFFLINE") ?? 0) + (deviceImpacts.get("FAILED") ?? 0);
  if (off > 0) return off === all ? "OFFLINE" : "PARTIAL";
  return IMPACT_STATES.find((impact) => deviceImpacts.has(impact)) ?? "LIVE";
}

const RACK_STATES = { DARK: "OFFLINE", PARTIAL: "PARTIAL", PROTECTED: "DEGRADED" } as const;

function isItDevice({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && !isPowerKind(node.device.kind);
}

/** Whether a device is the power equipment of a rack. */
function isRackPdu({ kind, rackCode }: Device): boolean {
  return rackCode !== undefined && isPowerKind(kind);
}

const IMPACT_LABELS: Readonly<Record<ImpactState, string>> = {
  FAILED: "failed",
  OFFLINE: "offline",
  ON_BATTERY: "on battery",
  DEGRADED: "protected",
  LIVE: "live",
  OFF: "off before",
};

/** Describes the counts of a tally, such as "23 offline, 2 protected". */
export function formatImpactLabel({ impacts }: ImpactTally): string {
  return IMPACT_STATES.flatMap((impact) =>
    impacts.has(impact) ? [`${impacts.get(impact)} ${IMPACT_LABELS[impact]}`] : [],
  ).join(", ");
}

/** Returns the label of a group: the number of its elements and the states of its racks. */
export function formatGroupLabel(tally: ImpactTally): string {
  const { racks, racksDark, racksPartial, lostW, overloaded, tripped } = tally;
  const parts = [
    formatCountWithNoun(tally.elements, "element"),
    ...(racks > 1 ? [formatCountWithNoun(racks, "rack")] : []),
    ...(racksDark > 0 && racks > 1 ? [`${racksDark} dark`] : []),
    ...(racksPartial > 0 && racks > 1 ? [`${racksPartial} partly`] : []),
    ...(lostW > 0 ? [`${formatWatts(lostW)} lost`] : []),
    ...(overloaded > 0 ? [`${overloaded} overloaded`] : []),
    ...(tripped > 0 ? [`${tripped} tripped`] : []),
  ];
  return parts.join(" · ");
}

/** Style of an impact, which its letter distinguishes without colour. */
interface ImpactStyle {
  readonly label: string;
  readonly letter: string;
  readonly shape: "square" | "circle" | "diamond";
  readonly strongFill: Paint;
  readonly softFill: Paint;
  readonly line: Stroke;
  readonly hatch?: Hatch;
}

/** State of a drawn node: a rack or a group may be partly dark. */
export type DrawnState = ImpactState | "PARTIAL";

export const IMPACT_STYLES: Readonly<Record<DrawnState, ImpactStyle>> = {
  FAILED: createImpactStyle("failed", "F", "diamond", "accent", { line: { strokeWidth: 3 } }),
  OFFLINE: createImpactStyle("offline", "X", "square", "fault", {
    line: { strokeWidth: 1.5, dash: "dashed" },
    hatch: "diagonal",
  }),
  PARTIAL: createImpactStyle("partly offline", "P", "square", "fault", { line: { strokeWidth: 1.5 } }),
  ON_BATTERY: createImpactStyle("on battery", "B", "circle", "info", { line: { strokeWidth: 1.5, dash: "dotted" } }),
  DEGRADED: createImpactStyle("protected, less supply", "D", "circle", "watch", { line: {} }),
  LIVE: createImpactStyle("live", "L", "circle", "ok", { line: {} }),
  OFF: createImpactStyle("off before", "O", "square", "offline", { line: { dash: "dotted" } }),
};

function createImpactStyle(
  word: string,
  letter: string,
  shape: ImpactStyle["shape"],
  state: "accent" | "fault" | "info" | "watch" | "ok" | "offline",
  { line, hatch }: { readonly line: Stroke; readonly hatch?: Hatch },
): ImpactStyle {
  const soft: Paint = `${state}Soft`;
  return {
    label: word,
    letter,
    shape,
    strongFill: state,
    softFill: soft,
    // Text colours stay dark in print, where fills are light.
    line: { stroke: `${state}Text`, ...line },
    ...(hatch !== undefined && { hatch }),
  };
}

/** Draws the mark of an impact, 14 by 14 pixels from its upper left corner. */
export function drawBadge(shown: DrawnState, x: number, y: number): Item {
  const { letter, shape, strongFill } = IMPACT_STYLES[shown];
  const ink: Paint = `on:${strongFill as "accent"}`;
  const edge = { stroke: ink, strokeWidth: 0.8 } as const;
  const outline: Item =
    shape === "circle"
      ? { kind: "circle", cx: x + 7, cy: y + 7, r: 7, fill: strongFill, ...edge }
      : shape === "square"
        ? createRect([x, y], [14, 14], { radius: 2, fill: strongFill, ...edge })
        : {
            kind: "path",
            points: [
              [x + 7, y - 2],
              [x + 16, y + 7],
              [x + 7, y + 16],
              [x - 2, y + 7],
            ],
            closed: true,
            fill: strongFill,
            ...edge,
          };
  return {
    kind: "group",
    items: [outline, createText([x + 7, y + 10.6], letter, { size: 10, weight: "bold", anchor: "middle", fill: ink })],
  };
}
