import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { testService } from "../../../support/dc/service.ts";
import { cables, end, smallSite } from "../../../support/dc/small_site.ts";

const location = { site_id: "S1", floor_number: 1 };
const link = (a: string, b: string): JsonObject => ({ a: end("LEAF-1", a), b: end("SPINE-1", b) });
const turned = ({ a, b }: JsonObject): JsonObject => ({ a: b ?? {}, b: a ?? {} });

/** What the reply says of every item, by its place. */
function told(reply: { results?: { code?: string; outcome: string; error?: { message: string } }[] }) {
  return (reply.results ?? []).map(({ code, outcome, error }) => [code, outcome, error?.message].filter(Boolean));
}

test("BulkUpsertCables answers for every cable in the order of the request, and a refused one holds no other back", async () => {
  const { call, service } = await smallSite();
  const items = [link("e9", "e1"), link("e2", "e2"), cables[1] ?? {}, { a: end("LEAF-1", "e3") }];

  const reply = await call("BulkUpsertCables", { items, change_message: "new links" });

  expect(told(reply)).toEqual([
    ["cable:LEAF-1/e9~SPINE-1/e1", "OUTCOME_FAILED", 'Cannot find port "LEAF-1/e9"'],
    ["cable:LEAF-1/e2~SPINE-1/e2", "OUTCOME_CREATED"],
    ["cable:LEAF-1/e1~SPINE-1/e1", "OUTCOME_UNCHANGED"],
    ["OUTCOME_FAILED", 'End "b" is required'],
  ]);
  expect([reply.succeeded, reply.failed, reply.committed]).toEqual([2, 2, true]);
  const { entries } = await service.readHistory({ entity: "cable:LEAF-1/e2~SPINE-1/e2" }, { interface: "REST" });
  expect(entries).toMatchObject([{ action: "CREATE", message: "new links" }]);
});

test("BulkUpsertCables refuses a cable that is given twice, in either direction, and not ports that differ in case", async () => {
  const { call } = await smallSite();
  const ports = ["x", "X"].map((name) => ({ name, kind: "PORT_KIND_NETWORK", type: "100gbase-x-qsfp28" }));
  for (const code of ["N-1", "N-2"]) {
    await call("UpsertDevice", { device: { code, kind: "DEVICE_KIND_SWITCH", location, ports } });
  }
  const one = (name: string) => ({ a: end("N-1", name), b: end("N-2", name) });

  const cased = await call("BulkUpsertCables", { items: [one("x"), one("X")], atomic: true });
  const twice = await call("BulkUpsertCables", { items: [link("e2", "e2"), turned(link("e2", "e2"))] });

  expect(told(cased).map(([, outcome]) => outcome)).toEqual(["OUTCOME_CREATED", "OUTCOME_CREATED"]);
  const error = 'Cable "cable:LEAF-1/e2~SPINE-1/e2" is given twice in the batch: expected each cable once';
  expect(told(twice)).toEqual([
    ["cable:LEAF-1/e2~SPINE-1/e2", "OUTCOME_FAILED", error],
    ["cable:LEAF-1/e2~SPINE-1/e2", "OUTCOME_FAILED", error],
  ]);
});

test("BulkUpsertCables writes nothing when asked to check alone, or when one cable of an atomic call is refused", async () => {
  const { call } = await smallSite();
  const stored = async () => (await call("GetPort", { port_ref: "port:LEAF-1/e2" })).port.cable_end;

  const checked = await call("BulkUpsertCables", { items: [link("e2", "e2")], validate_only: true });
  const failed = await call("BulkUpsertCables", { items: [link("e2", "e2"), link("e9", "e9")], atomic: true });

  expect(told(checked)).toEqual([["cable:LEAF-1/e2~SPINE-1/e2", "OUTCOME_CREATED"]]);
  expect(told(failed).map(([, outcome]) => outcome)).toEqual(["OUTCOME_ABORTED", "OUTCOME_FAILED"]);
  expect([failed.committed, await stored()]).toEqual([undefined, undefined]);
});

test("BulkUpsertCables warns of loads as single cables do, once all of a call are written", async () => {
  const source = {
    code: "SOURCE",
    kind: "DEVICE_KIND_UPS",
    location,
    power: { capacity_w: 300 },
    ports: ["o1", "o2"].map((name) => ({ name, kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13" })),
  };
  const servers = ["A", "B"].map((code) => ({
    code,
    kind: "DEVICE_KIND_SERVER",
    location,
    allocated_draw_w: 200,
    ports: [{ name: "psu", kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14", power_in: {} }],
  }));
  const items = [
    { a: end("SOURCE", "o1"), b: end("A", "psu") },
    { a: end("B", "psu"), b: end("SOURCE", "o2") },
  ];
  const many = await testService();
  const single = await testService();
  for (const { call } of [many, single]) await call("BulkUpsertDevices", { items: [source, ...servers] });

  const { results } = await many.call("BulkUpsertCables", { items });
  await single.call("UpsertCable", { cable: items[0] ?? {} });
  const { warnings } = await single.call("UpsertCable", { cable: items[1] ?? {} });

  expect(warnings.map(({ code }: { code: string }) => code)).toContain("SOURCE_NEAR_LIMIT");
  expect(results.map((result: { warnings: unknown }) => result.warnings)).toEqual([warnings, warnings]);
});

test("BulkUpsertCables changes the fields of its mask alone, and repeats no request", async () => {
  const { call } = await smallSite();
  const request_id = "0b9f5a52-7c1e-4a53-9a7d-6a3d1f0c2e11";
  const items = [{ ...link("e1", "e1"), label: "L-1", color: "ff0000" }];

  const first = await call("BulkUpsertCables", { items, update_mask: "label", request_id });
  const again = await call("BulkUpsertCables", { items, update_mask: "label", request_id });
  const { port } = await call("GetPort", { port_ref: "port:LEAF-1/e1" });

  expect(again).toEqual(first);
  expect(JSON.stringify(port)).not.toContain("ff0000");
  await expect(call("BulkUpsertCables", {})).rejects.toThrow("A bulk call needs items");
});
