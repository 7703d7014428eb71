import { formatCountWithNoun } from "#words/names.ts";
import type { Rectangle } from "../../model/rack_space.ts";
import type { State } from "../palette.ts";
import { drawMark, STATE_LABELS } from "../parts/marks.ts";
import { computeEnclosingRectangle, createText, type Item, type PixelArea } from "../scene.ts";
import { measureText } from "../text_width.ts";
import type { FloorTile } from "./tiles.ts";

/** Minimum font size in pixels; longer text is truncated instead. */
const MIN_FONT_SIZE = 7;
const MAX_SIGN_SIZE = 14;
/** Maximum number of lines of a code. */
const MAX_CODE_LINES = 3;

/** Draws sign, code and figure one below the other. Text that does not fit is available in the tooltip. */
export function drawTileText(tile: FloorTile, box: PixelArea): readonly Item[] {
  const { x, y, width, height } = box;
  const signSize = Math.min(MAX_SIGN_SIZE, width - 8, height - 8);
  const sign = tile.state === undefined || signSize < 5 ? undefined : tile.state;
  const middle = [x + width / 2, y + height / 2] as const;
  // A tile that is too small for text still shows its sign.
  if (width < 20 || height < 14) return sign === undefined ? [] : drawMark(sign, middle, signSize);
  const size = Math.min(11, height / 3, findFittingFontSize(tile.code, width - 8, findFontWeight(tile)));
  const upright = size < MIN_FONT_SIZE ? drawUprightCode(tile, box, sign === undefined ? 0 : signSize) : undefined;
  if (upright !== undefined) return upright;
  const signLine: readonly StackLine[] =
    sign === undefined ? [] : [{ height: signSize + 5, draw: ([cx], at) => drawMark(sign, [cx, at], signSize) }];
  const broken = size < MIN_FONT_SIZE ? breakCode(tile, width - 6) : [tile.code];
  const codes = createCodeLines(tile, { codes: broken, width, size: Math.max(MIN_FONT_SIZE, size) });
  return drawStack(
    middle,
    fitLines({ sign: signLine, codes, figure: createFigureLines(tile, { width, size }) }, height - 4),
  );
}

/** One line of a stack, with a function that draws it around its middle. */
interface StackLine {
  readonly height: number;
  readonly draw: (middle: readonly [number, number], at: number) => readonly Item[];
}

interface LineSize {
  readonly width: number;
  readonly size: number;
}

function createCodeLines(tile: FloorTile, { codes, width, size }: LineSize & { readonly codes: readonly string[] }) {
  const weight = findFontWeight(tile);
  const text = { kind: "text", anchor: "middle", fill: `on:${tile.fill}`, size, maxWidth: width - 4 } as const;
  return codes.map((code): StackLine => {
    const draw: StackLine["draw"] = ([x], at) => [
      { ...text, x, y: at + size * 0.36, text: code, ...(weight !== undefined && { weight }) },
    ];
    return { height: size + (codes.length > 1 ? 2 : 4), draw };
  });
}

/** Returns the complete figure or nothing: a truncated number would be wrong. */
function createFigureLines({ figure, fill }: FloorTile, { width, size }: LineSize): readonly StackLine[] {
  const figureSize = Math.min(Math.max(MIN_FONT_SIZE, size - 1), findFittingFontSize(figure, width - 8));
  if (figure === "" || figureSize < MIN_FONT_SIZE) return [];
  const text = { kind: "text", anchor: "middle", fill: `on:${fill}`, size: figureSize } as const;
  const draw: StackLine["draw"] = ([x], at) => [{ ...text, x, y: at + figureSize * 0.36, text: figure }];
  return [{ height: Math.max(MIN_FONT_SIZE, size) + 3, draw }];
}

/** Returns the lines that fit. Omits the figure first, then the code if there is a sign. */
function fitLines(
  { sign, codes, figure }: Readonly<Record<"sign" | "codes" | "figure", readonly StackLine[]>>,
  height: number,
): readonly StackLine[] {
  const stacks = [[...sign, ...codes, ...figure], [...sign, ...codes], sign.length > 0 ? sign : codes.slice(0, 1)];
  const fits = (lines: readonly StackLine[]) => lines.reduce((sum, line) => sum + line.height, 0) <= height;
  return stacks.find(fits) ?? stacks.at(-1) ?? [];
}

function drawStack(middle: readonly [number, number], lines: readonly StackLine[]): readonly Item[] {
  let top = middle[1] - lines.reduce((sum, line) => sum + line.height, 0) / 2;
  return lines.flatMap((line) => {
    const drawn = line.draw(middle, top + line.height / 2);
    top += line.height;
    return drawn;
  });
}

/** Returns the pixels between text and an edge, with more at the front because of its bar. */
function computeTextMargin(front: boolean): number {
  return front ? 6 : 4;
}

