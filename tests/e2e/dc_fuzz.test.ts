import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { END_HEADERS, END_STREAM, FRAME, fields, frame, PREFACE } from "../support/http2_frames.ts";
import { runPlanner } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** Inputs per entry point: some seconds by default; PLANNER_FUZZ_ROUNDS=4000 takes minutes, 40000 about an hour. */
const ROUNDS = Number(process.env["PLANNER_FUZZ_ROUNDS"] ?? 60);
const SEED = Number(process.env["PLANNER_FUZZ_SEED"] ?? 1);
const SECRET = "a secret of the feed";
const RPC = "/datacenter.v1.DatacenterService";
const METHODS = [
  "SearchDevices",
  "GetRack",
  "UpsertRack",
  "BulkUpsertDevices",
  "PowerBlastRadius",
  "Render",
  "DeleteRack",
];

const cwd = emptyFolder();
let server: DcServer;
let port = 0;
beforeAll(async () => {
  writeFileSync(join(cwd, "feed.txt"), `${SECRET}\n`);
  server = await DcServer.start(cwd, ["--webhook-secret-file", "feed.txt"]);
  port = Number(new URL(server.url).port);
});
afterAll(() => server.end());

/** Changes some bytes: flips, cuts, repeats, inserts. */
function mutate(random: SeededRandom, bytes: Buffer): Buffer {
  let out = Buffer.from(bytes);
  for (let change = random.below(6); change >= 0; change--) {
    const at = random.below(out.length + 1);
    const length = random.below(12);
    const way = random.below(5);
    if (way === 0 && at < out.length) out[at] = random.below(256);
    else if (way === 1) out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
    else if (way === 2) out = Buffer.concat([out.subarray(0, at), out.subarray(at, at + length), out.subarray(at)]);
    else if (way === 3) out = Buffer.concat([out.subarray(0, at), noise(random, length), out.subarray(at)]);
    else out = out.subarray(0, random.below(out.length + 1));
  }
  return out;
}

const noise = (random: SeededRandom, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

const WORDS = [
  "code",
  "rack",
  "device",
  "items",
  "filter",
  "page_size",
  "",
  "location",
  "__proto__",
  "constructor",
  "type",
  "updated",
  "after",
  "key",
  "payload",
  "topic",
  "resolved",
  "subject_ref",
  "render",
  "format",
];
const LEAVES = [
  0,
  -1,
  1e308,
  2 ** 53,
  null,
  true,
  "",
  "A01",
  "rack:A01",
  "ü\u0000\ud800",
  "x".repeat(3000),
  "RENDER_FORMAT_SVG",
  [],
  {},
];

/** JSON of any shape, with names that messages have. */
function anyJson(random: SeededRandom, levels = 5): unknown {
  const kind = random.next();
  if (levels === 0 || kind < 0.35) return random.pick(LEAVES);
  const items = Array.from({ length: random.below(4) }, () => anyJson(random, levels - 1));
  return kind < 0.55 ? items : Object.fromEntries(items.map((item) => [random.pick(WORDS), item]));
}

/** GraphQL of any shape, in the words of the schema. */
function anyDocument(random: SeededRandom, levels = 4): string {
  const words = [
    "rack",
    "device",
    "searchDevices",
    "devices",
    "code",
    "__typename",
    "__schema",
    "types",
    "name",
    "fields",
    "render",
    "...F",
    "... on Query",
    "a: b",
    'render(subjectRef: "rack:A01")',
    "(code: $v)",
    "@include(if: true)",
    '"""',
    "#",
    "$",
    "1e9",
    'upsertRack(rack: {code: "R"})',
  ];
  const inner = Array.from(
    { length: random.below(4) },
    () => random.pick(words) + (levels > 0 && random.next() < 0.5 ? anyDocument(random, levels - 1) : " "),
  );
  return random.next() < 0.9 ? `{ ${inner.join(" ")} }` : inner.join(" ");
}

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
        const random = new SeededRandom(SEED);
        for (let round = 0; round < ROUNDS; round++) {
          const { text } = await send(random);
          if (/^HTTP\/1\.1 5(?!05)/.test(text)) throw new Error(`seed ${SEED}, round ${round}: ${text.slice(0, 300)}`);
        }

        expect((await http1(`${server.url}/healthz`)).status).toBe(200);
        expect((await http1(`${server.url}/metrics`)).text).not.toContain('outcome="internal"');
        expect(server.stderr).not.toMatch(/\n\s+at /);
      },
      60_000 + ROUNDS * 1000,
    );
  }

  test(
    "import files",
    async () => {
      const random = new SeededRandom(SEED);
      const line = () => Buffer.from(`${JSON.stringify({ rack: anyJson(random, 3) })}\n{"device": {"code": "D1"}}\n`);
      const csv = () => Buffer.from('code,name,"location.site_id"\nA01,"a ""b""",S1\n');
      for (let round = 0; round < Math.ceil(ROUNDS / 15); round++) {
        const isCsv = random.next() < 0.5;
        const file = join(cwd, isCsv ? "in.csv" : "in.jsonl");
        writeFileSync(file, mutate(random, isCsv ? csv() : line()));
        const flags = isCsv ? ["--kind", "rack"] : [];

        const { code, stderr } = await runPlanner(["dc", "import", file, ...flags, "--db", "import.sqlite"], { cwd });

        expect([round, [0, 1, 2].includes(code ?? -1), /\n\s+at /.test(stderr)]).toEqual([round, true, false]);
      }
    },
    60_000 + ROUNDS * 1000,
  );
});
