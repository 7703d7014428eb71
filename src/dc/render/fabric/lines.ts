import type { Coloring } from "#dc/model/enum_values.ts";
import { formatPercent } from "#words/figures.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { Paint, ScaleToken } from "../palette.ts";
import { AreaFinder } from "../places.ts";
import type { Item, PixelRow } from "../scene.ts";
import { createBundleStroke, type DrawnBundle, type DrawnFabric, type DrawnUnit } from "./bundles.ts";

export interface LinkLinesInput {
  readonly slots: ReadonlyMap<number, PixelRow>;
  /** Numbers of the lowest tier's units from left to right. */
  readonly columns: readonly number[];
  readonly coloring: Coloring;
  /** Height in pixels of the boxes of the upper tiers. */
  readonly boxHeight: number;
}

/** Minimum number of adjacent columns of one row of racks whose links are drawn as one line. */
const MIN_RUN_COLUMNS = 4;
/** Height in pixels of the bracket above a run. */
const BRACKET_HEIGHT = 8;
const MAX_LINE_WIDTH = 9;

/** Adjacent columns whose racks are in one row. */
interface ColumnRun {
  readonly name: string;
  readonly columns: readonly number[];
}

/**
 * Draws the links between two tiers. The links from an upper switch to a row of racks are one line if they have no
 * problem. Its width shows their number. All other links are drawn one by one above these lines.
 */
export function drawLinkLines(parts: DrawnFabric, input: LinkLinesInput): readonly Item[] {
  const runs = findRuns(parts.units, input.columns);
  const runByColumn = new Map(runs.flatMap((run) => run.columns.map((column) => [column, run] as const)));
  const singleBundles: DrawnBundle[] = [];
  const bundlesByRun = new Map<
    string,
    { readonly upper: number; readonly run: ColumnRun; readonly parts: DrawnBundle[] }
  >();
  for (const part of parts.bundles) {
    const run = runByColumn.get(part.lower);
    if (run === undefined || !hasNoProblem(part, input.coloring)) {
      singleBundles.push(part);
      continue;
    }
    const key = `${part.upper} ${run.name} ${run.columns[0]}`;
    const known = bundlesByRun.get(key);
    if (known === undefined) bundlesByRun.set(key, { upper: part.upper, run, parts: [part] });
    else known.parts.push(part);
  }
  return [
    ...[...bundlesByRun.values()].flatMap(({ upper, run, parts: quiet }) =>
      drawRunLine(parts.units[upper], run, { quiet, from: input.slots.get(upper), input }),
    ),
    ...runs.flatMap((run) => drawBracket(run, input)),
    ...sortBySeverity(singleBundles).flatMap((part) => drawSingleLine(part, input)),
  ];
}

function hasNoProblem({ state }: DrawnBundle, coloring: Coloring): boolean {
  if (state.upCount === 0 || state.downCount > 0 || state.missingCount > 0 || state.isCongested) return false;
  return coloring === "UTILIZATION" ? (state.utilizationPct ?? 0) < 80 : !state.isWatched;
}

function findRuns(units: DrawnFabric["units"], columns: readonly number[]): readonly ColumnRun[] {
  const places = new AreaFinder(() => undefined);
  const runs: { name: string; columns: number[] }[] = [];
  for (const column of columns) {
    const unit = units[column];
    const [first] = unit?.switches ?? [];
    const name = unit === undefined || unit.isGroup || first === undefined ? "" : places.findAreas(first.device).row;
    const last = runs.at(-1);
    if (last !== undefined && last.name === name) last.columns.push(column);
    else runs.push({ name, columns: [column] });
  }
  return runs.filter(({ name, columns: own }) => name !== "" && own.length >= MIN_RUN_COLUMNS);
}

function computeRunSpan(
  { columns }: ColumnRun,
  { slots }: LinkLinesInput,
): { left: number; right: number; y: number } | undefined {
  const [first, last] = [slots.get(columns[0] ?? -1), slots.get(columns.at(-1) ?? -1)];
  if (first === undefined || last === undefined) return undefined;
  return { left: first.x + 2, right: last.x + last.width - 2, y: first.y - BRACKET_HEIGHT };
}

