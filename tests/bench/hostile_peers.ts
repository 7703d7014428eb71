/**
 * `bun tests/bench/hostile_peers.ts`: the server's memory and how long a probe and another caller wait while peers read
 * nothing, send half a body, watch health, cancel what they asked, and send hostile JSON and GraphQL. Linux. Build
 * first: `npm run build`. `PLANNER_BENCH_ONLY=<words>` runs the cases whose names contain them.
 */
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import type { ProbeReport } from "./probe_worker.ts";

const RPC = "/datacenter.v1.DatacenterService";
const MIB = 1024 * 1024;
/** As many as a connection may have at once. */
const STREAMS = 250;
/** A reply of some 2 MB. */
const LARGE = JSON.stringify({ page_size: 1000 });
const HEAD = "Host: localhost\r\nContent-Type: application/json\r\n";

const cwd = emptyFolder();
await runPlanner(["dc", "sample", "--racks", "80", "--db", "site.sqlite"], { cwd });
const server = await DcServer.start(cwd, ["--db", "site.sqlite", "--max-connections-per-address", "5000"]);
const port = Number(new URL(server.url).port);

// The first calls load and compile code, in every case alike.
for (let call = 0; call < 20; call++) {
  await http1(`${server.url}/healthz`, {});
  const headers = { "content-type": "application/json" };
  await http1(`${server.url}${RPC}/SearchDevices`, {
    method: "POST",
    headers,
    body: JSON.stringify({ page_size: call }),
  });
}

function memoryMib(field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

const sockets: Socket[] = [];
const sessions: ClientHttp2Session[] = [];
const codes = new Map<string, number>();
const count = (code: string) => codes.set(code, (codes.get(code) ?? 0) + 1);

async function h1(head: string, ...bodies: readonly Buffer[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {}).on("close", () => count("closed"));
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  socket.write(`${head}\r\n`);
  for (const body of bodies) socket.write(body);
  return socket;
}

function h2(initialWindowSize = 65_535): ClientHttp2Session {
  const session = connectHttp2(server.url, { settings: { initialWindowSize } });
  sessions.push(session);
  session.on("error", () => {}).on("close", () => count("session closed"));
  return session;
}

function ask(session: ClientHttp2Session, path: string, type: string, body?: string | Buffer) {
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type });
  stream.on("error", () => {}).on("close", () => count(`reset ${stream.rstCode}`));
  stream.on("response", (headers) => count(`status ${headers[":status"]}`));
  if (body !== undefined) stream.end(body);
  return stream;
}

const gather = async (count: number, width: number, one: (index: number) => Promise<unknown>) => {
  let next = 0;
  const work = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: width }, work));
};

const envelope = Buffer.from([0, 0, 0, 0, 0]);
const post = (path: string, length: number) => `POST ${path} HTTP/1.1\r\n${HEAD}Content-Length: ${length}\r\n`;

async function refused(path: string, body: Buffer): Promise<void> {
  const socket = await h1(post(path, body.length), body);
  const text = await new Promise<string>((resolve) => {
    socket.once("data", (bytes) => resolve(bytes.toString().slice(9, 12))).once("close", () => resolve("closed"));
  });
  count(`status ${text}`);
  socket.destroy();
}

const fill = (unit: string, bytes: number) =>
  Buffer.from(unit.repeat(Math.ceil(bytes / unit.length))).subarray(0, bytes);
const UNITS = ["[", '{"a":', "[],", "1,", '"', "\\", " ", '[{"a":[', '{"":0},', "[[[[[[[[]]]]]]]],"];
const DOCUMENTS = [
  "{".repeat(1000),
  `{ ${Array.from({ length: 300 }, (_, i) => `a${i}: __schema { types { name } }`).join(" ")} }`,
  `{ __schema { types { fields { type { fields { type { name } } } } } } }`,
  `{ ...F } fragment F on Query { ...F }`,
  `{ ${Array.from({ length: 30 }, (_, i) => `a${i}: render(subjectRef: "rack:A01", render: {format: PNG}) { binary }`).join(" ")} }`,
  `query (${Array.from({ length: 600 }, (_, i) => `$v${i}: Int`).join(" ")}) { __typename }`,
  `{ searchDevices(pageSize: 1000) { devices { code ports { name } } } }`,
];

