import { afterAll, beforeAll, describe } from "bun:test";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { PgBouncer, pgBouncer } from "../support/pgbouncer.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { dcStoreContract } from "./dc_store.ts";

const isHere = pgBouncer();

for (const mode of ["session", "transaction"] as const) {
  describe.skipIf(!isHere)(`through PgBouncer by ${mode}`, () => {
    let pooler: PgBouncer;

    beforeAll(async () => {
      pooler = await PgBouncer.start((await sharedPostgres()).port, mode);
    });
    afterAll(() => pooler.end());

    dcStoreContract(`postgres pooled by ${mode}`, async () => {
      const { pathname } = new URL(await (await sharedPostgres()).database());
      return openPostgres(pooler.url(pathname, `?pooling=${mode}`));
    });
  });
}