function drawBracket(run: ColumnRun, input: LinkLinesInput): readonly Item[] {
  const span = computeRunSpan(run, input);
  if (span === undefined) return [];
  const { left, right, y } = span;
  const points = [
    [left, y + BRACKET_HEIGHT - 2],
    [left, y],
    [right, y],
    [right, y + BRACKET_HEIGHT - 2],
  ] as const;
  return [{ kind: "path", points, stroke: "muted", strokeWidth: 1.5 }];
}

interface RunLineInput {
  readonly quiet: readonly DrawnBundle[];
  readonly from: PixelRow | undefined;
  readonly input: LinkLinesInput;
}

function drawRunLine(
  upper: DrawnUnit | undefined,
  run: ColumnRun,
  { quiet, from, input }: RunLineInput,
): readonly Item[] {
  const span = computeRunSpan(run, input);
  if (upper === undefined || from === undefined || span === undefined) return [];
  const [x1, y1] = [from.x + from.width / 2, from.y + input.boxHeight];
  const [x2, y2] = [(span.left + span.right) / 2, span.y];
  const links = quiet.reduce((sum, { state }) => sum + state.upCount, 0);
  const busiest = quiet.reduce((most, { state }) => Math.max(most, state.utilizationPct ?? 0), 0);
  const place = run.name.slice(Math.max(run.name.lastIndexOf("/"), run.name.lastIndexOf(":")) + 1);
  return [
    {
      kind: "group",
      tip: `${upper.tally.title} to row ${place}\n${formatCountWithNoun(links, "link")}, the busiest at ${formatPercent(busiest)}`,
      items: [
        {
          ...computeLinkCurve(x1, y1, x2, y2),
          stroke: "muted",
          strokeWidth: Math.min(MAX_LINE_WIDTH, 1 + links * 0.4),
          opacity: 0.45,
        },
      ],
    },
  ];
}

/** Sorts by ascending severity, so that severe links are drawn last, above other links. */
function sortBySeverity(parts: readonly DrawnBundle[]): readonly DrawnBundle[] {
  const rankSeverity = ({ state }: DrawnBundle) =>
    state.upCount === 0 ? 3 : state.isCongested ? 2 : state.isWatched ? 1 : 0;
  return parts.toSorted((a, b) => rankSeverity(a) - rankSeverity(b));
}

function drawSingleLine(part: DrawnBundle, { slots, coloring, boxHeight }: LinkLinesInput): readonly Item[] {
  const [upper, lower] = [slots.get(part.upper), slots.get(part.lower)];
  if (upper === undefined || lower === undefined) return [];
  const line = {
    kind: "line",
    x1: upper.x + upper.width / 2,
    y1: upper.y + boxHeight,
    x2: lower.x + lower.width / 2,
    y2: lower.y,
  } as const;
  const { stroke = "line", strokeWidth = 1, dash } = createBundleStroke(part.state, coloring);
  // A light colour of the scale requires an outline against the background.
  const outline: readonly Item[] = isScaleToken(stroke)
    ? [{ ...line, stroke: `on:${stroke}`, strokeWidth: strokeWidth + 2 }]
    : [];
  const drawn = { ...line, stroke, strokeWidth, ...(dash !== undefined && { dash }) };
  return [{ kind: "group", ref: part.ref, tip: part.tip, items: [...outline, drawn] }];
}

/** Whether a paint is a step of the colour scale. */
export function isScaleToken(paint: Paint): paint is ScaleToken {
  return paint.startsWith("scale");
}

type Curve = Pick<Extract<Item, { kind: "path" }>, "kind" | "points" | "curve">;

/** Returns the curve of a link from a box of an upper tier to one of a lower tier: it starts and ends vertically. */
export function computeLinkCurve(x1: number, y1: number, x2: number, y2: number): Curve {
  const bend = (y2 - y1) / 2;
  return {
    kind: "path",
    points: [
      [x1, y1],
      [x1, y1 + bend],
      [x2, y2 - bend],
      [x2, y2],
    ],
    curve: "cubic",
  };
}
