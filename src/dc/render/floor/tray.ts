import type { FloorPlanResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { capitalize, getRefName } from "#words/names.ts";
import { formatTip } from "../drawing.ts";
import type { State } from "../palette.ts";
import { createText, type Item, type PixelArea } from "../scene.ts";
import { measureText } from "../text_width.ts";
import type { FloorStyle } from "./floor_style.ts";
import { drawTileText } from "./tile_labels.ts";
import { buildUnplacedTiles, type FloorTile } from "./tiles.ts";

/** Size of the box of a rack or cooling unit without a position, and the gap beside it, in pixels. */
const TRAY_BOX = { width: 58, mostWidth: 190, height: 44 };
const BOX_GAP = 6;
/** Height of a row's name, in pixels. */
const ROW_NAME_HEIGHT = 18;
/** Maximum number of boxes; further elements are counted. Chosen by us: about three screens. */
const MAX_TRAY_BOXES = 300;
const STATES_BY_SEVERITY: readonly (State | undefined)[] = ["fault", "watch", "info", "ok", undefined];

/** Elements that a row of the tray shows side by side. */
interface TrayRow {
  readonly name: string;
  readonly tiles: readonly FloorTile[];
}

/** Returns `Row A`, or the name alone if it already contains the word row. */
function formatRowTitle(row: string): string {
  return /^row/i.test(row) ? capitalize(row) : `Row ${row}`;
}

/** Returns rows of racks in the order of codes, then racks without a row, the worst first, then cooling units. */
export function buildTrayRows(reply: FloorPlanResponse, style: FloorStyle): readonly TrayRow[] {
  const racks = buildUnplacedTiles(reply, style).toSorted((a, b) =>
    a.code.localeCompare(b.code, "en", { numeric: true }),
  );
  const [inRows, others] = [racks.filter(({ row }) => row !== ""), racks.filter(({ row }) => row === "")];
  const rows = [...Map.groupBy(inRows, ({ row }) => row)]
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([row, tiles]): TrayRow => ({ name: formatRowTitle(row), tiles }));
  const worstFirst = others.toSorted(
    (a, b) => STATES_BY_SEVERITY.indexOf(a.state) - STATES_BY_SEVERITY.indexOf(b.state),
  );
  const units = reply.unplaced.filter((ref) => !racks.some((rack) => rack.ref === ref)).map(createUnplacedCracTile);
  return [
    ...rows,
    ...(others.length === 0 ? [] : [{ name: rows.length === 0 ? "Racks" : "Racks without a row", tiles: worstFirst }]),
    ...(units.length === 0 ? [] : [{ name: "Cooling units", tiles: units }]),
  ];
}

function createUnplacedCracTile(ref: string): FloorTile {
  return {
    ref,
    kind: "crac",
    code: getRefName(ref),
    title: getRefName(ref),
    area: { west: 0, north: 0, east: 0, south: 0 },
    facing: 0,
    row: "",
    fill: "accentSoft",
    state: undefined,
    figure: "",
    facts: [],
  };
}

/** Draws rows below the plan: racks and cooling units whose position is not recorded. */
export function drawTray(
  rows: readonly TrayRow[],
  width: number,
  top: number,
): { items: readonly Item[]; height: number } {
  if (rows.length === 0) return { items: [], height: 0 };
  const longest = Math.max(
    ...rows.flatMap(({ tiles }) => tiles.map(({ code }) => measureText(code, { size: 10, weight: "bold" }))),
  );
  const boxWidth = Math.min(TRAY_BOX.mostWidth, Math.max(TRAY_BOX.width, longest + 14));
  const perLine = Math.max(1, Math.floor((Math.max(width, 760) + BOX_GAP) / (boxWidth + BOX_GAP)));
  const items: Item[] = [
    createText([0, top + 18], "Without a recorded place", { size: 12, weight: "bold", fill: "ink" }),
  ];
  let y = top + 26;
  let left = MAX_TRAY_BOXES;
  for (const { name, tiles } of rows) {
    const shown = tiles.slice(0, left);
    if (shown.length === 0) break;
    left -= shown.length;
    items.push(createText([0, y + 12], name, { size: 11, fill: "muted", maxWidth: Math.max(width, 760) }));
    items.push(
      ...shown.map((tile, at) =>
        drawBoxTile(tile, {
          x: (at % perLine) * (boxWidth + BOX_GAP),
          y: y + ROW_NAME_HEIGHT + Math.floor(at / perLine) * (TRAY_BOX.height + BOX_GAP),
          width: boxWidth,
          height: TRAY_BOX.height,
        }),
      ),
    );
    y += ROW_NAME_HEIGHT + Math.ceil(shown.length / perLine) * (TRAY_BOX.height + BOX_GAP) + 4;
  }
  const more = rows.reduce((sum, { tiles }) => sum + tiles.length, 0) - (MAX_TRAY_BOXES - left);
  if (more > 0) items.push(createText([0, y + 12], `and ${more} more`, { size: 11, fill: "muted" }));
  return { items, height: y - top + (more > 0 ? 20 : 0) };
}

function drawBoxTile(tile: FloorTile, box: PixelArea): Item {
  return {
    kind: "group",
    ref: tile.ref,
    tip: `${formatTip(tile.title, tile.facts)}\nno placement recorded`,
    items: [
      { kind: "rect", ...box, radius: 3, fill: tile.fill, stroke: "muted", dash: "dashed" },
      ...drawTileText(tile, box),
    ],
  };
}
