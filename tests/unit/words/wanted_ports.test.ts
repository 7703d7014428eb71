import { expect, test } from "bun:test";
import { parsePortDemand } from "#words/wanted_ports.ts";

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
