import { describe, expect, test } from "bun:test";
import { create, fromBinary, fromJson, fromJsonString, toBinary, toJson } from "@bufbuild/protobuf";
import {
  BulkUpsertDevicesRequestSchema,
  SearchDevicesRequestSchema,
  UpsertDeviceRequestSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { BINARY_OPTIONS, JSON_OPTIONS } from "#interfaces/connect/handler.ts";
import { type MessageFormat, readMessage } from "#interfaces/connect/unary_call.ts";
import { runAllSteps } from "#kernel/steps.ts";

const BULK: MessageFormat = { input: BulkUpsertDevicesRequestSchema, isBinary: false, options: JSON_OPTIONS };
const ONE: MessageFormat = { ...BULK, input: UpsertDeviceRequestSchema };
const SEARCH: MessageFormat = {
  input: SearchDevicesRequestSchema,
  isBinary: false,
  options: { ...JSON_OPTIONS, ignoreUnknownFields: true },
};

const ports = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `p "${at}" \\ ü`, label: "[{,:" }));
const device = (at: number, count = 3) => ({ code: `D${at}`, kind: "DEVICE_KIND_SWITCH", ports: ports(count) });
const devices = (count: number, portCount?: number) => Array.from({ length: count }, (_, at) => device(at, portCount));
const text = (value: unknown) => JSON.stringify(value);
const spaces = " ".repeat(40_000);

const read = (form: MessageFormat, json: string) => runAllSteps(readMessage(form, Buffer.from(json)));

describe("readMessage reads JSON as the library does,", () => {
  const TEXTS: Readonly<Record<string, readonly [MessageFormat, string]>> = {
    "a list of 1,000 items": [BULK, text({ atomic: true, items: devices(1000), update_mask: "code" })],
    "items that are large": [BULK, text({ items: devices(3, 2000) })],
    "small items of many objects": [BULK, text({ items: Array(40).fill({ code: "D", ports: Array(1000).fill({}) }) })],
    "many empty items": [BULK, text({ items: Array(9000).fill({}) })],
    "a large item between small ones": [BULK, text({ items: [...devices(3), device(9, 3000), ...devices(3)] })],
    "one large message": [ONE, text({ device: device(1, 3000), validate_only: true })],
    "the name in the other spelling": [BULK, text({ updateMask: "code", items: devices(1000) })],
    "a name with an escape": [BULK, text({ items: devices(1000) }).replace('"items"', '"\\u0069tems"')],
    "blanks everywhere": [BULK, JSON.stringify({ items: devices(1000) }, undefined, 2)],
    "a list of blanks": [BULK, `{"items": [${spaces}] }`],
    "a list of texts": [SEARCH, text({ filter: { tags: Array.from({ length: 9000 }, (_, at) => `tag ${at}`) } })],
    labels: [ONE, text({ device: { code: "D", labels: { a: "x".repeat(50_000) } } })],
    "unknown large fields of a question": [SEARCH, text({ query: "a", news: devices(1000), page_size: 3 })],
  };
  for (const [what, [form, json]] of Object.entries(TEXTS)) {
    test(what, () => {
      const message = read(form, json);

      expect(toJson(form.input, message)).toEqual(toJson(form.input, fromJsonString(form.input, json, form.options)));
    });
  }
});

describe("readMessage refuses what the library refuses,", () => {
  const items = text(devices(1000)).slice(1, -1);
  const TEXTS: Readonly<Record<string, readonly [form: MessageFormat, json: string, told: string]>> = {
    "a comma at the end": [BULK, `{"items":[${items},]}`, "Cannot read"],
    "a comma behind a large item": [BULK, `{"items":[${text(device(1, 3000))},]}`, "Cannot read"],
    "a comma before a large item": [BULK, `{"items":[,${text(device(1, 3000))}]}`, "Cannot read"],
    "two commas": [BULK, `{"items":[${items},,${items}]}`, "Cannot read"],
    "a list that ends as an object": [BULK, `{"items":[${items}}}`, "Cannot read"],
    "a list without an end": [BULK, `{"items":[${items}`, "Cannot read"],
    "an object without an end": [BULK, `{"items":[${items}]`, "Cannot read"],
    "something behind the end": [BULK, `{"items":[${items}]} x`, "Cannot read"],
    "a name that comes twice": [BULK, `{"items":[${items}],"items":[${items}]}`, "Cannot read"],
    "a name that comes twice in an item": [BULK, `{"items":[${items},{"code":"A","code":"A"}]}`, "Cannot read"],
    "a field that is not known": [BULK, `{"items":[${items}],"news":[${items}]}`, 'no field "news"'],
    "a field of an item that is not known": [BULK, `{"items":[${items},{"news":1}]}`, 'Device has no field "news"'],
    "an object instead of a list": [BULK, `{"items":{"a":[${items}]}}`, "Cannot read items"],
    "a list instead of a message": [ONE, `{"device":[${items}]}`, "Cannot read device"],
    "a list instead of a text": [BULK, `{"items":[${items},{"code":[${items}]}]}`, "Cannot read items[1000].code"],
    "a null instead of an item": [BULK, `{"items":[${items},null]}`, "Cannot read items[1000]"],
    "a wrong value deep within": [
      ONE,
      text({ device: { code: "D", ports: [...ports(2000), { name: 1 }] } }),
      "Cannot read device.ports[2000].name",
    ],
    "a word that an item's enumeration does not have": [
      BULK,
      `{"items":[${items},{"face":"SIDE"}]}`,
      'Cannot read items[1000].face "SIDE": expected one of FACE_UNSPECIFIED',
    ],
    "objects instead of labels": [ONE, text({ device: { labels: { a: devices(1000) } } }), "Cannot read device"],
    "a list that is the whole": [BULK, `[${items}]`, "Cannot read"],
    "bytes that are no JSON": [BULK, "x".repeat(40_000), "Cannot read"],
  };
  for (const [what, [form, json, told]] of Object.entries(TEXTS)) {
    test(what, () => {
      expect(() => fromJsonString(form.input, json, form.options)).toThrow();
      expect(() => read(form, json)).toThrow(told);
    });
  }

  test("a word that its enumeration does not have, also where unknown fields are ignored", () => {
    const json = text({ filter: { tags: ports(2000).map(({ name }) => name), kinds: ["DEVICE_KIND_TOASTER"] } });

    expect(() => read(SEARCH, json)).toThrow('Cannot read filter.kinds[0] "DEVICE_KIND_TOASTER"');
  });
});

test("readMessage refuses a binary message that is cut off", () => {
  const { input } = BULK;
  const bytes = toBinary(input, fromJson(input, { items: devices(1000) }));
  const form = { input, isBinary: true, options: BINARY_OPTIONS };

  expect(runAllSteps(readMessage(form, bytes))).toEqual(fromBinary(input, bytes));
  expect(() => runAllSteps(readMessage(form, bytes.subarray(0, -1)))).toThrow("Cannot read the message: ");
  expect(runAllSteps(readMessage(form, new Uint8Array()))).toEqual(create(input));
});
