import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { putRack } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();
const dc = (...words: readonly string[]) => runPlanner(["dc", ...words], { cwd });
const verify = (...words: readonly string[]) => dc("audit", "verify", ...words);

/** A copy of the signed database in which `sql` was run behind the service's back. */
function tampered(name: string, work: (database: DatabaseSync) => void): string {
  copyFileSync(join(cwd, "site.sqlite"), join(cwd, name));
  const database = new DatabaseSync(join(cwd, name));
  database.exec("PRAGMA foreign_keys = OFF");
  work(database);
  database.close();
  return name;
}

const KEY = ["--key", "site.sqlite.checkpoint-key.pub"];
const CHECKPOINT = ["--checkpoint", join("signed", "latest.checkpoint"), ...KEY];

beforeAll(async () => {
  await dc("sample", "--racks", "3", "--db", "site.sqlite");
  const server = await DcServer.start(cwd, ["--db", "site.sqlite", "--checkpoint-dir", "signed"]);
  while (!existsSync(join(cwd, "signed", "latest.checkpoint"))) await Bun.sleep(50);
  server.child.kill("SIGTERM");
  await server.ended;
  new DatabaseSync(join(cwd, "site.sqlite")).exec("PRAGMA wal_checkpoint(TRUNCATE)");
});

