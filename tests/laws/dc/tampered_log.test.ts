import { beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { InventoryVerification } from "#dc/operations/verify_inventory.ts";
import { SqlReader } from "#dc/store/sql/sql_reader.ts";
import { SQLITE } from "#dc/store/sql/sql_runner.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { testService } from "../../support/dc/service.ts";
import { databaseFile } from "../../support/dc/stores.ts";
import { runnerOn, tamper } from "../../support/dc/tampering.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

const file = databaseFile();

beforeAll(async () => {
  const store = await openSqlite(file);
  const { call, clock } = await testService({ store });
  const location = { site_id: "S", floor_number: 1 };
  for (const code of ["R1", "R2", "R3"]) await call("UpsertRack", { rack: { code, location, asset_tag: `T-${code}` } });
  await call("UpsertDevice", {
    device: {
      code: "RPP",
      kind: "DEVICE_KIND_RPP",
      location,
      ports: [
        { name: "o1", kind: "PORT_KIND_POWER_OUT", power_out: { feed_id: "F1" } },
        { name: "o2", kind: "PORT_KIND_POWER_OUT" },
      ],
    },
  });
  for (let at = 1; at <= 6; at += 1) {
    const ports = [
      { name: "p1", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:F1" } },
      { name: "e1", kind: "PORT_KIND_NETWORK", type: "25gbase-x-sfp28" },
      { name: "e2", kind: "PORT_KIND_NETWORK", type: "25gbase-x-sfp28" },
    ];
    const place = { rack_code: `R${(at % 3) + 1}`, position_u: at * 2, u_height: 1, face: "FACE_FRONT" };
    const device = { code: `S${at}`, kind: "DEVICE_KIND_SWITCH", role: at < 3 ? "spine" : "leaf", ...place, ports };
    await call("UpsertDevice", { device: { ...device, tags: ["x", `t${at}`], labels: { owner: `o${at}`, k: "v" } } });
    clock.moveS(60);
  }
  const crac = { code: "C1", kind: "CRAC_KIND_CRAH", location, sensible_capacity_kw: 20 };
  await call("UpsertCrac", { crac: { ...crac, power_inputs: [{ source_ref: "feed:F1" }] } });
  for (const [a, b] of [
    [1, 2],
    [3, 4],
    [5, 6],
  ]) {
    const ends = { a: { device_code: `S${a}`, port_name: "e1" }, b: { device_code: `S${b}`, port_name: "e1" } };
    await call("UpsertCable", { cable: { ...ends, label: `L${a}` } });
  }
  const link = { a: { device_code: "S1", port_name: "e2" }, b: { device_code: "S3", port_name: "e2" } };
  await call("UpsertFabricLink", { fabric_link: { ...link, fabric_id: "FAB" } });
  for (const code of ["MW-1", "mw-2", "MW-3"]) {
    const window = {
      code,
      element_refs: ["device:S1"],
      starts_at: "2026-02-01T10:00:00Z",
      ends_at: "2026-02-01T12:00:00Z",
    };
    await call("UpsertWindow", { window });
    const type = {
      code: `acme-${code.toLowerCase()}`,
      manufacturer: "ACME",
      model: code,
      kind: "DEVICE_KIND_SERVER",
      u_height: 1,
    };
    await call("UpsertDeviceType", { device_type: type });
    clock.moveS(60);
  }
  await call("UpsertWindow", { window: { code: "mw-1", title: "ticket 7" }, update_mask: "title" });
  await call("DeleteWindow", { code: "MW-3" });
  await call("UpsertDevice", { device: { code: "S2", name: "renamed" }, change_message: "ticket 7" });
  await call("UpsertRack", { rack: { code: "GONE", location } });
  await call("DeleteRack", { code: "GONE" });
  await store.close();
});

async function verified(database: DatabaseSync): Promise<{ readonly ok: boolean; readonly place: string }> {
  const reader = new SqlReader(runnerOn(database), SQLITE);
  const inventory = new InventoryVerification();
  const log = await verifyLog(reader, { onEntry: (record) => inventory.addEntry(record) });
  if (!log.ok) return { ok: false, place: `entry ${log.seq} ${log.detail}` };
  const rows = await inventory.compareRows(reader);
  return rows.ok ? { ok: true, place: "" } : { ok: false, place: `${rows.ref} ${rows.detail}` };
}

test("an untouched log and its inventory are found good", async () => {
  const database = new DatabaseSync(file);
  expect(await verified(database)).toEqual({ ok: true, place: "" });
  database.close();
});

// PLANNER_TAMPERED_LOGS=10000 for the whole proof.
test("whatever is edited, deleted, inserted, swapped or cut off is found and named", async () => {
  const wanted = Number(process.env["PLANNER_TAMPERED_LOGS"] ?? LAW_RUNS * 4);
  const random = new SeededRandom(Number(process.env["PLANNER_SEED"] ?? 1));
  const database = new DatabaseSync(file);
  database.exec("PRAGMA foreign_keys = OFF");
  for (let done = 0; done < wanted; ) {
    database.exec("BEGIN");
    const tampering = tamper(database, random);
    if (tampering !== undefined) {
      done += 1;
      const verdict = await verified(database);
      expect({ tampering, found: !verdict.ok }).toEqual({ tampering, found: true });
      const { seqs, refs } = tampering;
      const places = [...seqs.map((seq) => `entry ${seq} `), ...refs];
      const isNamed =
        places.some((place) => verdict.place.includes(place)) ||
        // Rows without a resource are counted by table.
        verdict.place.startsWith(`${tampering.what.split(":")[0]} has `);
      expect({ tampering, place: verdict.place, isNamed }).toMatchObject({ isNamed: true });
    }
    database.exec("ROLLBACK");
  }
  database.close();
}, 600_000);
