import { expect, test } from "bun:test";
import { toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";
import { cable, crac, device, fabricLink, rack } from "../../../../support/dc/arbitrary.ts";

function viaMessage(kind: ResourceKind, resource: object): unknown {
  return toJson(RESOURCE_SCHEMAS[kind], convertToMessage(RESOURCE_SCHEMAS[kind], resource), {
    useProtoFieldName: true,
  });
}

test("a resource's JSON is that of its message", () => {
  const kinds = { device, rack, crac, cable, fabric_link: fabricLink } as const;
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
