import { expect, test } from "bun:test";
import { type DescMessage, fromJson } from "@bufbuild/protobuf";
import type { Cable, Crac, Device, FabricLink, Port, Rack } from "#dc/model/resources.ts";
import { fromMessage, toMessage } from "#dc/operations/messages/convert.ts";
import { SCHEMAS } from "#dc/operations/writes/changes.ts";
import type * as pb from "#gen/datacenter/v1/datacenter_pb.ts";
import { DeviceSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1 } from "../../../../support/dc/ams1.ts";
import { itemsByKind } from "../../../../support/site_lines.ts";

type Kept = "$typeName" | "$unknown" | "etag" | "createTime" | "updateTime";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

test("the model's resources have exactly the proto's fields", () => {
  const device: Same<keyof Device, Exclude<keyof pb.Device, Kept>> = true;
  const port: Same<keyof Port, Exclude<keyof pb.Port, Kept | "deviceCode" | "cable" | "farEnd" | "pathStatus">> = true;
  const rack: Same<keyof Rack, Exclude<keyof pb.Rack, Kept | "health" | "healthReasons">> = true;
  const crac: Same<keyof Crac, Exclude<keyof pb.Crac, Kept>> = true;
  const cable: Same<keyof Cable, Exclude<keyof pb.Cable, Kept>> = true;
  const computed: Same<
    keyof FabricLink,
    Exclude<keyof pb.FabricLink, Kept | "utilizationPct" | "congested" | "physical">
  > = true;

  expect([device, port, rack, crac, cable, computed].every(Boolean)).toBe(true);
});

test("fromMessage and toMessage give back every item of the sample", () => {
  for (const [kind, item] of itemsByKind(ams1)) {
    const schema: DescMessage = SCHEMAS[kind];
    const message = fromJson(schema, item);

    expect(toMessage(schema, fromMessage<object>(schema, message))).toEqual(message);
  }
});

test("fromMessage refuses an enumeration value that the contract does not know, naming the field", () => {
  const message = fromJson(DeviceSchema, { code: "A" });
  message.kind = 99 as never;

  expect(() => fromMessage(DeviceSchema, message)).toThrow('Field "kind" has no value 99');
});
