import { judgeShare } from "#kernel/judge_share.ts";
import { appendUnit, formatPlainNumber, formatWatts, isSumUnknown } from "#words/figures.ts";
import { getReasonUnit, hasUnrecordedPower } from "#words/names.ts";
import { DEVICE_KINDS, type DeviceKind, HEALTHS } from "../../model/enum_values.ts";
import { type ColorToken, type Paint, type RoleToken, resolveColor, type State } from "../palette.ts";
import { createRect, createText, type Hatch, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";

/**
 * Draws a state as a sign with a distinct shape, recognisable without colour: ok is a disc with a tick, watch a
 * triangle with a bar, fault a square with a cross, info a ring with a dot, offline a disc with a stroke. Its outline
 * contrasts with its fill as much as text does, so that it is visible on any colour.
 *
 * @param size height and width in pixels; cx and cy are the centre
 */
export function drawMark(state: State, [cx, cy]: readonly [number, number], size: number): readonly Item[] {
  const edge = { stroke: `on:${state}`, strokeWidth: Math.max(0.8, size / 14) } as const;
  const r = (size - edge.strokeWidth) / 2;
  const ink = { stroke: `on:${state}`, strokeWidth: size / 7 } as const;
  switch (state) {
    case "ok":
      return [
        { kind: "circle", cx, cy, r, fill: state, ...edge },
        { kind: "path", points: offsetPoints(cx, cy, r, [-0.5, 0.02], [-0.12, 0.4], [0.5, -0.36]), ...ink },
      ];
    case "watch":
      return [
        {
          kind: "path",
          points: offsetPoints(cx, cy, r, [0, -1], [1.1, 0.9], [-1.1, 0.9]),
          closed: true,
          fill: state,
          ...edge,
        },
        { kind: "line", x1: cx, y1: cy - 0.4 * r, x2: cx, y2: cy + 0.3 * r, ...ink },
        { kind: "circle", cx, cy: cy + 0.62 * r, r: size / 13, fill: `on:${state}` },
      ];
    case "fault":
      return [
        createRect([cx - r, cy - r], [2 * r, 2 * r], { radius: size / 8, fill: state, ...edge }),
        { kind: "line", x1: cx - 0.5 * r, y1: cy - 0.5 * r, x2: cx + 0.5 * r, y2: cy + 0.5 * r, ...ink },
        { kind: "line", x1: cx - 0.5 * r, y1: cy + 0.5 * r, x2: cx + 0.5 * r, y2: cy - 0.5 * r, ...ink },
      ];
    case "info":
      return [
        { kind: "circle", cx, cy, r: r - 1, fill: "panel", stroke: `${state}Text`, strokeWidth: 2 },
        { kind: "circle", cx, cy, r: r / 3, fill: `${state}Text` },
      ];
    default:
      return [
        { kind: "circle", cx, cy, r, fill: state, ...edge },
        { kind: "line", x1: cx - 0.55 * r, y1: cy, x2: cx + 0.55 * r, y2: cy, ...ink },
      ];
  }
}

function offsetPoints(cx: number, cy: number, r: number, ...points: readonly (readonly [number, number])[]) {
  return points.map(([x, y]) => [cx + x * r, cy + y * r] as const);
}

const HEALTH_STATES = { OK: "ok", WATCH: "watch", FAULT: "fault" } as const;

/** Returns the state of a Health number; `info` for UNSPECIFIED and unknown numbers. */
export function findHealthState(health: number): State {
  const word = findEnumValue(HEALTHS, health);
  return word === undefined ? "info" : HEALTH_STATES[word];
}

/** Returns the state of a rack; `info` if it is OK and the power of a device is not recorded. */
export function findRackState(health: number, reasons: readonly { readonly code: string }[]): State {
  const state = findHealthState(health);
  return state === "ok" && hasUnrecordedPower(reasons) ? "info" : state;
}

/** Returns the state of a share in percent, with the thresholds of the console's pages; `info` if it is undefined. */
export function findShareState(pct: number | undefined): State {
  const state = judgeShare(pct);
  return state === "unknown" ? "info" : state;
}

export const STATE_LABELS: Readonly<Record<State, string>> = {
  ok: "OK",
  watch: "Watch",
  fault: "Fault",
  info: "Unknown",
  offline: "Offline",
};

/** Returns the enum value of a proto number, which counts from 1; undefined for 0 and unknown numbers. */
export function findEnumValue<Word extends string>(words: readonly Word[], number: number): Word | undefined {
  return words[number - 1];
}

/** Formats the value or the limit of a health reason, with the unit of its code. */
export function formatReasonValue(code: string, value: number): string {
  return appendUnit(formatPlainNumber(value), getReasonUnit(code));
}

export function formatPowerDraw(devicesWithoutDraw: number, sumW: number): string {
  return isSumUnknown(sumW, devicesWithoutDraw) ? "draw not recorded" : formatWatts(sumW);
}

/** Joins code and name on one line; omits a name that equals the code. */
export function joinCodeAndName(code: string, name: string): string {
  return name === "" || name === code ? code : `${code} · ${name}`;
}

/** Returns the heading of a rack: code and name, or the name alone if it contains the code. */
export function formatRackTitle(code: string, name: string): string {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);
  return words.includes(code.toLowerCase()) ? name : `Rack ${joinCodeAndName(code, name)}`;
}

