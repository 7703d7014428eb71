import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant } from "#words/names.ts";
import {
  type Coloring,
  DEPTHS,
  DEVICE_KINDS,
  DEVICE_STATUSES,
  type DeviceStatus,
  FACES,
  type Face,
  MOUNTS,
  SLOT_WIDTHS,
} from "../../model/enum_values.ts";
import { type LegendEntry, SHARE_STEPS } from "../frame.ts";
import { type ColorToken, findScaleToken, type State } from "../palette.ts";
import {
  drawMark,
  findEnumValue,
  findHealthState,
  findRoleFill,
  joinCodeAndName,
  STATE_LABELS,
} from "../parts/marks.ts";
import { createText, type Group, type Item, type PixelArea, type Text } from "../scene.ts";
import { measureText } from "../text_width.ts";

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

/** Minimum height in pixels of a chassis with its name above its blades. A lower chassis has its name beside them. */
const MIN_HEADED_HEIGHT = 44;
const HEAD_HEIGHT = 18;
/** Share of a low chassis's width for its name. */
const NAME_SHARE = 0.4;
/** Minimum width of a blade in pixels; blades that would be narrower are drawn in more rows. */
const MIN_BLADE_WIDTH = 15;
const MIN_BLADE_HEIGHT = 7;

const bayOrder = new Intl.Collator("en", { numeric: true });

/** Returns the blades of each racked chassis in bay order, by the chassis's code in lower case. */
export function groupBlades(
  occupants: readonly Occupant[],
  frame: RackFrame,
): ReadonlyMap<string, readonly Occupant[]> {
  const chassis = new Set(
    occupants
      .filter((occupant) => findUnitRange(occupant, frame) !== undefined)
      .map(({ deviceCode }) => deviceCode.toLowerCase()),
  );
  const blades = Map.groupBy(
    occupants.filter(
      (occupant) =>
        findUnitRange(occupant, frame) === undefined && chassis.has(occupant.parentDeviceCode.toLowerCase()),
    ),
    ({ parentDeviceCode }) => parentDeviceCode.toLowerCase(),
  );
  for (const known of blades.values()) {
    known.sort((a, b) => bayOrder.compare(a.bay, b.bay) || bayOrder.compare(a.deviceCode, b.deviceCode));
  }
  return blades;
}

/** Divides the box of a chassis into an area for its labels and an area for its blades. */
export function splitChassisBox(place: PixelArea): { readonly words: PixelArea; readonly bays: PixelArea } {
  const { x, y, width, height } = place;
  if (height >= MIN_HEADED_HEIGHT) {
    return {
      words: { ...place, height: HEAD_HEIGHT },
      bays: { x: x + 3, y: y + HEAD_HEIGHT, width: width - 6, height: height - HEAD_HEIGHT - 3 },
    };
  }
  const left = width * NAME_SHARE;
  return {
    words: { ...place, width: left },
    bays: { x: x + left, y: y + 2, width: width - left - 2, height: height - 4 },
  };
}

/** Draws blades side by side in the given order, in several rows if they would be too narrow. */
export function drawBlades(blades: readonly Occupant[], bays: PixelArea, style: OccupantStyle): readonly Group[] {
  const maxPerRow = Math.max(1, Math.floor(bays.width / MIN_BLADE_WIDTH));
  const rows = Math.min(Math.ceil(blades.length / maxPerRow), Math.max(1, Math.floor(bays.height / MIN_BLADE_HEIGHT)));
  const perRow = Math.ceil(blades.length / rows);
  const [width, height] = [bays.width / perRow, bays.height / rows];
  // In boxes that are higher than wide, names run upwards.
  const drawBlade = height > width ? drawLaneOccupant : drawOccupant;
  return blades.map((blade, index) => {
    const place = {
      x: bays.x + (index % perRow) * width + 0.75,
      y: bays.y + Math.floor(index / perRow) * height + 0.75,
      width: Math.max(2, width - 1.5),
      height: Math.max(2, height - 1.5),
    };
    return drawBlade(blade, place, style);
  });
}

export interface OccupantStyle {
  findFill(occupant: Occupant): ColorToken;
  /** Returns the state that a mark beside the device shows; undefined for no mark. */
  findState(occupant: Occupant): State | undefined;
  readonly legend: readonly LegendEntry[];
}

const STATUS_STATES: Readonly<Record<DeviceStatus, State | undefined>> = {
  ACTIVE: undefined,
  PLANNED: "info",
  STAGED: "info",
  OFFLINE: "offline",
  FAILED: "fault",
  DECOMMISSIONING: "watch",
  INVENTORY: "info",
};

