import { expect, test } from "bun:test";
import { footprintsOverlap, rectangle } from "#dc/model/footprint.ts";
import { ams1Estate } from "../../../support/dc/ams1_estate.ts";

test("rectangle has the same extents wherever the front faces", () => {
  const placement = { xMm: 1300, yMm: 2400, widthMm: 750, depthMm: 1200 };

  for (const rotationDeg of [0, 90, 180, 270]) {
    expect(rectangle({ ...placement, rotationDeg })).toEqual({ west: 1300, north: 2400, east: 2050, south: 3600 });
  }
});

test("nothing in the sample site stands on something else", async () => {
  const { racks, cracs, devices } = await ams1Estate();
  const placed = [...racks, ...cracs, ...devices].flatMap(({ code, placement }) =>
    placement === undefined ? [] : [{ code, placement }],
  );

  const overlaps = placed.flatMap((one, index) =>
    placed
      .slice(index + 1)
      .filter((other) => footprintsOverlap(one.placement, other.placement))
      .map((other) => `${one.code} ${other.code}`),
  );

  expect(placed.length).toBeGreaterThan(48);
  expect(overlaps).toEqual([]);
});
