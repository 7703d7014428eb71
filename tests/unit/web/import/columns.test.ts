import { expect, test } from "bun:test";
import { missingFields } from "#web/console/import/columns.ts";

test("names the fields that every item needs and no column fills; an end of a cable may be two columns", () => {
  expect(missingFields("device", ["code", "rack_code"])).toEqual(["Kind"]);
  expect(missingFields("device", ["code", "kind"])).toEqual([]);
  expect(missingFields("cable", ["a", "label"])).toEqual(["End B as device/port"]);
  expect(missingFields("cable", ["a", "b.device_code", "b.port_name"])).toEqual([]);
});
