import { expect, test } from "bun:test";
import { type PlaceCall, placementRequest } from "#cli/dc/place_request.ts";

const NOTHING = { port: [], spread: [], "allow-warnings": false, json: false, csv: false };
const call = (given: Partial<PlaceCall>): PlaceCall => ({ ...NOTHING, ...given }) as unknown as PlaceCall;

test("placementRequest reads ports by speed, by type and by both", () => {
  const { ports } = placementRequest(call({ port: ["2x25G", "1x100M", "4x25gbase-x-sfp28", "1x2.5G/2.5gbase-t"] }));

  expect(ports.map(({ count, type, speedMbps }) => [count, type, speedMbps])).toEqual([
    [2, "", 25_000],
    [1, "", 100],
    [4, "25gbase-x-sfp28", undefined],
    [1, "2.5gbase-t", 2500],
  ]);
});

test("placementRequest names the flag and the value that it cannot read", () => {
  expect(() => placementRequest(call({ port: ["25G"] }))).toThrow('Wrong value "25G" for "--port"');
  expect(() => placementRequest(call({ port: ["2x"] }))).toThrow('Wrong value "2x" for "--port"');
  expect(() => placementRequest(call({ height: "tall" }))).toThrow('Wrong value "tall" for "--height"');
});
