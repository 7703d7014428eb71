import type { Placement } from "./resources.ts";

/** A rectangle on the floor after rotation, in millimetres; edges belong to it on the north and west only. */
export interface Rectangle {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** The rectangle that a placement covers: a quarter turn swaps width and depth, the north-west corner stays. */
export function rectangle({ xMm, yMm, widthMm, depthMm, rotationDeg }: Placement): Rectangle {
  const turned = rotationDeg % 180 !== 0;
  return {
    west: xMm,
    north: yMm,
    east: xMm + (turned ? depthMm : widthMm),
    south: yMm + (turned ? widthMm : depthMm),
  };
}

/** Whether two footprints cover common ground; touching edges do not count. Symmetric. */
export function footprintsOverlap(a: Placement, b: Placement): boolean {
  const first = rectangle(a);
  const second = rectangle(b);
  return (
    first.west < second.east && second.west < first.east && first.north < second.south && second.north < first.south
  );
}
