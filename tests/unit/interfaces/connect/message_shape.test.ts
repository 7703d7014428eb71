import { describe, expect, test } from "bun:test";
import { Refusal } from "#dc/model/refusal.ts";
import { BulkUpsertDevicesRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  checkBinaryShape,
  checkJsonShape,
  JsonShapeScan,
  MAX_DEPTH,
  MAX_MEMBERS,
  MAX_VALUES,
} from "#interfaces/connect/message_shape.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** Depth and values by the parser's own tree: the slow second opinion. */
function measured(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(measured);
  const depth = 1 + Math.max(0, ...inner.map((one) => one.depth));
  return { depth, values: 1 + inner.reduce((sum, one) => sum + one.values, 0) };
}

const random = new SeededRandom(7);
const next = () => random.next();
const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item;
function randomJson(levels: number): unknown {
  const kind = next();
  if (levels === 0 || kind < 0.4)
    return pick([1, -2.5e9, true, null, "", 'a "quoted" [text]', "\\", '{"', "ü]}", '\\"[']);
  const length = Math.floor(next() * 4);
  const items = Array.from({ length }, () => randomJson(levels - 1));
  if (kind < 0.7) return items;
  return Object.fromEntries(items.map((item, index) => [pick(["a", 'b"[', "\\{", ""]) + index, item]));
}

describe("JsonScan", () => {
  test("counts what the parser finds, wherever the text is cut", () => {
    for (let round = 0; round < 300; round++) {
      const value = randomJson(6);
      const text = bytes(JSON.stringify(value, null, pick([0, 2])));
      const scan = new JsonShapeScan();
      for (let at = 0; at < text.length; ) {
        const length = 1 + Math.floor(next() * 9);
        expect(scan.scanChunk(text.subarray(at, at + length))).toBeUndefined();
        at += length;
      }

      const { values } = measured(value);
      // An empty list counts as one more: a scan of bytes does not look ahead.
      expect(scan.values).toBeGreaterThanOrEqual(values);
      expect(scan.values).toBeLessThanOrEqual(2 * values);
    }
  });

  test("refuses the first level beyond the limit, and no earlier one", () => {
    expect(new JsonShapeScan().scanChunk(bytes(nested(MAX_DEPTH)))).toBeUndefined();
    expect(new JsonShapeScan().scanChunk(bytes(nested(MAX_DEPTH + 1)))).toContain("64 levels");
    expect(new JsonShapeScan().scanChunk(bytes('{"a":'.repeat(MAX_DEPTH + 1)))).toContain("64 levels");
  });

  test("refuses the first value beyond the limit", () => {
    const list = (length: number) => bytes(`[${"1,".repeat(length - 1)}1]`);
    expect(new JsonShapeScan().scanChunk(list(MAX_VALUES - 2))).toBeUndefined();
    expect(new JsonShapeScan().scanChunk(list(MAX_VALUES + 1))).toContain("1000000 values");
  });

  test("refuses the first member of an object beyond the limit, and counts each object alone", () => {
    const object = (members: number) => `{${'"a":[1,2],'.repeat(members - 1)}"a":0}`;
    const most = object(MAX_MEMBERS);
    expect(new JsonShapeScan().scanChunk(bytes(`[${most},${most},{"b":${most},"c":1}]`))).toBeUndefined();
    expect(new JsonShapeScan().scanChunk(bytes(object(MAX_MEMBERS + 1)))).toContain("more than 10000 members");
    expect(new JsonShapeScan().scanChunk(bytes(`[${"1,".repeat(MAX_MEMBERS)}1]`))).toBeUndefined();
  });

  test("takes brackets and commas within texts for text", () => {
    const text = JSON.stringify(`${"[".repeat(100)}"\\${",".repeat(100)}`);
    expect(new JsonShapeScan().scanChunk(bytes(text))).toBeUndefined();
  });
});

const list = (count: number, item: string) => Buffer.from(`{"items":[${Array(count).fill(item).join(",")}]}`);
const port = '{"name":"e1","kind":"PORT_KIND_NETWORK"}';
const devices = (count: number, ports: number) =>
  list(count, `{"code":"D-1","kind":"DEVICE_KIND_SERVER","ports":[${Array(ports).fill(port).join(",")}]}`);
/** Two bytes for each empty device. */
const binary = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x0a, 0x00]));
/** Three bytes for each field that is not known. */
const unknown = (count: number) => Buffer.alloc(3 * count, Buffer.from([0xf8, 0x07, 0x01]));

describe("The shape of a message", () => {
  const json = (body: Uint8Array) => runAllSteps(checkJsonShape(body));
  const proto = (body: Uint8Array) => runAllSteps(checkBinaryShape(BulkUpsertDevicesRequestSchema, body));
  const CASES: Readonly<Record<string, readonly [problem: string, check: () => void]>> = {
    "1,000 devices with 95 ports": ["", () => json(devices(1000, 95))],
    "1,000 devices with 299 ports": ["", () => json(devices(1000, 299))],
    "410,000 empty objects": ["JSON of the request: more than 400000 objects", () => json(list(410_000, "{}"))],
    "a million values": ["JSON of the request: more than 1000000 values", () => json(list(1_000_001, "1"))],
    "399,999 messages": ["", () => proto(binary(399_999))],
    "400,000 messages within one": ["the request: more than 400000 messages", () => proto(binary(400_000))],
    "a million fields": ["", () => proto(unknown(1_000_000))],
    "more than a million fields": ["the request: more than 1000000 values", () => proto(unknown(1_000_001))],
  };
  for (const [what, [problem, check]] of Object.entries(CASES)) {
    test(`${problem === "" ? "allows" : "refuses"} ${what}`, () => {
      if (problem === "") check();
      else {
        expect(check).toThrow(problem);
        expect(check).toThrow(Refusal);
      }
    });
  }
});
