import { expect, test } from "bun:test";
import { listMissingFields, parseRows } from "#web/console/import/columns.ts";

test("names the fields that every item needs and no column fills; an end of a cable may be two columns", () => {
  const missing = (kind: "device" | "cable" | "rack", columns: readonly string[]) =>
    listMissingFields(kind, columns).map(({ label }) => label);
  expect(missing("device", ["code", "rack_code"])).toEqual(["Kind"]);
  expect(missing("device", ["code", "kind"])).toEqual([]);
  expect(missing("cable", ["a", "label"])).toEqual(["End B as device/port"]);
  expect(missing("cable", ["a", "b.device_code", "b.port_name"])).toEqual([]);
  expect(missing("rack", ["code"])).toEqual(["Location, site"]);
  expect(missing("rack", ["code", "location.site_id"])).toEqual([]);
});

const table = (headers: readonly string[], cells: readonly string[]) => ({
  delimiter: ",",
  headers,
  rows: [{ line: 2, cells, from: 0, to: 0 }],
});

test("parseRows refuses a row in which two columns fill one field with different texts", () => {
  const itemOf = (...cells: readonly string[]) => {
    const columns = ["code", "name", "code"];
    return parseRows(table(columns, cells), "rack", columns).items[0];
  };

  expect(itemOf("A", "x", "B")?.problems).toEqual([
    { field: "code", message: 'Two columns fill this field, with "A" and "B"' },
  ]);
  for (const item of [itemOf("A", "x", "A"), itemOf("", "x", "A"), itemOf("A", "x", "")]) {
    expect(item?.resource).toEqual({ code: "A", name: "x" });
    expect(item?.problems).toBeUndefined();
  }
});

test("parseRows shows no more of a text than its beginning in a message", () => {
  const items = parseRows(table(["code", "u_height"], ["A", "9".repeat(5000)]), "rack", ["code", "u_height"]).items;

  expect(items[0]?.problems?.[0]?.message).toBe(`"${"9".repeat(60)}…" is too large`);
});

test("parseRows places devices with a unit at the front if no column names a side", () => {
  const faceOf = (columns: readonly string[], cells: readonly string[]) =>
    parseRows(table(columns, cells), "device", columns).items[0]?.resource["face"];

  expect(faceOf(["code", "position_u"], ["A", "3"])).toBe("FACE_FRONT");
  expect(faceOf(["code", "position_u"], ["A", ""])).toBeUndefined();
  expect(faceOf(["code", "position_u", "face"], ["A", "3", "Rear"])).toBe("FACE_REAR");
});
