import { expect, test } from "bun:test";
import {
  applyCorrections,
  findFieldColumn,
  guessResourceKind,
  guessTargetPath,
  listColumnTargets,
  listMissingFields,
  type RefusedRow,
} from "#web/console/import/import_file.ts";

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

test.each([
  ["Code", "code"],
  ["Planned draw (W)", "allocated_draw_w"],
  ["max_draw_w", "max_draw_w"],
  ["U", "position_u"],
  ["Rack", "rack_code"],
  ["Serial number", "serial"],
  ["site", "location.site_id"],
  ["location.room", "location.room"],
  ["label: owner", "labels.owner"],
  ["capacity_w", "power.capacity_w"],
  ["Invoice", ""],
])("a column %p of devices fills %p", (header, path) => {
  expect(guessTargetPath(header, listColumnTargets("device"))).toBe(path);
});

test.each([
  ["device", ["code", "kind", "rack", "U"]],
  ["rack", ["code", "site", "floor"]],
  ["cable", ["a", "b", "type"]],
  ["fabric_link", ["a", "b", "fabric"]],
  ["crac", ["code", "kind", "sensible_capacity_kw"]],
] as const)("a table of %p is known by its columns", (kind, headers) => {
  expect(guessResourceKind(headers)).toBe(kind);
});

test("findFieldColumn finds the column of a field, of a part of it, and of what holds it", () => {
  const columns = ["code", "", "location.site_id", "a"];

  const found = ["code", "", "location", "a.port_name", "name"].map((field) => findFieldColumn(columns, field));

  expect(found).toEqual([0, -1, 2, 3, -1]);
});

const sheetRow = (cells: readonly string[], from: number, to: number): RefusedRow => {
  return { event: "refused", line: 1, kind: "rack", problems: [], cells, from, to };
};

test("applyCorrections writes the cells of all corrected rows, with quotes where needed, and leaves every other byte", () => {
  const text = 'code;name\r\nA;"x;""y"\r\n\r\nB;2\r\nC';
  const corrections = new Map([
    [sheetRow(["A", 'x;"y'], 11, 20), new Map([["0", "Z"]])],
    [sheetRow(["C"], 29, 30), new Map([["1", "3"]])],
    [sheetRow(["B", "2"], 24, 27), new Map([["1", 'a"b']])],
  ]);

  expect(applyCorrections(text, corrections, ";")).toBe('code;name\r\nZ;"x;""y"\r\n\r\nB;"a""b"\r\nC;3');
});

test("applyCorrections replaces a field of one item of JSON, as a number where it was one", () => {
  const item = { code: "A", u_height: 200 };
  const row: RefusedRow = { event: "refused", line: 2, kind: "rack", problems: [], item };
  const corrections = new Map([[row, new Map([["u_height", "42"]])]]);
  const fixed = { code: "A", u_height: 42 };

  const lines = applyCorrections(`{"rack":{}}\n${JSON.stringify({ rack: item })}\n`, corrections, ",");
  const lists = applyCorrections(JSON.stringify({ racks: [{}, item] }), corrections, ",");

  expect(lines).toBe(`{"rack":{}}\n${JSON.stringify({ rack: fixed })}\n`);
  expect(JSON.parse(lists)).toEqual({ racks: [{}, fixed] });
});
