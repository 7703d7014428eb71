import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { anyDocument, anyJson, FUZZ_LIMIT_MS, FUZZ_SEED, fuzzRounds, mutate } from "../support/fuzz_input.ts";
import { http1, RPC } from "../support/http_client.ts";
import { END_HEADERS, END_STREAM, FRAME, fields, frame, PREFACE } from "../support/http2_frames.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** Inputs per entry point in the gate; PLANNER_FUZZ_MINUTES=60 spends an hour on all of them. */
const ROUNDS = 60;
const SECRET = "a secret of the feed";
const METHODS = "SearchDevices GetRack UpsertRack BulkUpsertDevices PowerBlastRadius Render DeleteRack".split(" ");

const cwd = emptyFolder();
let server: DcServer;
let port = 0;
let session: ClientHttp2Session;
const openSession = () => connectHttp2(server.url).on("error", () => {}) as ClientHttp2Session;
beforeAll(async () => {
  writeFileSync(join(cwd, "feed.txt"), `${SECRET}\n`);
  server = await DcServer.start(cwd, ["--webhook-secret-file", "feed.txt"]);
  port = Number(new URL(server.url).port);
  session = openSession();
});
afterAll(async () => {
  session.destroy();
  await server.end();
});

interface Answered {
  readonly text: string;
}

/** What comes back for raw bytes, until the server closes or has answered once. */
function raw(bytes: Uint8Array): Promise<Answered> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text });
    };
    // Half a request is no answer: what the server waits for is not fuzzed.
    const timer = setTimeout(done, 60);
    socket.on("error", () => {}).on("close", done);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) done();
    });
    socket.write(bytes);
  });
}

/** The body of a gRPC call in pieces of any length; resolves with its headers and trailers, or when the stream breaks. */
function grpc(path: string, random: SeededRandom, body: Buffer): Promise<Answered> {
  if (session.destroyed || session.closed) session = openSession();
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  let text = "";
  const note = (headers: object) => {
    for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\n`;
  };
  const closed = new Promise<Answered>((resolve) => {
    stream
      .on("response", note)
      .on("trailers", note)
      .on("error", () => {})
      .resume();
    stream.on("close", () => resolve({ text: text.replace(/^:status: /, "HTTP/1.1 ") }));
  });
  for (let at = 0; at < body.length; ) {
    const end = at + 1 + random.below(9);
    stream.write(body.subarray(at, end));
    at = end;
  }
  stream.end();
  return closed;
}

const post = (path: string, type: string, body: Uint8Array | string, more: Record<string, string> = {}) =>
  http1(`${server.url}${path}`, { method: "POST", headers: { "content-type": type, ...more }, body }).then(
    ({ status, text }) => ({ text: `HTTP/1.1 ${status} ${text}` }),
    // The server may close a connection whose bytes make no sense.
    () => ({ text: "" }),
  );

const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
const SEEDS = [
  `${head(`${RPC}/SearchDevices`)}Content-Length: 2\r\n\r\n{}`,
  `${head("/graphql")}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
  "GET /audit/history?page_size=3&since=2026-01-01 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n",
].map((text) => Buffer.from(text));
const FRAMES = [
  frame(FRAME.SETTINGS),
  frame(
    FRAME.HEADERS,
    fields([
      [":method", "POST"],
      [":scheme", "http"],
      [":path", `${RPC}/GetRack`],
      [":authority", "localhost"],
      ["content-type", "application/grpc"],
    ]),
    { stream: 1, flags: END_HEADERS },
  ),
  frame(FRAME.DATA, Buffer.from([0, 0, 0, 0, 4, 10, 2, 65, 49]), { stream: 1, flags: END_STREAM }),
  frame(FRAME.PING, Buffer.alloc(8)),
  frame(FRAME.WINDOW_UPDATE, Buffer.from([0, 0, 1, 0])),
  frame(FRAME.RST_STREAM, Buffer.from([0, 0, 0, 8]), { stream: 1 }),
];
const GRPC = Buffer.from([0, 0, 0, 0, 12, 10, 10, 10, 3, 65, 48, 49, 18, 3, 10, 1, 83]);

const ENTRIES: Readonly<Record<string, (random: SeededRandom) => Promise<Answered>>> = {
  "HTTP/1 bytes": (random) => raw(mutate(random, random.pick(SEEDS))),
  "HTTP/2 frames": (random) =>
    raw(
      Buffer.concat([
        PREFACE,
        ...Array.from({ length: 1 + random.below(8) }, () => mutate(random, random.pick(FRAMES))),
      ]),
    ),
  "gRPC frames": (random) => grpc(`${RPC}/${random.pick(METHODS)}`, random, mutate(random, GRPC)),
  "gRPC-Web messages": (random) =>
    post(`${RPC}/${random.pick(METHODS)}`, "application/grpc-web+proto", mutate(random, GRPC)),
  "binary messages": (random) =>
    post(`${RPC}/${random.pick(METHODS)}`, "application/proto", mutate(random, GRPC.subarray(5))),
  JSON: (random) => post(`${RPC}/${random.pick(METHODS)}`, "application/json", JSON.stringify(anyJson(random))),
  "broken JSON": (random) =>
    post(
      `${RPC}/${random.pick(METHODS)}`,
      "application/json",
      mutate(random, Buffer.from(JSON.stringify(anyJson(random)))),
    ),
  "GraphQL documents": (random) =>
    post("/graphql", "application/json", JSON.stringify({ query: anyDocument(random), variables: anyJson(random, 1) })),
  "webhook deliveries": (random) =>
    post("/audit/webhook", "application/json", JSON.stringify(anyJson(random)), { authorization: `Bearer ${SECRET}` }),
  "query parameters": (random) =>
    raw(
      Buffer.concat([
        Buffer.from("GET /audit/history?"),
        mutate(random, Buffer.from("since=2026-01-01&order=asc&entity=rack:A")),
        Buffer.from(" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      ]),
    ),
};

describe("Random input makes no defect:", () => {
  for (const [name, send] of Object.entries(ENTRIES)) {
    test(
      name,
      async () => {
        const random = new SeededRandom(FUZZ_SEED);
        for (const round of fuzzRounds(ROUNDS)) {
          const { text } = await send(random);
          if (/^HTTP\/1\.1 5(?!05)/.test(text))
            throw new Error(`seed ${FUZZ_SEED}, round ${round}: ${text.slice(0, 300)}`);
        }

        expect((await http1(`${server.url}/healthz`)).status).toBe(200);
        expect((await http1(`${server.url}/metrics`)).text).not.toContain('outcome="internal"');
        expect(server.stderr).not.toMatch(/\n\s+at /);
      },
      FUZZ_LIMIT_MS,
    );
  }
});
