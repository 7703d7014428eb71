import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifyLog } from "#dc/audit/verify_log.ts";
import type { Caller, Role } from "#dc/context.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { end, smallSite } from "../../support/dc/small_site.ts";
import { eachTest } from "../../support/each_test.ts";

const LOCATION = { site_id: "S1", floor_number: 1 };
const ID = "0b5ad6d0-1b1a-4b1e-9d6a-0d6f5f0c1a2b";

const as = (name: string, ...roles: Role[]): Caller => ({
  interface: "GRPC",
  principal: { name, roles, authMethod: "token" },
});

const server = (code: string, parts: JsonObject = {}): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location: LOCATION,
  ...parts,
});

async function history({ store }: TestService, entity?: string) {
  return store.read((reader) =>
    reader.history({ descending: false, limit: 1000, ...(entity !== undefined && { entity }) }),
  );
}

const chain = ({ store }: TestService) => store.read((reader) => verifyLog(reader));

const site = eachTest(testService);

describe("a mutation", () => {
  test("with a known request_id answers as the first time and does nothing more", async () => {
    const request = { device: server("A"), request_id: ID };

    const first = await site.call("UpsertDevice", request);
    const again = await site.call("UpsertDevice", request);

    expect(again).toEqual(first);
    expect(again.outcome).toBe("OUTCOME_CREATED");
    expect(await history(site)).toHaveLength(1);
  });

  test("with the request_id of another request is refused", async () => {
    await site.call("UpsertDevice", { device: server("A"), request_id: ID });

    const other = site.call("UpsertDevice", { device: server("B"), request_id: ID });

    await expect(other).rejects.toMatchObject({ reason: "REQUEST_ID_REUSED" });
  });

  test("under another principal's request_id is a request of its own", async () => {
    const request = { device: server("A"), request_id: ID };
    await site.call("UpsertDevice", request, as("anna", "writer"));

    const reply = await site.call("UpsertDevice", request, as("bert", "writer"));

    expect(reply.outcome).toBe("OUTCOME_UNCHANGED");
  });

  test("of a name is a request of its own for each way of signing in", async () => {
    const signedIn = (authMethod: "token" | "jwt"): Caller => ({
      interface: "REST",
      principal: { name: "alice", roles: ["writer"], authMethod },
    });
    await site.call("UpsertDevice", { device: server("A"), request_id: ID }, signedIn("token"));

    const other = await site.call("UpsertDevice", { device: server("B"), request_id: ID }, signedIn("jwt"));

    expect(other.device.code).toBe("B");
  });

  test("forgets a request_id after a day", async () => {
    const request = { device: server("A"), request_id: ID };
    await site.call("UpsertDevice", request);
    site.clock.moveS(25 * 3600);

    const reply = await site.call("UpsertDevice", request);

    expect(reply.outcome).toBe("OUTCOME_UNCHANGED");
  });

  test("with validate_only answers the same and writes nothing", async () => {
    const tried = await site.call("UpsertDevice", { device: server("A"), validate_only: true });
    const done = await site.call("UpsertDevice", { device: server("A") });

    expect(tried).toEqual(done);
    expect(await history(site)).toHaveLength(1);
  });

  test("refuses a request_id that is no UUID and a long change message", async () => {
    await expect(site.call("UpsertDevice", { device: server("A"), request_id: "one" })).rejects.toMatchObject({
      violations: [{ field: "request_id" }],
    });
    await expect(
      site.call("UpsertDevice", { device: server("A"), change_message: "x".repeat(201) }),
    ).rejects.toMatchObject({ violations: [{ field: "change_message" }] });
  });

  test("without update_mask writes the populated fields and keeps the others", async () => {
    await site.call("UpsertDevice", { device: server("A", { name: "one", serial: "s", weight_kg: 3 }) });

    const { device } = await site.call("UpsertDevice", { device: server("A", { name: "two", weight_kg: 0 }) });

    expect(device).toMatchObject({ name: "two", serial: "s", weight_kg: 0 });
  });

  test("with update_mask writes those fields, cleared ones included", async () => {
    await site.call("UpsertDevice", {
      device: server("A", { name: "one", serial: "s", power: { capacity_w: 5, power_path: "A" } }),
    });

    const { device } = await site.call("UpsertDevice", {
      device: { code: "A", name: "ignored", power: { capacity_w: 6 } },
      update_mask: "serial,power.capacityW",
    });

    expect(device).toMatchObject({ name: "one", power: { capacity_w: 6, power_path: "A" } });
    expect(device.serial).toBeUndefined();
  });

  test("refuses an update_mask that names no field", async () => {
    await site.call("UpsertDevice", { device: server("A") });

    const call = site.call("UpsertDevice", { device: server("A"), update_mask: "colour" });

    await expect(call).rejects.toMatchObject({ reason: "UNKNOWN_FIELD" });
  });

  test("with an etag goes through on that version only", async () => {
    const { device } = await site.call("UpsertDevice", { device: server("A") });
    await site.call("UpsertDevice", { device: server("A", { name: "changed" }), etag: device.etag });

    await expect(
      site.call("UpsertDevice", { device: server("A", { name: "late" }), etag: device.etag }),
    ).rejects.toMatchObject({ kind: "aborted", reason: "ETAG_MISMATCH" });
    await expect(site.call("DeleteDevice", { code: "A", etag: device.etag })).rejects.toMatchObject({
      reason: "ETAG_MISMATCH",
    });
  });

  test("that changes nothing says so and leaves no trace", async () => {
    await site.call("UpsertDevice", { device: server("A") });

    const { device } = await site.call("UpsertDevice", { device: server("A") });
    const sentBack = await site.call("UpsertDevice", { device });

    expect(sentBack.outcome).toBe("OUTCOME_UNCHANGED");
    expect(await history(site)).toHaveLength(1);
  });
});

