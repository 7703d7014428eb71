import type { Paint } from "../palette.ts";
import { createRect, createText, type Hatch, type Item, type Stroke } from "../scene.ts";
import type { ImpactState } from "./failure.ts";

/** Style of an impact, which its letter distinguishes without colour. */
export interface ImpactStyle {
  readonly label: string;
  readonly letter: string;
  readonly shape: "square" | "circle" | "diamond";
  readonly strongFill: Paint;
  readonly softFill: Paint;
  readonly text: Paint;
  readonly line: Stroke;
  readonly hatch?: Hatch;
}

/** State of a drawn node: a rack or a group may be partly dark. */
export type DrawnState = ImpactState | "PARTIAL";

export const IMPACT_STYLES: Readonly<Record<DrawnState, ImpactStyle>> = {
  FAILED: createImpactStyle("failed", "F", "diamond", "accent", { line: { strokeWidth: 3 } }),
  OFFLINE: createImpactStyle("offline", "X", "square", "fault", {
    line: { strokeWidth: 1.5, dash: "dashed" },
    hatch: "diagonal",
  }),
  PARTIAL: createImpactStyle("partly offline", "P", "square", "fault", { line: { strokeWidth: 1.5 } }),
  ON_BATTERY: createImpactStyle("on battery", "B", "circle", "info", { line: { strokeWidth: 1.5, dash: "dotted" } }),
  DEGRADED: createImpactStyle("protected, less supply", "D", "circle", "watch", { line: {} }),
  LIVE: createImpactStyle("live", "L", "circle", "ok", { line: {} }),
  OFF: createImpactStyle("off before", "O", "square", "offline", { line: { dash: "dotted" } }),
};

function createImpactStyle(
  word: string,
  letter: string,
  shape: ImpactStyle["shape"],
  state: "accent" | "fault" | "info" | "watch" | "ok" | "offline",
  { line, hatch }: { readonly line: Stroke; readonly hatch?: Hatch },
): ImpactStyle {
  const soft: Paint = `${state}Soft`;
  return {
    label: word,
    letter,
    shape,
    strongFill: state,
    softFill: soft,
    text: `${state}Text`,
    // Text colours stay dark in print, where fills are light.
    line: { stroke: `${state}Text`, ...line },
    ...(hatch !== undefined && { hatch }),
  };
}

/** Draws the mark of an impact, 14 by 14 pixels from its upper left corner. */
export function drawBadge(shown: DrawnState, x: number, y: number): Item {
  const { letter, shape, strongFill } = IMPACT_STYLES[shown];
  const ink: Paint = `on:${strongFill as "accent"}`;
  const edge = { stroke: ink, strokeWidth: 0.8 } as const;
  const outline: Item =
    shape === "circle"
      ? { kind: "circle", cx: x + 7, cy: y + 7, r: 7, fill: strongFill, ...edge }
      : shape === "square"
        ? createRect([x, y], [14, 14], { radius: 2, fill: strongFill, ...edge })
        : {
            kind: "path",
            points: [
              [x + 7, y - 2],
              [x + 16, y + 7],
              [x + 7, y + 16],
              [x - 2, y + 7],
            ],
            closed: true,
            fill: strongFill,
            ...edge,
          };
  return {
    kind: "group",
    items: [outline, createText([x + 7, y + 10.6], letter, { size: 10, weight: "bold", anchor: "middle", fill: ink })],
  };
}