/** Returns the style of a rack's devices for one colouring. */
export function styleOccupants(reply: GetRackResponse, coloring: Coloring): OccupantStyle {
  const health = findDeviceHealth(reply);
  const state = (occupant: Occupant) => health.get(occupant.deviceCode.toLowerCase()) ?? findStatusState(occupant);
  switch (coloring) {
    case "STATUS":
      return {
        findFill: (occupant) => findSoftColor(findStatusState(occupant) ?? "ok"),
        findState: state,
        legend: createStatusLegend(reply.occupants),
      };
    case "HEALTH":
      return {
        findFill: (occupant) => findSoftColor(state(occupant) ?? "ok"),
        findState: (occupant) => state(occupant) ?? "ok",
        legend: (["ok", "watch", "fault", "offline"] as const).map((one) => ({ label: STATE_LABELS[one], state: one })),
      };
    case "POWER":
      return createPowerStyle(reply, state);
    case "ROLE":
      return { findFill: findRoleFill, findState: state, legend: createRoleLegend(reply.occupants) };
    default:
      return { findFill: () => "sunken", findState: state, legend: [] };
  }
}

function findSoftColor(state: State): ColorToken {
  return `${state}Soft`;
}

function findStatusState({ status }: Occupant): State | undefined {
  return STATUS_STATES[findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE"];
}

/** Returns the worst health of each device from the rack's reasons and conflicts. */
function findDeviceHealth({ rack, conflicts }: GetRackResponse): ReadonlyMap<string, State> {
  const worst = new Map<string, State>();
  for (const { ref, health } of rack?.healthReasons ?? []) {
    const state = findHealthState(health);
    const code = ref.replace(/^device:/i, "").toLowerCase();
    if (!/^device:/i.test(ref) || state === "info" || worst.get(code) === "fault") continue;
    worst.set(code, state);
  }
  for (const { deviceCode } of conflicts) worst.set(deviceCode.toLowerCase(), "fault");
  return worst;
}

/** Returns the style that colours devices by draw per unit of height, relative to the rack's capacity per unit. */
function createPowerStyle({ capacity }: GetRackResponse, state: OccupantStyle["findState"]): OccupantStyle {
  const { powerCapacityW = 0, totalU = 0 } = capacity ?? {};
  if (powerCapacityW === 0 || totalU === 0) {
    return { findFill: () => "panel", findState: state, legend: [{ label: "No power limit recorded", fill: "panel" }] };
  }
  const mostPerU = powerCapacityW / totalU;
  const computeSharePct = ({ drawW, uHeight }: Occupant) => (drawW / Math.max(1, uHeight) / mostPerU) * 100;
  return {
    findFill: (occupant) => findScaleToken(computeSharePct(occupant)),
    findState: state,
    legend: SHARE_STEPS.map(([pct, label]) => ({
      label: `${label} of ${formatWatts(mostPerU)} per U`,
      fill: findScaleToken(pct),
    })),
  };
}

function createStatusLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const present = new Set(occupants.map(({ status }) => findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE"));
  return DEVICE_STATUSES.filter((status) => present.has(status)).map((status) => ({
    label: formatConstant(status),
    fill: findSoftColor(STATUS_STATES[status] ?? "ok"),
  }));
}

/** Returns one entry for each fill, labelled with the roles or kinds that share it. */
function createRoleLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const words = new Map<ColorToken, Set<string>>();
  for (const occupant of occupants) {
    const known = words.getOrInsertComputed(findRoleFill(occupant), () => new Set());
    known.add(occupant.role === "" ? formatOccupantKind(occupant) : occupant.role);
  }
  return [...words].map(([fill, labels]) => ({ fill, label: [...labels].toSorted().join(", ") }));
}

export function formatOccupantKind({ kind }: Occupant): string {
  return formatConstant(findEnumValue(DEVICE_KINDS, kind) ?? "OTHER");
}

/** Returns the word of a status other than ACTIVE; empty for ACTIVE. */
export function formatInactiveStatus({ status }: Occupant): string {
  const word = findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE";
  return word === "ACTIVE" ? "" : formatConstant(word);
}

/** Coordinates of units in the picture of a rack: y grows downwards from the frame's top. */
export interface RackFrame {
  /** Unit numbers from the top down. */
  readonly units: readonly number[];
  readonly height: number;
  /** Number of the lowest unit, and the number after the highest. */
  readonly first: number;
  readonly end: number;
  /** Returns top and bottom of a range of units, clipped to the frame. */
  computeUnitSpan(from: number, to: number): { readonly top: number; readonly bottom: number };
}

export function buildRackFrame({ rack, units: rows, capacity }: GetRackResponse, unitHeight: number): RackFrame {
  const units = rows.map(({ u }) => u);
  const total = capacity?.totalU ?? units.length;
  const first = units.length === 0 ? 1 : Math.min(...units);
  const height = total * unitHeight;
  const isDescending = rack?.descUnits === true;
  const clampToFrame = (y: number) => Math.min(height, Math.max(0, y));
  return {
    units,
    height,
    first,
    end: first + total,
    computeUnitSpan: (from, to) =>
      isDescending
        ? { top: clampToFrame((from - first) * unitHeight), bottom: clampToFrame((to - first) * unitHeight) }
        : {
            top: clampToFrame((first + total - to) * unitHeight),
            bottom: clampToFrame((first + total - from) * unitHeight),
          },
  };
}

/** A device on one face: its range of units, and its share of the width from 0 to 1. */
interface PlacedOccupant {
  readonly occupant: Occupant;
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
  /** False if the device is mounted on the other face and only its back is visible. */
  readonly isMounted: boolean;
}

/** Returns the devices that are visible on a face. The rear is drawn from behind, so left and right are swapped. */
export function placeFaceOccupants(
  face: Face,
  occupants: readonly Occupant[],
  frame: RackFrame,
): readonly PlacedOccupant[] {
  const shown = occupants.flatMap((occupant): PlacedOccupant[] => {
    const stretch = findUnitRange(occupant, frame);
    if (stretch === undefined) return [];
    const mounted = (findEnumValue(FACES, occupant.face) ?? "FRONT") === face;
    if (!mounted && findEnumValue(DEPTHS, occupant.depth) === "HALF") return [];
    return [{ occupant, ...stretch, isMounted: mounted, ...findSlotSpan(occupant, face) }];
  });
  return separateOverlaps(shown);
}

/** Returns the units of the frame that a device occupies; undefined if it has no position in the frame. */
function findUnitRange({ positionU, uHeight }: Occupant, { first, end }: RackFrame) {
  if (positionU === undefined || uHeight <= 0) return undefined;
  const [from, to] = [Math.max(first, positionU), Math.min(end, positionU + uHeight)];
  return from < to ? { from, to } : undefined;
}

function findSlotSpan({ slot }: Occupant, face: Face): { readonly left: number; readonly right: number } {
  const word = findEnumValue(SLOT_WIDTHS, slot) ?? "FULL";
  if (word === "FULL") return { left: 0, right: 1 };
  return (word === "LEFT") === (face === "FRONT") ? { left: 0, right: 0.5 } : { left: 0.5, right: 1 };
}

/** Devices with overlapping units, which are drawn in columns within one width. */
interface OverlapCluster extends HorizontalSpan {
  readonly members: readonly PlacedOccupant[];
}

type HorizontalSpan = Pick<PlacedOccupant, "left" | "right">;

/** Arranges devices that claim the same units side by side in columns of equal width, so that each is readable. */
function separateOverlaps(shown: readonly PlacedOccupant[]): readonly PlacedOccupant[] {
  let clusters: readonly OverlapCluster[] = [];
  for (const one of shown) {
    let cluster: OverlapCluster = { left: one.left, right: one.right, members: [one] };
    for (;;) {
      // A column can be anywhere within the cluster's width, so another device within that width joins the cluster.
      const other = clusters.find(
        (each) =>
          each.left < cluster.right &&
          cluster.left < each.right &&
          each.members.some((a) => cluster.members.some((b) => doUnitsOverlap(a, b))),
      );
      if (other === undefined) break;
      clusters = clusters.filter((each) => each !== other);
      const [left, right] = [Math.min(cluster.left, other.left), Math.max(cluster.right, other.right)];
      cluster = { left, right, members: [...other.members, ...cluster.members] };
    }
    clusters = [...clusters, cluster];
  }
  const moved = new Map(clusters.flatMap(assignColumns));
  return shown.map((one) => moved.get(one) ?? one);
}

function doUnitsOverlap(a: PlacedOccupant, b: PlacedOccupant): boolean {
  return a.from < b.to && b.from < a.to;
}

/** Puts each device of a cluster into the first column in which its units are free. */
function assignColumns(cluster: OverlapCluster): readonly (readonly [PlacedOccupant, PlacedOccupant])[] {
  const { members, left: west, right } = cluster;
  const columns: PlacedOccupant[][] = [];
  const at = members.map((one) => {
    const free = columns.findIndex((column) => !column.some((other) => doUnitsOverlap(other, one)));
    const index = free < 0 ? columns.length : free;
    columns[index] = [...(columns[index] ?? []), one];
    return index;
  });
  if (columns.length === 1) return members.map((one) => [one, one]);
  const share = (right - west) / columns.length;
  return members.map((one, index) => {
    const column = at[index] ?? 0;
    return [one, { ...one, left: west + column * share, right: west + (column + 1) * share }];
  });
}

/** Returns the devices in the lane beside a face's rails. A device that names a face is only in that face's lane. */
export function listOccupantsInLane(
  face: Face,
  side: "left" | "right",
  occupants: readonly Occupant[],
): readonly Occupant[] {
  const mount = (side === "left") === (face === "FRONT") ? "ZERO_U_LEFT" : "ZERO_U_RIGHT";
  return occupants.filter(
    (occupant) =>
      findEnumValue(MOUNTS, occupant.mount) === mount && (findEnumValue(FACES, occupant.face) ?? face) === face,
  );
}

/** Returns devices that no face and no lane shows: on shelves, in bays, unracked, beyond the rack's units. */
export function listOccupantsWithoutUnit(occupants: readonly Occupant[], frame: RackFrame): readonly Occupant[] {
  return occupants.filter((occupant) => {
    const word = findEnumValue(MOUNTS, occupant.mount);
    return findUnitRange(occupant, frame) === undefined && word !== "ZERO_U_LEFT" && word !== "ZERO_U_RIGHT";
  });
}
