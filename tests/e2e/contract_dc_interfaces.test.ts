import { afterAll, beforeAll, expect } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { guardedServer, RestClient, sampleServer } from "../support/dc_contract.ts";
import type { DcServer } from "../support/dc_server.ts";
import { McpLines } from "../support/mcp_lines.ts";

const TOOLS = [
  ...["power_blast_radius", "trace_cable_path", "get_rack", "thermal_headroom", "fabric_topology"],
  ...["floor_plan", "search_devices", "get_device", "get_port", "render"],
];
const QUERIES = [
  ...["powerBlastRadius", "traceCablePath", "rack", "thermalHeadroom", "fabricTopology", "floorPlan"],
  ...["searchDevices", "device", "port"],
];
const MUTATIONS = ["Device", "Rack", "Crac"].flatMap((kind) => [
  ...[`upsert${kind}`, `delete${kind}`],
  ...[`bulkUpsert${kind}s`, `bulkDelete${kind}s`],
]);

let server: DcServer;
let dc: RestClient;
let mcp: McpLines;
let guarded: Awaited<ReturnType<typeof guardedServer>>;

beforeAll(async () => {
  const sample = await sampleServer();
  server = sample.server;
  dc = new RestClient(server.url);
  mcp = new McpLines(sample.folder, ["dc", "mcp"]);
  guarded = await guardedServer();
});
afterAll(async () => {
  mcp.child.kill("SIGKILL");
  await Promise.all([server.end(), guarded.server.end()]);
});

const RACK = { code: "G-R1", location: { siteId: "S1", floorNumber: 1 } };
const WIRE_RACK = { rack: { code: "G-R1", location: { site_id: "S1", floor_number: 1 } } };

async function data(query: string, variables: object = {}) {
  const { status, body } = await dc.graphql(query, variables);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return body.data;
}

async function fieldNames(type: string): Promise<readonly string[]> {
  const { __type } = await data(`{ __type(name: "${type}") { fields { name } } }`);
  return __type.fields.map(({ name }: { name: string }) => name);
}

verifies("dc.graphql.blast-radius", async () => {
  const { powerBlastRadius } = await data(`{
    powerBlastRadius(sourceRef: "feed:AMS1-B03-B", includeProtected: true) {
      impact { racksDark devicesOffline racksProtected } affected { code } protected { code }
    }
  }`);

  expect(powerBlastRadius.impact).toEqual({ racksDark: 0, devicesOffline: 1, racksProtected: 1 });
  expect(powerBlastRadius.affected.length).toBeGreaterThan(0);
  expect(powerBlastRadius.protected).toContainEqual({ code: "B03" });
});

verifies("dc.graphql.search", async () => {
  const query = `query ($token: String) {
    searchDevices(filter: {siteIds: ["AMS1"]}, pageSize: 2, pageToken: $token) {
      __typename devices { code } nextPageToken totalCount roleCounts
    }
  }`;
  const { searchDevices: first } = await data(query);
  const { searchDevices: second } = await data(query, { token: first.nextPageToken });

  expect(first).toMatchObject({ __typename: "DevicePage", totalCount: 808 });
  expect(first.devices).toHaveLength(2);
  expect(second.devices[0].code > first.devices[1].code).toBe(true);
  expect(first.roleCounts.spine).toBeGreaterThan(0);
});

verifies("dc.graphql.queries", async () => {
  expect(await fieldNames("Query")).toEqual(expect.arrayContaining(QUERIES));
});

verifies("dc.graphql.mutations", async () => {
  expect(await fieldNames("Mutation")).toEqual(expect.arrayContaining(MUTATIONS));
  const { upsertRack } = await data("mutation ($rack: RackInput!) { upsertRack(rack: $rack) { outcome } }", {
    rack: RACK,
  });
  const { deleteRack } = await data('mutation { deleteRack(code: "G-R1") { deleted } }');

  expect([upsertRack.outcome, deleteRack.deleted]).toEqual(["CREATED", true]);
});

verifies("dc.graphql.bulk-result", async () => {
  const { bulkUpsertRacks } = await data(
    "mutation ($items: [RackInput!]!) { bulkUpsertRacks(items: $items) { __typename results { code outcome } } }",
    {
      items: [
        { ...RACK, code: "G-R2" },
        { ...RACK, code: "G-R3", uHeight: 101 },
      ],
    },
  );

  expect(bulkUpsertRacks).toEqual({
    __typename: "BulkResult",
    results: [
      { code: "G-R2", outcome: "CREATED" },
      { code: "G-R3", outcome: "FAILED" },
    ],
  });
});

