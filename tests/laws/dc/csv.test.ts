import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fromJson, toJson } from "@bufbuild/protobuf";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { findCsvColumn, formatCsvRecord, listCsvColumns } from "#cli/dc/csv_columns.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { ams1Inventory } from "../../support/dc/ams1_inventory.ts";
import { cable, crac, device, fabricLink, rack } from "../../support/dc/arbitrary.ts";
import { law } from "../../support/law.ts";

const KINDS = { rack, device, crac, cable, fabric_link: fabricLink } as const;

/** Texts that spreadsheets, quotes and line ends make trouble with. */
const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.constantFrom("=1+1", "'=1", "''", "-3", "+a", "@x", "\tx", "\r", 'a"b', "a,b", "a\r\nb", " a ", "1", "true", "{}"),
);

function throughCsv(kind: ResourceKind, resources: readonly JsonObject[]): readonly JsonObject[] {
  const columns = listCsvColumns(kind);
  const head = formatCsvRecord(columns.map(({ name }) => name));
  const file = head + resources.map((one) => formatCsvRecord(columns.map(({ write }) => write(one)))).join("");
  const [names = [], ...records] = parse(file) as string[][];
  expect(names).toEqual(columns.map(({ name }) => name));
  return records.map((cells) => {
    const resource: Record<string, JsonValue> = {};
    for (const [index, cell] of cells.entries()) if (cell !== "") columns[index]?.parseCell(cell, resource);
    return normal(kind, resource);
  });
}

/** As the service reads it: numbers may be written as texts. */
function normal(kind: ResourceKind, json: JsonObject): JsonObject {
  return toJson(RESOURCE_SCHEMAS[kind], fromJson(RESOURCE_SCHEMAS[kind], json), {
    useProtoFieldName: true,
  }) as JsonObject;
}

describe("a CSV gives back what was written", () => {
  for (const [kind, arbitrary] of Object.entries(KINDS) as [ResourceKind, fc.Arbitrary<object>][]) {
    law(
      `for every ${kind}, whatever its texts hold`,
      [arbitrary, fc.record({ comments: text, tenant: text, labels: fc.dictionary(text, text), tags: fc.array(text) })],
      (resource, texts) => {
        const json = convertModelToJson(RESOURCE_SCHEMAS[kind], { ...resource, ...(kind !== "fabric_link" && texts) });
        expect(throughCsv(kind, [json])).toEqual([normal(kind, json)]);
      },
    );
  }

  test("for the sample site", async () => {
    const { racks, devices, cracs, cables, fabricLinks } = await ams1Inventory();
    const lists = { rack: racks, device: devices, crac: cracs, cable: cables, fabric_link: fabricLinks };

    for (const [kind, list] of Object.entries(lists) as [ResourceKind, readonly object[]][]) {
      const json = list.map((one) => convertModelToJson(RESOURCE_SCHEMAS[kind], one));
      expect(throughCsv(kind, json)).toEqual(json);
    }
  });
});

test.each([
  ["device", "name", { name: "x" }],
  ["device", "location.room", { location: { room: "x" } }],
  ["device", "labels.owner", { labels: { owner: "x" } }],
  ["device", "labels.a.b", { labels: { "a.b": "x" } }],
  ["rack", "labels.owner", { labels: { owner: "x" } }],
  ["crac", "labels.owner", { labels: { owner: "x" } }],
  ["device", "power.capacity_w", { power: { capacity_w: "x" } }],
  ["device", "power.power_path", { power: { power_path: "x" } }],
  ["device", "lables.owner", undefined],
  ["device", "labels.", undefined],
  ["device", "location", undefined],
  ["device", "name.first", undefined],
  ["device", "ports.name", undefined],
  ["device", "power.watts", undefined],
  ["device", "etag", undefined],
  ["device", "create_time.seconds", undefined],
  ["device", "measured_at.seconds", undefined],
] as const)("findCsvColumn finds in %s the field %s, or an entry within it", (kind, name, expected) => {
  const column = findCsvColumn(kind, name);
  const resource = {};
  column?.parseCell("x", resource);
  expect([column?.name, column && resource]).toEqual([expected && name, expected]);
});
