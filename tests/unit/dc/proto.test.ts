import { describe, expect, test } from "bun:test";
import { type DescMessage, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import {
  CableSchema,
  CracSchema,
  DatacenterService,
  DeviceSchema,
  FabricLinkSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1 } from "../../support/dc/ams1.ts";

const SETS: readonly (readonly [string, DescMessage, readonly JsonObject[]])[] = [
  ["racks", RackSchema, ams1.racks],
  ["devices", DeviceSchema, ams1.devices],
  ["cracs", CracSchema, ams1.cracs],
  ["cables", CableSchema, ams1.cables],
  ["fabric_links", FabricLinkSchema, ams1.fabric_links],
];

/** Proto JSON leaves out what holds the default, so the sample is compared without its empty lists and empty strings. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => !(Array.isArray(inner) && inner.length === 0))
      .map(([key, inner]) => [key, withoutDefaults(inner)]),
  );
}

/** Zero is the default of the fields without presence, which are the coordinates only. */
function withoutZeroCoordinates(item: unknown): unknown {
  return JSON.parse(JSON.stringify(item, (key, value) => (key === "rotation_deg" && value === 0 ? undefined : value)));
}

describe("the proto contract", () => {
  for (const [name, schema, items] of SETS) {
    test(`parses every item of the sample's ${name} strictly and gives it back`, () => {
      for (const item of items) {
        const message = fromJson(schema, item);
        const overTheWire = fromBinary(schema, toBinary(schema, message));

        const back = toJson(schema, overTheWire, { useProtoFieldName: true });

        expect(withoutZeroCoordinates(back)).toEqual(withoutZeroCoordinates(withoutDefaults(item)));
      }
    });
  }

  test("refuses an unknown field", () => {
    expect(() => fromJson(DeviceSchema, { code: "A", colour: "red" })).toThrow("colour");
  });

  test("declares the 26 RPCs of the contract, reads without side effects", () => {
    const reads = DatacenterService.methods.filter(({ idempotency }) => idempotency === 1).map(({ name }) => name);
    const writes = DatacenterService.methods.filter(({ idempotency }) => idempotency !== 1).map(({ name }) => name);

    expect(reads).toEqual(
      (
        "PowerBlastRadius TraceCablePath GetRack ThermalHeadroom FabricTopology FloorPlan SearchDevices GetDevice " +
        "GetPort Render"
      ).split(" "),
    );
    expect(writes).toEqual(
      (
        "UpsertDevice DeleteDevice UpsertRack DeleteRack UpsertCrac DeleteCrac BulkUpsertDevices " +
        "BulkDeleteDevices BulkUpsertRacks BulkDeleteRacks BulkUpsertCracs BulkDeleteCracs UpsertCable " +
        "DeleteCable UpsertFabricLink DeleteFabricLink"
      ).split(" "),
    );
  });
});