const CASES: Readonly<Record<string, () => Promise<void>>> = {
  "1,000 slow readers over 5 HTTP/2 connections": async () => {
    for (let connection = 0; connection < 5; connection++) {
      const session = h2(0);
      for (let stream = 0; stream < 200; stream++) ask(session, `${RPC}/SearchDevices`, "application/json", LARGE);
    }
    await sleep(12_000);
  },
  "1,000 slow readers over HTTP/1.1": async () => {
    await gather(1000, 50, async () => {
      const socket = await h1(post(`${RPC}/SearchDevices`, LARGE.length), Buffer.from(LARGE));
      socket.pause();
    });
    await sleep(12_000);
  },
  "1,000 half-sent bodies of 2 of 15 MB": async () => {
    const half = Buffer.alloc(2_000_000, 0x20);
    await gather(1000, 20, async () => {
      const socket = await h1(post(`${RPC}/BulkUpsertDevices`, 15_000_000), half);
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve).once("close", resolve)), sleep(2000)]);
    });
    await sleep(8000);
  },
  "10,000 health watches": async () => {
    for (let connection = 0; connection < 10_000 / STREAMS; connection++) {
      const session = h2();
      for (let n = 0; n < STREAMS; n++)
        ask(session, "/grpc.health.v1.Health/Watch", "application/grpc", envelope).resume();
    }
    await sleep(15_000);
  },
  "10,000 cancelled calls": async () => {
    const body = JSON.stringify({ subject_ref: "floor:AMS1/1", render: { format: "RENDER_FORMAT_SVG" } });
    for (let round = 0; round < 10_000 / STREAMS; round++) {
      const session = h2();
      const streams = Array.from({ length: STREAMS }, () => ask(session, `${RPC}/Render`, "application/json", body));
      await sleep(300);
      for (const stream of streams) stream.close(8);
    }
    await sleep(3000);
  },
  "1,000 readers of the change stream that read nothing": async () => {
    await gather(1000, 50, async () => {
      const socket = await h1("GET /changes/stream HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n");
      socket.pause();
    });
    for (let round = 0; round < 10; round++) {
      const location = { site_id: "S", floor_number: 1 };
      const items = Array.from({ length: 1000 }, (_, at) => ({
        code: `D${at}`,
        name: `round ${round}`,
        kind: "DEVICE_KIND_OTHER",
        location,
      }));
      const headers = { "content-type": "application/json" };
      await http1(`${server.url}${RPC}/BulkUpsertDevices`, {
        method: "POST",
        headers,
        body: JSON.stringify({ items }),
      });
    }
  },
  "1,000 bodies that stand for large ones": async () => {
    const spaces = brotliCompressSync(Buffer.from(`{${" ".repeat(16_000_000)}}`));
    const lists = Buffer.alloc(4 * MIB, Buffer.from([0x0a, 0]));
    const head = (type: string, more: string, body: Buffer) =>
      `POST ${RPC}/BulkUpsertDevices HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${more}Content-Length: ${body.length}\r\n`;
    await gather(1000, 50, async (n) => {
      const isText = n % 2 === 0;
      const body = isText ? spaces : lists;
      const type = isText ? "application/json" : "application/proto";
      const socket = await h1(head(type, isText ? "Content-Encoding: br\r\n" : "", body), body);
      await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
      socket.destroy();
    });
  },
  "200 bodies of 16 MiB of hostile JSON": async () => {
    const bodies = UNITS.map((unit) => fill(unit, 16 * MIB));
    const paths = [`${RPC}/BulkUpsertDevices`, "/graphql", `${RPC}/SearchDevices`];
    await gather(200, 8, (n) => refused(paths[n % paths.length] ?? "", bodies[n % bodies.length] ?? envelope));
  },
  "40 bulk bodies of 190,000 to 300,000 objects": async () => {
    const ports = Array.from({ length: 190 }, (_, at) => ({ name: `p${at}`, label: "x" }));
    const devices = Array.from({ length: 1000 }, (_, at) => ({ code: `D${at}`, ports }));
    const bodies = [`{"items":[${"{},".repeat(299_999)}{}]}`, JSON.stringify({ items: devices, validate_only: true })];
    const [small, large] = bodies.map((text) => Buffer.from(text));
    if (small === undefined || large === undefined) return;
    const packed = gzipSync(large);
    await gather(40, 2, async (n) => {
      if (n % 4 < 2) return refused(`${RPC}/BulkUpsertDevices`, n % 2 === 0 ? small : large);
      const type = n % 4 === 2 ? "application/json" : "application/json; charset=utf-8";
      const socket = await h1(
        `POST ${RPC}/BulkUpsertDevices HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n`,
        packed,
      );
      await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
      socket.destroy();
    });
  },
  "40 objects with 900,000 members": async () => {
    const body = Buffer.from(`{${Array.from({ length: 900_000 }, (_, at) => `"k${at}":0`).join(",")}}`);
    await gather(40, 2, () => refused(`${RPC}/BulkUpsertDevices`, body));
  },
  "20 requests of 30 PNGs each": async () => {
    const picture = (width: number) =>
      `a${width}: render(subjectRef: "rack:A01", render: {format: PNG, widthPx: ${width}}) { binary }`;
    await gather(20, 2, (n) => {
      const pictures = Array.from({ length: 30 }, (_, at) => picture(400 + 30 * n + at));
      return refused("/graphql", Buffer.from(JSON.stringify({ query: `{ ${pictures.join(" ")} }` })));
    });
  },
  "2,000 hostile GraphQL documents": async () => {
    const bodies = DOCUMENTS.map((query) => Buffer.from(JSON.stringify({ query })));
    await gather(2000, 16, (n) => refused("/graphql", bodies[n % bodies.length] ?? envelope));
  },
};

async function measure(name: string, run: () => Promise<void>): Promise<void> {
  codes.clear();
  const worker = new Worker(new URL("./probe_worker.ts", import.meta.url), {
    workerData: { url: server.url, pid: server.child.pid },
  });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memoryMib("VmRSS"));
  }, 100);
  const before = memoryMib("VmRSS");
  await run();
  const report = new Promise<ProbeReport>((resolve) => worker.once("message", resolve));
  worker.postMessage("end");
  const { health, call, worked } = await report;
  clearInterval(look);
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const session of sessions.splice(0)) session.destroy();
  await sleep(3000);
  const found = [...codes].map(([code, times]) => `${code}: ${times}`).join(", ");
  process.stdout.write(
    `| ${name} | ${before} | ${peak} | ${memoryMib("VmRSS")} | ${health} | ${worked} | ${call} |\n  ${found}\n`,
  );
}

process.stdout.write(
  "| Case | RSS before, MiB | peak | after | health ms: p50/p99/max | loop worked meanwhile | call ms: p50/p99/max |\n",
);
const only = process.env["PLANNER_BENCH_ONLY"] ?? "";
for (const [name, run] of Object.entries(CASES)) if (name.includes(only)) await measure(name, run);
process.stdout.write(server.stderr.slice(-500));
await server.end();
process.exit();
