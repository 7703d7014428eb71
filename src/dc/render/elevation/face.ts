import type { Face } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant, UnitRow } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatConstant } from "#words/names.ts";
import { drawMark } from "../parts/marks.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { drawBlades, groupBlades, splitChassisBox } from "./blades.ts";
import { drawLaneOccupant, drawOccupant, drawOccupantBack } from "./occupant_box.ts";
import type { OccupantStyle } from "./occupant_style.ts";
import { listOccupantsInLane, placeFaceOccupants, type RackFrame } from "./rack_frame.ts";

const NUMBERS_WIDTH = 34;
const LANE_WIDTH = 24;
const RAILS_WIDTH = 268;
const TITLE_HEIGHT = 22;

export interface FaceInput {
  readonly reply: GetRackResponse;
  /** The devices to draw; may be fewer than are in the rack. */
  readonly occupants: readonly Occupant[];
  readonly frame: RackFrame;
  readonly style: OccupantStyle;
}

/** Draws one face of a rack with its unit numbers and side lanes. The origin is the upper left corner. */
export function drawRackFace(
  face: Face,
  input: FaceInput,
): { readonly items: readonly Item[]; readonly width: number } {
  const { occupants, frame, style } = input;
  const left = listOccupantsInLane(face, "left", occupants);
  const right = listOccupantsInLane(face, "right", occupants);
  const railsX = NUMBERS_WIDTH + (left.length > 0 ? LANE_WIDTH + 4 : 0);
  const rails = { x: railsX, y: TITLE_HEIGHT, width: RAILS_WIDTH, height: frame.height };
  const drawLane = (x: number, devices: readonly Occupant[]): readonly Item[] =>
    devices.map((occupant, index) => {
      const height = frame.height / devices.length;
      return drawLaneOccupant(
        occupant,
        { x, y: TITLE_HEIGHT + index * height, width: LANE_WIDTH, height: height - 2 },
        style,
      );
    });
  return {
    width: railsX + RAILS_WIDTH + (right.length > 0 ? LANE_WIDTH + 4 : 0) + 4,
    items: [
      createText([railsX, 12], formatConstant(face), { size: 12, weight: "bold", fill: "ink" }),
      { kind: "rect", ...rails, fill: "panel" },
      ...drawUnitLines(input, rails),
      ...drawReservations(input, rails),
      ...drawDevices(face, input, rails),
      createRect([rails.x - 2, rails.y - 2], [rails.width + 4, rails.height + 4], {
        radius: 3,
        stroke: "muted",
        strokeWidth: 3,
      }),
      ...drawConflictSigns(face, input),
      ...drawLane(NUMBERS_WIDTH, left),
      ...drawLane(railsX + RAILS_WIDTH + 4, right),
    ],
  };
}

function drawUnitLines({ frame }: FaceInput, { x, y, width }: PixelRow): readonly Item[] {
  return frame.units.flatMap((unit): Item[] => {
    const { top, bottom } = frame.computeUnitSpan(unit, unit + 1);
    return [
      { kind: "line", x1: x, y1: y + bottom, x2: x + width, y2: y + bottom, stroke: "grid" },
      createText([NUMBERS_WIDTH - 8, y + (top + bottom) / 2 + 3.5], String(unit), {
        size: 10,
        anchor: "end",
        fill: "muted",
      }),
    ];
  });
}

/** Draws free reserved units. Consecutive units with the same owner become one area. */
function drawReservations({ reply, frame }: FaceInput, { x, y, width }: PixelRow): readonly Item[] {
  const runs: { owner: string; rows: UnitRow[] }[] = [];
  let last: UnitRow | undefined;
  for (const row of reply.units) {
    const free = row.front.length === 0 && row.rear.length === 0;
    const run = runs.at(-1);
    if (row.reserved !== "" && free) {
      if (run?.owner === row.reserved && run.rows.at(-1) === last) run.rows.push(row);
      else runs.push({ owner: row.reserved, rows: [row] });
    }
    last = row;
  }
  return runs.map(({ owner, rows }): Item => {
    const numbers = rows.map(({ u }) => u);
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
    const { top, bottom } = frame.computeUnitSpan(from, to + 1);
    const room = width - 24;
    return {
      kind: "group",
      tip: `U${from}${to === from ? "" : ` to U${to}`} reserved for ${owner}`,
      items: [
        createRect([x + 1, y + top + 1], [width - 2, bottom - top - 2], {
          fill: "infoSoft",
          hatch: { pattern: "diagonal", paint: "line" },
          stroke: "infoText",
          dash: "dashed",
        }),
        ...drawLabelPlate(`Reserved: ${owner}`, { cx: x + width / 2, cy: y + (top + bottom) / 2, room }),
      ],
    };
  });
}

/** Draws text on a plate that covers the hatch behind it. */
function drawLabelPlate(
  text: string,
  { cx, cy, room }: { readonly cx: number; readonly cy: number; readonly room: number },
): Item[] {
  const size = 10;
  const width = Math.min(room, measureText(text, { size })) + 12;
  return [
    createRect([cx - width / 2, cy - 8], [width, 16], { radius: 8, fill: "panel" }),
    createText([cx, cy + 3.6], text, { size, anchor: "middle", fill: "ink", maxWidth: width - 12 }),
  ];
}

function drawDevices(face: Face, { occupants, frame, style }: FaceInput, { x, y, width }: PixelRow): readonly Item[] {
  const blades = groupBlades(occupants, frame);
  return placeFaceOccupants(face, occupants, frame).flatMap(({ occupant, from, to, left, right, isMounted }) => {
    const { top, bottom } = frame.computeUnitSpan(from, to);
    const place = {
      x: x + left * width + 1,
      y: y + top + 0.75,
      width: (right - left) * width - 2,
      height: Math.max(2, bottom - top - 1.5),
    };
    if (!isMounted) return [drawOccupantBack(occupant, place, style)];
    const inside = blades.get(occupant.deviceCode.toLowerCase());
    if (inside === undefined) return [drawOccupant(occupant, place, style)];
    const { words, bays } = splitChassisBox(place);
    return [drawOccupant(occupant, place, style, words), ...drawBlades(inside, bays, style)];
  });
}

/** Draws a fault mark at the number of each unit in which devices conflict on this face. */
function drawConflictSigns(face: Face, { reply, frame }: FaceInput): readonly Item[] {
  const side = face === "FRONT" ? 1 : 2;
  return reply.conflicts
    .filter((conflict) => conflict.face === side)
    .map(({ positionU, deviceCode, otherCode, code }): Item => {
      const { top, bottom } = frame.computeUnitSpan(positionU, positionU + 1);
      return {
        kind: "group",
        tip: `${formatConstant(code)}: ${deviceCode}, ${otherCode}`,
        items: [...drawMark("fault", [7, TITLE_HEIGHT + (top + bottom) / 2], 11)],
      };
    });
}
