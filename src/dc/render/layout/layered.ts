import { assignLayers, type LayoutColumn, type LayoutEdge, orderColumns } from "#kernel/layout/layers.ts";
import type { Point } from "../scene.ts";

interface LayoutBox {
  readonly width: number;
  readonly height: number;
  /** Places the box in the last column if it has no consumers. */
  readonly last?: boolean;
}

interface LabelledEdge extends LayoutEdge {
  /** Width of the label at the edge's end, in pixels. */
  readonly labelWidth?: number;
}

interface LayeredLayout {
  /** Upper left corner of each box; the smallest coordinates are 0. */
  readonly corners: readonly Point[];
  /** Corner points of each edge; empty for an edge from a box to itself. */
  readonly routes: readonly (readonly Point[])[];
  readonly width: number;
  readonly height: number;
}

/** Vertical gap between two boxes of a column, in pixels. */
const ROW_GAP = 14;
/** Height of the lane that an edge reserves in a column through which it passes, in pixels. */
const LANE_HEIGHT = 4;

/**
 * Lays out a directed graph in columns, sources left and consumers right, with right-angled edges that leave a box as
 * one bus. Boxes do not overlap and edges do not cross boxes. Deterministic.
 * @param boxes their sizes in pixels; equally good positions keep the order of the boxes
 * Cost: O(boxes + edges × columns), some milliseconds for 500 boxes.
 */
export function layOutGraph(boxes: readonly LayoutBox[], edges: readonly LabelledEdge[]): LayeredLayout {
  if (boxes.length === 0) return { corners: [], routes: edges.map(() => []), width: 0, height: 0 };
  const slots = new LayoutSlots(boxes, edges);
  const columns = orderColumns(slots.columns(), slots);
  const middles = placeBoxes({
    columns,
    before: slots.before,
    after: slots.after,
    heights: slots.heights,
    gap: ROW_GAP,
  });
  const channels = slots.buildChannels(middles).map(routeChannel);
  const lefts: number[] = [];
  const widths = columns.map((column) => Math.max(0, ...column.map((slot) => boxes[slot]?.width ?? 0)));
  let x = 0;
  for (const [index, width] of widths.entries()) {
    lefts.push(x);
    x += width + (channels[index]?.width ?? 0);
  }
  const corners = boxes.map(
    ({ height }, box): Point => [lefts[slots.layers[box] ?? 0] ?? 0, (middles[box] ?? 0) - height / 2],
  );
  const routes = edges.map((edge) => slots.computeRoute(edge, { corners, lefts, widths, channels }));
  const points = [
    ...routes.flat(),
    ...boxes.map(({ width, height }, box) => computeFarCorner(corners[box], width, height)),
  ];
  const height = points.reduce((most, [, y]) => Math.max(most, y), 0);
  return { corners, routes, width: points.reduce((most, point) => Math.max(most, point[0]), 0), height };
}

function computeFarCorner([x, y]: Point = [0, 0], width: number, height: number): Point {
  return [x + width, y + height];
}

interface PlacedColumns {
  readonly corners: readonly Point[];
  readonly lefts: readonly number[];
  readonly widths: readonly number[];
  readonly channels: readonly Channel[];
}

/** Slots of columns: boxes, and lanes by which edges pass through a column. A box's edges share one lane per column. */
class LayoutSlots {
  readonly layers: number[];
  readonly before: number[][] = [];
  readonly after: number[][] = [];
  readonly heights: number[];
  readonly #boxes: readonly LayoutBox[];
  readonly #reversedEdges: ReadonlySet<LayoutEdge>;
  readonly #lanes = new Map<string, number>();
  readonly #wires = new Map<string, Wire>();

  constructor(boxes: readonly LayoutBox[], edges: readonly LabelledEdge[]) {
    const { layers, turned } = assignLayers(boxes.length, edges, {
      isLastColumnBox: (box) => boxes[box]?.last === true,
    });
    this.#boxes = boxes;
    this.#reversedEdges = turned;
    this.layers = [...layers];
    this.heights = boxes.map(({ height }) => height);
    for (const _ of boxes) this.#addSlot();
    for (const edge of edges) {
      const slots = this.#listEdgeSlots(edge);
      for (const [index, slot] of slots.entries()) {
        const next = slots[index + 1];
        if (next !== undefined) this.#addWire(slot, next, next < boxes.length ? (edge.labelWidth ?? 0) : 0);
      }
    }
  }

