import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { datacenterRpcs } from "#dc/operations/index.ts";
import type { DcStore } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import type { OnStatement } from "#dc/store/sql/sql_runner.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { ams1Database, fill } from "../../../support/dc/ams1_inventory.ts";
import { testService } from "../../../support/dc/service.ts";
import { sharedPostgres } from "../../../support/postgres.ts";

const LOCATION = { site_id: "AMS1", floor_number: 1 };
const rack = (code: string): JsonObject => ({ code, location: LOCATION });
const server = (code: string): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location: LOCATION,
  asset_tag: `tag-${code}`,
  tags: ["new"],
  ports: [
    { name: "psu1", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:AMS1-B03-A" } },
    ...Array.from({ length: 19 }, (_, index) => ({ name: `eth${index}`, kind: "PORT_KIND_NETWORK" })),
  ],
});
const crac = (code: string): JsonObject => ({
  code,
  kind: "CRAC_KIND_CRAH",
  location: LOCATION,
  sensible_capacity_kw: 9,
});
const many = (make: (code: string) => JsonObject, prefix: string) =>
  Array.from({ length: 20 }, (_, index) => make(`${prefix}-${index}`));
const codes = (prefix: string) => Array.from({ length: 20 }, (_, index) => `${prefix}-${index}`);
const ends = (port: string) => ({
  a: { device_code: "NEW", port_name: port },
  b: { device_code: "NEW-0", port_name: port },
});

const LINK = {
  a: { device_code: "LEAF-A01-1", port_name: "Ethernet1" },
  b: { device_code: "SPINE-D09-1", port_name: "Ethernet72" },
  fabric_id: "FAB1",
  capacity_mbps: 1000,
};

/**
 * The most statements that each call may send, `BEGIN` and `COMMIT` included, on the sample site and with empty caches.
 * Calls run in this order. Lower a number when a call needs fewer; a higher one wants a reason.
 */
const MOST: readonly (readonly [rpc: string, most: number, request: JsonObject])[] = [
  ["PowerBlastRadius", 14, { source_ref: "device:UPS-A2", cascade: true }],
  ["TraceCablePath", 33, { port_ref: "port:SRV-B03-07/psu1" }],
  ["GetRack", 12, { code: "B03" }],
  ["ThermalHeadroom", 11, { scope_ref: "floor:AMS1/1" }],
  ["FabricTopology", 24, { check_physical: true }],
  ["FloorPlan", 10, { floor_ref: "floor:AMS1/1" }],
  ["SearchDevices", 5, { filter: { query: "leaf" }, page_size: 100 }],
  ["SearchDevices", 7, { filter: { query: "leaf" }, page_size: 100, view: "DEVICE_VIEW_FULL" }],
  ["GetDevice", 15, { code: "SRV-B03-07", view: "DEVICE_VIEW_FULL" }],
  // Loads need the power graph, as those of GetDevice do.
  ["GetPort", 18, { device_code: "SRV-B03-07", port_name: "psu1" }],
  ["Render", 12, { subject_ref: "rack:B03" }],
  ["UpsertRack", 9, { rack: rack("NEW") }],
  ["BulkUpsertRacks", 125, { items: many(rack, "NEW") }],
  ["UpsertDevice", 92, { device: server("NEW") }],
  ["BulkUpsertDevices", 284, { items: many(server, "NEW") }],
  ["UpsertCrac", 11, { crac: crac("NEW") }],
  ["BulkUpsertCracs", 165, { items: many(crac, "NEW") }],
  ["UpsertCable", 19, { cable: ends("eth0") }],
  ["UpsertFabricLink", 21, { fabric_link: LINK }],
  ["DeleteFabricLink", 9, { a: LINK.a, b: LINK.b }],
  ["DeleteCable", 11, ends("eth0")],
  // One of them removes the readings of what is not there any more.
  ["DeleteCrac", 10, { code: "NEW" }],
  ["BulkDeleteCracs", 125, { codes: codes("NEW") }],
  ["DeleteDevice", 16, { code: "NEW" }],
  ["BulkDeleteDevices", 245, { codes: codes("NEW") }],
  ["DeleteRack", 12, { code: "NEW" }],
  ["BulkDeleteRacks", 165, { codes: codes("NEW") }],
];

const DATABASES: Readonly<Record<string, (onStatement: OnStatement) => Promise<DcStore>>> = {
  SQLite: async (onStatement) => openSqlite(await ams1Database(), onStatement),
  async PostgreSQL(onStatement) {
    const store = await openPostgres(await (await sharedPostgres()).database(), onStatement);
    await fill(store, ams1);
    return store;
  },
};

for (const [name, open] of Object.entries(DATABASES)) {
  describe(`on ${name}`, () => {
    let store: DcStore;
    let statements: string[] = [];

    beforeAll(async () => {
      store = await open((sql) => statements.push(sql));
    }, 240_000);
    afterAll(() => store.close());

    for (const [rpc, most, request] of MOST) {
      test(`${rpc} sends at most ${most} statements`, async () => {
        const { call } = await testService({ store });
        statements = [];

        const reply = await call(rpc, request);

        expect(reply.failed ?? 0).toBe(0);
        expect(statements.length).toBeLessThanOrEqual(most);
      });
    }
  });
}

test("every RPC has its number", () => {
  expect([...new Set(MOST.map(([rpc]) => rpc))].toSorted()).toEqual(
    datacenterRpcs.map(({ method }) => method.name).toSorted(),
  );
});
