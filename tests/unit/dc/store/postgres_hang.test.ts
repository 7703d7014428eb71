import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { PostgresServer } from "../../../support/postgres.ts";

/** The server and every process that it has started. */
function processesOf(server: PostgresServer): readonly number[] {
  const main = Number(readFileSync(join(server.folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(main)], { encoding: "utf8" });
  return [
    main,
    ...stdout
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map(Number),
  ];
}

test("a server that hangs fails reads and writes as unavailable, and is used again when it goes on", async () => {
  const server = await PostgresServer.start();
  const store = await openPostgres(await server.database());
  await store.write((writer) => writer.raiseRevision());
  const pids = processesOf(server);

  for (const pid of pids) process.kill(pid, "SIGSTOP");
  const refused = [store.read((reader) => reader.revision()), store.write((writer) => writer.raiseRevision())];
  const kinds = await Promise.all(refused.map((work) => work.catch((error: unknown) => error)));
  const later = await store.check().catch((error: unknown) => error);
  for (const pid of pids) process.kill(pid, "SIGCONT");

  for (const error of [...kinds, later]) expect(error).toMatchObject({ kind: "unavailable" });
  // It is asked twice a second whether it answers again.
  while ((await store.check().catch(() => "away")) === "away") await Bun.sleep(50);
  expect(await store.read((reader) => reader.revision())).toBeGreaterThanOrEqual(1);
  await store.close();
  await server.end();
});