  columns(): readonly (readonly number[])[] {
    const columns: number[][] = Array.from({ length: Math.max(...this.layers) + 1 }, () => []);
    for (const [slot, layer] of this.layers.entries()) columns[layer]?.push(slot);
    return columns;
  }

  /** Returns the wires between each two adjacent columns, after setting the heights of their ends. */
  buildChannels(middles: readonly number[]): readonly (readonly Wire[])[] {
    const channels: Wire[][] = Array.from({ length: Math.max(...this.layers) }, () => []);
    for (const wire of this.#wires.values()) {
      wire.fromY = middles[wire.from] ?? 0;
      wire.toY = middles[wire.to] ?? 0;
      channels[this.layers[wire.from] ?? 0]?.push(wire);
    }
    for (const [slot, wires] of Map.groupBy(this.#wires.values(), ({ to }) => to)) this.#spreadEnds(slot, wires);
    return channels;
  }

  computeRoute(edge: LabelledEdge, drawn: PlacedColumns): readonly Point[] {
    const slots = this.#listEdgeSlots(edge);
    const points = slots.slice(1).flatMap((next, index) => {
      const wire = this.#wires.get(`${slots[index]} ${next}`);
      return wire === undefined ? [] : this.#computeWirePoints(wire, drawn);
    });
    return this.#reversedEdges.has(edge) ? points.toReversed() : points;
  }

  #computeWirePoints(wire: Wire, { corners, lefts, widths, channels }: PlacedColumns): readonly Point[] {
    const layer = this.layers[wire.from] ?? 0;
    const end = (lefts[layer] ?? 0) + (widths[layer] ?? 0);
    const box = this.#boxes[wire.from];
    const start: Point = [box === undefined ? end : (corners[wire.from]?.[0] ?? 0) + box.width, wire.fromY];
    const arrival: Point = [lefts[layer + 1] ?? 0, wire.toY];
    if (wire.fromY === wire.toY) return [start, arrival];
    const track = end + (channels[layer]?.tracks.get(wire.from) ?? 0);
    return [start, [track, wire.fromY], [track, wire.toY], arrival];
  }

  /** Returns the source box, the lanes, and the target box of an edge. */
  #listEdgeSlots(edge: LabelledEdge): readonly number[] {
    if (edge.from === edge.to) return [];
    const [from, to] = this.#reversedEdges.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to];
    const slots = [from];
    for (let layer = (this.layers[from] ?? 0) + 1; layer < (this.layers[to] ?? 0); layer += 1) {
      slots.push(this.#getOrAddLane(from, layer));
    }
    return [...slots, to];
  }

  #getOrAddLane(from: number, layer: number): number {
    return this.#lanes.getOrInsertComputed(`${from} ${layer}`, () => {
      const slot = this.#addSlot();
      this.layers[slot] = layer;
      this.heights[slot] = LANE_HEIGHT;
      return slot;
    });
  }

  #addSlot(): number {
    this.after.push([]);
    return this.before.push([]) - 1;
  }

  #addWire(from: number, to: number, labelWidth: number): void {
    const key = `${from} ${to}`;
    const known = this.#wires.get(key);
    if (known !== undefined) {
      known.labelWidth = Math.max(known.labelWidth, labelWidth);
      return;
    }
    this.#wires.set(key, { from, to, endsAtBox: to < this.#boxes.length, labelWidth, fromY: 0, toY: 0 });
    this.after[from]?.push(to);
    this.before[to]?.push(from);
  }

  /** Moves the ends of the wires at one box apart, so that no end hides another. */
  #spreadEnds(slot: number, wires: Wire[]): void {
    const room = (this.heights[slot] ?? 0) - PORT_GAP;
    const step = wires.length < 2 ? 0 : Math.min(PORT_GAP, Math.max(0, room) / (wires.length - 1));
    const middle = (wires.length - 1) / 2;
    for (const [at, wire] of wires.toSorted((a, b) => a.fromY - b.fromY).entries()) wire.toY += (at - middle) * step;
  }
}

