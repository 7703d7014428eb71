import type { Rectangle } from "#dc/model/rack_space.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { computeEnclosingRectangle } from "../bounds.ts";
import type { State } from "../palette.ts";
import { STATE_LABELS } from "../parts/marks.ts";
import type { FloorTile } from "./tiles.ts";

/** Side of the squares into which racks without a row are collapsed, in millimetres. */
const COLLAPSE_SQUARE_MM = 10_000;
const STATES_BY_SEVERITY: readonly State[] = ["fault", "watch", "ok", "info", "offline"];

/** Several racks drawn as one block. */
export interface RackBlock {
  readonly label: string;
  readonly area: Rectangle;
  readonly state: State;
  readonly tip: string;
}

export interface CollapsedFloor {
  readonly tiles: readonly FloorTile[];
  readonly blocks: readonly RackBlock[];
  /** Number of footprints that are not drawn separately. */
  readonly omittedFootprints: number;
}

/**
 * Collapses rows of racks into blocks until at most `most` items are drawn. Begins with the rows with the fewest
 * faults, and among these with the longest. Keeps highlighted racks. If the limit is still exceeded, omits the last
 * footprints.
 */
export function collapseTiles(
  tiles: readonly FloorTile[],
  maxItems: number,
  highlight: ReadonlySet<string>,
): CollapsedFloor {
  if (tiles.length <= maxItems) return { tiles, blocks: [], omittedFootprints: 0 };
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const racks = tiles.filter(({ kind, ref }) => kind === "rack" && !keys.has(ref.toLowerCase()));
  const groups = Map.groupBy(racks, formatGroupLabel);
  const blocks: RackBlock[] = [];
  const hidden = new Set<FloorTile>();
  const order = [...groups].toSorted(([, a], [, b]) => countFaults(a) - countFaults(b) || b.length - a.length);
  for (const [label, group] of order) {
    if (tiles.length - hidden.size + blocks.length <= maxItems || group.length < 2) break;
    blocks.push(buildBlock(label, group));
    for (const tile of group) hidden.add(tile);
  }
  const left = tiles.filter((tile) => !hidden.has(tile));
  const shown = left
    .toSorted((a, b) => Number(keys.has(b.ref.toLowerCase())) - Number(keys.has(a.ref.toLowerCase())))
    .slice(0, Math.max(0, maxItems - blocks.length));
  const kept = new Set(shown);
  return { tiles: left.filter((tile) => kept.has(tile)), blocks, omittedFootprints: tiles.length - shown.length };
}

function countFaults(group: readonly FloorTile[]): number {
  return group.filter(({ state }) => state === "fault").length;
}

function formatGroupLabel({ row, area }: FloorTile): string {
  if (row !== "") return `Row ${row}`;
  return `Racks from ${Math.floor(area.west / COLLAPSE_SQUARE_MM) * 10} m, ${Math.floor(area.north / COLLAPSE_SQUARE_MM) * 10} m`;
}

function buildBlock(label: string, group: readonly FloorTile[]): RackBlock {
  const counts = STATES_BY_SEVERITY.map(
    (state) => [state, group.filter((tile) => tile.state === state).length] as const,
  );
  const present = counts.filter(([, count]) => count > 0);
  return {
    label: `${label}: ${formatCountWithNoun(group.length, "rack")}`,
    area: computeEnclosingRectangle(group.map(({ area }) => area)),
    state: present[0]?.[0] ?? "info",
    tip: [label, ...present.map(([state, count]) => `${count} ${STATE_LABELS[state].toLowerCase()}`)].join("\n"),
  };
}
