import type { Placement } from "./resources.ts";

/** A rectangle on the floor, in millimetres. The north and west edges are inside, the south and east edges outside. */
export interface Rectangle {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/**
 * The rectangle that a placement covers. Its width and depth are measured along the floor's axes; the rotation only
 * gives the direction of the front.
 */
export function rectangle({ xMm, yMm, widthMm, depthMm }: Placement): Rectangle {
  return { west: xMm, north: yMm, east: xMm + widthMm, south: yMm + depthMm };
}

/** Whether two footprints overlap; touching edges do not count. Symmetric. */
export function footprintsOverlap(a: Placement, b: Placement): boolean {
  const first = rectangle(a);
  const second = rectangle(b);
  return (
    first.west < second.east && second.west < first.east && first.north < second.south && second.north < first.south
  );
}
