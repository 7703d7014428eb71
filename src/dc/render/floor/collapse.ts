import type { Rectangle } from "#dc/model/rack_space.ts";
import { formatCountOf } from "#words/names.ts";
import type { State } from "../palette.ts";
import { STATE_WORDS } from "../parts/marks.ts";
import type { Tile } from "./tiles.ts";

/** Side of the squares into which racks without a row are collapsed, in millimetres. */
const SQUARE_MM = 10_000;
const GRAVEST: readonly State[] = ["fault", "watch", "ok", "info", "offline"];

/** Several racks drawn as one block. */
export interface Block {
  readonly label: string;
  readonly area: Rectangle;
  readonly state: State;
  readonly tip: string;
}

export interface Collapsed {
  readonly tiles: readonly Tile[];
  readonly blocks: readonly Block[];
  /** Footprints that are not drawn on their own. */
  readonly omitted: number;
}

/**
 * Collapses rows of racks into blocks, those with the fewest faults first and then the longest, until at most `most`
 * items are drawn. Highlighted racks are not collapsed. If the limit is still exceeded, omits and counts the last ones.
 */
export function collapse(tiles: readonly Tile[], most: number, highlight: ReadonlySet<string>): Collapsed {
  if (tiles.length <= most) return { tiles, blocks: [], omitted: 0 };
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const groups = new Map<string, Tile[]>();
  for (const tile of tiles) {
    if (tile.kind !== "rack" || keys.has(tile.ref.toLowerCase())) continue;
    const key = groupOf(tile);
    groups.set(key, [...(groups.get(key) ?? []), tile]);
  }
  const blocks: Block[] = [];
  const hidden = new Set<Tile>();
  const order = [...groups].toSorted(([, a], [, b]) => faults(a) - faults(b) || b.length - a.length);
  for (const [label, group] of order) {
    if (tiles.length - hidden.size + blocks.length <= most || group.length < 2) break;
    blocks.push(blockOf(label, group));
    for (const tile of group) hidden.add(tile);
  }
  const left = tiles.filter((tile) => !hidden.has(tile));
  const shown = left
    .toSorted((a, b) => Number(keys.has(b.ref.toLowerCase())) - Number(keys.has(a.ref.toLowerCase())))
    .slice(0, Math.max(0, most - blocks.length));
  const kept = new Set(shown);
  return { tiles: left.filter((tile) => kept.has(tile)), blocks, omitted: tiles.length - shown.length };
}

function faults(group: readonly Tile[]): number {
  return group.filter(({ state }) => state === "fault").length;
}

function groupOf({ row, area }: Tile): string {
  if (row !== "") return `Row ${row}`;
  return `Racks from ${Math.floor(area.west / SQUARE_MM) * 10} m, ${Math.floor(area.north / SQUARE_MM) * 10} m`;
}

function blockOf(label: string, group: readonly Tile[]): Block {
  const counts = GRAVEST.map((state) => [state, group.filter((tile) => tile.state === state).length] as const);
  const present = counts.filter(([, count]) => count > 0);
  return {
    label: `${label}: ${formatCountOf(group.length, "rack")}`,
    area: rectangleAround(group.map(({ area }) => area)),
    state: present[0]?.[0] ?? "info",
    tip: [label, ...present.map(([state, count]) => `${count} ${STATE_WORDS[state].toLowerCase()}`)].join("\n"),
  };
}

/** The smallest rectangle around some; at least one. */
export function rectangleAround(areas: readonly Rectangle[]): Rectangle {
  return areas.reduce((all, one) => ({
    west: Math.min(all.west, one.west),
    north: Math.min(all.north, one.north),
    east: Math.max(all.east, one.east),
    south: Math.max(all.south, one.south),
  }));
}
