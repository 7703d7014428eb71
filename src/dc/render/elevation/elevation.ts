import { DrawSource, type GetRackResponse, type Occupant, type UnitRow } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import { FACES, type Face, MOUNTS, type RenderView } from "../../model/enum_values.ts";
import { drawHeading, HEADING_HEIGHT, MARGIN } from "../frame.ts";
import {
  drawMark,
  findEnumValue,
  findRackState,
  formatPowerDraw,
  formatRackTitle,
  joinCodeAndName,
  STATE_LABELS,
} from "../parts/marks.ts";
import {
  createRect,
  createText,
  type Drawing,
  type DrawOptions,
  type DrawScreen,
  type Element,
  type Graph,
  type Item,
  type PixelRow,
  type Scene,
} from "../scene.ts";
import { measureText } from "../text_width.ts";
import {
  buildRackFrame,
  drawBlades,
  drawLaneOccupant,
  drawOccupant,
  drawOccupantBack,
  formatInactiveStatus,
  formatOccupantKind,
  groupBlades,
  listOccupantsInLane,
  type OccupantStyle,
  placeFaceOccupants,
  type RackFrame,
  splitChassisBox,
  styleOccupants,
} from "./occupant_box.ts";
import { drawCompactRack, drawRackPanel, PANEL_WIDTH } from "./panel.ts";

const UNIT_HEIGHT = 22;
const FACE_GAP = 24;

/** Faces that each view shows. `drawCompactRack` draws the view COMPACT. */
const FACES_BY_VIEW: Readonly<Record<Exclude<RenderView, "COMPACT">, readonly Face[]>> = {
  FRONT: ["FRONT"],
  REAR: ["REAR"],
  BOTH: FACES,
  FULL: FACES,
};

/** Draws a rack's elevation: its faces on a grid of units, capacity, findings and devices without a unit. */
export const drawElevation: DrawScreen<GetRackResponse> = (reply, options): Drawing => {
  const { shown, omittedNodes } = chooseDevices(reply.occupants, options);
  const style = styleOccupants(reply, options.coloring ?? "ROLE");
  const view = options.view ?? "BOTH";
  const scene =
    view === "COMPACT"
      ? drawCompactRack(reply, { occupants: shown, style })
      : drawFullRack(reply, { occupants: shown, style, faces: FACES_BY_VIEW[view], omittedNodes });
  return { scene, graph: createRackGraph(reply, shown), elements: createRackElements(reply), omittedNodes };
};

/** Chooses the devices to draw: highlighted devices first, then the reply's first devices up to the limit. */
function chooseDevices(occupants: readonly Occupant[], { maxNodes, highlight }: DrawOptions) {
  if (occupants.length <= maxNodes) return { shown: occupants, omittedNodes: 0 };
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const highlighted = occupants.filter(({ deviceCode }) => keys.has(`device:${deviceCode}`.toLowerCase()));
  const kept = new Set([...highlighted, ...occupants].slice(0, maxNodes));
  return { shown: occupants.filter((one) => kept.has(one)), omittedNodes: occupants.length - kept.size };
}

interface FullRackInput {
  readonly occupants: readonly Occupant[];
  readonly style: ReturnType<typeof styleOccupants>;
  readonly faces: readonly Face[];
  readonly omittedNodes: number;
}

function drawFullRack(reply: GetRackResponse, { occupants, style, faces, omittedNodes }: FullRackInput): Scene {
  const frame = buildRackFrame(reply, UNIT_HEIGHT);
  const items: Item[] = [];
  let left = MARGIN;
  for (const face of faces) {
    const drawn = drawRackFace(face, { reply, occupants, frame, style });
    items.push({ kind: "group", at: [left, MARGIN + HEADING_HEIGHT], items: drawn.items });
    left += drawn.width + FACE_GAP;
  }
  const panel = drawRackPanel(reply, { style, occupants, frame });
  items.push({ kind: "group", at: [left, MARGIN + HEADING_HEIGHT], items: panel.items });
  const width = left + PANEL_WIDTH + MARGIN;
  const body = Math.max(frame.height + 30, panel.height);
  const note = omittedNodes === 0 ? 0 : 24;
  const height = MARGIN + HEADING_HEIGHT + body + note + MARGIN;
  if (omittedNodes > 0) {
    items.push(
      createText(
        [MARGIN, height - MARGIN],
        `${formatCountWithNoun(omittedNodes, "device")} not drawn, so that the picture stays readable`,
        { size: 12, weight: "bold", fill: "watchText" },
      ),
    );
  }
  const head: Item = {
    kind: "group",
    part: "heading",
    height: HEADING_HEIGHT,
    items: drawHeading(createHeading(reply), width),
  };
  return { ...describeElevation(reply), width, height, items: [head, ...items] };
}

