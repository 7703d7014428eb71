import type { Theme } from "#dc/model/enum_values.ts";
import type { Rectangle } from "#dc/model/rack_space.ts";
import { computeContrastRatio, type Paint, resolveColor } from "#dc/render/palette.ts";
import { computeTextBox, type Item, type Point, type Scene, type Text } from "#dc/render/scene.ts";

export interface GroundedText {
  readonly text: string;
  readonly ink: Paint;
  /** Colours under its beginning, middle and end, those of a hatch included. */
  readonly grounds: ReadonlySet<Paint>;
  /** Lines run through it with nothing between. */
  readonly crossed: boolean;
}

interface Area {
  readonly box: Rectangle;
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
  readonly texts: { readonly text: Text; readonly box: Rectangle; readonly order: number }[];
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
      .map((ground) => ({ ground, ratio: computeContrastRatio(resolveColor(theme, ink), resolveColor(theme, ground)) }))
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ ground, ratio }) => `${text}: ${ink} on ${ground} is ${ratio.toFixed(2)}`),
  );
}

interface PlacedShape {
  readonly shape: Shape;
  readonly by: Point;
  readonly order: number;
}

function paint(items: readonly Item[], by: Point, to: Painted, shapes: PlacedShape[] = []): void {
  for (const item of items) {
    if (item.kind === "group") {
      paint(item.items, moved(by, item.at ?? [0, 0]), to, shapes);
      continue;
    }
    const order = to.areas.length + to.strokes.length + to.texts.length;
    if (item.kind !== "text") shapes.push({ shape: item, by, order });
    if (item.kind === "text") {
      const box = shifted(computeTextBox(item), by);
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

function shifted({ west, north, east, south }: Rectangle, [dx, dy]: Point): Rectangle {
  return { west: west + dx, north: north + dy, east: east + dx, south: south + dy };
}

function meet(a: Rectangle, b: Rectangle): boolean {
  return a.west <= b.east && b.west <= a.east && a.north <= b.south && b.north <= a.south;
}

/** Whether a stroke passes through a box. Source: Liang and Barsky 1984. */
function crosses({ from: [x, y], to: [toX, toY] }: Stroke, { west, north, east, south }: Rectangle): boolean {
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

/** Grounds of larger areas and lines that only help the eye: nothing is lost with them. */
const QUIET: ReadonlySet<Paint> = new Set<Paint>(["grid", "panel", "surface", "sunken"]);

/** What a shape shows, and what lies around it. */
export interface EdgedShape {
  readonly kind: Shape["kind"];
  /** Of its outline first, then of its fill. */
  readonly paints: readonly Paint[];
  readonly grounds: readonly Paint[];
}

/** Every shape that carries a meaning, without what is drawn in the ink of its ground, and what lies around it. Cost: O(shapes²). */
export function edgedShapes({ items }: Scene): readonly EdgedShape[] {
  const painted: Painted = { areas: [], strokes: [], texts: [] };
  const shapes: PlacedShape[] = [];
  paint(items, [0, 0], painted, shapes);
  // A line drawn over a broader one stands on that.
  const casings = new Map<string, Paint>();
  return shapes.flatMap(({ shape, by, order }): readonly EdgedShape[] => {
    const edge = shape.stroke ?? (shape.kind === "line" ? undefined : shape.fill);
    if (edge === undefined || QUIET.has(edge)) return [];
    const cased = casings.get(trace(shape, by));
    casings.set(trace(shape, by), edge);
    if (edge.startsWith("on:")) return [];
    const under = painted.areas.filter((area) => area.order < order);
    const grounds = around(shape, by).map(
      (point): Paint => cased ?? under.findLast(({ holds }) => holds(point))?.paints[0] ?? "surface",
    );
    return [{ kind: shape.kind, paints: [...new Set([edge, ...paintsOf(shape)])], grounds: [...new Set(grounds)] }];
  });
}

/**
 * Shapes that nothing tells from what lies around them: neither outline nor fill reaches a contrast of 3 to 1 to it, nor
 * the outline to the fill. Source: WCAG 2.2, 1.4.11.
 */
export function faintShapes(shapes: readonly EdgedShape[], theme: Theme): readonly string[] {
  const apart = (one: Paint, other: Paint) =>
    computeContrastRatio(resolveColor(theme, one), resolveColor(theme, other)) >= 3;
  const faults = shapes.flatMap(({ kind, paints: [edge = "ink", ...fills], grounds }) => {
    if (fills.some((fill) => apart(edge, fill))) return [];
    return grounds
      .filter((ground) => ground !== edge && ![edge, ...fills].some((paint) => apart(paint, ground)))
      .map((ground) => `${kind} in ${edge} on ${ground}`);
  });
  return [...new Set(faults)];
}

/** Where a shape runs, as a key. */
function trace(shape: Shape, by: Point): string {
  const { stroke, strokeWidth, dash, ...place } = shape;
  return JSON.stringify([by, place]);
}

/** Points where a shape meets what lies around it; a line is seen where it begins. */
function around(shape: Shape, by: Point): readonly Point[] {
  if (shape.kind === "line") return [moved(by, [shape.x1, shape.y1])];
  if (shape.kind === "path" && shape.closed !== true) return [moved(by, shape.points[0] ?? [0, 0])];
  const box = areaOf({ ...shape, fill: "ink" }, by)?.box;
  if (box === undefined) return [];
  const [x, y] = [(box.west + box.east) / 2, (box.north + box.south) / 2];
  return [
    [x, box.north - BESIDE],
    [x, box.south + BESIDE],
    [box.west - BESIDE, y],
    [box.east + BESIDE, y],
  ];
}

/** Pixels beyond a shape where what lies around it is looked up. */
const BESIDE = 0.7;
