import { beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { unannounced } from "../../../support/dc/placed.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

const SERVERS = {
  count: 12,
  u_height: 2,
  draw_w: 800,
  redundancy: "REDUNDANCY_TWO_N",
  ports: [{ count: 2, speed_mbps: 25_000 }],
};
let service: TestService;

beforeAll(async () => {
  service = await testService({ store: await storeOf(ams1) });
});

const find = (request: JsonObject) => service.call("FindPlacement", request);
const refusal = (request: JsonObject) =>
  find(request).then(
    () => "taken",
    (error: Error & { violations?: { field: string }[] }) => `${error.violations?.[0]?.field}: ${error.message}`,
  );

test("FindPlacement spreads twelve servers over racks and rows, each on both sides and on both leaves of its rack", async () => {
  const answer = await find(SERVERS);

  expect(answer).toMatchObject({ requested: 12, placed: 12, proven: true, racks_in_scope: 40, racks_refused: 11 });
  expect(answer.racks_used).toBe(12);
  expect(answer.racks).toHaveLength(29);
  const [first] = answer.places;
  expect(first).toMatchObject({
    rank: 1,
    rack_code: "A01",
    position_u: 21,
    device_code: "NEW-1",
    inlets: [
      { inlet: "psu1", source_ref: "device:PDU-A01-A", side: "A" },
      { inlet: "psu2", source_ref: "device:PDU-A01-B", side: "B" },
    ],
    ports: [
      { port: "eth0", switch_code: "LEAF-A01-1", switch_port: "Ethernet21" },
      { port: "eth1", switch_code: "LEAF-A01-2", switch_port: "Ethernet21" },
    ],
    after: { rack_draw_w: 8900, free_u: 16, free_ports: 6 },
  });
  expect(first.device).toBeUndefined();
});

test("FindPlacement counts refusals by reason, with what the first example would come to", async () => {
  const { refusals } = await find(SERVERS);

  expect(refusals.map(({ reason, racks }: { reason: string; racks: number }) => [reason, racks])).toEqual([
    ["NO_SWITCH_PORT", 10],
    ["NO_OUTLET", 10],
    ["SUPPLY_FAILOVER", 10],
    ["ONE_SIDE", 1],
  ]);
  expect(refusals[2]).toMatchObject({ ref: "device:RPP-A-D", value: 239_720, limit: 218_200 });
  expect(refusals[3].examples).toEqual(["A08"]);
});

test("FindPlacement says that no more fit when that is proven, and why", async () => {
  const { placed, proven, limits } = await find({ ...SERVERS, count: 50, scope_ref: "row:AMS1/1/B" });

  expect([placed, proven]).toEqual([38, true]);
  expect(limits.map(({ reason }: { reason: string }) => reason)).toContain("COOLING_CAPACITY");
});

test("FindPlacement copies a device without what belongs to that device alone", async () => {
  const { places } = await find({
    device_code: "STO-A09-1",
    ports: [{ count: 2, speed_mbps: 25_000 }],
    code_prefix: "STO-NEW",
    include_items: true,
  });

  expect(places[0].device).toMatchObject({ code: "STO-NEW-1", kind: "DEVICE_KIND_STORAGE", u_height: 4 });
  expect(places[0].device.ports.map(({ name }: { name: string }) => name)).toEqual(["psu1", "psu2", "eth0", "eth1"]);
  expect(places[0].cables).toHaveLength(2);
});

test("FindPlacement refuses wrong requests by their fields", async () => {
  expect(await refusal({ count: 1001, u_height: 1, draw_w: 1 })).toContain("count: ");
  expect(await refusal({ draw_w: 1 })).toContain("u_height: ");
  expect(await refusal({ u_height: 1 })).toContain("draw_w: ");
  expect(await refusal({ u_height: 0.3, draw_w: 1 })).toContain("u_height: ");
  expect(await refusal({ u_height: 1, draw_w: 1, ports: [{ count: 1 }] })).toContain("ports[0].speed_mbps: ");
  expect(await refusal({ u_height: 1, draw_w: 1, ports: [{ speed_mbps: 1000 }] })).toContain("ports[0].count: ");
  expect(await refusal({ u_height: 1, draw_w: 1, scope_ref: "row:AMS1/1/Z" })).toContain("scope_ref: ");
  expect(await refusal({ u_height: 1, draw_w: 1, headroom_pct: 100 })).toContain("headroom_pct: ");
  expect(await refusal({ u_height: 1, draw_w: 1, inlets: 1, redundancy: "REDUNDANCY_TWO_N" })).toContain(
    "redundancy: ",
  );
  expect(await refusal({ device_type: "none" })).toContain('device_type: Cannot find device type "none"');
  expect(await refusal({ device_code: "GONE" })).toContain('device_code: Cannot find device "GONE"');
  expect(await refusal({ device_code: "PDU-A01-A" })).toContain("device_code: ");
  expect(await refusal({ device_code: "SRV-A01-01", device_type: "x" })).toContain("device_code: ");
  expect(await refusal({ u_height: 1, draw_w: 1, code_prefix: "not a code" })).toContain("code_prefix: ");
  expect(await refusal({ u_height: 1, draw_w: 1, cooling_method: "COOLING_METHOD_HYBRID" })).toContain(
    "liquid_fraction_pct: ",
  );
});

test("writing an answer causes no warning that it does not announce", async () => {
  const answer = await find({ ...SERVERS, include_items: true });

  expect(await unannounced(service, answer)).toEqual([]);
  expect((await find(SERVERS)).places[0].device_code).toBe("NEW-13");
});

test("FindPlacement announces what supplies warn about only when they may be used", async () => {
  const request = { ...SERVERS, count: 1, scope_ref: "rack:A01", include_items: true };
  // Eight racks of row A and ten of row B depend on it.
  await service.call("UpsertDevice", { device: { code: "UPS-A1", power: { capacity_w: 150_000 } } });
  const refused = await find(request);
  const allowed = await find({ ...request, allow_existing_warnings: true });

  expect(refused.refusals).toMatchObject([{ reason: "SUPPLY_FAILOVER", ref: "device:UPS-A1" }]);
  expect(allowed.placed).toBe(1);
  expect(allowed.announced).toContainEqual(
    expect.objectContaining({ code: "FAILOVER_OVERLOAD", ref: "device:UPS-A1" }),
  );
  expect(await unannounced(service, allowed)).toEqual([]);
});
