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
export interface Wire {
  readonly from: number;
  readonly to: number;
  /** Whether the wire ends at a box, where its end may be moved, rather than in a lane. */
  readonly endsAtBox: boolean;
  labelWidth: number;
  fromY: number;
  toY: number;
}

/** Positions of the vertical lines between two columns. */
export interface Channel {
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
export function routeChannel(wires: readonly Wire[]): Channel {
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