/** Number of passes in which boxes move towards their neighbours. */
const PLACEMENT_PASSES = 6;

interface PlaceInput {
  readonly columns: readonly LayoutColumn[];
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  readonly heights: readonly number[];
  /** Minimum space between two boxes of a column, in pixels. */
  readonly gap: number;
}

/**
 * Returns the middle of every box on the axis along its column, so that the smallest edge is at 0. Boxes are close to
 * their neighbours in other columns, keep the order of the column, and are never nearer to each other than the gap.
 * Cost: O(boxes + edges).
 */
function placeBoxes(input: PlaceInput): readonly number[] {
  const { columns, before, after, heights } = input;
  const middles = stackColumns(input);
  for (let round = 0; round < PLACEMENT_PASSES; round += 1) {
    for (const column of columns) settleColumn(column, before, { ...input, middles });
    for (const column of columns.toReversed()) settleColumn(column, after, { ...input, middles });
  }
  const top = Math.min(...middles.map((middle, box) => middle - (heights[box] ?? 0) / 2));
  return middles.map((middle) => Math.round((middle - top) * 2) / 2);
}

/** Stacks the boxes of each column, centred on 0. */
function stackColumns({ columns, heights, gap }: PlaceInput): number[] {
  const middles = new Array<number>(heights.length).fill(0);
  for (const column of columns) {
    const total = column.reduce((sum, box) => sum + (heights[box] ?? 0) + gap, -gap);
    let at = -total / 2;
    for (const box of column) {
      const height = heights[box] ?? 0;
      middles[box] = at + height / 2;
      at += height + gap;
    }
  }
  return middles;
}

interface PositionBlock {
  readonly sum: number;
  readonly count: number;
}

/**
 * Moves the boxes of a column as near as possible to the mean of their neighbours, by least squares while keeping the
 * order: boxes that would overlap become one block that moves to its own mean (pool adjacent violators).
 */
function settleColumn(
  column: LayoutColumn,
  neighbours: PlaceInput["before"],
  { heights, gap, middles }: PlaceInput & { readonly middles: number[] },
): void {
  const offsets: number[] = [];
  for (const [at, box] of column.entries()) {
    const above = column[at - 1];
    const step = above === undefined ? 0 : ((heights[above] ?? 0) + (heights[box] ?? 0)) / 2 + gap;
    offsets.push((offsets[at - 1] ?? 0) + step);
  }
  const wishes = column.map(
    (box, at) => computeDesiredPosition(box, neighbours[box] ?? [], middles) - (offsets[at] ?? 0),
  );
  const tops = poolPositions(wishes).flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
  for (const [at, box] of column.entries()) middles[box] = (tops[at] ?? 0) + (offsets[at] ?? 0);
}

function computeDesiredPosition(box: number, neighbours: readonly number[], middles: readonly number[]): number {
  if (neighbours.length === 0) return middles[box] ?? 0;
  return neighbours.reduce((sum, other) => sum + (middles[other] ?? 0), 0) / neighbours.length;
}

