import type { Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { drawMark, joinCodeAndName } from "../parts/marks.ts";
import { createText, type Group, type Item, type PixelArea, type Text } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { formatInactiveStatus, formatOccupantKind, type OccupantStyle } from "./occupant_style.ts";

/**
 * Draws a device on its face: code and name at the left, power draw and state mark at the right, as far as they fit.
 *
 * @param words the area of the box for labels; the whole box if absent
 */
export function drawOccupant(occupant: Occupant, place: PixelArea, style: OccupantStyle, words = place): Group {
  const fill = style.findFill(occupant);
  const planned = formatInactiveStatus(occupant) === "Planned";
  return {
    kind: "group",
    ref: `device:${occupant.deviceCode}`,
    tip: formatOccupantTip(occupant),
    items: [
      { kind: "rect", ...place, radius: 2, fill, stroke: "line", ...(planned && { dash: "dashed" }) },
      ...drawLabel(occupant, words, { style, ink: `on:${fill}` }),
    ],
  };
}

/** Draws the back of a device that is mounted on the other face: a stripe in its colour on a plain background. */
export function drawOccupantBack(occupant: Occupant, place: PixelArea, style: OccupantStyle): Group {
  const size = computeFontSize(place.height);
  return {
    kind: "group",
    ref: `device:${occupant.deviceCode}`,
    tip: `${formatOccupantTip(occupant)}\nseen from its back`,
    items: [
      { kind: "rect", ...place, radius: 2, fill: "sunken", stroke: "line", dash: "dashed" },
      { kind: "rect", ...place, width: Math.min(6, place.width), fill: style.findFill(occupant), stroke: "line" },
      createText([place.x + 12, place.y + place.height / 2 + size * 0.36], occupant.deviceCode, {
        size,
        fill: "muted",
        maxWidth: place.width - 18,
      }),
    ],
  };
}

/** Draws a device in a side lane, with text along the lane. */
export function drawLaneOccupant(occupant: Occupant, place: PixelArea, style: OccupantStyle): Group {
  const fill = style.findFill(occupant);
  const size = Math.min(10, place.width * 0.5);
  const state = style.findState(occupant);
  return {
    kind: "group",
    ref: `device:${occupant.deviceCode}`,
    tip: formatOccupantTip(occupant),
    items: [
      { kind: "rect", ...place, radius: 2, fill, stroke: "line" },
      createText(
        [place.x + place.width / 2 + size * 0.36, place.y + place.height / 2],
        joinCodeAndName(occupant.deviceCode, occupant.name),
        { size, anchor: "middle", rotate: -90, fill: `on:${fill}`, maxWidth: place.height - 36 },
      ),
      ...(state === undefined || place.height < 40
        ? []
        : drawMark(state, [place.x + place.width / 2, place.y + 10], 11)),
    ],
  };
}

interface LabelOptions {
  readonly style: OccupantStyle;
  readonly ink: Text["fill"];
}

function drawLabel(occupant: Occupant, place: PixelArea, { style, ink }: LabelOptions): readonly Item[] {
  const size = computeFontSize(place.height);
  const state = style.findState(occupant);
  const markRoom = state === undefined ? 0 : size + 6;
  const draw = occupant.drawW > 0 ? formatWatts(occupant.drawW) : "";
  const drawRoom = draw === "" || place.width < 150 ? 0 : measureText(draw, { size: size - 1 }) + 8;
  const room = place.width - 14 - markRoom - drawRoom;
  const right = place.x + place.width - 7;
  const middle = place.y + place.height / 2;
  const detailTexts =
    place.height >= 2.6 * size + 6
      ? [formatOccupantKind(occupant), formatInactiveStatus(occupant)].filter(Boolean)
      : [];
  const baseline = middle + size * 0.36 - (detailTexts.length === 0 ? 0 : size * 0.65);
  return [
    ...drawTitle(occupant, { x: place.x + 7, y: baseline, size, room, ink }),
    ...(detailTexts.length === 0
      ? []
      : [
          createText([place.x + 7, baseline + size * 1.3], detailTexts.join(" · "), {
            size: size - 1,
            fill: ink,
            maxWidth: room,
          }),
        ]),
    ...(drawRoom === 0
      ? []
      : [createText([right - markRoom, middle + size * 0.33], draw, { size: size - 1, anchor: "end", fill: ink })]),
    ...(state === undefined ? [] : drawMark(state, [right - size / 2, middle], size + 1)),
  ];
}

/** Returns the code in bold, followed by the name if it differs and enough of it fits. */
function drawTitle(
  { deviceCode, name }: Occupant,
  { x, y, size, room, ink }: Pick<Text, "x" | "y" | "size"> & { readonly room: number; readonly ink: Text["fill"] },
): readonly Text[] {
  const code: Text = createText([x, y], deviceCode, { size, weight: "bold", fill: ink, maxWidth: room });
  const codeWidth = measureText(deviceCode, { size, weight: "bold" }) + 8;
  if (name === "" || name === deviceCode || room - codeWidth < 4 * size) return [code];
  return [code, createText([x + codeWidth, y], name, { size: size - 1, fill: ink, maxWidth: room - codeWidth })];
}

function computeFontSize(height: number): number {
  return Math.min(11, Math.max(6, height * 0.62, Math.min(8, height * 0.8)));
}

export function formatOccupantTip(occupant: Occupant): string {
  const { deviceCode, name, role, positionU, uHeight, drawW } = occupant;
  return [
    joinCodeAndName(deviceCode, name),
    [formatOccupantKind(occupant), role, formatInactiveStatus(occupant)].filter(Boolean).join(" · "),
    positionU === undefined ? "" : `U${positionU}, ${uHeight} U high`,
    drawW > 0 ? formatWatts(drawW) : "",
  ]
    .filter(Boolean)
    .join("\n");
}
