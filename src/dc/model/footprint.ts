import type { Placement } from "./resources.ts";

/** A rectangle on the floor, in millimetres; edges belong to it on the north and west only. */
export interface Rectangle {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** The rectangle that a placement covers: its extents are those of the floor; the rotation only says where its front is. */
export function rectangle({ xMm, yMm, widthMm, depthMm }: Placement): Rectangle {
  return { west: xMm, north: yMm, east: xMm + widthMm, south: yMm + depthMm };
}

/** Whether two footprints cover common ground; touching edges do not count. Symmetric. */
export function footprintsOverlap(a: Placement, b: Placement): boolean {
  const first = rectangle(a);
  const second = rectangle(b);
  return (
    first.west < second.east && second.west < first.east && first.north < second.south && second.north < first.south
  );
}
