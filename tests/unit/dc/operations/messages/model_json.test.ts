import { expect, test } from "bun:test";
import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertFromMessage, convertToMessage } from "#dc/operations/messages/convert.ts";
import { convertModelToJson, convertPlainJson } from "#dc/operations/messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { ams1 } from "../../../../support/dc/ams1.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";
import { cable, crac, device, fabricLink, rack } from "../../../../support/dc/arbitrary.ts";
import { LAW_RUNS } from "../../../../support/law_runs.ts";
import { itemsByKind } from "../../../../support/site_lines.ts";

const kinds = { device, rack, crac, cable, fabric_link: fabricLink } as const;

function viaMessage(kind: ResourceKind, resource: object): unknown {
  return toJson(RESOURCE_SCHEMAS[kind], convertToMessage(RESOURCE_SCHEMAS[kind], resource), {
    useProtoFieldName: true,
  });
}

test("a resource's JSON is that of its message", () => {
  for (const [kind, arbitrary] of Object.entries(kinds) as [ResourceKind, fc.Arbitrary<object>][]) {
    fc.assert(
      fc.property(arbitrary, (resource) => {
        expect(convertModelToJson(RESOURCE_SCHEMAS[kind], resource)).toEqual(viaMessage(kind, resource) as never);
      }),
    );
  }
});

test("so is that of everything in the sample site", async () => {
  const { racks, devices, cracs, cables, fabricLinks } = await ams1Inventory();
  const lists = { rack: racks, device: devices, crac: cracs, cable: cables, fabric_link: fabricLinks };

  for (const [kind, list] of Object.entries(lists) as [ResourceKind, readonly object[]][]) {
    for (const resource of list)
      expect(convertModelToJson(RESOURCE_SCHEMAS[kind], resource)).toEqual(viaMessage(kind, resource) as never);
  }
});

test("moments, zeros and empty values are written as proto JSON has them", () => {
  const moments = ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.120Z"];
  for (const measuredAt of moments) {
    const resource = {
      code: "R1",
      name: "",
      location: { siteId: "S1", floorNumber: 0 },
      descUnits: false,
      uHeight: 0,
      tags: [],
      labels: {},
      measuredAt,
      placement: { xMm: 0, yMm: 5, widthMm: 0, depthMm: 0, rotationDeg: 0 },
    };

    expect(convertModelToJson(RESOURCE_SCHEMAS.rack, resource)).toEqual(viaMessage("rack", resource) as never);
  }
});

function readMessage(kind: ResourceKind, json: JsonValue): object {
  return convertFromMessage<object>(RESOURCE_SCHEMAS[kind], fromJson(RESOURCE_SCHEMAS[kind], json));
}

/** What a field of a line may hold that is not what an export writes there. */
const odd: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  ...[null, "", 0, -0, 1.5, 2 ** 31, 2 ** 53, true, false, "text", "12", "NaN", "nul\0", "DEVICE_KIND_SERVER"],
  ...[[], [null], [1], ["a", 2], {}, { a: "b" }, { a: 1 }, { a: "\0" }, { site_id: "S1" }, { portName: "p" }],
  ...["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.120Z", "2026-01-02T03:04:05.123456Z", "2026-02-30T00:00:00Z"],
  ...["0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-02T24:00:00Z"],
  ...[
    "half \ud83d",
    ["\udc00"],
    { a: "\ud800" },
    { "\udfff": "a" },
    Number.POSITIVE_INFINITY,
    Number.MAX_VALUE,
    1e-320,
  ],
  ...[-(2 ** 31), 2 ** 31 - 1, 2 ** 32, -1.0, [[]], [{}], { units: [1] }, JSON.parse('{"__proto__": "a"}')],
);

test("plain JSON becomes the model that its message becomes", () => {
  for (const [kind, item] of itemsByKind(ams1)) {
    expect(convertPlainJson<object>(RESOURCE_SCHEMAS[kind], item)).toStrictEqual(readMessage(kind, item));
  }
});

test("whatever else a field holds, the model is the same or there is none", () => {
  for (const [kind, arbitrary] of Object.entries(kinds) as [ResourceKind, fc.Arbitrary<object>][]) {
    const names = [
      "colour",
      "__proto__",
      ...RESOURCE_SCHEMAS[kind].fields.flatMap(({ name, jsonName }) => [name, jsonName]),
    ];
    const edits = fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 2 });
    fc.assert(
      fc.property(arbitrary, edits, (resource, changed) => {
        const json: JsonObject = {
          ...convertModelToJson(RESOURCE_SCHEMAS[kind], resource),
          ...Object.fromEntries(changed),
        };
        const model = convertPlainJson<object>(RESOURCE_SCHEMAS[kind], json);

        if (model !== undefined) expect(model).toStrictEqual(readMessage(kind, json));
      }),
      { numRuns: LAW_RUNS },
    );
  }
});

test("what is unknown, output only, null or spelled twice is left to the reader of messages", () => {
  const wrong: readonly JsonObject[] = [
    { code: "R1", colour: "red" },
    { code: "R1", etag: "x" },
    { code: "R1", name: null },
    { code: "R1", u_height: 42, uHeight: 42 },
    { code: "R1", u_height: "42" },
    { code: "R1", airflow: "AIRFLOW_UNSPECIFIED" },
    // Half of a pair is no text: UTF-8 cannot hold it.
    { code: "R1", name: "\ud800" },
    { code: "R1", labels: { k: "\udc00" } },
    { code: "R1", max_load_kg: Number.POSITIVE_INFINITY },
    { code: "R1", measured_at: "0000-01-01T00:00:00Z" },
  ];

  expect(wrong.map((json) => convertPlainJson<object>(RESOURCE_SCHEMAS.rack, json))).toEqual(
    wrong.map(() => undefined),
  );
});
