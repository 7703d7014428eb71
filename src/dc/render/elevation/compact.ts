import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent } from "#words/figures.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { drawMark, findHealthState, formatPowerDraw, formatRackTitle } from "../parts/marks.ts";
import { createRect, createText, type Item, type Scene } from "../scene.ts";
import { formatOccupantTip } from "./occupant_box.ts";
import type { OccupantStyle } from "./occupant_style.ts";
import { buildRackFrame, placeFaceOccupants } from "./rack_frame.ts";

const UNIT_HEIGHT = 8;
const EDGE_WIDTH = 10;
const THUMBNAIL_WIDTH = 200;
const HEADER_HEIGHT = 52;

/** Draws the front of a rack as a thumbnail for overviews of many racks. Its devices have no text. */
export function drawCompactRack(
  reply: GetRackResponse,
  { occupants, style }: { readonly occupants: readonly Occupant[]; readonly style: OccupantStyle },
): Scene {
  const { rack, capacity, units } = reply;
  const frame = buildRackFrame(reply, UNIT_HEIGHT);
  const rails = { x: EDGE_WIDTH, width: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH };
  const boxes = placeFaceOccupants("FRONT", occupants, frame).map(({ occupant, from, to, left, right }): Item => {
    const { top, bottom } = frame.computeUnitSpan(from, to);
    const place = {
      x: rails.x + left * rails.width + 1,
      y: HEADER_HEIGHT + top + 0.5,
      width: (right - left) * rails.width - 2,
      height: Math.max(1, bottom - top - 1),
    };
    const state = style.findState(occupant);
    return {
      kind: "group",
      ref: `device:${occupant.deviceCode}`,
      tip: formatOccupantTip(occupant),
      items: [
        { kind: "rect", ...place, fill: style.findFill(occupant), stroke: "line", strokeWidth: 0.75 },
        ...(state === undefined ? [] : drawMark(state, [place.x + place.width - 6, place.y + place.height / 2], 6)),
      ],
    };
  });
  const reserved = units
    .filter((row) => row.reserved !== "" && row.front.length === 0 && row.rear.length === 0)
    .map(({ u }): Item => {
      const { top } = frame.computeUnitSpan(u, u + 1);
      return createRect([rails.x + 1, HEADER_HEIGHT + top], [rails.width - 2, UNIT_HEIGHT], {
        hatch: { pattern: "diagonal", paint: "line" },
      });
    });
  const title = formatRackTitle(rack?.code ?? "", rack?.name ?? "");
  const load = `${formatCountWithNoun(capacity?.freeU ?? 0, "U", "U")} free · ${formatPowerDraw(capacity?.devices ?? 0, capacity?.allocatedW ?? 0)}`;
  return {
    title,
    description: `Front of a rack with ${formatCountWithNoun(occupants.length, "device")}; ${formatPercent(capacity?.spacePct ?? 0)} of the space taken.`,
    width: THUMBNAIL_WIDTH,
    height: HEADER_HEIGHT + frame.height + EDGE_WIDTH,
    items: [
      ...drawMark(findHealthState(rack?.health ?? 0), [EDGE_WIDTH + 7, 19], 14),
      createText([EDGE_WIDTH + 20, 24], rack?.code ?? "", {
        size: 14,
        weight: "bold",
        fill: "ink",
        maxWidth: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH - 20,
      }),
      createText([EDGE_WIDTH, 42], load, { size: 10, fill: "muted", maxWidth: THUMBNAIL_WIDTH - 2 * EDGE_WIDTH }),
      { kind: "rect", ...rails, y: HEADER_HEIGHT, height: frame.height, fill: "panel" },
      ...reserved,
      ...boxes,
      { kind: "rect", ...rails, y: HEADER_HEIGHT, height: frame.height, stroke: "muted", strokeWidth: 2 },
    ],
  };
}
