import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1, RPC } from "../support/http_client.ts";
import { FRAME, frame, PREFACE } from "../support/http2_frames.ts";

const TLS = join(import.meta.dirname, "..", "fixtures", "tls");
const OPEN_FILES = 64;
/** Several times the limit, so that connections wait to be accepted. */
const CLIENTS = 300;
const HOST = "127.0.0.1";
const LOG = /^At most (\d+) connections, and (\d+) more for probes \(limit of open files: (\d+)\)$/m;

const servers: DcServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.end();
});

async function serveWith(openFiles: number, ...flags: readonly string[]): Promise<DcServer> {
  const launcher = ["sh", "-c", `ulimit -n ${openFiles} && exec "$@"`, "sh"];
  const server = await DcServer.start(emptyFolder(), ["--db", "dc.sqlite", ...flags], launcher);
  servers.push(server);
  while (!LOG.test(server.stderr)) await Bun.sleep(5);
  return server;
}

const portOf = ({ url }: DcServer) => Number(new URL(url).port);

/** Opens connections that send `first` and then nothing. */
async function holdIdle(server: DcServer, count: number, first: Buffer): Promise<void> {
  const opened = Array.from({ length: count }, () => {
    const socket = connect(portOf(server), HOST);
    socket.on("error", () => {});
    sockets.push(socket);
    return once(socket, "connect").then(() => first.length > 0 && socket.write(first));
  });
  await Promise.allSettled(opened);
}

async function holdIdleTls(server: DcServer, count: number): Promise<void> {
  const opened = Array.from({ length: count }, () => {
    const socket = connectTls({ port: portOf(server), host: HOST, rejectUnauthorized: false });
    sockets.push(socket);
    return new Promise((resolve) => socket.on("error", resolve).on("secureConnect", resolve));
  });
  await Promise.all(opened);
}

const json = { "content-type": "application/json", connection: "close" };
const writeRack = (server: DcServer, code: string) =>
  http1(`${server.url}${RPC}/UpsertRack`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ rack: { code, location: { site_id: "S", floor_number: 1 } } }),
    timeoutMs: 10_000,
  });
const readRack = (server: DcServer, code: string) =>
  http1(`${server.url}${RPC}/GetRack`, { method: "POST", headers: json, body: JSON.stringify({ code }) });
const probe = (server: DcServer, path: string) =>
  http1(`${server.url}${path}`, { headers: { connection: "close" }, timeoutMs: 10_000 });

/** Processor time that the server has used, in ticks of 10 ms. */
function ticksOf({ child }: DcServer): number {
  const [, fields = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
  return Number(fields.split(" ")[11]) + Number(fields.split(" ")[12]);
}

/** Share of one processor that the server uses while nobody calls. */
async function shareAtRest(server: DcServer): Promise<number> {
  const [ticks, since] = [ticksOf(server), performance.now()];
  await Bun.sleep(500);
  return ((ticksOf(server) - ticks) * 10) / (performance.now() - since);
}

async function expectServed(server: DcServer, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    expect((await probe(server, "/healthz")).status).toBe(200);
    expect((await probe(server, "/readyz")).status).toBe(200);
    expect((await writeRack(server, code)).status).toBe(200);
  }
  for (const code of codes) expect((await readRack(server, code)).status).toBe(200);
}

const h1Get = Buffer.from("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
const h2Settings = Buffer.concat([PREFACE, frame(FRAME.SETTINGS)]);
const tlsRecord = Buffer.from([0x16, 3, 1, 2, 0]);

describe.skipIf(!existsSync("/proc/self/fd"))("A server with few file descriptors", () => {
  test("says how many connections it takes", async () => {
    const server = await serveWith(OPEN_FILES);

    const [connections = 0, probes = 0, files] = (LOG.exec(server.stderr) ?? []).slice(1).map(Number);

    expect(files).toBe(OPEN_FILES);
    expect(connections).toBeGreaterThan(probes);
    expect(probes).toBeGreaterThan(0);
    expect(connections + probes).toBeLessThan(OPEN_FILES - readdirSync(`/proc/${server.child.pid}/fd`).length);
  });

  const kinds: Readonly<Record<string, Buffer>> = {
    "that sent nothing": Buffer.of(),
    "that sent a request": h1Get,
    "of HTTP/2": h2Settings,
    "that sent half a request": h1Get.subarray(0, 20),
  };
  for (const [kind, first] of Object.entries(kinds)) {
    test(`closes idle connections ${kind} to answer probes, reads and writes`, async () => {
      const server = await serveWith(OPEN_FILES);
      await writeRack(server, "BEFORE");

      await holdIdle(server, first.length === 0 ? 1000 : CLIENTS, first);
      await expectServed(server, ["A", "B"]);
      const share = await shareAtRest(server);
      for (const socket of sockets.splice(0)) socket.destroy();

      expect(share).toBeLessThan(0.5);
      await expectServed(server, ["BEFORE", "C"]);
      expect(server.stderr).not.toContain("EMFILE");
    });
  }

  test("closes idle connections over TLS as well, whether or not their handshake has ended", async () => {
    const server = await serveWith(OPEN_FILES, "--tls-key", join(TLS, "key.pem"), "--tls-cert", join(TLS, "cert.pem"));

    await holdIdle(server, 100, tlsRecord);
    await expectServed(server, ["A"]);
    await holdIdleTls(server, 60);
    await expectServed(server, ["B"]);

    expect(await shareAtRest(server)).toBeLessThan(0.5);
    expect(server.stderr).not.toContain("EMFILE");
  });

  test("answers probes while every connection is in use, and everybody afterwards", async () => {
    const server = await serveWith(OPEN_FILES);
    const [, connections = "0"] = LOG.exec(server.stderr) ?? [];
    const stream = Buffer.from("GET /changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await holdIdle(server, Number(connections), stream);
    await Promise.all(sockets.map((socket) => once(socket, "data")));

    const probes = [await probe(server, "/healthz"), await probe(server, "/readyz")];
    const refused = await writeRack(server, "A");
    const share = await shareAtRest(server);
    for (const socket of sockets.splice(0)) socket.destroy();

    expect(probes.map(({ status }) => status)).toEqual([200, 200]);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, expect.anything()]);
    expect(share).toBeLessThan(0.5);
    let again = await writeRack(server, "A");
    while (again.status === 429) again = await writeRack(server, "A");
    expect(again.status).toBe(200);
  });
});