verifies("dc.graphql.playground", async () => {
  const { status, body } = await dc.get("/graphql/playground");

  expect(status).toBe(200);
  expect(body.toLowerCase()).toStartWith("<!doctype html>");
});

verifies("dc.mcp.ten-tools", async () => {
  const { result } = await mcp.request("tools/list");
  const tools = (result?.["tools"] ?? []) as readonly { readonly name: string }[];

  expect(tools.map(({ name }) => name).toSorted()).toEqual(TOOLS.toSorted());
});

verifies("dc.mcp.read-only", async () => {
  const { result } = await mcp.request("tools/call", { name: "upsert_rack", arguments: WIRE_RACK });

  expect(result?.isError).toBe(true);
  expect((await dc.rpc("GetRack", { code: "G-R1" })).status).toBe(404);
});

verifies("dc.mcp.same-answer", async () => {
  const request = { scope_ref: "floor:AMS1/1" };
  const { result } = await mcp.request("tools/call", { name: "thermal_headroom", arguments: request });
  const tool = JSON.parse(result?.content?.[0]?.text ?? "{}");
  const { body } = await dc.rpc("ThermalHeadroom", request);

  expect(tool.headroom_kw).toBe(body.headroom_kw);
  expect(tool.heat_kw).toBe(body.heat_kw);
});

verifies("dc.route.metrics", async () => {
  const { status, body } = await guarded.anonymous.get("/metrics");

  expect(status).toBe(200);
  expect(body).toMatch(/^# TYPE \S+ (?:counter|gauge|histogram)$/m);
});

verifies("dc.route.history", async () => {
  await guarded.writer.rpc("UpsertRack", { ...WIRE_RACK, change_message: "new row" });
  const { status, body } = await guarded.reader.get("/audit/history?entity=rack:G-R1");

  expect(status).toBe(200);
  expect(body.entries[0]).toMatchObject({
    action: "CREATE",
    entity: "rack:G-R1",
    message: "new row",
    actor: { principal: "walt", auth_method: "token" },
    before: null,
    after: { code: "G-R1" },
  });
});

verifies("dc.route.webhook", async () => {
  const delivery = { payload: [], length: 0 };

  expect((await guarded.feed.post("/audit/webhook", delivery)).status).toBe(200);
  expect((await guarded.writer.post("/audit/webhook", delivery)).status).toBe(401);
  expect((await guarded.anonymous.post("/audit/webhook", delivery)).status).toBe(401);
});

verifies("dc.auth.reader", async () => {
  const upsert = "mutation ($rack: RackInput!) { upsertRack(rack: $rack) { outcome } }";
  const { body } = await guarded.reader.graphql(upsert, { rack: RACK });

  expect((await guarded.reader.rpc("SearchDevices", {})).status).toBe(200);
  expect((await guarded.reader.rpc("UpsertRack", WIRE_RACK)).status).toBe(403);
  expect((await guarded.reader.rpc("BulkUpsertRacks", { items: [WIRE_RACK.rack] })).status).toBe(403);
  expect(body.errors[0].extensions.code).toBe("PERMISSION_DENIED");
});

verifies("dc.auth.writer", async () => {
  expect((await guarded.writer.rpc("UpsertRack", { rack: { ...WIRE_RACK.rack, code: "W-1" } })).status).toBe(200);
  const bulk = await guarded.writer.rpc("BulkUpsertRacks", { items: [{ ...WIRE_RACK.rack, code: "W-2" }] });

  expect([bulk.status, bulk.body.succeeded]).toEqual([200, 1]);
});

verifies("dc.auth.anonymous", async () => {
  expect((await guarded.anonymous.rpc("SearchDevices", {})).status).toBe(401);
  expect((await guarded.stranger.rpc("SearchDevices", {})).status).toBe(401);
  expect((await guarded.anonymous.get("/audit/history")).status).toBe(401);
  expect((await guarded.anonymous.graphql("{ searchDevices { totalCount } }")).status).toBe(401);
});

verifies("dc.core.same-everywhere", async () => {
  await dc.rpc("UpsertRack", { rack: { ...WIRE_RACK.rack, code: "V-1", name: "by REST" } });
  const { rack } = await data('{ rack(code: "V-1") { rack { name } } }');
  await data("mutation ($rack: RackInput!) { upsertRack(rack: $rack) { outcome } }", {
    rack: { ...RACK, code: "V-1", name: "by GraphQL" },
  });
  const { result } = await mcp.request("tools/call", { name: "get_rack", arguments: { code: "V-1" } });
  const { body } = await dc.rpc("GetRack", { code: "V-1" });

  expect(rack.rack.name).toBe("by REST");
  expect(body.rack.name).toBe("by GraphQL");
  expect(result?.content?.[0]?.text).toContain("by GraphQL");
});
