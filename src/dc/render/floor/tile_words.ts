import { mark } from "../parts/marks.ts";
import type { Item } from "../scene.ts";
import { textWidth } from "../text_width.ts";
import type { Tile } from "./tiles.ts";

/** The part of a footprint that is seen, in pixels. */
export interface TileBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Smaller letters cannot be read at the picture's own size; longer words are cut instead. */
const LEAST_LETTER = 7;
const SIGN = 14;

/** Sign, code and figure one below the other; what finds no room is left to the tip. */
export function tileWords(tile: Tile, box: TileBox): readonly Item[] {
  const { x, y, width, height } = box;
  const signSize = Math.min(SIGN, width - 8, height - 8);
  const sign = tile.state === undefined || signSize < 5 ? undefined : tile.state;
  const middle = [x + width / 2, y + height / 2] as const;
  // A tile that is too small for words still shows its sign.
  if (width < 20 || height < 14) return sign === undefined ? [] : mark(sign, middle, signSize);
  const size = Math.min(11, height / 3, fitting(tile.code, width - 8, weightOf(tile)));
  const upright = size < LEAST_LETTER ? uprightWords(tile, box, sign === undefined ? 0 : signSize) : undefined;
  if (upright !== undefined) return upright;
  const lines = linesOf(tile, { width, size: Math.max(LEAST_LETTER, size) });
  const signLine: readonly Line[] =
    sign === undefined ? [] : [{ height: signSize + 5, draw: ([cx], at) => mark(sign, [cx, at], signSize) }];
  return stacked(middle, fitted(signLine, lines, height - 6));
}

/** One line of a stack and how it is drawn around its middle. */
interface Line {
  readonly height: number;
  readonly draw: (middle: readonly [number, number], at: number) => readonly Item[];
}

function linesOf(tile: Tile, { width, size }: { readonly width: number; readonly size: number }): readonly Line[] {
  const { code, figure, fill } = tile;
  const maxWidth = width - 8;
  const weight = weightOf(tile);
  const text = { kind: "text", anchor: "middle", fill: `on:${fill}` } as const;
  const figureSize = Math.min(Math.max(LEAST_LETTER, size - 1), fitting(figure, maxWidth));
  return [
    {
      height: size + 4,
      draw: ([x], at) => [
        { ...text, x, y: at + size * 0.36, text: code, size, maxWidth, ...(weight !== undefined && { weight }) },
      ],
    },
    // Half a number is a wrong number.
    ...(figure === "" || figureSize < LEAST_LETTER
      ? []
      : [
          {
            height: size + 3,
            draw: ([x]: readonly [number, number], at: number): readonly Item[] => [
              { ...text, x, y: at + figureSize * 0.36, text: figure, size: figureSize },
            ],
          },
        ]),
  ];
}

/** As many lines as the height holds: the figure goes first, then the code where there is a sign. */
function fitted(sign: readonly Line[], [code, figure]: readonly Line[], height: number): readonly Line[] {
  const all = [...sign, ...(code === undefined ? [] : [code]), ...(figure === undefined ? [] : [figure])];
  while (all.length > 1 && all.reduce((sum, line) => sum + line.height, 0) > height) all.pop();
  return all;
}

function stacked(middle: readonly [number, number], lines: readonly Line[]): readonly Item[] {
  let top = middle[1] - lines.reduce((sum, line) => sum + line.height, 0) / 2;
  return lines.flatMap((line) => {
    const drawn = line.draw(middle, top + line.height / 2);
    top += line.height;
    return drawn;
  });
}

/** A long code written along a deep tile, below its sign; undefined where there is no room for it. */
function uprightWords(tile: Tile, { x, y, width, height }: TileBox, signSize: number): readonly Item[] | undefined {
  const { code, fill, state } = tile;
  const weight = weightOf(tile);
  const top = signSize === 0 ? 4 : signSize + 9;
  const room = height - top - 4;
  const size = Math.min(10, width - 12, fitting(code, room, weight));
  if (size < LEAST_LETTER) return undefined;
  const cx = x + width / 2;
  return [
    ...(state === undefined || signSize === 0 ? [] : mark(state, [cx, y + 6 + signSize / 2], signSize)),
    {
      kind: "text",
      x: cx + size * 0.36,
      y: y + top + room / 2,
      text: code,
      size,
      anchor: "middle",
      rotate: -90,
      fill: `on:${fill}`,
      ...(weight !== undefined && { weight }),
    },
  ];
}

/** The size at which a text just fits. */
function fitting(text: string, room: number, weight?: "bold"): number {
  return text === "" ? Number.POSITIVE_INFINITY : (room / textWidth(text, { size: 1, weight })) * 0.98;
}

function weightOf({ kind }: Tile): "bold" | undefined {
  return kind === "device" ? undefined : "bold";
}