describe("planner dc audit verify", () => {
  test("finds the log of a served database good, with its inventory and its checkpoints", async () => {
    const { stdout, code } = await verify("--db", "site.sqlite", "--estate", ...CHECKPOINT);

    expect(stdout).toMatch(
      /^(\d+) entries, unbroken; head [0-9a-f]{64}\n2 signed checkpoints agree\n\d+ resources are/,
    );
    expect(code).toBe(0);
    expect(statSync(join(cwd, "site.sqlite.checkpoint-key")).mode & 0o777).toBe(0o600);
  });

  test("names the first entry of a tail that was cut off", async () => {
    const db = tampered("tail.sqlite", (database) => {
      database.exec("DELETE FROM change_ref WHERE seq > 100; DELETE FROM change_log WHERE seq > 100");
    });

    const { stderr, code } = await verify("--db", db);

    expect(stderr).toContain("entry 101 is missing and all up to");
    expect(code).toBe(1);
  });

  test("finds a tail that was cut off with every trace in the database, by a checkpoint", async () => {
    const db = tampered("traceless.sqlite", (database) => {
      database.exec("DELETE FROM change_ref WHERE seq > 100; DELETE FROM change_log WHERE seq > 100");
      database.exec(`UPDATE setting SET value = (SELECT seq || ' ' || hash FROM change_log WHERE seq = 100)
        WHERE name = 'audit_head'`);
      database.exec("DELETE FROM audit_checkpoint; DELETE FROM setting WHERE name = 'audit_signed'");
    });

    const [alone, signed] = [await verify("--db", db), await verify("--db", db, ...CHECKPOINT)];

    expect([alone.code, signed.code]).toEqual([0, 1]);
    expect(signed.stderr).toContain(
      "entry 101 is missing: the log is shorter than what was signed: it ends at entry 100",
    );
  });

  for (const [what, sql, found] of [
    ["behind an earlier checkpoint", "DELETE FROM audit_checkpoint WHERE size > 100", "shorter than what was signed"],
    ["with its checkpoints", "DELETE FROM audit_checkpoint", "shorter than what was signed"],
    ["with the signed size", "DELETE FROM setting WHERE name = 'audit_signed'", "shorter than what was signed"],
  ]) {
    test(`finds a tail that was cut off ${what} by the log alone, and a server refuses changes`, async () => {
      const db = tampered(`cut-${what?.replaceAll(" ", "-")}.sqlite`, (database) => {
        database.exec("DELETE FROM change_ref WHERE seq > 100; DELETE FROM change_log WHERE seq > 100");
        database.exec(`UPDATE setting SET value = (SELECT seq || ' ' || hash FROM change_log WHERE seq = 100)
          WHERE name = 'audit_head'`);
        database.exec(sql ?? "");
      });

      const verified = await verify("--db", db);
      const checked = await dc("doctor", "--db", db);
      const server = await DcServer.start(cwd, ["--db", db]);
      const [ready, refused] = [await fetch(`${server.url}/readyz`), await putRack(server.url, "NEW")];
      const why = await ready.text();
      await server.end();
      const accepting = await DcServer.start(cwd, ["--db", db, "--accept-broken-log"]);
      const accepted = await putRack(accepting.url, "NEW");
      await accepting.end();

      expect([verified.code, checked.code]).toEqual([1, 1]);
      expect(verified.stderr).toContain(found ?? "");
      expect(checked.stdout).toContain(found ?? "");
      expect([ready.status, refused.status, accepted.status]).toEqual([503, 503, 200]);
      expect(why).toContain("The change log is broken");
      expect(why).toContain("--accept-broken-log");
    });
  }

  test("finds a signed checkpoint that was removed", async () => {
    const db = tampered("unsigned.sqlite", (database) => database.exec("DELETE FROM audit_checkpoint"));

    const { stderr, code } = await verify("--db", db);

    expect(code).toBe(1);
    expect(stderr).toContain("was signed, and its signed checkpoint is missing");
  });

  test("finds a chain that was computed anew behind an altered entry, by a checkpoint and by a known head", async () => {
    let head = "";
    const db = tampered("recomputed.sqlite", (database) => {
      head = String(database.prepare("SELECT hash FROM change_log ORDER BY seq DESC LIMIT 1").get()?.["hash"]);
      recompute(database, 50);
      database.exec("DELETE FROM audit_checkpoint; DELETE FROM setting WHERE name = 'audit_signed'");
    });

    const alone = await verify("--db", db);
    const signed = await verify("--db", db, ...CHECKPOINT);
    const known = await verify("--db", db, "--expect-head", head);

    expect([alone.code, signed.code, known.code]).toEqual([0, 1, 1]);
    expect(signed.stderr).toContain("differs from what was signed at");
    expect(known.stderr).toContain(`none has the hash ${head}`);
  });

  test("names the resource whose row was changed behind the service's back", async () => {
    const db = tampered("row.sqlite", (database) => {
      database.exec("UPDATE rack SET site = 'elsewhere' WHERE key = 'd09'");
    });

    const [log, rows] = [await verify("--db", db), await verify("--db", db, "--estate")];

    expect([log.code, rows.code]).toEqual([0, 1]);
    expect(rows.stderr).toContain("rack:d09 was altered: its column site differs from its body");
  });

  test("proves one entry against the root of a checkpoint", async () => {
    const { stdout } = await verify("--db", "site.sqlite", "--prove", "17", ...CHECKPOINT);
    const { hash, size, root, path } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    const [, signedSize, signedRoot] = readFileSync(join(cwd, "signed", "latest.checkpoint"), "utf8").split("\n");

    expect([String(size), root]).toEqual([signedSize, signedRoot]);
    expect(plainRoot(hash, 16, size, path)).toBe(root);
  });

  test("refuses a checkpoint of another key, and one without any key", async () => {
    copyFileSync(join(cwd, "site.sqlite"), join(cwd, "alone.sqlite"));
    const without = await verify("--db", "alone.sqlite", "--checkpoint", join("signed", "latest.checkpoint"));
    const other = await verify("--db", "alone.sqlite", "--checkpoint", "site.sqlite.checkpoint-key.pub", ...KEY);

    expect([without.code, other.code]).toEqual([2, 1]);
    expect(without.stderr).toContain('cannot be verified without "--key"');
    expect(other.stderr).toContain("has no good signature of the key");
  });
});

