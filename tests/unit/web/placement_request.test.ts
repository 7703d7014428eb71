import { describe, expect, test } from "bun:test";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { FindPlacementRequestSchema } from "#gen/datacenter/v1/placement_pb.ts";
import { createPlacementRequest, EXTRA_PLACEMENT_FIELDS } from "#web/console/pages/request_fields.ts";

/** Settings of fields that have no row of their own: a value of the field's type. */
const UNNAMED = Object.fromEntries(
  EXTRA_PLACEMENT_FIELDS.filter(({ setting, field }) => setting === field).map(({ setting, asked }) => {
    if (asked.type === "choice") return [setting, asked.values[0] ?? ""];
    return [setting, asked.type === "group" ? "1x1G" : "1"];
  }),
);

const ALL: Readonly<Record<string, string>> = {
  ...UNNAMED,
  count: "3",
  type: "acme-r2",
  like: "SRV-1",
  height: "1.5",
  face: "REAR",
  depth: "HALF",
  weight: "21.5",
  draw: "800",
  basis: "MAX",
  supply: "TWO_N",
  ports: "2x25G, 1x1000base-t, 4x1G/1000base-t",
  cooling: "HYBRID",
  liquid: "60",
  scope: "row:S/1/A",
  spread: "ROW|RACK|FEED",
  headroom: "10",
  warnings: "1",
  tenant: "acme",
  prefix: "WEB",
  inlets: "2",
};
/** What the page sets itself, or needs not: it lists every place. */
const OTHERS = ["include_items", "max_places", "render"];

describe("createPlacementRequest", () => {
  test("fills every field of the proto's request out of the page's settings", () => {
    const request = createPlacementRequest((name) => ALL[name] ?? "");
    const message = fromJson(FindPlacementRequestSchema, request as JsonValue);

    const fields = FindPlacementRequestSchema.fields.map(({ name }) => name).filter((name) => !OTHERS.includes(name));
    expect(Object.keys(request).toSorted()).toEqual(fields.toSorted());
    expect(message.ports.map(({ count, speedMbps, type }) => [count, speedMbps, type])).toEqual([
      [2, 25_000, ""],
      [1, undefined, "1000base-t"],
      [4, 1000, "1000base-t"],
    ]);
  });

  test.each([
    ["ports", "25G", "Ports are written as 2x25G, 2x25gbase-x-sfp28 or 2x25G/25gbase-x-sfp28, not “25G”."],
    ["inlets", "two", "Inlets takes a number, not “two”."],
  ])("names the field %s and its value %j", (field, value, expected) => {
    expect(createPlacementRequest((name) => ({ ...ALL, [field]: value })[name] ?? "")).toBe(expected);
  });

  test("demands a height and a draw without a device", () => {
    expect(createPlacementRequest(() => "")).toContain("Fill in height and draw");
  });
});