describe("a bulk call", () => {
  test("applies what it can and tells of each item what became of it", async () => {
    const reply = await site.call("BulkUpsertDevices", {
      items: [server("A"), server("b/ad"), server("C", { kind: "DEVICE_KIND_UNSPECIFIED" }), server("D")],
    });

    expect(reply.results.map(({ code, outcome }: JsonObject) => [code, outcome])).toEqual([
      ["A", "OUTCOME_CREATED"],
      ["b/ad", "OUTCOME_FAILED"],
      ["C", "OUTCOME_FAILED"],
      ["D", "OUTCOME_CREATED"],
    ]);
    expect(reply).toMatchObject({ succeeded: 2, failed: 2, committed: true });
    expect(reply.results[1].error).toMatchObject({ code: 3, details: [{ reason: "INVALID_CODE" }, {}] });
    expect((await history(site)).map(({ entity }) => entity)).toEqual(["device:A", "device:D"]);
  });

  test("with atomic applies all or nothing", async () => {
    const reply = await site.call("BulkUpsertDevices", { items: [server("A"), server("b/ad")], atomic: true });

    expect(reply.results.map(({ outcome }: JsonObject) => outcome)).toEqual(["OUTCOME_ABORTED", "OUTCOME_FAILED"]);
    expect(reply).toMatchObject({ failed: 2 });
    expect(reply.committed).toBeUndefined();
    expect(await history(site)).toEqual([]);
  });

  test("orders items by what they need of each other", async () => {
    const supply = (code: string, source: string) =>
      server(code, { ports: [{ name: "p", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: source } }] });

    const reply = await site.call("BulkUpsertDevices", {
      items: [supply("C", "device:B"), supply("B", "device:A"), server("A")],
    });

    expect(reply.succeeded).toBe(3);
    expect((await history(site)).map(({ entity }) => entity)).toEqual(["device:A", "device:B", "device:C"]);
  });

  test("fails what needs a failed item", async () => {
    const blade = { code: "B", kind: "DEVICE_KIND_BLADE", parent_device_code: "CH", bay: "1" };

    const reply = await site.call("BulkUpsertDevices", { items: [blade, server("CH", { power_factor: 9 })] });

    expect(reply.results[0].error.details[0]).toMatchObject({ reason: "DEPENDENCY_FAILED" });
    expect(reply.failed).toBe(2);
  });

  test("fails both items of one code and refuses empty and huge batches", async () => {
    const reply = await site.call("BulkUpsertDevices", { items: [server("A"), server("a"), server("B")] });

    expect(reply).toMatchObject({ succeeded: 1, failed: 2 });
    await expect(site.call("BulkUpsertDevices", { items: [] })).rejects.toMatchObject({ kind: "invalid_argument" });
    await expect(
      site.call("BulkDeleteRacks", { codes: Array.from({ length: 1001 }, (_, index) => `R${index}`) }),
    ).rejects.toMatchObject({ reason: "BATCH_TOO_LARGE" });
  });

  test("deletes consumers before what supplies them", async () => {
    const inlet = { name: "p", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "device:A" } };
    await site.call("BulkUpsertDevices", { items: [server("A"), server("B", { ports: [inlet] })] });

    const reply = await site.call("BulkDeleteDevices", { codes: ["A", "B", "X"] });

    expect(reply.results.map(({ outcome }: JsonObject) => outcome)).toEqual([
      "OUTCOME_DELETED",
      "OUTCOME_DELETED",
      "OUTCOME_NOT_FOUND",
    ]);
    expect(reply).toMatchObject({ succeeded: 2, failed: 1 });
  });
});

