import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { testService } from "../../../support/dc/service.ts";

const site = await testService({ store: await storeOf(ams1) });

const server = (code: string, source: string): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location: { site_id: "AMS1", floor_number: 1 },
  ports: [{ name: "psu1", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: source } }],
});
const sourceOf = ({ device }: { device: { ports: { power_in: { source_ref: string } }[] } }) =>
  device.ports[0]?.power_in.source_ref;
const upsert = (source: string) => site.call("UpsertDevice", { device: server("NEW-1", source) }).then(sourceOf);

describe("A source by its bare code", () => {
  test.each([
    ["pdu-b03-a", "device:PDU-B03-A"],
    ["AMS1-A08-A", "feed:AMS1-A08-A"],
    ["device:PDU-B03-A", "device:PDU-B03-A"],
  ])("%p is stored as %p", async (code, ref) => {
    expect(await upsert(code)).toBe(ref);
  });

  test("that nothing has is refused with the forms that are read", async () => {
    await expect(upsert("PDU-Z99")).rejects.toThrow(/Cannot read source "PDU-Z99": expected feed:/);
  });

  test("may be of a device that comes later in the same call", async () => {
    const pdu = {
      code: "NEW-PDU",
      kind: "DEVICE_KIND_RACK_PDU",
      location: { site_id: "AMS1", floor_number: 1 },
      ports: [{ name: "o1", kind: "PORT_KIND_POWER_OUT" }],
    };
    const { results } = await site.call("BulkUpsertDevices", { items: [server("NEW-2", "new-pdu/o1"), pdu] });
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["OUTCOME_CREATED", "OUTCOME_CREATED"]);
    expect(sourceOf(await site.call("GetDevice", { code: "NEW-2" }))).toBe("port:NEW-PDU/o1");
  });
});

test("A cooling unit serves a rack, floor, row or zone by its bare code, and refuses what nothing has", async () => {
  const unit = {
    code: "NEW-CRAH",
    kind: "CRAC_KIND_CRAH",
    sensible_capacity_kw: 10,
    location: { site_id: "AMS1", floor_number: 1 },
    power_inputs: [{ source_ref: "PDU-B03-A" }],
  };
  const upsert = async (serves: readonly string[]) =>
    (await site.call("UpsertCrac", { crac: { ...unit, serves: [...serves] } })).crac;
  const crac = await upsert(["b03", "C", "AMS1/1/D", "AMS1/1"]);
  expect(crac.serves).toEqual(["rack:B03", "row:AMS1/1/C", "row:AMS1/1/D", "floor:AMS1/1"]);
  expect(crac.power_inputs[0].source_ref).toBe("device:PDU-B03-A");
  await expect(upsert(["AMS1/1/Q"])).rejects.toThrow(/Cannot read scope "AMS1\/1\/Q"/);
});
