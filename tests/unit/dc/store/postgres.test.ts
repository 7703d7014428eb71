import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { parsePostgresUrl } from "#dc/store/postgres/postgres_address.ts";
import { inspectPostgres, openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { testService } from "../../../support/dc/service.ts";
import { stored } from "../../../support/dc/stored.ts";
import { PostgresServer, sharedPostgres } from "../../../support/postgres.ts";

const TLS = join(import.meta.dirname, "../../../fixtures/tls");
const LOCATION = { site_id: "S1", floor_number: 1 };

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedPostgres();
});

describe("openPostgres", () => {
  test("brings an empty database up to date once, however many open it at the same moment", async () => {
    const url = await server.database();

    const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgres(url)));
    const revisions = await Promise.all(stores.map((store) => store.read((reader) => reader.revision())));
    for (const store of stores) await store.close();

    expect(revisions).toEqual(Array.from({ length: 8 }, () => 0));
  }, 240_000);

  test("refuses a database from a newer program", async () => {
    const url = await server.database();
    await (await openPostgres(url)).close();
    await server.sql("INSERT INTO migration (step, name) VALUES (900, 'later')", url);

    await expect(openPostgres(url)).rejects.toMatchObject({ kind: "failed_precondition" });
  });

  test("leaves the tables of another program alone", async () => {
    const url = await server.database();
    await server.sql("CREATE TABLE device (serial TEXT)", url);

    const opening = openPostgres(url);

    await expect(opening).rejects.toMatchObject({ kind: "failed_precondition" });
    await expect(opening).rejects.toThrow('another program has a table "device" there');
    await expect(inspectPostgres(url)).rejects.toMatchObject({ kind: "failed_precondition" });
  });

  test("tells of a right that is missing to make the tables", async () => {
    const url = await server.database();
    await server.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE visitor LOGIN", url);

    const opening = openPostgres(url.replace("postgres@", "visitor@"));

    await expect(opening).rejects.toMatchObject({ kind: "unavailable" });
    await expect(opening).rejects.toThrow("permission denied for schema public");
  });

  test("needs no right but those on the rows, once the tables are there", async () => {
    const url = await server.database();
    await (await openPostgres(url)).close();
    await server.sql(
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE clerk LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk`,
      url,
    );
    const store = await openPostgres(url.replace("postgres@", "clerk@"));

    const revision = await store.write((writer) => writer.raiseRevision());
    await store.close();

    expect(revision).toBe(1);
  });

  test("tells of a user who may not come in, without the password", async () => {
    const address = (await server.database()).replace("postgres@", "stranger:s3cret@");

    const error: Error = await openPostgres(address).then(
      () => new Error("opened"),
      (thrown) => thrown,
    );

    expect(error).toMatchObject({ kind: "unavailable" });
    expect(error.message).toContain('role "stranger" does not exist');
    expect(`${error.message} ${error.stack}`).not.toContain("s3cret");
  });

  test("writes nothing outside of a write's transaction", async () => {
    const store = await openPostgres(await server.database());

    const writing = store.read((reader) => (reader as unknown as Writable).runner.run("DELETE FROM setting"));

    await expect(writing).rejects.toMatchObject({ reason: "DB_UNAVAILABLE" });
    await store.close();
  });

  test("refuses text that the database cannot hold, and the transaction goes on", async () => {
    const store = await openPostgres(await server.database());

    await store.write(async (writer) => {
      const device = { code: "D1", kind: "SERVER" as const, role: "", name: "\u0000" };
      const putting = writer.savepoint(() => writer.put("device", stored(device)));
      await expect(putting).rejects.toMatchObject({ kind: "invalid_argument" });
      await writer.put("device", stored({ ...device, name: "one" }));
    });

    expect((await store.read((reader) => reader.device("D1")))?.name).toBe("one");
    await store.close();
  });
});

interface Writable {
  readonly runner: { run(sql: string): Promise<void> };
}

test("eight writers on two stores of one database lose nothing, and the chain verifies", async () => {
  const url = await server.database();
  const stores = await Promise.all([openPostgres(url), openPostgres(url)]);
  const services = await Promise.all(stores.map((store) => testService({ store })));

  const writing = Array.from({ length: 8 }, async (_, writer) => {
    for (let number = 0; number < 10; number += 1) {
      const device = { code: `D-${writer}-${number}`, kind: "DEVICE_KIND_SERVER", location: LOCATION };
      await services[writer % 2]?.call("UpsertDevice", { device });
    }
  });
  await Promise.all(writing);

  const [first] = stores;
  const found = await first?.read(async (reader) => ({
    devices: (await reader.inventory()).devices.length,
    revision: await reader.revision(),
    seq: (await reader.chainHead()).seq,
    verdict: (await verifyLog(reader)).ok,
  }));
  for (const store of stores) await store.close();
  expect(found).toEqual({ devices: 80, revision: 80, seq: 80, verdict: true });
}, 240_000);

describe("openPostgres with TLS", () => {
  let secure: PostgresServer;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "planner-tls-"));
    chmodSync(folder, 0o755);
    for (const name of ["key.pem", "cert.pem"]) {
      copyFileSync(join(TLS, name), join(folder, name));
      chmodSync(join(folder, name), 0o600);
      // The server wants the key to be its own, and as root it runs as nobody.
      if (process.getuid?.() === 0) chownSync(join(folder, name), 65_534, 65_534);
    }
    const files = [`ssl_key_file=${join(folder, "key.pem")}`, `ssl_cert_file=${join(folder, "cert.pem")}`];
    secure = await PostgresServer.start({ settings: ["ssl=on", ...files] });
  }, 240_000);
  afterAll(() => secure.end());

  const isEncrypted = async (parameters: string) => {
    const store = await openPostgres(secure.url("postgres", parameters));
    const [row] = await secure.sql(
      "SELECT bool_or(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'planner'",
    );
    await store.close();
    return row?.["ssl"];
  };
  const root = `&sslrootcert=${join(TLS, "cert.pem")}`;

  for (const [parameters, encrypted] of [
    ["", true],
    ["?sslmode=disable", false],
    ["?sslmode=require", true],
    [`?sslmode=verify-ca${root}`, true],
  ] as const) {
    test(`${parameters.replace(root, "&sslrootcert=…") || "no parameter"}: ${encrypted ? "encrypted" : "in the clear"}`, async () => {
      expect(await isEncrypted(parameters)).toBe(encrypted);
    });
  }

  test("?sslmode=verify-full refuses a certificate that nobody has signed", async () => {
    await expect(isEncrypted("?sslmode=verify-full")).rejects.toMatchObject({ kind: "unavailable" });
  });
});

describe("parsePostgresUrl", () => {
  test("shows an address without password and parameters", () => {
    const {
      displayAddress: shown,
      url,
      tls,
    } = parsePostgresUrl("postgresql://anna:s3cr@t@db:5433/site?sslmode=disable&search_path=dc");

    expect([shown, tls]).toEqual(["postgres://anna@db:5433/site", false]);
    expect(url).toBe("postgresql://anna:s3cr@t@db:5433/site?search_path=dc");
  });

  for (const address of ["postgres://u:s3cret@h:port/x", "postgres://u:s3cret@h/x?sslmode=no"]) {
    test(`refuses ${address} without its password`, () => {
      let message = "";
      try {
        parsePostgresUrl(address);
      } catch (error) {
        message = (error as Error).message;
      }

      expect(message).toContain("Cannot read the database address");
      expect(message).not.toContain("s3cret");
    });
  }
});