describe("a delete", () => {
  test("is refused while something depends on it, and names all of it", async () => {
    const site = await smallSite();

    const refusal = (await site.call("DeleteDevice", { code: "PDU" }).catch((error: unknown) => error)) as {
      readonly violations: readonly { readonly code: string; readonly ref: string }[];
    };

    expect(refusal.violations.map(({ code, ref }) => [code, ref])).toEqual([
      ["DEVICE_HAS_CABLES", "cable:PDU/OUT1~SRV-1/psu1"],
    ]);
    await expect(site.call("DeleteDevice", { code: "RPP-A" })).rejects.toMatchObject({ reason: "DEVICE_FEEDS_OTHERS" });
    await expect(site.call("DeleteDevice", { code: "CH-1" })).rejects.toMatchObject({ reason: "DEVICE_HAS_CHILDREN" });
    await expect(site.call("DeleteRack", { code: "R1" })).rejects.toMatchObject({ reason: "RACK_NOT_EMPTY" });
  });

  test("with cascade removes cables and links, and clears the references of consumers", async () => {
    const site = await smallSite();

    const panel = await site.call("DeleteDevice", { code: "RPP-A", cascade: true });
    const leaf = await site.call("DeleteDevice", { code: "LEAF-1", cascade: true });

    expect(panel.cascaded_refs).toEqual(["device:PDU", "crac:C1"]);
    expect(leaf.cascaded_refs).toEqual(["cable:LEAF-1/e1~SPINE-1/e1", "fabric_link:LEAF-1/e1~SPINE-1/e1"]);
    const inventory = await site.store.read((reader) => reader.inventory());
    expect(inventory.devices.find(({ code }) => code === "PDU")?.ports?.[0]?.powerIn).toEqual({});
    expect(inventory.cracs[0]?.powerInputs).toEqual([{}, { sourceRef: "feed:FB" }]);
    expect(await chain(site)).toMatchObject({ ok: true });
  });

  test("of a rack with cascade removes everything in it", async () => {
    const site = await smallSite();

    const reply = await site.call("DeleteRack", { code: "R2", cascade: true });

    expect(reply.cascaded_refs).toContain("device:BL-1");
    const { devices } = await site.store.read((reader) => reader.inventory());
    expect(devices.some(({ rackCode }) => rackCode === "R2")).toBe(false);
  });

  test("of what is not there is refused, or answered with allow_missing", async () => {
    await expect(site.call("DeleteCrac", { code: "X" })).rejects.toMatchObject({ kind: "not_found" });
    expect(await site.call("DeleteCrac", { code: "X", allow_missing: true })).toEqual({ ref: "crac:X" });
  });

  test("of an edge takes its ends in either order", async () => {
    const site = await smallSite();

    const cable = await site.call("DeleteCable", { a: end("SPINE-1", "e1"), b: end("LEAF-1", "e1") });
    const link = await site.call("DeleteFabricLink", { a: end("SPINE-1", "e1"), b: end("LEAF-1", "e1") });

    expect([cable.deleted, link.deleted]).toEqual([true, true]);
    expect(cable.ref).toBe("cable:LEAF-1/e1~SPINE-1/e1");
  });
});

test("a rack that moves takes its devices along, each with its own change", async () => {
  const site = await smallSite();

  await site.call("UpsertRack", { rack: { code: "R2", location: { site_id: "S1", floor_number: 2, room: "DH9" } } });

  const { device } = await site.call("GetDevice", { code: "BL-1" });
  expect(device.location).toEqual({ site_id: "S1", floor_number: 2, room: "DH9" });
  const moved = (await history(site)).slice(-4).map(({ entity, changedFields }) => [entity, changedFields]);
  expect(moved).toEqual([
    ["rack:R2", ["location"]],
    ["device:BL-1", ["location"]],
    ["device:CH-1", ["location"]],
    ["device:SPINE-1", ["location"]],
  ]);
});

test("an edge given with its ends turned is the same edge", async () => {
  const site = await smallSite();

  const cable = await site.call("UpsertCable", { cable: { a: end("SPINE-1", "e1"), b: end("LEAF-1", "e1") } });
  const turned = { a: end("SPINE-1", "e1"), b: end("LEAF-1", "e1"), fabric_id: "FAB" };
  const link = await site.call("UpsertFabricLink", { fabric_link: turned });

  expect([cable.outcome, link.outcome]).toEqual(["OUTCOME_UNCHANGED", "OUTCOME_UNCHANGED"]);
  expect(link.fabric_link.a.device_code).toBe("LEAF-1");
});