function createHeading({ rack, occupants, capacity }: GetRackResponse) {
  const { siteId = "", floorNumber = 0, room = "", row = "" } = rack?.location ?? {};
  const place = [siteId, `floor ${floorNumber}`, room === "" ? "" : `room ${room}`, row === "" ? "" : `row ${row}`];
  return {
    title: formatRackTitle(rack?.code ?? "", rack?.name ?? ""),
    subtitle: [...place, formatCountWithNoun(occupants.length, "device"), describePlannedCapacity(capacity)]
      .filter(Boolean)
      .join(" · "),
    state: findRackState(rack?.health ?? 0, rack?.healthReasons ?? []),
  };
}

function describePlannedCapacity(capacity: GetRackResponse["capacity"]): string {
  return formatPowerDraw(capacity?.devicesWithoutDraw ?? 0, capacity?.allocatedW ?? 0);
}

function describeElevation(reply: GetRackResponse): Pick<Scene, "title" | "description"> {
  const { rack, occupants, capacity, conflicts } = reply;
  const { totalU = 0, freeU = 0 } = capacity ?? {};
  return {
    title: formatRackTitle(rack?.code ?? "", rack?.name ?? ""),
    description:
      `Elevation of a rack of ${totalU} units with ${formatCountWithNoun(occupants.length, "device")}, ${freeU} units free, ` +
      `planned ${describePlannedCapacity(capacity)}, health ${STATE_LABELS[findRackState(rack?.health ?? 0, rack?.healthReasons ?? [])]}, ` +
      `${formatCountWithNoun(conflicts.length, "conflict")}.`,
  };
}

function createRackGraph({ rack }: GetRackResponse, occupants: readonly Occupant[]): Graph {
  const root = `rack:${rack?.code ?? ""}`;
  return {
    name: root,
    directed: true,
    rankdir: "LR",
    nodes: [
      { id: root, label: `Rack ${rack?.code ?? ""}`, shape: "box", fill: "accentSoft" },
      ...occupants.map((occupant) => ({
        id: `device:${occupant.deviceCode}`,
        label: `${joinCodeAndName(occupant.deviceCode, occupant.name)}\n${describePosition(occupant)}`,
        shape: "box" as const,
      })),
    ],
    edges: occupants.map(({ deviceCode }) => ({ from: root, to: `device:${deviceCode}` })),
  };
}

function describePosition({ positionU, uHeight, face, mount, parentDeviceCode, bay }: Occupant): string {
  if (positionU === undefined && parentDeviceCode !== "") {
    return bay === "" ? `In ${parentDeviceCode}` : `Bay ${bay} of ${parentDeviceCode}`;
  }
  if (positionU === undefined) return formatConstant(findEnumValue(MOUNTS, mount) ?? "UNRACKED");
  const side = findEnumValue(FACES, face);
  return `U${positionU}, ${uHeight} U${side === undefined ? "" : `, ${side.toLowerCase()}`}`;
}

function createRackElements({ rack, occupants, capacity }: GetRackResponse): readonly Element[] {
  const root = `rack:${rack?.code ?? ""}`;
  return [
    {
      ref: root,
      kind: "rack",
      title: joinCodeAndName(rack?.code ?? "", rack?.name ?? ""),
      facts: [
        ["Health", STATE_LABELS[findRackState(rack?.health ?? 0, rack?.healthReasons ?? [])]],
        ["Units free", `${capacity?.freeU ?? 0} of ${capacity?.totalU ?? 0}`],
        ["Planned draw", describePlannedCapacity(capacity)],
        ...(rack?.tenant ? [["Tenant", rack.tenant] as const] : []),
      ],
    },
    ...occupants.map(
      (occupant): Element => ({
        ref: `device:${occupant.deviceCode}`,
        kind: "device",
        title: joinCodeAndName(occupant.deviceCode, occupant.name),
        facts: [
          ["Kind", formatOccupantKind(occupant)],
          ["Role", occupant.role],
          ["Place", describePosition(occupant)],
          ["Status", formatInactiveStatus(occupant) || "Active"],
          [
            "Planned draw",
            occupant.drawSource === DrawSource.NOT_RECORDED ? "not recorded" : formatWatts(occupant.drawW),
          ],
        ],
        related: [root],
      }),
    ),
  ];
}

const NUMBERS_WIDTH = 34;
const LANE_WIDTH = 24;
const RAILS_WIDTH = 268;
const TITLE_HEIGHT = 22;

interface FaceInput {
  readonly reply: GetRackResponse;
  /** The devices to draw; may be fewer than are in the rack. */
  readonly occupants: readonly Occupant[];
  readonly frame: RackFrame;
  readonly style: OccupantStyle;
}

/** Draws one face of a rack with its unit numbers and side lanes. The origin is the upper left corner. */
function drawRackFace(face: Face, input: FaceInput): { readonly items: readonly Item[]; readonly width: number } {
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
