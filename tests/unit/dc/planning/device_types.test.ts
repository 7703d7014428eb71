import { expect, test } from "bun:test";
import { testService } from "../../../support/dc/service.ts";

const TYPE = {
  code: "acme-server-2u",
  manufacturer: "Acme",
  model: "Server 2U",
  kind: "DEVICE_KIND_SERVER",
  u_height: 2,
  depth: "DEPTH_FULL",
  ports: [
    { name: "PSU1", kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14", power_in: { max_draw_w: 500 } },
    { name: "eth0", kind: "PORT_KIND_NETWORK", type: "25gbase-x-sfp28" },
  ],
};

test("UpsertDeviceType creates, changes and leaves a type unchanged, and GetDeviceType answers it", async () => {
  const { call } = await testService();

  const created = await call("UpsertDeviceType", { device_type: TYPE });
  const again = await call("UpsertDeviceType", { device_type: TYPE });
  const changed = await call("UpsertDeviceType", { device_type: { ...TYPE, weight_kg: 20 } });
  const { device_type: got } = await call("GetDeviceType", { code: TYPE.code });

  expect([created.outcome, again.outcome, changed.outcome]).toEqual([
    "OUTCOME_CREATED",
    "OUTCOME_UNCHANGED",
    "OUTCOME_UPDATED",
  ]);
  expect(got).toMatchObject({ ...TYPE, weight_kg: 20 });
  expect(got.etag).toBe(changed.device_type.etag);
});

test("a type's changes are in the change log, and reads of the inventory go on after them", async () => {
  const { call, service } = await testService();
  await call("UpsertRack", { rack: { code: "R1", location: { site_id: "S", floor_number: 0 } } });
  await call("GetRack", { code: "R1" });
  await call("UpsertDeviceType", { device_type: TYPE, change_message: "new" });

  const { entries } = await service.readHistory({ entity: `device_type:${TYPE.code}` }, { interface: "REST" });
  const { rack } = await call("GetRack", { code: "R1" });

  expect(entries).toMatchObject([{ action: "CREATE", message: "new", entity: `device_type:${TYPE.code}` }]);
  expect(rack.code).toBe("R1");
});

test("UpsertDeviceType refuses wrong fields by their names, and another version", async () => {
  const { call } = await testService();
  const refusal = (device_type: object, etag = "") =>
    call("UpsertDeviceType", { device_type: device_type as never, etag }).then(
      () => "taken",
      (error: Error & { violations?: { field: string }[] }) => `${error.violations?.[0]?.field}: ${error.message}`,
    );

  expect(await refusal({ ...TYPE, code: "Not A Slug" })).toContain('device_type.code: Cannot read code "Not A Slug"');
  expect(await refusal({ ...TYPE, u_height: 0.3 })).toContain("device_type.u_height");
  expect(
    await refusal({ ...TYPE, ports: [{ name: "a", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:A" } }] }),
  ).toContain("device_type.ports[0].power_in.source_ref");
  expect(await refusal({ ...TYPE, manufacturer: "" })).toContain("device_type.manufacturer");
  expect(await refusal(TYPE, "other")).toContain("etag");
});

test("ListDeviceTypes and SearchDeviceTypes answer page by page, in the order of codes", async () => {
  const { call } = await testService();
  for (let number = 10; number < 17; number += 1) {
    const kind = number % 2 === 0 ? "DEVICE_KIND_SERVER" : "DEVICE_KIND_SWITCH";
    await call("UpsertDeviceType", {
      device_type: { code: `t-${number}`, manufacturer: number < 14 ? "Acme" : "Öl", model: `M ${number}`, kind },
    });
  }

  const first = await call("ListDeviceTypes", { page_size: 3 });
  const second = await call("ListDeviceTypes", { page_size: 5, page_token: first.next_page_token });
  const found = await call("SearchDeviceTypes", { query: "ÖL m", kinds: ["DEVICE_KIND_SERVER"] });
  const codes = (reply: { device_types?: { code: string }[] }) => (reply.device_types ?? []).map(({ code }) => code);

  expect([codes(first), codes(second)]).toEqual([
    ["t-10", "t-11", "t-12"],
    ["t-13", "t-14", "t-15", "t-16"],
  ]);
  expect([first.total_count, second.next_page_token]).toEqual([7, undefined]);
  expect([codes(found), found.total_count]).toEqual([["t-14", "t-16"], 2]);
  await expect(call("SearchDeviceTypes", { page_token: first.next_page_token })).rejects.toThrow("page_token");
});

test("ListInventory and SearchInventory answer types, also one that has just come", async () => {
  const { call } = await testService();
  await call("UpsertDeviceType", { device_type: TYPE });
  const device = { code: "A", kind: "DEVICE_KIND_SERVER", manufacturer: "ACME", model: "Server 2U" };
  await call("UpsertDevice", { device: { ...device, location: { site_id: "S", floor_number: 0 } } });
  const found = async (query: string) =>
    (await call("SearchInventory", { query, kinds: ["INVENTORY_KIND_DEVICE_TYPE"] })).kinds.flatMap(
      ({ hits }: { hits: { ref: string }[] }) => hits.map(({ ref }) => ref),
    );

  expect((await call("ListInventory", { kind: "INVENTORY_KIND_DEVICE_TYPE" })).rows).toMatchObject([
    {
      ref: "device_type:acme-server-2u",
      texts: { manufacturer: "Acme", kind: "SERVER", depth: "FULL" },
      figures: { height_u: 2, ports: 2, bays: 0, devices: 1 },
    },
  ]);
  expect(await found("acme 2u")).toEqual(["device_type:acme-server-2u"]);
  await call("UpsertDeviceType", { device_type: { ...TYPE, code: "acme-server-1u", model: "Server 1U" } });
  expect(await found("acme 1u")).toEqual(["device_type:acme-server-1u"]);
});
