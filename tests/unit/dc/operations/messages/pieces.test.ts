import { describe, expect, test } from "bun:test";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { encodeBinaryInSteps, encodeJsonInSteps } from "#dc/operations/messages/pieces.ts";
import { SearchDevicesResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { Steps } from "#kernel/steps.ts";

const JSON_FORMS = [{}, { useProtoFieldName: true }, { useProtoFieldName: true, alwaysEmitImplicit: true }];

const devices = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    code: `D"${at}`,
    ports: Array.from({ length: at % 3 }, (__, port) => ({ name: `é${port}` })),
  }));
const page = (count: number) =>
  create(SearchDevicesResponseSchema, {
    devices: devices(count),
    nextPageToken: "next",
    totalCount: count,
    roleCounts: { leaf: 3, spine: 2 },
  });

function stepped(steps: Steps<Uint8Array>) {
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { count, bytes: value };
  }
}

describe.each([0, 1, 16, 17, 33, 100])("a reply with %d devices", (count) => {
  test("is written in steps as the library writes it at once in binary", () => {
    const { bytes } = stepped(encodeBinaryInSteps(SearchDevicesResponseSchema, page(count)));

    expect(Buffer.from(bytes)).toEqual(Buffer.from(toBinary(SearchDevicesResponseSchema, page(count))));
  });

  test.each(JSON_FORMS)("is written in steps as the library writes it at once in JSON by %j", (form) => {
    const { bytes } = stepped(encodeJsonInSteps(SearchDevicesResponseSchema, page(count), form));

    expect(Buffer.from(bytes).toString()).toBe(toJsonString(SearchDevicesResponseSchema, page(count), form));
  });
});

test("a long list takes many steps in both forms", () => {
  expect(stepped(encodeBinaryInSteps(SearchDevicesResponseSchema, page(1000))).count).toBeGreaterThan(50);
  expect(stepped(encodeJsonInSteps(SearchDevicesResponseSchema, page(1000), {})).count).toBeGreaterThan(50);
});
