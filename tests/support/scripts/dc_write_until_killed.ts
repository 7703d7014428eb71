/**
 * Writes pairs of racks and devices for ever, each pair in one transaction, and prints the number of each pair once it
 * is committed. The test that starts it kills it at a random moment.
 */
import { writeSync } from "node:fs";
import { openSqlite } from "#dc/store/sqlite_store.ts";

const [file = "", first = "0"] = process.argv.slice(2);
const NOW = "2026-01-02T03:04:05.000Z";
const kept = { etag: "e", createTime: NOW, updateTime: NOW };
const store = await openSqlite(file);

for (let number = Number(first); ; number += 1) {
  await store.write(async (writer) => {
    await writer.put("rack", { resource: { code: `R${number}` }, ...kept });
    const ports = Array.from({ length: 20 }, (_, index) => ({ name: `p${index}`, kind: "NETWORK" as const }));
    await writer.put("device", {
      resource: { code: `D${number}`, kind: "SERVER", rackCode: `R${number}`, ports },
      ...kept,
    });
    await writer.raiseRevision();
  });
  writeSync(1, `${number}\n`);
}
