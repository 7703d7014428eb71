import { type Box, textBox } from "#dc/render/bounds.ts";
import type { Theme } from "#dc/render/options.ts";
import { colorOf, contrast, type Paint } from "#dc/render/palette.ts";
import type { Item, Point, Scene, Text } from "#dc/render/scene.ts";

/** What a text is read against. */
export interface GroundedText {
  readonly text: string;
  readonly ink: Paint;
  /** Colours under its beginning, middle and end, those of a hatch included. */
  readonly grounds: ReadonlySet<Paint>;
  /** Lines run through it with nothing between. */
  readonly crossed: boolean;
}

interface Area {
  readonly box: Box;
  holds(point: Point): boolean;
  readonly paints: readonly Paint[];
  readonly order: number;
}

interface Stroke {
  readonly from: Point;
  readonly to: Point;
  readonly order: number;
}

interface Painted {
  readonly areas: Area[];
  readonly strokes: Stroke[];
  readonly texts: { readonly text: Text; readonly box: Box; readonly order: number }[];
}

/** Every text of a scene with what lies directly under it. Cost: O(texts x shapes). */
export function groundedTexts({ items }: Scene): readonly GroundedText[] {
  const painted: Painted = { areas: [], strokes: [], texts: [] };
  paint(items, [0, 0], painted);
  return painted.texts.map(({ text, box, order }) => {
    const under = painted.areas.filter((area) => area.order < order && meet(area.box, box)).toReversed();
    const middle = (box.north + box.south) / 2;
    const at = [box.west + 1, (box.west + box.east) / 2, box.east - 1].map((x): Point => [x, middle]);
    const found = at.map((point) => under.find(({ holds }) => holds(point)));
    const lowest = Math.min(...found.map((area) => area?.order ?? -1));
    const core = { west: box.west + 1, north: box.north + 0.5, east: box.east - 1, south: box.south - 1.5 };
    return {
      text: text.text,
      ink: text.fill,
      grounds: new Set(found.flatMap((area): readonly Paint[] => area?.paints ?? ["surface"])),
      crossed: painted.strokes.some((stroke) => stroke.order > lowest && crosses(stroke, core)),
    };
  });
}

/** Texts whose contrast to what lies under them is below 4.5 to 1. Source: WCAG 2.2, 1.4.3. */
export function weakTexts(texts: readonly GroundedText[], theme: Theme): readonly string[] {
  return texts.flatMap(({ text, ink, grounds }) =>
    [...grounds]
      .map((ground) => ({ ground, ratio: contrast(colorOf(theme, ink), colorOf(theme, ground)) }))
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ ground, ratio }) => `${text}: ${ink} on ${ground} is ${ratio.toFixed(2)}`),
  );
}

function paint(items: readonly Item[], by: Point, to: Painted): void {
  for (const item of items) {
    if (item.kind === "group") {
      paint(item.items, moved(by, item.at ?? [0, 0]), to);
      continue;
    }
    const order = to.areas.length + to.strokes.length + to.texts.length;
    if (item.kind === "text") {
      const box = shifted(textBox(item), by);
      if (box.east > box.west) to.texts.push({ text: item, box, order });
      continue;
    }
    const area = areaOf(item, by);
    if (area === undefined) to.strokes.push(...strokesOf(item, by, order));
    else to.areas.push({ ...area, paints: paintsOf(item), order });
  }
}

type Shape = Exclude<Item, { readonly kind: "group" | "text" }>;

/** The ground that a shape covers; undefined for one without a fill. */
function areaOf(item: Shape, by: Point): Pick<Area, "box" | "holds"> | undefined {
  if (item.kind === "line" || item.fill === undefined) return undefined;
  if (item.kind === "path")
    return item.closed === true ? polygon(item.points.map((point) => moved(by, point))) : undefined;
  if (item.kind === "circle") {
    const [cx, cy] = moved(by, [item.cx, item.cy]);
    const box = { west: cx - item.r, north: cy - item.r, east: cx + item.r, south: cy + item.r };
    return { box, holds: ([x, y]) => Math.hypot(x - cx, y - cy) <= item.r };
  }
  const [west, north] = moved(by, [item.x, item.y]);
  const box = { west, north, east: west + item.width, south: north + item.height };
  return { box, holds: ([x, y]) => x >= box.west && x <= box.east && y >= box.north && y <= box.south };
}

/** Lines that are drawn without a ground. */
function strokesOf(item: Shape, by: Point, order: number): readonly Stroke[] {
  if (item.kind === "line") return segments([moved(by, [item.x1, item.y1]), moved(by, [item.x2, item.y2])], order);
  if (item.kind !== "path" || item.curve !== undefined) return [];
  return segments(
    item.points.map((point) => moved(by, point)),
    order,
  );
}

function moved([dx, dy]: Point, [x, y]: Point): Point {
  return [x + dx, y + dy];
}

function paintsOf(item: Shape): readonly Paint[] {
  if (item.kind === "line") return [];
  const { fill, hatch } = item;
  return [...(fill === undefined ? [] : [fill]), ...(hatch === undefined ? [] : [hatch.paint])];
}

function polygon(points: readonly Point[]): Pick<Area, "box" | "holds"> {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const box = { west: Math.min(...xs), north: Math.min(...ys), east: Math.max(...xs), south: Math.max(...ys) };
  const holds = ([x, y]: Point) => {
    let inside = false;
    for (const [index, [ax, ay]] of points.entries()) {
      const [bx, by] = points.at(index - 1) ?? [ax, ay];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    }
    return inside;
  };
  return { box, holds };
}

function segments(points: readonly Point[], order: number): readonly Stroke[] {
  return points.slice(1).map((to, index) => ({ from: points[index] ?? to, to, order }));
}

function shifted({ west, north, east, south }: Box, [dx, dy]: Point): Box {
  return { west: west + dx, north: north + dy, east: east + dx, south: south + dy };
}

function meet(a: Box, b: Box): boolean {
  return a.west <= b.east && b.west <= a.east && a.north <= b.south && b.north <= a.south;
}

/** Whether a stroke passes through a box. Source: Liang and Barsky 1984. */
function crosses({ from: [x, y], to: [toX, toY] }: Stroke, { west, north, east, south }: Box): boolean {
  let [enter, leave] = [0, 1];
  for (const [step, room] of [
    [x - toX, x - west],
    [toX - x, east - x],
    [y - toY, y - north],
    [toY - y, south - y],
  ] as const) {
    if (step === 0 && room < 0) return false;
    if (step < 0) enter = Math.max(enter, room / step);
    if (step > 0) leave = Math.min(leave, room / step);
  }
  return enter <= leave;
}
