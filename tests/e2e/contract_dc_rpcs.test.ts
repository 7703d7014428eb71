import { afterAll, beforeAll, expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { RestClient, RPCS, sampleServer } from "../support/dc_contract.ts";
import type { DcServer } from "../support/dc_server.ts";

let server: DcServer;
let dc: RestClient;

beforeAll(async () => {
  ({ server } = await sampleServer());
  dc = new RestClient(server.url);
});
afterAll(() => server.end());

const PLACE = { site_id: "S1", floor_number: 1 };
const rack = (code: string, more: object = {}) => ({ code, location: PLACE, ...more });
const port = (name: string, type: string) => ({ name, kind: "PORT_KIND_NETWORK", type });
const device = (code: string, more: object = {}) => ({
  code,
  kind: "DEVICE_KIND_SWITCH",
  location: PLACE,
  ports: [port("p1", "10gbase-x-sfpp"), port("p2", "10gbase-x-sfpp")],
  ...more,
});

async function ok(rpc: string, request: object) {
  const { status, body } = await dc.rpc(rpc, request);
  expect({ rpc, status, ...(status !== 200 && { body }) }).toEqual({ rpc, status: 200 });
  return body;
}

verifies("dc.code.identifies", async () => {
  for (const [kind, field, first, second] of [
    ["Rack", "rack", rack("C-R1"), rack("C-R1", { name: "new" })],
    ["Device", "device", device("C-D1"), device("C-D1", { name: "new" })],
    [
      "Crac",
      "crac",
      { ...rack("C-C1"), kind: "CRAC_KIND_CRAH", sensible_capacity_kw: 5 },
      { code: "C-C1", name: "new" },
    ],
  ] as const) {
    const created = await ok(`Upsert${kind}`, { [field]: first });
    const updated = await ok(`Upsert${kind}`, { [field]: second, update_mask: "name" });
    const deleted = await ok(`Delete${kind}`, { code: first.code });
    const again = await dc.rpc(`Delete${kind}`, { code: first.code });

    expect([created.outcome, updated.outcome]).toEqual(["OUTCOME_CREATED", "OUTCOME_UPDATED"]);
    expect(updated[field]).toMatchObject({ code: first.code, name: "new", location: { site_id: "S1" } });
    expect(deleted.deleted).toBe(true);
    expect([again.status, again.body.code]).toEqual([404, "not_found"]);
  }
});

verifies("dc.edge.ends-identify", async () => {
  await ok("BulkUpsertDevices", { items: [device("E-D1", { role: "leaf" }), device("E-D2", { role: "spine" })] });
  const [a, b] = [
    { device_code: "E-D1", port_name: "p1" },
    { device_code: "E-D2", port_name: "p2" },
  ];
  for (const [kind, field] of [
    ["Cable", "cable"],
    ["FabricLink", "fabric_link"],
  ] as const) {
    const created = await ok(`Upsert${kind}`, { [field]: { a, b } });
    const turned = await ok(`Upsert${kind}`, { [field]: { a: b, b: a } });
    const deleted = await ok(`Delete${kind}`, { a: b, b: a });

    expect([created.outcome, turned.outcome]).toEqual(["OUTCOME_CREATED", "OUTCOME_UNCHANGED"]);
    expect(deleted.deleted).toBe(true);
    expect((await dc.rpc(`Delete${kind}`, { a, b })).status).toBe(404);
  }
});

verifies("dc.rpc.power-blast-radius", async () => {
  const body = await ok("PowerBlastRadius", { source_ref: "feed:AMS1-B03-B", include_protected: true });

  expect(body.impact).toMatchObject({ racks_dark: 0, racks_protected: 1, devices_offline: 1 });
  expect(body.affected.length).toBeGreaterThan(0);
  expect(body.protected.map(({ code }: { code: string }) => code)).toContain("B03");
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.trace-cable-path", async () => {
  const body = await ok("TraceCablePath", { port_ref: "port:SRV-B03-07/eth0" });

  expect(body.paths[0]).toMatchObject({ status: "PATH_STATUS_COMPLETE", origin: { device_code: "SRV-B03-07" } });
  expect(body.paths[0].hops.length).toBeGreaterThan(1);
  expect(body.paths[0].segments.length).toBe(body.paths[0].hops.length - 1);
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.get-rack", async () => {
  const body = await ok("GetRack", { code: "A08" });

  expect(body.rack).toMatchObject({ code: "A08", u_height: 42 });
  expect(body.units).toHaveLength(42);
  expect(body.occupants.length).toBeGreaterThan(10);
  expect(body.capacity.total_u).toBe(42);
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.thermal-headroom", async () => {
  const body = await ok("ThermalHeadroom", { scope_ref: "floor:AMS1/1" });

  expect(body.scope_ref).toBe("floor:AMS1/1");
  expect(body.headroom_kw).toBeCloseTo(72.4, 1);
  expect(body.cracs).toHaveLength(8);
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.fabric-topology", async () => {
  const body = await ok("FabricTopology", {});

  expect(body.links).toHaveLength(272);
  expect(body.summary).toMatchObject({ links_up: expect.any(Number), congested: body.congested.length });
  for (const { link } of body.links) expect(link.utilization_pct >= 80).toBe(link.congested);
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.floor-plan", async () => {
  const body = await ok("FloorPlan", { floor_ref: "floor:AMS1/1" });

  expect(body.racks).toHaveLength(40);
  const counts = { ok: 0, watch: 0, fault: 0 };
  for (const { health } of body.racks) counts[health.slice("HEALTH_".length).toLowerCase() as keyof typeof counts] += 1;
  expect(body.counts).toEqual(counts);
  expect(counts.watch).toBeGreaterThan(0);
  expect(body.render.text).toStartWith("<svg");
});

verifies("dc.rpc.search-pages", async () => {
  const filter = { site_ids: ["AMS1"] };
  const codes: string[] = [];
  let token = "";
  let pages = 0;
  do {
    const page = await ok("SearchDevices", { filter, page_size: 300, page_token: token });
    codes.push(...page.devices.map(({ code }: { code: string }) => code));
    token = page.next_page_token;
    pages += 1;
  } while (token !== "" && pages < 10);

  expect(pages).toBe(3);
  expect(codes).toHaveLength(808);
  expect(new Set(codes).size).toBe(808);
});

verifies("dc.rpc.search-counts", async () => {
  const body = await ok("SearchDevices", { filter: { site_ids: ["AMS1"] }, page_size: 1 });
  const counts: readonly number[] = Object.values(body.role_counts);

  expect(body.total_count).toBe(808);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(808);
  expect(body.role_counts.spine).toBeGreaterThan(0);
});

verifies("dc.rpc.get-device", async () => {
  const body = await ok("GetDevice", { code: "SRV-B03-07" });

  expect(body.device).toMatchObject({ code: "SRV-B03-07", rack_code: "B03" });
  expect(body.power_chain).toHaveLength(2);
  expect(body.cables.length).toBeGreaterThan(0);
});

verifies("dc.rpc.get-port", async () => {
  const body = await ok("GetPort", { port_ref: "port:SRV-B03-07/eth0" });

  expect(body.port).toMatchObject({ name: "eth0", device_code: "SRV-B03-07" });
  expect(body.device.code).toBe("SRV-B03-07");
});

verifies("dc.rpc.render", async () => {
  for (const [format, field, begins] of [
    ["SVG", "text", "<svg"],
    ["HTML", "text", "<!doctype html>"],
    ["DOT", "text", "graph"],
    ["PNG", "binary", Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString("base64").slice(0, 5)],
  ] as const) {
    const body = await ok("Render", { subject_ref: "rack:A01", render: { format: `RENDER_FORMAT_${format}` } });

    expect(body[field].toLowerCase()).toContain(begins.toLowerCase());
    expect(body.content_hash).toMatch(/^[0-9a-f]{64}$/);
  }
});

verifies("dc.rpc.bulk-per-item", async () => {
  const items = [rack("B-R1"), rack("B-R2", { u_height: 101 }), rack("B-R3")];
  const body = await ok("BulkUpsertRacks", { items });
  const outcomes = body.results.map(({ code, outcome }: Record<string, string>) => [code, outcome]);

  expect(outcomes).toEqual([
    ["B-R1", "OUTCOME_CREATED"],
    ["B-R2", "OUTCOME_FAILED"],
    ["B-R3", "OUTCOME_CREATED"],
  ]);
  expect([body.succeeded, body.failed, body.committed]).toEqual([2, 1, true]);
  expect(body.results[1].error.message).toContain("101");
});

verifies("dc.rpc.bulk-transaction", async () => {
  const body = await ok("BulkUpsertRacks", { atomic: true, items: [rack("T-R1"), rack("T-R2", { u_height: 101 })] });
  const undone = await dc.rpc("GetRack", { code: "T-R1" });

  expect(body.committed).toBe(false);
  expect(body.results[0].outcome).toBe("OUTCOME_ABORTED");
  expect(undone.status).toBe(404);
});

verifies("dc.rest.every-rpc", async () => {
  const answers = await Promise.all(RPCS.map(async (name) => ({ name, ...(await dc.rpc(name, {})) })));
  const other = await dc.rpc("GetNothing", {});

  // An empty request is answered or refused by the RPC itself: no route is missing and nothing is unimplemented.
  expect(answers.filter(({ body }) => body.code === "unimplemented").map(({ name }) => name)).toEqual([]);
  expect(answers.filter(({ status }) => ![200, 400, 404].includes(status))).toEqual([]);
  expect(other.status).toBe(404);
});

verifies("dc.rest.snake-case", async () => {
  const text = JSON.stringify(await ok("GetRack", { code: "A08", render: { format: "RENDER_FORMAT_NONE" } }));
  const keys = [...text.matchAll(/"([A-Za-z][A-Za-z0-9_]*)":/g)].map(([, key]) => key ?? "");

  expect(keys).toContain("position_u");
  expect(keys).not.toContain("positionU");
});

verifies("dc.rest.unknown-field", async () => {
  const { status, body } = await dc.rpc("UpsertRack", { rack: rack("U-R1", { colour: "red" }) });

  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("rack.colour");
});

verifies("dc.rest.status", async () => {
  const missing = await dc.rpc("GetRack", { code: "none" });
  const wrong = await dc.rpc("GetRack", { code: "no/code" });
  const taken = await dc.rpc("UpsertRack", { rack: { code: "a08", location: { site_id: "AMS1", floor_number: 1 } } });

  expect([missing.status, missing.body.code]).toEqual([404, "not_found"]);
  expect([wrong.status, wrong.body.code]).toEqual([400, "invalid_argument"]);
  expect([taken.status, taken.body.code]).toEqual([409, "already_exists"]);
  for (const { body } of [missing, wrong, taken]) expect(JSON.stringify(body.details)).toContain("ErrorInfo");
});
