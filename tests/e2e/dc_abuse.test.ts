import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1, RPC } from "../support/http_client.ts";
import { END_HEADERS, END_STREAM, FRAME, fields, frame, PREFACE, sendRaw, written } from "../support/http2_frames.ts";

/** How long a connection that the server may well keep open is kept. */
const PATIENCE_MS = 150;

let server: DcServer;
let port = 0;
beforeAll(async () => {
  server = await DcServer.start(emptyFolder());
  port = Number(new URL(server.url).port);
});
afterAll(() => server.end());

/** What a collector of garbage may leave lying about; a leak of what is sent here is several times that. */
const SLACK_BYTES = 100 * 1024 * 1024;

const json = { "content-type": "application/json" };

/** The server answers others as if nothing had happened. */
async function expectWell(): Promise<void> {
  const answer = await http1(`${server.url}${RPC}/SearchDevices`, { method: "POST", headers: json, body: "{}" });
  expect(answer.status).toBe(200);
  expect(server.stderr).not.toMatch(/\n\s+at /);
}

async function residentBytes(): Promise<number> {
  const { text } = await http1(`${server.url}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]);
}

/** Demands that memory does not grow every time: garbage may wait for its collector once, a leak adds up. */
async function expectNoLeak(send: () => Promise<void>): Promise<void> {
  const grown: number[] = [];
  while (grown.length < 4) {
    const before = await residentBytes();
    await send();
    grown.push((await residentBytes()) - before);
    if ((grown.at(-1) ?? 0) < SLACK_BYTES) return;
  }
  expect(Math.min(...grown)).toBeLessThan(SLACK_BYTES);
}

const request = (more: readonly (readonly [string, string])[] = []) =>
  fields([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", `${RPC}/SearchDevices`],
    [":authority", "localhost"],
    ["content-type", "application/json"],
    ...more,
  ]);
const settings = frame(FRAME.SETTINGS);
const opened = (stream: number, flags = END_HEADERS) => frame(FRAME.HEADERS, request(), { stream, flags });
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const many = (count: number, one: (index: number) => Buffer) => Array.from({ length: count }, (_, index) => one(index));

const BROKEN: Readonly<Record<string, readonly Buffer[]>> = {
  "noise behind the preface": [Buffer.alloc(5000, 0xa5)],
  "a frame that says it is 16 MB long": [frame(FRAME.DATA, Buffer.alloc(10), { stream: 1, length: 0xffffff })],
  "headers on stream 0": [settings, opened(0)],
  "headers on an even stream": [settings, opened(2)],
  "a stream number that goes back": [settings, opened(5), opened(3)],
  "data on a stream that never was": [settings, frame(FRAME.DATA, Buffer.alloc(10), { stream: 7 })],
  "settings of a wrong length": [frame(FRAME.SETTINGS, Buffer.alloc(5))],
  "settings that promise a window beyond measure": [
    frame(FRAME.SETTINGS, Buffer.concat([Buffer.of(0, 4), int32(0xffffffff)])),
  ],
  "a window update of nothing": [settings, frame(FRAME.WINDOW_UPDATE, int32(0))],
  "a window beyond measure": [settings, ...many(3, () => frame(FRAME.WINDOW_UPDATE, int32(0x7fffffff)))],
  "a continuation of nothing": [settings, frame(FRAME.CONTINUATION, request(), { stream: 1, flags: END_HEADERS })],
  "another frame amid headers": [settings, opened(1, 0), frame(FRAME.PING, Buffer.alloc(8))],
  "headers that are no HPACK": [
    settings,
    frame(FRAME.HEADERS, Buffer.alloc(50, 0xff), { stream: 1, flags: END_HEADERS }),
  ],
  "a request without a path": [
    settings,
    frame(FRAME.HEADERS, fields([[":method", "GET"]]), { stream: 1, flags: END_HEADERS | END_STREAM }),
  ],
  "a header in capitals": [
    settings,
    frame(FRAME.HEADERS, request([["X-Loud", "1"]]), { stream: 1, flags: END_HEADERS | END_STREAM }),
  ],
  "a stream that waits for itself": [
    settings,
    frame(FRAME.PRIORITY, Buffer.concat([int32(1), Buffer.of(1)]), { stream: 1 }),
  ],
  "a push by the client": [settings, frame(FRAME.PUSH_PROMISE, int32(2), { stream: 1, flags: END_HEADERS })],
  "a ping of a wrong length": [settings, frame(FRAME.PING, Buffer.alloc(3))],
  "the reset of a stream that never was": [settings, frame(FRAME.RST_STREAM, int32(8), { stream: 9 })],
  "a frame of a kind that nobody knows": [settings, frame(0xee, Buffer.alloc(100), { stream: 1 })],
  "a body longer than announced": [
    settings,
    frame(FRAME.HEADERS, request([["content-length", "1"]]), { stream: 1, flags: END_HEADERS }),
    frame(FRAME.DATA, Buffer.from("{}      "), { stream: 1, flags: END_STREAM }),
  ],
};

describe("planner dc serve stands", () => {
  for (const [what, frames] of Object.entries(BROKEN)) {
    test(`HTTP/2 with ${what}`, async () => {
      await sendRaw(port, Buffer.concat([PREFACE, ...frames]), PATIENCE_MS);

      await expectWell();
    });
  }

  const FLOODS: Readonly<Record<string, () => readonly Buffer[]>> = {
    "20,000 streams, each reset at once": () =>
      many(20_000, (index) =>
        Buffer.concat([opened(2 * index + 1), frame(FRAME.RST_STREAM, int32(8), { stream: 2 * index + 1 })]),
      ),
    "endless headers": () => [
      opened(1, 0),
      ...many(2000, () => frame(FRAME.CONTINUATION, fields([["x", "y".repeat(4000)]]), { stream: 1 })),
    ],
    "20,000 pings": () => many(20_000, () => frame(FRAME.PING, Buffer.alloc(8))),
    "20,000 settings": () => many(20_000, () => settings),
    "20,000 empty frames of data": () => [
      opened(1),
      ...many(20_000, () => frame(FRAME.DATA, Buffer.alloc(0), { stream: 1 })),
    ],
    "2,000 streams that never end": () => many(2000, (index) => opened(2 * index + 1)),
  };
  for (const [what, frames] of Object.entries(FLOODS)) {
    test(`a flood of ${what}, without keeping its memory`, async () => {
      const flood = Buffer.concat([PREFACE, settings, ...frames()]);
      await sendRaw(port, flood, PATIENCE_MS);
      await expectWell();

      await expectNoLeak(async () => {
        for (let round = 0; round < 4; round++) await sendRaw(port, flood, PATIENCE_MS);
        await expectWell();
      });
    });
  }

  const ROUTES: Readonly<Record<string, string>> = {
    "Connect JSON": `POST ${RPC}/BulkUpsertDevices HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json`,
    "Connect in binary": `POST ${RPC}/BulkUpsertDevices HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto`,
    "gRPC-Web": `POST ${RPC}/BulkUpsertDevices HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc-web+proto`,
    GraphQL: "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json",
    "a route that takes none": "POST /healthz HTTP/1.1\r\nhost: localhost",
  };
  for (const [what, head] of Object.entries(ROUTES)) {
    for (const length of ["content-length: 104857600", "transfer-encoding: chunked"]) {
      test(`a body of 100 MB, ${length}, over ${what}`, async () => {
        await expectNoLeak(async () => {
          const text = await sendBody(`${head}\r\n${length}\r\n\r\n`, length.startsWith("transfer"));

          expect(text).toMatch(/^HTTP\/1\.1 (?:4\d\d|200) /);
          if (text.startsWith("HTTP/1.1 200")) expect(text).toContain("grpc-status: 8");
          await expectWell();
        });
      });
    }
  }
});

const post = (body: string, ...headers: readonly string[]) =>
  [
    `POST ${RPC}/SearchDevices HTTP/1.1`,
    "host: localhost",
    "content-type: application/json",
    ...headers,
    "",
    body,
  ].join("\r\n");

const graphql = (body: string) =>
  post(body, `content-length: ${body.length}`)
    .replace(/^POST \S+/, "POST /graphql")
    .replace("\r\n", "\r\naccept: application/graphql-response+json\r\n");

describe("planner dc serve answers with 4xx, and others as well,", () => {
  const RAW: Readonly<Record<string, string>> = {
    "two lengths that differ": post("{}", "content-length: 2", "content-length: 20"),
    "a length below zero": post("{}", "content-length: -1"),
    "a length that is no number": post("{}", "content-length: many"),
    "a chunk without a size": post("zz\r\n{}\r\n0\r\n\r\n", "transfer-encoding: chunked"),
    "a header of 1 MB": `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(1_000_000)}\r\n\r\n`,
    "20,000 headers": `GET /healthz HTTP/1.1\r\nhost: localhost\r\n${"x: 12345678\r\n".repeat(20_000)}\r\n`,
    "an address of 1 MB": `GET /${"a".repeat(1_000_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    "a method that is none": "G\u0001T /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a path with a blank": "GET /health z HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "lists a million deep": post("[".repeat(1_000_000), "content-length: 1000000"),
    "objects 100,000 deep": post(`${'{"filter":'.repeat(100_000)}1`, "content-length: 1000001"),
    "a GraphQL query that goes deep": graphql(`{"query": "${"{a".repeat(100_000)}"}`),
    "a GraphQL body a million deep": graphql("[".repeat(1_000_000)),
  };
  for (const [what, sent] of Object.entries(RAW)) {
    test(`to ${what}`, async () => {
      const text = await answered(sent);

      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      await expectWell();
    });
  }

  test("to a chunked body that is compressed too, with 501", async () => {
    const body = "2\r\n{}\r\n0\r\n\r\n";

    expect(await answered(post(body, "transfer-encoding: gzip, chunked"))).toStartWith("HTTP/1.1 501 ");
    expect(await answered(post(body, "transfer-encoding: Chunked"))).toStartWith("HTTP/1.1 200 ");
  });

  for (const [query, named] of [
    ["since=yesterday", "since"],
    ["until=2026-13-45", "until"],
    ["page_size=-1", "page_size"],
    ["page_size=NaN", "page_size"],
    ["page_token=forged", "page_token"],
    ["order=sideways", "order"],
    ["action=EXPLODE", "action"],
    ["interface=TELEPATHY", "interface"],
    ["entity=%00", "entity"],
    ["colour=red", "colour"],
    ["actor=a&actor=b", "actor"],
  ] as const) {
    test(`to a history of ${query}, naming it`, async () => {
      const { status, text } = await http1(`${server.url}/audit/history?${query}`);

      expect([status, JSON.parse(text).code]).toEqual([400, "invalid_argument"]);
      expect(text).toContain(named);
    });
  }
});

describe("planner dc serve", () => {
  test("answers a client that has closed its half, or takes it for gone as Deno does", async () => {
    const text = await answered(post("{}", "content-length: 2", "connection: close"), { end: true });

    expect(text).toMatch(/^(?:HTTP\/1\.1 200 |$)/);
    await expectWell();
  });

  test("forgets a client that has closed its half amid a body", async () => {
    const text = await answered(post("{", "content-length: 200"), { end: true });

    expect(text).not.toContain("HTTP/1.1 200");
    await expectWell();
  });

  test("answers others while 500 clients never finish what they say", async () => {
    const slow = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {}).resume();
        const head = index % 2 === 0 ? "GET /healthz HTTP/1.1\r\nx-slow: " : post("{", "content-length: 100");
        await written(socket, Buffer.from(head));
        return socket;
      }),
    );

    await expectWell();
    for (const socket of slow) socket.destroy();
    await expectWell();
  });

  test("answers 500 requests that came at once, in their order", async () => {
    const last = "GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    const text = await answered("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(500) + last, { whole: true });

    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(500);
    expect(text.split("HTTP/1.1 ").at(-1)).toStartWith("404 ");
  });
});

