import { afterAll, beforeAll, describe } from "bun:test";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { migratedDatabase } from "../support/dc/stores.ts";
import { PgBouncer, pgBouncer } from "../support/pgbouncer.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { dcStoreContract } from "./dc_store.ts";

const isHere = pgBouncer();

for (const mode of ["session", "transaction"] as const) {
  describe.skipIf(!isHere)(`through PgBouncer by ${mode}`, () => {
    let pooler: PgBouncer;

    const open = (url: string) => openPostgres(pooler.url(new URL(url).pathname, `?pooling=${mode}`));
    beforeAll(async () => {
      const server = await sharedPostgres();
      pooler = await PgBouncer.start(server.port, mode);
      // The steps of the schema go through the pooler once.
      await (await open(await server.database())).close();
    });
    afterAll(() => pooler.end());

    dcStoreContract(`postgres pooled by ${mode}`, async () => open(await migratedDatabase()));
  });
}