/** One part of a bar, in percent of the whole. */
interface MeterPart {
  readonly pct: number;
  readonly fill: Paint;
  readonly hatch?: { readonly pattern: Hatch; readonly paint: Paint };
}

export interface Meter {
  readonly label: string;
  readonly value: string;
  /** Parts in order. The bar ends at 100 %; it does not show more. */
  readonly parts: readonly MeterPart[];
  /** Positions of ticks, in percent. */
  readonly ticks?: readonly number[];
  readonly state?: State;
  /** Text below the bar about what the value excludes. */
  readonly note?: string;
}

const METER_HEIGHT = 42;
const NOTE_HEIGHT = 14;
const BAR_HEIGHT = 12;

/** Returns the height of a meter in pixels, including the gap below it. */
export function computeMeterHeight({ note }: Meter): number {
  return METER_HEIGHT + (note === undefined ? 0 : NOTE_HEIGHT);
}

/** Draws a labelled bar with its value and its state as a mark. */
export function drawMeter(
  { label, value, parts, ticks = [], state, note }: Meter,
  { x, y, width }: PixelRow,
): readonly Item[] {
  const valueRoom = Math.min(measureText(value, { size: 11, weight: "bold" }), width * 0.68);
  const markRoom = state === undefined ? 0 : 18;
  const bar = { x, y: y + 18, width, height: BAR_HEIGHT };
  let used = 0;
  const filled = parts.flatMap(({ pct, fill, hatch }): Item[] => {
    const from = Math.min(100, used);
    used += Math.max(0, pct);
    const share = Math.min(100, used) - from;
    if (share <= 0) return [];
    const place = { x: x + (from / 100) * width, y: bar.y, width: (share / 100) * width, height: BAR_HEIGHT };
    return [{ kind: "rect", ...place, fill, stroke: "line", ...(hatch !== undefined && { hatch }) }];
  });
  return [
    createText([x, y + 11], label, { size: 11, fill: "muted", maxWidth: width - valueRoom - markRoom - 8 }),
    createText([x + width - markRoom, y + 11], value, {
      size: 11,
      weight: "bold",
      anchor: "end",
      fill: "ink",
      maxWidth: width * 0.68,
    }),
    ...(state === undefined ? [] : drawMark(state, [x + width - 6, y + 7], 12)),
    { kind: "rect", ...bar, fill: "sunken" },
    ...filled,
    { kind: "rect", ...bar, stroke: "line" },
    ...(note === undefined
      ? []
      : [createText([x, bar.y + BAR_HEIGHT + 12], note, { size: 10, fill: "muted", maxWidth: width })]),
    ...ticks.map((pct): Item => {
      const at = x + (pct / 100) * width;
      return {
        kind: "line",
        x1: at,
        y1: bar.y - 3,
        x2: at,
        y2: bar.y + BAR_HEIGHT + 3,
        stroke: "ink",
        strokeWidth: 1.5,
      };
    }),
  ];
}

/** Fills by device kind, for devices whose role has no fill. */
const FILL_BY_KIND: Readonly<Partial<Record<DeviceKind, RoleToken>>> = {
  SERVER: "role1",
  BLADE: "role1",
  CHASSIS: "role1",
  STORAGE: "role2",
  SWITCH: "role3",
  ROUTER: "role3",
  FIREWALL: "role4",
  LOAD_BALANCER: "role4",
  PATCH_PANEL: "role8",
  CONSOLE_SERVER: "role7",
  KVM: "role7",
  SENSOR: "role7",
  CDU: "role7",
  UTILITY: "role6",
  GENERATOR: "role6",
  SWITCHGEAR: "role8",
  TRANSFER_SWITCH: "role8",
  UPS: "role4",
  FLOOR_PDU: "role2",
  RPP: "role2",
  BUSWAY: "role2",
};

/** Fills of roles that differ from the fill of their device kind. */
const FILL_BY_ROLE: Readonly<Record<string, RoleToken>> = {
  gpu: "role5",
  storage: "role2",
  leaf: "role3",
  "border-leaf": "role4",
  spine: "role6",
  "super-spine": "role6",
  "mgmt-switch": "role7",
};

interface RoleAndKind {
  readonly role: string;
  /** Number of the DeviceKind. */
  readonly kind: number;
}

/** Returns the fill of a device's role or, if the role has no fill, of its kind. */
export function findRoleFill({ role, kind }: RoleAndKind): RoleToken {
  const word = findEnumValue(DEVICE_KINDS, kind);
  const special = Object.hasOwn(FILL_BY_ROLE, role) ? FILL_BY_ROLE[role] : undefined;
  return special ?? (word === undefined ? "roleOther" : (FILL_BY_KIND[word] ?? "roleOther"));
}

/** Returns the fill of a device's or a cooling unit's status. */
export function findStatusFill(status: string): ColorToken {
  if (status === "ACTIVE") return "okSoft";
  return status === "FAILED" || status === "OFFLINE" ? "faultSoft" : "infoSoft";
}

/** Returns the fill as RRGGBB in the light theme, for replies. */
export function findRoleColor(device: RoleAndKind): string {
  return resolveColor("LIGHT", findRoleFill(device)).slice(1).toUpperCase();
}
