import { expect, test } from "bun:test";
import { computeFootprint, doFootprintsOverlap } from "#dc/model/rack_space.ts";
import { ams1 } from "../../../support/dc/ams1.ts";

test("rectangle has the same extents wherever the front faces", () => {
  const placement = { xMm: 1300, yMm: 2400, widthMm: 750, depthMm: 1200 };

  for (const rotationDeg of [0, 90, 180, 270]) {
    expect(computeFootprint({ ...placement, rotationDeg })).toEqual({
      west: 1300,
      north: 2400,
      east: 2050,
      south: 3600,
    });
  }
});

interface Placed {
  readonly code: string;
  readonly placement?: Readonly<Record<"x_mm" | "y_mm" | "width_mm" | "depth_mm" | "rotation_deg", number>>;
}

test("nothing in the sample site stands on something else", () => {
  const placed = ([ams1.racks, ams1.cracs, ams1.devices].flat() as unknown as readonly Placed[]).flatMap(
    ({ code, placement }) => {
      if (placement === undefined) return [];
      const { x_mm: xMm, y_mm: yMm, width_mm: widthMm, depth_mm: depthMm, rotation_deg: rotationDeg } = placement;
      return [{ code, placement: { xMm, yMm, widthMm, depthMm, rotationDeg } }];
    },
  );

  const overlaps = placed.flatMap((one, index) =>
    placed
      .slice(index + 1)
      .filter((other) => doFootprintsOverlap(one.placement, other.placement))
      .map((other) => `${one.code} ${other.code}`),
  );

  expect(placed.length).toBeGreaterThan(48);
  expect(overlaps).toEqual([]);
});
