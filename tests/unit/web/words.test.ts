import { expect, test } from "bun:test";
import { FAILURE_KINDS as SERVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatMoment, formatUtcMoment, simplifyMessage } from "#web/console/labels.ts";
import { formatColumnFigure, formatColumnText } from "#web/console/lists/list_kinds.ts";
import { FAILURE_KIND_LABELS } from "#web/console/pages/request_fields.ts";
import { describeReason, formatReasonFigures } from "#web/console/reason_words.ts";
import { createFieldOptions, formatShownRef, parseTypedRef } from "#web/console/ui/use_hits.ts";
import { formatBandwidth, formatWatts } from "#words/figures.ts";
import { formatConstant, formatEnum, formatPortType, stripRefKinds } from "#words/names.ts";

test.each([
  ["DEVICE_KIND_RACK_PDU", "DEVICE_KIND", "Rack PDU"],
  ["DEVICE_KIND_UPS", "DEVICE_KIND", "UPS"],
  ["REDUNDANCY_TWO_N", "REDUNDANCY", "2N"],
  ["CABLE_TYPE_MMF_OM4", "CABLE_TYPE", "MMF OM4"],
  ["CABLE_TYPE_DAC_PASSIVE", "CABLE_TYPE", "DAC passive"],
  ["FACE_UNSPECIFIED", "FACE", ""],
  [undefined, "FACE", ""],
])("enumWord says %p", (value, prefix, word) => {
  expect(formatEnum(value, prefix)).toBe(word);
});

test("a constant reads as a sentence", () => {
  expect(formatConstant("INLET_ABOVE_RECOMMENDED")).toBe("Inlet above recommended");
});

test("figures carry the unit that suits their size", () => {
  expect([formatWatts(999), formatWatts(1000), formatWatts(227_520), formatWatts(undefined)]).toEqual([
    "999 W",
    "1 kW",
    "227.5 kW",
    "–",
  ]);
  expect([formatBandwidth(100), formatBandwidth(25_000), formatBandwidth(13_600_000)]).toEqual([
    "100 Mbit/s",
    "25 Gbit/s",
    "13.6 Tbit/s",
  ]);
});

test.each([
  ["25gbase-x-sfp28", "25G SFP28"],
  ["10gbase-x-sfpp", "10G SFP+"],
  ["1000base-x-sfp", "1G SFP"],
  ["2.5gbase-t", "2.5GBASE-T"],
  ["iec-60320-c14", "IEC 60320 C14"],
  ["iec-60309-3p-n-e-6h", "IEC 60309 3P-N-E-6H"],
  ["nema-5-20p", "NEMA 5-20P"],
  ["hardwired", "hardwired"],
])("portTypeWord names %p as its makers do", (type, word) => {
  expect(formatPortType(type)).toBe(word);
});

test("a moment tells its zone, and what is none is left as it is", () => {
  expect(formatMoment("2026-03-05T14:07:09.120Z")).toMatch(/\b2026\b.* UTC([+-][\d:]+)?$/);
  expect(formatUtcMoment("2026-03-05T14:07:09.120Z")).toBe("2026-03-05 14:07:09.120 UTC");
  expect(formatUtcMoment("2026-03-05T14:07:09+02:00")).toBe("2026-03-05 12:07:09.000 UTC");
  expect([formatMoment("yesterday"), formatUtcMoment("")]).toEqual(["yesterday", ""]);
});

test("FAILURE_KINDS, names every kind of the service, for addresses", () => {
  expect(
    Object.keys(FAILURE_KIND_LABELS)
      .map((word) => word.toUpperCase())
      .sort(),
  ).toEqual([...SERVICE_KINDS].sort());
});

test.each([
  ['Field "position_u" needs a rack: 5', "Unit needs a rack: 5"],
  ['Field "items[0].ports[3].speed_mbps" is 0', "Ports 4, speed is 0"],
  [
    'Cannot read scope_ref "port:SRV/eth0": expected rack:<code> or floor:<site_id>/<floor_number>',
    'Cannot read scope "SRV/eth0": expected a rack or a floor',
  ],
  ['Port "PDU/o1" of kind POWER_OUT gives no power', 'Port "PDU/o1" of kind power out gives no power'],
  ["expected DEVICE_STATUS_ACTIVE or DEVICE_STATUS_FAILED", "expected active or failed"],
])("plainMessage says %p in words", (message, words) => {
  expect(simplifyMessage(message)).toBe(words);
});

test.each([
  'Cannot find rack "ACTIVE"',
  'There is a device "my_server_1" already',
  "UPS-A2 loses 4 of its 6 inlets",
  "LEAF-D03-1 is a UPS",
  "10.0.0.1 and v1.2 are no codes",
])("plainMessage leaves %p, which has nothing of the wire", (message) => {
  expect(simplifyMessage(message)).toBe(message);
});

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

const hit = (ref: string) => ({ kind: "INVENTORY_KIND_DEVICE", ref, name: ref, detail: "" }) as const;

test("a field shows the code of a thing, and the kind as well of one whose code something else has", () => {
  const hits = [hit("rack:A1"), hit("device:A1"), hit("device:A10")];
  expect(createFieldOptions(hits).map(({ name }) => name)).toEqual(["rack\u00a0A1", "device\u00a0A1", "A10"]);
  expect(createFieldOptions(hits).map(({ value }) => value)).toEqual(["rack:A1", "device:A1", "device:A10"]);
  expect(formatShownRef("A1", hits)).toBe("A1");
  expect(parseTypedRef("rack\u00a0A1")).toBe("rack:A1");
  expect(formatShownRef("device:A1", [hit("device:A1")])).toBe("A1");
});
