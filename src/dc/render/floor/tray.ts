import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { refName } from "#words/names.ts";
import type { State, Token } from "../palette.ts";
import { mark } from "../parts/marks.ts";
import type { Item } from "../scene.ts";
import type { FloorStyle } from "./floor_style.ts";
import { tipOf, unplacedRacks } from "./tiles.ts";

const CHIP_WIDTH = 150;
const CHIP_HEIGHT = 24;
/**
 * Maximum number of chips for resources without a footprint; the others are counted. Our choice: five times a screen's
 * width.
 */
const MOST_CHIPS = 70;
const GRAVEST: readonly (State | undefined)[] = ["fault", "watch", "info", "ok", undefined];

/** A resource on the floor without a footprint. */
interface Unplaced {
  readonly ref: string;
  readonly name: string;
  readonly tip: string;
  readonly fill: Token;
  readonly state: State | undefined;
}

/** Resources without a footprint, the worst first: racks with their health, cooling units by name. */
export function unplacedOf(reply: FloorPlanResponse, style: FloorStyle): readonly Unplaced[] {
  const racks = new Map(unplacedRacks(reply, style).map((tile) => [tile.ref, tile]));
  return reply.unplaced
    .map((ref): Unplaced => {
      const rack = racks.get(ref);
      const name = refName(ref);
      if (rack === undefined)
        return { ref, name, tip: `${ref}\nno placement recorded`, fill: "panel", state: undefined };
      return { ref, name, tip: `${tipOf(rack)}\nno placement recorded`, fill: rack.fill, state: rack.state };
    })
    .toSorted((a, b) => GRAVEST.indexOf(a.state) - GRAVEST.indexOf(b.state));
}

/** Chips below the plan: racks whose position is not recorded. */
export function trayItems(
  unplaced: readonly Unplaced[],
  width: number,
  top: number,
): { items: readonly Item[]; height: number } {
  if (unplaced.length === 0) return { items: [], height: 0 };
  const perLine = Math.max(1, Math.floor(Math.max(width, 760) / CHIP_WIDTH));
  const shown = unplaced.slice(0, MOST_CHIPS);
  const more = unplaced.length - shown.length;
  const lines = Math.ceil(shown.length / perLine);
  const bottom = top + 30 + lines * CHIP_HEIGHT;
  const at = (index: number) =>
    [(index % perLine) * CHIP_WIDTH, top + 30 + Math.floor(index / perLine) * CHIP_HEIGHT] as const;
  return {
    items: [
      { kind: "text", x: 0, y: top + 18, text: "Without a recorded place", size: 12, weight: "bold", fill: "ink" },
      ...shown.map((one, index) => chip(one, at(index))),
      ...(more === 0
        ? []
        : [{ kind: "text", x: 0, y: bottom + 12, text: `and ${more} more`, size: 11, fill: "muted" } as const]),
    ],
    height: bottom - top + (more === 0 ? 0 : 20),
  };
}

function chip({ ref, name, tip, fill, state }: Unplaced, [x, y]: readonly [number, number]): Item {
  const size = { width: CHIP_WIDTH - 8, height: CHIP_HEIGHT - 6, radius: 4 };
  const indent = state === undefined ? 8 : 22;
  return {
    kind: "group",
    ref,
    tip,
    items: [
      { kind: "rect", x, y, ...size, fill, stroke: "muted", dash: "dashed" },
      ...(state === undefined ? [] : mark(state, [x + 12, y + 9], 11)),
      {
        kind: "text",
        x: x + indent,
        y: y + 13,
        text: name,
        size: 11,
        fill: `on:${fill}`,
        maxWidth: CHIP_WIDTH - 16 - indent,
      },
    ],
  };
}
