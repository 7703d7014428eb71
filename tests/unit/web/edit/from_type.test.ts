import { expect, test } from "bun:test";
import { toJson } from "@bufbuild/protobuf";
import { fillDeviceFromType as filledByService } from "#dc/exchange/items.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import type { Device } from "#dc/model/resources.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import { DeviceSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import type { ResourceValues } from "#web/console/edit/form_model.ts";
import { fillMissingFields, listTypeDeviations, removeUnsetFields } from "#web/console/edit/values.ts";

const TYPE: DeviceType = {
  code: "acme-r2",
  manufacturer: "Acme",
  model: "R2",
  partNumber: "R2-1",
  kind: "SERVER",
  uHeight: 2,
  depth: "HALF",
  airflow: "FRONT_TO_REAR",
  weightKg: 21.5,
  maxDrawW: 750,
  ports: [{ name: "PSU1", kind: "POWER_IN" }],
  bays: ["1"],
  comments: "of the type",
};

const BARE: Device = { code: "A", kind: "SERVER", manufacturer: "Acme", model: "R2" };
const DEVICES: readonly Device[] = [
  BARE,
  { ...BARE, rackCode: "R1", positionU: 3 },
  { ...BARE, uHeight: 1, partNumber: "own", ports: [{ name: "eth0", kind: "NETWORK" }] },
  { ...BARE, weightKg: 0, maxDrawW: 900, airflow: "PASSIVE", positionU: 1, depth: "FULL" },
];

const typeValues = toJson(DeviceTypeSchema, convertToMessage(DeviceTypeSchema, TYPE), {
  useProtoFieldName: true,
}) as ResourceValues;
const valuesOf = (device: Device) =>
  removeUnsetFields(
    toJson(DeviceSchema, convertToMessage(DeviceSchema, device), { useProtoFieldName: true }) as ResourceValues,
    "Device",
  );

test.each(DEVICES.map((device) => [device] as const))("filledFromType fills %j as an import does", (device) => {
  expect(fillMissingFields(valuesOf(device), typeValues)).toEqual(valuesOf(filledByService(device, TYPE)));
});

test("keptFromType names values that differ from the type's, with both in words", () => {
  const device = valuesOf({ ...BARE, model: "R3", uHeight: 1, partNumber: "R2-1" });

  expect(listTypeDeviations(device, typeValues)).toEqual([
    { name: "model", ownText: "R3", typeText: "R2" },
    { name: "u_height", ownText: "1 U", typeText: "2 U" },
  ]);
});
