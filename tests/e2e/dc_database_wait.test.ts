import { afterAll, beforeAll, expect, test } from "bun:test";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { endAfterTest } from "../support/end_after_test.ts";
import { freePort } from "../support/free_port.ts";
import { http1, postJson } from "../support/http_client.ts";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";

const SEARCH = "datacenter.v1.DatacenterService/SearchDevices";

let postgres: PostgresServer;
let database = "";
beforeAll(async () => {
  postgres = await PostgresServer.start();
  database = await postgres.database();
});
afterAll(() => postgres.end());

/** Asks until somebody listens. */
async function answer(url: string) {
  for (;;) {
    const found = await http1(url).catch(() => undefined);
    if (found !== undefined) return found;
    await Bun.sleep(20);
  }
}

async function started(...flags: readonly string[]) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = DcServer.start(emptyFolder(), ["--port", String(port), "--db", database, ...flags]);
  server.catch(() => {});
  return { url, server };
}

test("dc serve waits for a PostgreSQL that starts later, is alive but not ready meanwhile, and serves then", async () => {
  await postgres.stop();
  const { url, server } = await started("--db-wait", "600");

  const health = await answer(`${url}/healthz`);
  const ready = await http1(`${url}/readyz`);
  const call = await postJson(`${url}/${SEARCH}`, {});
  await postgres.start();
  const serving = await server;
  endAfterTest(() => serving.end());

  expect([health.status, ready.status, call.status]).toEqual([200, 503, 503]);
  expect(ready.text).toContain("Cannot open the database postgres://postgres@127.0.0.1");
  expect(JSON.parse(call.text)).toMatchObject({ code: "unavailable" });
  expect((await http1(`${url}/readyz`)).status).toBe(200);
  expect(serving.stderr.split("\n").filter((line) => line.includes(" database: "))).toEqual([
    expect.stringContaining("it is tried again for 600 s"),
  ]);
});

test("dc serve ends at SIGTERM with status 0 while it waits for its database, and with 1 after the time", async () => {
  await postgres.stop();
  try {
    const port = await freePort();
    const words = ["dc", "serve", "--db", database, "--port"];
    const waiting = new LinesOfProcess([...PLANNER, ...words, String(port), "--db-wait", "600"], emptyFolder());
    endAfterTest(() => waiting[Symbol.asyncDispose]());
    await answer(`http://127.0.0.1:${port}/healthz`);
    waiting.child.kill("SIGTERM");
    const late = await runPlanner([...words, "0", "--db-wait", "1"], { cwd: emptyFolder() });

    expect(await waiting.ended).toMatchObject({ code: 0, signal: null });
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("Cannot open the database")]);
  } finally {
    await postgres.start();
  }
});

test("dc serve ends at SIGTERM with status 0 while its database hangs, and a call that runs is told so", async () => {
  const { url, server: starting } = await started();
  const server = await starting;
  endAfterTest(() => server.end());
  const all = postgres.processes().map(({ pid }) => pid);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  try {
    const call = postJson(`${url}/${SEARCH}`, {});
    const isRunning = async () => /_running\{effect="read"\} [1-9]/.test((await http1(`${url}/metrics`)).text);
    let answered = false;
    void call.finally(() => {
      answered = true;
    });
    while (!answered && !(await isRunning()));
    server.child.kill("SIGTERM");

    const { status, text } = await call;
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 503, code: "unavailable" });
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr).toContain("Shutting down: refusing new connections, finishing active requests");
    expect(server.stderr).toMatch(
      / database: The database cannot be used: the database (?:does not answer|has not answered)/,
    );
  } finally {
    for (const pid of all) process.kill(pid, "SIGCONT");
  }
});

test("dc serve ends at SIGTERM with status 0 while its database hangs and nothing is called", async () => {
  const server = await (await started()).server;
  endAfterTest(() => server.end());
  const all = postgres.processes().map(({ pid }) => pid);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  try {
    server.child.kill("SIGTERM");

    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr).toContain("Shutting down: refusing new connections, finishing active requests");
  } finally {
    for (const pid of all) process.kill(pid, "SIGCONT");
  }
});