describe("planner dc audit archive", () => {
  test("moves old entries to a file that verifies alone, and the log goes on behind it", async () => {
    copyFileSync(join(cwd, "site.sqlite"), join(cwd, "old.sqlite"));
    copyFileSync(join(cwd, "site.sqlite.checkpoint-key"), join(cwd, "old.sqlite.checkpoint-key"));
    const words = ["--db", "old.sqlite"];
    const archived = await dc("audit", "archive", "--before", "2100-01-01", "-o", "old.jsonl", ...words);
    const again = await dc("audit", "archive", "--before", "2100-01-01", "-o", "old.jsonl", ...words);
    const empty = await verify(...words, "--estate");
    await dc("sample", "--racks", "4", "--db", "old.sqlite");

    const log = await verify(...words, "--estate");
    const whole = await verify(...words, "--estate", "--archive", "old.jsonl");

    expect(archived.stdout).toMatch(/^\d+ entries moved to .*old\.jsonl; the log continues after entry \d+\n$/);
    expect(again.stdout).toContain("No entry is from before");
    expect([empty.code, log.code, whole.code]).toEqual([0, 0, 0]);
    expect(empty.stdout).toContain("more were last changed in archives");
    expect(log.stdout).toContain("more were last changed in archives");
    expect(whole.stdout).toContain("are in 1 archives, which fit");
    expect(whole.stdout).not.toContain("last changed in archives");
  });
});

describe("planner dc doctor", () => {
  test("finds a served database in order, and names what is not", async () => {
    const db = tampered("ill.sqlite", (database) => database.exec("DELETE FROM change_log WHERE seq = 5"));
    const [well, ill] = [await dc("doctor", "--db", "site.sqlite", "--json"), await dc("doctor", "--db", db, "--json")];
    const failed = (text: string) =>
      (JSON.parse(text) as { check: string; ok: boolean }[]).filter(({ ok }) => !ok).map(({ check }) => check);

    expect([failed(well.stdout), well.code]).toEqual([[], 0]);
    expect([failed(ill.stdout), ill.code]).toEqual([["chain"], 1]);
    expect(JSON.parse(well.stdout).map(({ check }: { check: string }) => check)).toEqual(
      "settings permissions disk schema database clock chain checkpoint".split(" "),
    );
  });
});

/** Alters an entry and gives it and all behind it hashes that fit again. */
function recompute(database: DatabaseSync, from: number): void {
  const rows = database.prepare("SELECT seq, body, hash FROM change_log WHERE seq >= ? ORDER BY seq").all(from - 1);
  let previous = String(rows[0]?.["hash"]);
  const write = database.prepare("UPDATE change_log SET body = ?, hash = ? WHERE seq = ?");
  let hash = previous;
  for (const row of rows.slice(1)) {
    const { hash: _, prevHash: __, ...entry } = JSON.parse(String(row["body"]));
    if (row["seq"] === from) entry.transactionId = "forged";
    hash = createHash("sha256")
      .update(`audit-v1${previous}${sorted(entry)}`)
      .digest("hex");
    write.run(sorted({ ...entry, hash, prevHash: previous }), hash, Number(row["seq"]));
    previous = hash;
  }
  database.exec(`UPDATE setting SET value = '${rows.at(-1)?.["seq"]} ${hash}' WHERE name = 'audit_head'`);
}

function sorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${sorted(one)}`).join(",")}}`;
}

/** RFC 6962's path from a leaf to the root, by recursion from the top. */
function plainRoot(leaf: string, index: number, size: number, path: readonly string[]): string {
  const hash = (...parts: readonly Uint8Array[]) =>
    createHash("sha256")
      .update(Buffer.concat([...parts]))
      .digest();
  const walk = (at: number, count: number, rest: readonly string[]): Buffer => {
    if (count === 1) return hash(Buffer.of(0), Buffer.from(leaf, "hex"));
    let split = 1;
    while (split * 2 < count) split *= 2;
    const sibling = Buffer.from(rest.at(-1) ?? "", "base64");
    if (at < split) return hash(Buffer.of(1), walk(at, split, rest.slice(0, -1)), sibling);
    return hash(Buffer.of(1), sibling, walk(at - split, count - split, rest.slice(0, -1)));
  };
  return walk(index, size, path).toString("base64");
}
