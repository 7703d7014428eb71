import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DcServer, emptyFolder } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { callRpc, http1, putRack } from "../support/http_client.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const served = (cwd: string, flags: readonly string[] = [], launcher: readonly string[] = []) =>
  serveDc(cwd, ["--db", "dc.sqlite", ...flags], launcher);

const upsert = ({ url }: DcServer, code: string) => putRack(url, code);

/** Asks again until the answer has the status. */
async function statusOf(server: DcServer, path: string, status: number): Promise<string> {
  for (;;) {
    const reply = await http1(`${server.url}${path}`);
    if (reply.status === status) return reply.text;
    await Bun.sleep(50);
  }
}

const linesAbout = (server: DcServer, subject: string) =>
  server.stderr.split("\n").filter((line) => line.includes(` ${subject}: `));

describe("a lock that another process holds", () => {
  test("stops neither reads, health and metrics nor the end of the server", async () => {
    const cwd = emptyFolder();
    const server = await served(cwd);
    await upsert(server, "R1");
    const other = new DatabaseSync(join(cwd, "dc.sqlite"));
    other.exec("BEGIN IMMEDIATE");
    let isWritten = false;
    const writing = upsert(server, "R2").then((reply) => {
      isWritten = true;
      return reply;
    });

    const replies = [
      await callRpc(server.url, "GetRack", { code: "R1" }),
      await callRpc(server.url, "SearchDevices", {}),
      await http1(`${server.url}/healthz`),
      await http1(`${server.url}/readyz`),
      await http1(`${server.url}/metrics`),
    ];
    const wasWritten = isWritten;
    other.exec("COMMIT");
    other.close();

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(wasWritten).toBe(false);
    expect((await writing).status).toBe(200);
    expect((await callRpc(server.url, "GetRack", { code: "R2" })).status).toBe(200);
  });

  test("does not keep the server from ending", async () => {
    const cwd = emptyFolder();
    const server = await served(cwd);
    const other = new DatabaseSync(join(cwd, "dc.sqlite"));
    other.exec("BEGIN IMMEDIATE");

    server.child.kill("SIGTERM");

    expect(await server.ended).toEqual({ code: 0, signal: null });
    other.close();
  });
});

describe("a database file that is gone", () => {
  test("refuses changes, turns readiness with the reason, and recovers when it is back", async () => {
    const cwd = emptyFolder();
    const server = await served(cwd);
    await upsert(server, "R1");
    renameSync(join(cwd, "dc.sqlite"), join(cwd, "elsewhere"));

    const refused = await upsert(server, "R2");
    const why = await statusOf(server, "/readyz", 503);
    const metrics = await http1(`${server.url}/metrics`);

    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    expect(why).toContain("The database file no longer exists");
    expect(metrics.text).toContain("planner_dc_database_up 0");
    expect(existsSync(join(cwd, "dc.sqlite"))).toBe(false);
    renameSync(join(cwd, "elsewhere"), join(cwd, "dc.sqlite"));
    await statusOf(server, "/readyz", 200);
    expect((await upsert(server, "R2")).status).toBe(200);
    expect(linesAbout(server, "database")).toEqual([
      expect.stringMatching(/was removed while it was open; (?:calls|changes) are refused/),
      expect.stringContaining("The database can be used again"),
    ]);
  });

  test("is not made anew at the next start without --create", async () => {
    const cwd = emptyFolder();
    await runPlanner(["dc", "sample", "--racks", "1", "--db", "dc.sqlite"], { cwd });
    const server = await served(cwd);
    while (!existsSync(join(cwd, "dc.sqlite.checkpoint-key"))) await Bun.sleep(50);
    server.child.kill("SIGTERM");
    await server.ended;
    rmSync(join(cwd, "dc.sqlite"));

    const again = await runPlanner(["dc", "serve", "--db", "dc.sqlite", "--port", "0"], { cwd });
    const imported = await runPlanner(["dc", "import", "--db", "dc.sqlite", "-"], { cwd, input: "" });
    const created = await served(cwd, ["--create"]);

    expect([again.code, imported.code]).toEqual([1, 1]);
    expect(again.stderr).toContain('The database "');
    expect(again.stderr).toContain("--create");
    expect((await upsert(created, "R1")).status).toBe(200);
  });
});

test("a malformed database is not served", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "sample", "--racks", "1", "--db", "dc.sqlite"], { cwd });
  const file = join(cwd, "dc.sqlite");
  const bytes = new Uint8Array(await Bun.file(file).arrayBuffer());
  bytes.fill(0xa5, 4096 * 20, 4096 * 60);
  writeFileSync(file, bytes);

  const { code, stderr } = await runPlanner(["dc", "serve", "--db", "dc.sqlite", "--port", "0"], { cwd });

  expect(code).toBe(1);
  expect(stderr).toContain("malformed");
});

/** Whether this process may make mounts of its own. */
const CAN_MOUNT = spawnSync("unshare", ["-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0;
if (!CAN_MOUNT) process.stderr.write("SKIPPED: faults of disks need mounts, which this user may not make\n");

test.skipIf(!CAN_MOUNT)("a disk that is read-only lets a database be verified, exported and drawn", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "sample", "--racks", "1", "--db", "dc.sqlite"], { cwd });
  const onReadOnly = (...words: readonly string[]) => {
    const script = `mkdir -p ${cwd}/m && mount -t tmpfs tmpfs ${cwd}/m && cp ${cwd}/dc.sqlite ${cwd}/m/ &&
      mount -o remount,ro ${cwd}/m && cd ${cwd}/m && exec "$@"`;
    return spawnSync("unshare", ["-m", "sh", "-c", script, "sh", ...PLANNER, "dc", ...words], { encoding: "utf8" });
  };

  const verified = onReadOnly("audit", "verify", "--estate", "--db", "dc.sqlite");
  const exported = onReadOnly("export", "--db", "dc.sqlite");
  const drawn = onReadOnly("render", "floor", "floor:AMS1/1", "--db", "dc.sqlite");

  expect([verified.status, exported.status]).toEqual([0, 0]);
  expect(verified.stdout).toContain("resources are what the change log says");
  expect(exported.stdout).toContain('{"rack":');
  expect([drawn.stderr, drawn.stdout.slice(0, 4)]).toEqual(["", "<svg"]);
});
