import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { putRack } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Made by the program of version 0.1.0: a sample of one rack, and a cooling unit of kind CDU. */
const OLD = gunzipSync(readFileSync(join(ROOT, "tests", "fixtures", "databases", "0.1.0.sqlite.gz")));

function folderWithOld(): string {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "dc.sqlite"), OLD);
  return cwd;
}

/** Names and contents of a folder. */
const contents = (cwd: string) =>
  readdirSync(cwd)
    .toSorted()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(cwd, name)))
        .digest("hex"),
    ]);

describe("a database of version 0.1.0", () => {
  test("is verified and examined without a change, and its version is named", async () => {
    const cwd = folderWithOld();
    const dc = (...words: readonly string[]) => runPlanner(["dc", ...words, "--db", "dc.sqlite"], { cwd });
    const before = contents(cwd);

    const verified = await dc("audit", "verify", "--estate");
    const examined = await dc("doctor", "--json");
    const steps = await dc("migrate", "status");

    expect(contents(cwd)).toEqual(before);
    expect([verified.code, examined.code, steps.code]).toEqual([0, 1, 1]);
    expect(verified.stdout).toMatch(/^35 entries, unbroken; head [0-9a-f]{64}\n35 resources are what the change log/);
    expect(verified.stdout).toContain("the schema has 4 of 10 steps, those of version 0.1.0; nothing was changed");
    expect(JSON.parse(examined.stdout).find(({ check }: { check: string }) => check === "schema")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("4 of 10 steps, those of version 0.1.0"),
    });
  });

  test("is found altered as it is, and verifies with the same head after its upgrade", async () => {
    const cwd = folderWithOld();
    const dc = (...words: readonly string[]) => runPlanner(["dc", ...words], { cwd });
    copyFileSync(join(cwd, "dc.sqlite"), join(cwd, "ill.sqlite"));
    const ill = new DatabaseSync(join(cwd, "ill.sqlite"));
    ill.exec("UPDATE change_log SET principal = 'nobody' WHERE seq = 7");
    ill.close();
    const before = await dc("audit", "verify", "--db", "dc.sqlite");

    const found = await dc("audit", "verify", "--db", "ill.sqlite");
    await dc("migrate", "apply", "--db", "dc.sqlite");
    const after = await dc("audit", "verify", "--estate", "--db", "dc.sqlite");

    expect(found.code).toBe(1);
    expect(found.stderr).toContain("entry 7 was altered: its column principal differs");
    expect([after.stderr, after.code]).toEqual(["", 0]);
    expect(after.stdout.split("\n")[0]).toBe(before.stdout.split("\n")[0]);
    expect(after.stdout).not.toContain("version 0.1.0");
  });
});

test("a database that is served is examined and verified beside its server", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "sample", "--racks", "1", "--db", "dc.sqlite"], { cwd });
  const server = await DcServer.start(cwd, ["--db", "dc.sqlite"]);
  while (!existsSync(join(cwd, "dc.sqlite.checkpoint-key.pub"))) await Bun.sleep(50);
  await putRack(server.url, "NEW");

  const { stdout, code } = await runPlanner(["dc", "audit", "verify", "--estate", "--db", "dc.sqlite"], { cwd });

  const count = /^(\d+) entries/.exec(stdout)?.[1];
  expect([code, stdout]).toEqual([0, expect.stringContaining(`\n${count} resources are what the change log says\n`)]);
  await server.end();
});

describe("a checkpoint key that was replaced", () => {
  const PUBLIC = "dc.sqlite.checkpoint-key.pub";

  /** Serves a change until it is signed. */
  async function signed(cwd: string, code: string): Promise<void> {
    const input = JSON.stringify({ rack: { code, location: { site_id: "S", floor_number: 1 } } });
    await runPlanner(["dc", "import", "--db", "dc.sqlite", "-"], { cwd, input });
    const server = await DcServer.start(cwd, ["--db", "dc.sqlite", "--checkpoint-dir", `signed-${code}`]);
    while (!existsSync(join(cwd, `signed-${code}`, "latest.checkpoint"))) await Bun.sleep(50);
    server.child.kill("SIGTERM");
    await server.ended;
  }

  test("leaves what it signed verifiable by its public line, and names it where that is lost", async () => {
    const cwd = emptyFolder();
    await signed(cwd, "A");
    renameSync(join(cwd, "dc.sqlite.checkpoint-key"), join(cwd, "lost"));
    const oldKey = readFileSync(join(cwd, PUBLIC), "utf8");
    await signed(cwd, "B");
    const lines = readFileSync(join(cwd, PUBLIC), "utf8");
    const checkpoints = ["A", "B"].flatMap((code) => ["--checkpoint", join(`signed-${code}`, "latest.checkpoint")]);
    const verify = (...words: readonly string[]) =>
      runPlanner(["dc", "audit", "verify", "--db", "dc.sqlite", ...words], { cwd });

    const both = await verify(...checkpoints);
    const examined = await runPlanner(["dc", "doctor", "--db", "dc.sqlite", "--json"], { cwd });
    writeFileSync(join(cwd, "old.pub"), oldKey);
    writeFileSync(join(cwd, "new.pub"), `${lines.split("\n")[0]}\n`);
    const given = await verify(...checkpoints, "--key", "old.pub", "--key", "new.pub");
    const newAlone = await verify("--key", "new.pub");
    const hash = oldKey.split("+")[1] ?? "";
    const without = await verify("--key", "new.pub", "--lost-key", hash);
    const foreign = await verify(...checkpoints, "--key", "new.pub", "--lost-key", hash);

    expect(lines.split("\n").slice(1).join("\n")).toBe(oldKey);
    expect([both.code, given.code, newAlone.code, without.code, foreign.code]).toEqual([0, 0, 1, 0, 1]);
    expect(both.stdout).toContain("4 signed checkpoints agree");
    expect(JSON.parse(examined.stdout).filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(newAlone.stderr).toContain(`${hash} signed it, expected its public key by "--key"`);
    expect(without.stdout).toContain("1 in the database are of a lost key and were not checked");
  });

  test("is refused when the file of public keys holds something else", async () => {
    const cwd = emptyFolder();
    await runPlanner(["dc", "sample", "--racks", "1", "--db", "dc.sqlite"], { cwd });
    const { publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(join(cwd, "pem.pub"), publicKey.export({ type: "spki", format: "pem" }));

    const { stderr, code } = await runPlanner(
      ["dc", "audit", "verify", "--db", "dc.sqlite", "--key", "pem.pub", "--key", "none.pub"],
      { cwd },
    );

    expect(code).toBe(2);
    expect(stderr).toContain('pem.pub": expected lines "name+hash+key"');
    rmSync(cwd, { recursive: true });
  });
});
