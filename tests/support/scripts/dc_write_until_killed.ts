/**
 * Upserts racks with a device each for ever, in bulk calls through the service, and prints the number of each call once
 * it is answered. The test that starts it kills it at a random moment.
 */
import { writeSync } from "node:fs";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { testService } from "../dc/service.ts";

const [file = "", first = "0"] = process.argv.slice(2);
const location = { site_id: "S1", floor_number: 1 };
const { call } = await testService({ store: await openSqlite(file) });

for (let number = Number(first); ; number += 1) {
  const ports = Array.from({ length: 20 }, (_, index) => ({ name: `p${index}`, kind: "PORT_KIND_NETWORK" }));
  const pair = ["a", "b"].map((half) => ({ code: `D${number}${half}`, kind: "DEVICE_KIND_SERVER", location, ports }));
  await call("BulkUpsertDevices", { items: pair, atomic: true });
  writeSync(1, `${number}\n`);
}
