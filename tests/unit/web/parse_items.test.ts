import { expect, test } from "bun:test";
import { parseImportItems } from "#web/console/import/parse_items.ts";

test("parseImportItems reads a resource on each line, and tells the lines that are none", () => {
  const text = ['{"rack": {"code": "A"}}', "", '{"rack": ', '{"rock": {}}\r', '{"device": {"code": "S"}}', "[]"].join(
    "\n",
  );

  const { items, unreadable } = parseImportItems(text);

  expect(items).toEqual([
    { kind: "rack", line: 1, resource: { code: "A" } },
    { kind: "device", line: 5, resource: { code: "S" } },
  ]);
  expect(unreadable.map(({ line }) => line)).toEqual([3, 4, 6]);
});

test("parseImportItems refuses a line of two resources, since their order would be lost", () => {
  expect(parseImportItems('{"rack": {}, "device": {}}')).toEqual({
    items: [],
    unreadable: [{ line: 1, message: "Expected an object with one key out of rack, device, crac, cable, fabric_link" }],
  });
});

test("parseImportItems reads one object of lists", () => {
  const { items, unreadable } = parseImportItems('{"racks": [{"code": "A"}], "cables": [{}, 7], "rocks": []}');

  expect(items).toEqual([
    { kind: "rack", line: 1, resource: { code: "A" } },
    { kind: "cable", line: 1, resource: {} },
  ]);
  expect(unreadable).toEqual([
    { line: 2, message: '"cables" holds something that is no object' },
    { line: 1, message: '"rocks" is no list of racks, devices, cracs, cables, fabric_links' },
  ]);
});

test("parseImportItems finds nothing in an empty text", () => {
  expect(parseImportItems(" \n")).toEqual({ items: [], unreadable: [] });
});
