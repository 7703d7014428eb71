import { expect, test } from "bun:test";
import { formatColumnFigure, formatColumnText } from "#web/console/lists/list_kinds.ts";
import { describeReason, formatReasonFigures } from "#web/console/reason_words.ts";
import { stripRefKinds } from "#words/names.ts";

test.each([
  [{ code: "POWER_FAILOVER", value: 109.47, limit: 100 }, "High load after one failure, 109.5 %, limit 100 %"],
  [{ code: "RACK_WITHOUT_LIQUID_COOLING", value: 19.04, limit: 0 }, "Rack without liquid cooling, 19 kW"],
  [{ code: "INLET_ABOVE_ALLOWABLE", value: 36, limit: 35 }, "Inlet above allowable, 36 °C, limit 35 °C"],
  [{ code: "REDUNDANCY_UNMET", value: 1, limit: 2 }, "Redundancy not met, 1 of 2 separate supplies"],
  [{ code: "SINGLE_CORDED", value: 1 }, "One inlet only, 1 device"],
  [{ code: "STALE_TELEMETRY", value: 30, limit: 24 }, "Old measurements, 30 h, limit 24 h"],
  [{ code: "U_SPACE_OCCUPIED", value: 12 }, "U space occupied, U12"],
  [{ code: "DEVICE_FAILED" }, "Device failed"],
])("a reason of health names the unit of its figures: %p", (reason, words) => {
  expect(`${describeReason(reason.code)}${formatReasonFigures(reason)}`).toBe(words);
});

test("a figure alone has the unit that suits it, a column the same unit in every row", () => {
  expect(formatColumnFigure("draw_w", 8100)).toBe("8.1 kW");
  expect(formatColumnFigure("draw_w", 220, 6800)).toBe("220 W");
  expect(formatColumnFigure("draw_w", 8100, 27_600)).toBe("8.1 kW");
});

test("whether a link carries traffic reads as a word", () => {
  expect([formatColumnText("traffic", "UP"), formatColumnText("health", "OK")]).toEqual(["Up", "OK"]);
});

test("a message of the service names things without their kinds", () => {
  expect(stripRefKinds("device:RPP-A-D would come to 239.72 of 218.2 kW")).toBe(
    "RPP-A-D would come to 239.72 of 218.2 kW",
  );
});
