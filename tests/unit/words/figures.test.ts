import { expect, test } from "bun:test";
import { type FigureRules, findHeadingUnit, readFigure, readRackPosition } from "#words/spreadsheet.ts";
import { parsePortDemand } from "#words/wanted_ports.ts";

const WATTS: FigureRules = { unit: "W", isWhole: true };

test.each<[string, number, Partial<FigureRules>?]>([
  ["350", 350],
  ["0", 0],
  ["-5", -5],
  ["0.125", 0.125],
  ["0,500", 0.5],
  ["1,5", 1.5],
  ["1200.500", 1200.5],
  ["1.200,5", 1200.5],
  ["1,200,000", 1_200_000],
  ["1\u00a0200", 1200],
  ["1’200", 1200],
  ["1.2 kW", 1200],
  ["1.20E+03", 1200],
  ["1.200", 1200, { decimal: "," }],
  ["1.200", 1.2, { decimal: "." }],
  ["1,200", 1200, { decimal: "." }],
  ["1.2", 1200, { headingUnit: "kW" }],
  ["350 W", 350, { headingUnit: "kW" }],
  ["42U", 42, { unit: "U" }],
  ["10G", 10_000, { unit: "Mbit/s" }],
  ["800 g", 0.8, { unit: "kg", isWhole: false }],
])("readFigure reads %p as %p", (text, value, rules = {}) => {
  expect(readFigure(text, { ...WATTS, ...rules })).toEqual({ value });
});

test.each<[string, string, Partial<FigureRules>?]>([
  ["1.200", "may be 1200 or 1.2"],
  ["12,345 kW", "may be 12345 or 12.345"],
  ["-1,000", "may be 1000 or 1"],
  ["1.2", 'not a number with "," as the decimal sign', { decimal: "," }],
  ["1,20,000", "not a number"],
  ["1.2.3", "not a number"],
  ["3 kVA", "it is in kVA"],
  ["12 x", "not a number", { unit: "" }],
  ["twelve", "not a number in W"],
])("readFigure refuses %p: %p", (text, problem, rules = {}) => {
  expect(readFigure(text, { ...WATTS, ...rules })).toEqual({ problem: expect.stringContaining(problem) });
});

test.each([
  ["28", { value: 28 }],
  ["U28", { value: 28 }],
  ["28U", { value: 28 }],
  ["HE 3", { value: 3 }],
  ["42,5", { value: 42.5 }],
  ["u42-u45", { value: 42, height: 4 }],
  ["42-45", { value: 42, height: 4 }],
  ["45 – 42", { value: 42, height: 4 }],
  ["Rack 3", undefined],
  ["-3", undefined],
  ["1-2-3", undefined],
])("readRackPosition reads %p", (text, position) => {
  expect(readRackPosition(text)).toEqual(position as never);
});

test.each([
  ["Max power (kW)", "W", { unit: "kW" }],
  ["draw_kw", "W", { unit: "kw" }],
  ["Power (max)", "W", { unit: "W" }],
  ["Feed A", "W", { unit: "W" }],
  ["Weight", "kg", { unit: "kg" }],
  ["Power [kVA]", "W", { problem: 'the column "Power [kVA]" is in kVA: expected W' }],
])("findHeadingUnit finds the unit of %p", (heading, unit, found) => {
  expect(findHeadingUnit(heading, unit)).toEqual(found as never);
});

test.each([
  ["2x25G", { count: 2, speed_mbps: 25_000 }],
  ["2 X 25 g", { count: 2, speed_mbps: 25_000 }],
  ["1x100M", { count: 1, speed_mbps: 100 }],
  ["4x25gbase-x-sfp28", { count: 4, type: "25gbase-x-sfp28" }],
  ["1x2.5G/2.5gbase-t", { count: 1, speed_mbps: 2500, type: "2.5gbase-t" }],
  ["25G", undefined],
  ["2x", undefined],
  ["2x25Gbase", undefined],
])("readWantedPorts reads %j by speed, by type and by both", (text, expected) => {
  expect(parsePortDemand(text)).toEqual(expected);
});
