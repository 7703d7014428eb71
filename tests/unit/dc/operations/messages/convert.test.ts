import { expect, test } from "bun:test";
import { type DescMessage, fromJson } from "@bufbuild/protobuf";
import { convertFromMessage, convertToMessage } from "#dc/operations/messages/convert.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { DeviceSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1 } from "../../../../support/dc/ams1.ts";
import { itemsByKind } from "../../../../support/site_lines.ts";

test("convertFromMessage and toMessage give back every item of the sample", () => {
  for (const [kind, item] of itemsByKind(ams1)) {
    const schema: DescMessage = RESOURCE_SCHEMAS[kind];
    const message = fromJson(schema, item);

    expect(convertToMessage(schema, convertFromMessage<object>(schema, message))).toEqual(message);
  }
});

test("convertFromMessage refuses an enumeration value that the contract does not know, naming the field", () => {
  const message = fromJson(DeviceSchema, { code: "A" });
  message.kind = 99 as never;

  expect(() => convertFromMessage(DeviceSchema, message)).toThrow('Field "kind" has no value 99');
});
