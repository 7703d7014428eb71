import { FACES, type Face, MOUNTS, type RenderView } from "#dc/model/enum_values.ts";
import { DrawSource, type GetRackResponse, type Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { Drawing, DrawOptions, DrawScreen, Element, Graph } from "../drawing.ts";
import { drawHeading, HEADING_HEIGHT, MARGIN } from "../parts/chrome.ts";
import {
  findEnumValue,
  findHealthState,
  formatPowerDraw,
  formatRackTitle,
  joinCodeAndName,
  STATE_LABELS,
} from "../parts/marks.ts";
import { createText, type Item, type Scene } from "../scene.ts";
import { drawCompactRack } from "./compact.ts";
import { drawRackFace } from "./face.ts";
import { formatInactiveStatus, formatOccupantKind, styleOccupants } from "./occupant_style.ts";
import { drawRackPanel, PANEL_WIDTH } from "./panel.ts";
import { buildRackFrame } from "./rack_frame.ts";

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
    state: findHealthState(rack?.health ?? 0),
  };
}

function describePlannedCapacity(capacity: GetRackResponse["capacity"]): string {
  return formatPowerDraw(capacity?.devices ?? 0, capacity?.allocatedW ?? 0);
}

function describeElevation(reply: GetRackResponse): Pick<Scene, "title" | "description"> {
  const { rack, occupants, capacity, conflicts } = reply;
  const { totalU = 0, freeU = 0 } = capacity ?? {};
  return {
    title: formatRackTitle(rack?.code ?? "", rack?.name ?? ""),
    description:
      `Elevation of a rack of ${totalU} units with ${formatCountWithNoun(occupants.length, "device")}, ${freeU} units free, ` +
      `planned ${describePlannedCapacity(capacity)}, health ${STATE_LABELS[findHealthState(rack?.health ?? 0)]}, ` +
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
        ["Health", STATE_LABELS[findHealthState(rack?.health ?? 0)]],
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
