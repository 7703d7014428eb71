import { assignLayers, type LayoutEdge } from "#kernel/layout/layers.ts";
import { orderColumns } from "#kernel/layout/order.ts";
import type { Point } from "../scene.ts";
import { placeBoxes } from "./place.ts";
import { type Channel, PORT_GAP, routeChannel, type Wire } from "./route.ts";

export interface LayoutBox {
  readonly width: number;
  readonly height: number;
  /** Places the box in the last column if it has no consumers. */
  readonly last?: boolean;
}

export interface LabelledEdge extends LayoutEdge {
  /** Width of the label at the edge's end, in pixels. */
  readonly labelWidth?: number;
}

export interface LayeredLayout {
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
    const key = `${from} ${layer}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const slot = this.#addSlot();
    this.#lanes.set(key, slot);
    this.layers[slot] = layer;
    this.heights[slot] = LANE_HEIGHT;
    return slot;
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