/** Draws a long code vertically along a deep tile, below its sign. Returns undefined if there is no space. */
function drawUprightCode(
  tile: FloorTile,
  { x, y, width, height }: PixelArea,
  signSize: number,
): readonly Item[] | undefined {
  const { code, fill, state, facing } = tile;
  const weight = findFontWeight(tile);
  const top = signSize === 0 ? computeTextMargin(facing === 0) : signSize + 9;
  const room = height - top - computeTextMargin(facing === 180);
  const size = Math.min(10, width - 12, findFittingFontSize(code, room, weight));
  if (size < MIN_FONT_SIZE) return undefined;
  const cx = x + width / 2;
  return [
    ...(state === undefined || signSize === 0 ? [] : drawMark(state, [cx, y + 6 + signSize / 2], signSize)),
    createText([cx + size * 0.36, y + top + room / 2], code, {
      size,
      anchor: "middle",
      rotate: -90,
      fill: `on:${fill}`,
      ...(weight !== undefined && { weight }),
    }),
  ];
}

/** Breaks a code evenly at separators, so that its widest line is as narrow as possible; unbroken if no break helps. */
function breakCode(tile: FloorTile, room: number): readonly string[] {
  const parts = tile.code.split(/(?<=[-._])/);
  const widest = (lines: readonly string[]) =>
    lines.reduce(
      (most, line) => Math.max(most, measureText(line, { size: MIN_FONT_SIZE, weight: findFontWeight(tile) })),
      0,
    );
  for (let count = 2; count <= MAX_CODE_LINES; count += 1) {
    const [best] = distributeParts(parts, count).toSorted((a, b) => widest(a) - widest(b));
    if (best !== undefined && widest(best) <= room) return best;
  }
  return [tile.code];
}

/** Returns every way to distribute parts over this number of lines. */
function distributeParts(parts: readonly string[], count: number): readonly (readonly string[])[] {
  if (count === 1) return [[parts.join("")]];
  return parts
    .slice(1)
    .flatMap((_, index) =>
      distributeParts(parts.slice(index + 1), count - 1).map((rest) => [parts.slice(0, index + 1).join(""), ...rest]),
    );
}

/** Returns the largest font size at which a text fits, in pixels. */
function findFittingFontSize(text: string, room: number, weight?: "bold"): number {
  return text === "" ? Number.POSITIVE_INFINITY : (room / measureText(text, { size: 1, weight })) * 0.98;
}

function findFontWeight({ kind }: FloorTile): "bold" | undefined {
  return kind === "device" ? undefined : "bold";
}

/** Side of the squares into which racks without a row are collapsed, in millimetres. */
const COLLAPSE_SQUARE_MM = 10_000;
const STATES_BY_SEVERITY: readonly State[] = ["fault", "watch", "ok", "info", "offline"];

/** Several racks drawn as one block. */
export interface RackBlock {
  readonly label: string;
  readonly area: Rectangle;
  readonly state: State;
  readonly tip: string;
}

export interface CollapsedFloor {
  readonly tiles: readonly FloorTile[];
  readonly blocks: readonly RackBlock[];
  /** Number of footprints that are not drawn separately. */
  readonly omittedFootprints: number;
}

/**
 * Collapses rows of racks into blocks until at most `most` items are drawn. Begins with the rows with the fewest
 * faults, and among these with the longest. Keeps highlighted racks. If the limit is still exceeded, omits the last
 * footprints.
 */
export function collapseTiles(
  tiles: readonly FloorTile[],
  maxItems: number,
  highlight: ReadonlySet<string>,
): CollapsedFloor {
  if (tiles.length <= maxItems) return { tiles, blocks: [], omittedFootprints: 0 };
  const keys = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const racks = tiles.filter(({ kind, ref }) => kind === "rack" && !keys.has(ref.toLowerCase()));
  const groups = Map.groupBy(racks, formatGroupLabel);
  const blocks: RackBlock[] = [];
  const hidden = new Set<FloorTile>();
  const order = [...groups].toSorted(([, a], [, b]) => countFaults(a) - countFaults(b) || b.length - a.length);
  for (const [label, group] of order) {
    if (tiles.length - hidden.size + blocks.length <= maxItems || group.length < 2) break;
    blocks.push(buildBlock(label, group));
    for (const tile of group) hidden.add(tile);
  }
  const left = tiles.filter((tile) => !hidden.has(tile));
  const shown = left
    .toSorted((a, b) => Number(keys.has(b.ref.toLowerCase())) - Number(keys.has(a.ref.toLowerCase())))
    .slice(0, Math.max(0, maxItems - blocks.length));
  const kept = new Set(shown);
  return { tiles: left.filter((tile) => kept.has(tile)), blocks, omittedFootprints: tiles.length - shown.length };
}

function countFaults(group: readonly FloorTile[]): number {
  return group.filter(({ state }) => state === "fault").length;
}

function formatGroupLabel({ row, area }: FloorTile): string {
  if (row !== "") return `Row ${row}`;
  return `Racks from ${Math.floor(area.west / COLLAPSE_SQUARE_MM) * 10} m, ${Math.floor(area.north / COLLAPSE_SQUARE_MM) * 10} m`;
}

function buildBlock(label: string, group: readonly FloorTile[]): RackBlock {
  const counts = STATES_BY_SEVERITY.map(
    (state) => [state, group.filter((tile) => tile.state === state).length] as const,
  );
  const present = counts.filter(([, count]) => count > 0);
  return {
    label: `${label}: ${formatCountWithNoun(group.length, "rack")}`,
    area: computeEnclosingRectangle(group.map(({ area }) => area)),
    state: present[0]?.[0] ?? "info",
    tip: [label, ...present.map(([state, count]) => `${count} ${STATE_LABELS[state].toLowerCase()}`)].join("\n"),
  };
}
