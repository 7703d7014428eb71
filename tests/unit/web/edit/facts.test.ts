import { expect, test } from "bun:test";
import { listResourceFacts } from "#web/console/edit/values.ts";

test("listResourceFacts names fields and writes values as the form does, figures in their usual unit", () => {
  const device = {
    name: "",
    kind: "DEVICE_KIND_RACK_PDU",
    cooling_method: "COOLING_METHOD_UNSPECIFIED",
    max_draw_w: 12_000,
    allocated_draw_w: 0,
    tags: ["a", "b"],
    labels: { owner: "x" },
  };
  const names = "name kind cooling_method max_draw_w allocated_draw_w measured_draw_w tags labels";
  expect(listResourceFacts("device", device, names)).toEqual([
    ["Name", ""],
    ["Kind", "Rack PDU"],
    ["Cooling method", ""],
    ["Greatest draw", "12 kW"],
    ["Planned draw", "0 W"],
    ["Measured draw", ""],
    ["Tags", "a, b"],
    ["Labels", "owner=x"],
  ]);
  expect(() => listResourceFacts("rack", {}, "nam")).toThrow('The form of a rack has no field "nam"');
});