/** What comes back for bytes: as soon as there is a head, or else when the connection is closed. */
async function answered(sent: string, { end = false, whole = false } = {}): Promise<string> {
  const socket: Socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  const done = new Promise<void>((resolve) => {
    socket
      .on("error", () => {})
      .on("close", () => resolve())
      .on("end", () => resolve());
    socket.on("data", (bytes) => {
      text += bytes.toString();
      if (!whole && text.includes("\r\n\r\n")) resolve();
    });
  });
  await Promise.race([written(socket, Buffer.from(sent)), done]);
  if (end) socket.end();
  await done;
  socket.destroy();
  return text;
}

/** Sends a body of 100 MB for as long as somebody takes it; resolves with all that was answered. */
async function sendBody(head: string, chunked: boolean): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const done = new Promise<void>((resolve) => {
    socket.on("error", () => {}).on("close", () => resolve());
    socket.on("data", (bytes) => {
      text += bytes.toString();
      if (text.includes("\r\n\r\n")) resolve();
    });
  });
  socket.write(head);
  const piece = Buffer.alloc(65_536, "1");
  const bytes = chunked ? Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")]) : piece;
  let answered = false;
  void done.then(() => {
    answered = true;
  });
  for (let sent = 0; sent < 1600 && !answered; sent++) await Promise.race([written(socket, bytes), done]);
  if (chunked && !answered) socket.write("0\r\n\r\n");
  await done;
  socket.destroy();
  return text;
}