/** Returns the non-decreasing sequence nearest to the desired positions, as blocks of equal positions. */
function poolPositions(desiredPositions: readonly number[]): readonly PositionBlock[] {
  const blocks: PositionBlock[] = [];
  for (const wish of desiredPositions) {
    let block: PositionBlock = { sum: wish, count: 1 };
    for (
      let last = blocks.at(-1);
      last !== undefined && computeBlockMean(last) > computeBlockMean(block);
      last = blocks.at(-1)
    ) {
      block = { sum: block.sum + last.sum, count: block.count + last.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks;
}

function computeBlockMean({ sum, count }: PositionBlock): number {
  return sum / count;
}

/** Pixels between two edges that arrive at one box: a line of small text fits. */
export const PORT_GAP = 15;

/** Pixels between two vertical tracks of a channel, and before and after all of them. */
const TRACK_GAP = 9;
const TRACK_LEAD = 14;
const TRACK_TAIL = 18;
/** Number of tracks in a channel above which tracks are closer together. */
const MAX_SPACED_TRACKS = 24;
/** Distance in pixels below which two lines appear as one. */
const TOUCH_DISTANCE = 3;

/** Segment of an edge between two columns. */
interface Wire {
  readonly from: number;
  readonly to: number;
  /** Whether the wire ends at a box, where its end may be moved, rather than in a lane. */
  readonly endsAtBox: boolean;
  labelWidth: number;
  fromY: number;
  toY: number;
}

/** Positions of the vertical lines between two columns. */
interface Channel {
  readonly width: number;
  /** Distance of the vertical line from the column's right edge in pixels, by the slot from which the wires start. */
  readonly tracks: ReadonlyMap<number, number>;
}

interface Bus {
  readonly from: number;
  readonly wires: readonly Wire[];
  readonly top: number;
  readonly bottom: number;
  readonly fall: number;
}

/**
 * Assigns one vertical track between two columns to the wires of each slot. Orders falling wires from below and rising
 * wires from above, which reduces crossings. If there are many buses, those that do not overlap share a track. Moves
 * ends that would touch another slot's line.
 */
function routeChannel(wires: readonly Wire[]): Channel {
  separateEnds(wires);
  const buses = groupIntoBuses(wires);
  const falling = buses.filter(({ fall }) => fall >= 0).toSorted((a, b) => findBusStart(b) - findBusStart(a));
  const rising = buses.filter(({ fall }) => fall < 0).toSorted((a, b) => findBusStart(a) - findBusStart(b));
  const ends: number[][] = [];
  const trackBySlot = new Map<number, number>();
  for (const bus of [...falling, ...rising]) trackBySlot.set(bus.from, allocateTrack(ends, bus));
  const gap = ends.length <= MAX_SPACED_TRACKS ? TRACK_GAP : Math.max(3, (TRACK_GAP * MAX_SPACED_TRACKS) / ends.length);
  const label = wires.reduce((most, { labelWidth }) => Math.max(most, labelWidth), 0);
  const verticals = Math.max(0, ends.length - 1) * gap;
  return {
    width: TRACK_LEAD + verticals + label + TRACK_TAIL,
    tracks: new Map([...trackBySlot].map(([from, track]) => [from, TRACK_LEAD + track * gap])),
  };
}

/** Moves the end of each wire at a box that is level with the outgoing wire of another slot. */
function separateEnds(wires: readonly Wire[]): void {
  const starts = [...new Map(wires.map(({ from, fromY }) => [from, fromY]))].toSorted((a, b) => a[1] - b[1]);
  for (const wire of wires) {
    const hit = starts.some(([from, y]) => from !== wire.from && Math.abs(y - wire.toY) < TOUCH_DISTANCE);
    if (hit && wire.endsAtBox && Math.abs(wire.fromY - wire.toY) >= TOUCH_DISTANCE) wire.toY += TOUCH_DISTANCE + 1;
  }
}

function groupIntoBuses(wires: readonly Wire[]): readonly Bus[] {
  return [...Map.groupBy(wires, (wire) => wire.from)].map(([from, own]) => {
    const ys = own.flatMap(({ fromY, toY }) => [fromY, toY]);
    const start = own[0]?.fromY ?? 0;
    const fall = own.reduce((sum, { toY }) => sum + toY - start, 0);
    return { from, wires: own, top: Math.min(...ys), bottom: Math.max(...ys), fall };
  });
}

function findBusStart({ wires: [first] }: Bus): number {
  return first?.fromY ?? 0;
}

/** Returns the index of a new track or, if there are many, of the first track in which the bus overlaps no other. */
function allocateTrack(ends: number[][], { top, bottom }: Bus): number {
  const free =
    ends.length < MAX_SPACED_TRACKS
      ? -1
      : ends.findIndex(
          (taken) => !taken.some((from, at) => at % 2 === 0 && from <= bottom && top <= (taken[at + 1] ?? 0)),
        );
  const track = free < 0 ? ends.length : free;
  ends[track] = [...(ends[track] ?? []), top, bottom];
  return track;
}
