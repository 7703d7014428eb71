import { expect, test } from "bun:test";
import { FAILURE_KINDS as SERVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatMoment, formatUtcMoment } from "#web/console/labels.ts";
import { FAILURE_KIND_LABELS } from "#web/console/pages/placement_fields.ts";
import { formatBandwidth, formatWatts } from "#words/figures.ts";
import { formatConstant, formatEnum, formatPortType } from "#words/names.ts";

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
