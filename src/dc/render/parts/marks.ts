import { isDrawUnknown } from "#dc/model/draw.ts";
import { HEALTHS } from "#dc/model/enum_values.ts";
import { judgeShare } from "#kernel/judge_share.ts";
import { appendUnit, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { getReasonUnit } from "#words/names.ts";
import type { State } from "../palette.ts";
import { createRect, type Item } from "../scene.ts";

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

export function formatPowerDraw(devices: number, sumW: number): string {
  return isDrawUnknown(devices, sumW) ? "draw not recorded" : formatWatts(sumW);
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
