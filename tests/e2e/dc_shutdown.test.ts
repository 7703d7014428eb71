import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type DcServer, emptyFolder } from "../support/dc_server.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { type Answer, Http2Client, http1 } from "../support/http_client.ts";

const PATH = "/datacenter.v1.DatacenterService";
const UPSERT = `${PATH}/UpsertRack`;
const JSON_TYPE = { "content-type": "application/json" };

const start = (folder = emptyFolder()) => serveDc(folder);

async function signal(server: DcServer): Promise<void> {
  server.child.kill("SIGTERM");
  while (!server.stderr.includes("Shutting down")) await once(server.child.stderr ?? server.child, "data");
}

const rackText = (code: string) => JSON.stringify({ rack: { code, location: { site_id: "S1", floor_number: 1 } } });

/** A call that the server has begun to read; `finish` sends the rest of its body. */
interface Begun {
  readonly finish: () => void;
  /** Everything that came back until the end, empty when nothing did. */
  readonly answer: Promise<string>;
}

/** Over HTTP/1.1, on a connection of its own. */
async function begunHttp1(url: string, code: string): Promise<Begun> {
  const body = rackText(code);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  endAfterTest(() => socket.destroy());
  const head = `POST ${UPSERT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`);
  let text = "";
  socket
    .on("error", () => {})
    .on("data", (chunk) => {
      text += chunk.toString();
    });
  const answer = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  await once(socket, "data");
  text = "";
  return { finish: () => socket.write(body), answer };
}

function session(url: string): ClientHttp2Session {
  const opened = connectHttp2(url);
  opened.on("error", () => {});
  endAfterTest(() => opened.destroy());
  return opened;
}

function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  stream.on("error", () => {});
  return new Promise((resolve) => stream.on("close", () => resolve(text)));
}

/** Over HTTP/2, all on one connection. */
async function begunHttp2(opened: ClientHttp2Session, codes: readonly string[]): Promise<readonly Begun[]> {
  const begun = codes.map((code): Begun => {
    const stream = opened.request({ ":method": "POST", ":path": UPSERT, ...JSON_TYPE });
    const body = rackText(code);
    stream.write(body.slice(0, 5));
    return { finish: () => stream.end(body.slice(5)), answer: textOf(stream) };
  });
  // Frames are read in order: once this is answered, all before it have begun.
  await textOf(opened.request({ ":path": "/healthz" }));
  return begun;
}

/** Streams over HTTP/2 whose reader has no room for a byte. */
async function openUnreadStreams(url: string): Promise<void> {
  const stuck = connectHttp2(url, { settings: { initialWindowSize: 0 } });
  stuck.on("error", () => {});
  endAfterTest(() => stuck.destroy());
  const grpc = { ":method": "POST", "content-type": "application/grpc" };
  for (let count = 0; count < 20; count++) {
    const reading = stuck.request({ ":path": "/changes/stream" });
    const watch = stuck.request({ ...grpc, ":path": "/grpc.health.v1.Health/Watch" });
    const asking = stuck.request({ ...grpc, ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" });
    for (const stream of [reading, watch, asking]) stream.on("error", () => {}).pause();
    watch.end(Buffer.alloc(5));
    await Promise.all([once(reading, "response"), once(watch, "response")]);
  }
}

/** Connections of peers that keep their side open whatever the server does. */
async function openConnectionsThatStay(url: string): Promise<void> {
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
  const requests = ["/healthz", "/changes/stream"].map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const open = async (text: string) => {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    endAfterTest(() => socket.destroy());
    await once(socket, "connect");
    socket.write(text);
    return socket;
  };
  for (const text of [preface, ...requests]) await once(await open(text), "readable");
  for (const text of ["", "GET /healthz HTTP/1.1\r\nHost: loc"]) await open(text);
}

const codesOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

describe("planner dc serve ends at SIGTERM", () => {
  test("with status 0 behind a hundred calls that had begun, each answered whole, and takes no new one", async () => {
    const server = await start();
    const multiplexed = session(server.url);
    const begun = [
      ...(await Promise.all(codesOf("A", 50).map((code) => begunHttp1(server.url, code)))),
      ...(await begunHttp2(multiplexed, codesOf("B", 50))),
    ];

    await signal(server);
    await expect(http1(`${server.url}/healthz`)).rejects.toThrow("ECONNREFUSED");
    const late = multiplexed.closed ? "" : await textOf(multiplexed.request({ ":path": "/healthz" }));
    for (const { finish } of begun) finish();

    const answers = await Promise.all(begun.map(({ answer }) => answer));
    const outcomes = answers.map((text) => JSON.parse(text.slice(text.indexOf("{"))).outcome);
    expect(outcomes).toEqual(begun.map(() => "OUTCOME_CREATED"));
    expect(late).toBe("");
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test("under load without a torn answer, and keeps every change that it acknowledged", async () => {
    const folder = emptyFolder();
    const server = await start(folder);
    const load = new Load();
    const client = new Http2Client(server.url);
    const http2 = (body: string) => client.ask(UPSERT, { method: "POST", headers: JSON_TYPE, body });
    const running = codesOf("w", 10).map((name, index) =>
      load.run(name, index % 2 === 0 ? (body) => kept(server.url, body) : http2),
    );
    await load.warm;

    server.child.kill("SIGTERM");

    expect(await server.ended).toEqual({ code: 0, signal: null });
    await Promise.all(running);
    expect(load.torn).toEqual([]);
    const again = await start(folder);
    const { text } = await http1(`${again.url}/estate`);
    expect(JSON.parse(text).totals.racks).toBeGreaterThanOrEqual(load.acknowledged.length);
    const last = load.acknowledged.slice(-20);
    const found = await Promise.all(last.map((code) => rackCode(again.url, code)));
    expect(found).toEqual(last);
  });

  test("with status 0 when no call runs, whatever peers hold: streams that are not read, connections that are not closed", async () => {
    const server = await start();
    await openUnreadStreams(server.url);
    await openConnectionsThatStay(server.url);

    server.child.kill("SIGTERM");

    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test("at once when a second one comes, whatever runs", async () => {
    const server = await start();
    const multiplexed = session(server.url);
    const begun = [await begunHttp1(server.url, "A"), ...(await begunHttp2(multiplexed, ["B"]))];

    await signal(server);
    server.child.kill("SIGTERM");

    expect(await server.ended).toEqual({ code: 143, signal: null });
    expect(await Promise.all(begun.map(({ answer }) => answer))).toEqual(["", ""]);
  });
});

/** Changes one after another until the server takes nothing more. */
class Load {
  readonly acknowledged: string[] = [];
  readonly torn: string[] = [];
  /** A hundred changes were made. */
  readonly warm: Promise<void>;
  #enough: () => void = () => {};

  constructor() {
    this.warm = new Promise((resolve) => {
      this.#enough = resolve;
    });
  }

  async run(name: string, ask: (body: string) => Promise<Answer>): Promise<void> {
    for (let index = 0; ; index++) {
      const answer = await ask(rackText(`${name}-${index}`)).catch(() => undefined);
      // A stream that was never taken ends without a status.
      if (answer === undefined || answer.status === 0) return;
      this.#take(`${name}-${index}`, answer);
    }
  }

  #take(code: string, { status, text }: Answer): void {
    if (status === 200 && text.endsWith("}")) this.acknowledged.push(code);
    else this.torn.push(`${status} ${text}`);
    if (this.acknowledged.length === 100) this.#enough();
  }
}

const agent = new Agent({ keepAlive: true });

/** One request over a connection that is kept; rejects when it broke off at any point. */
function kept(url: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${UPSERT}`, { method: "POST", agent, headers: JSON_TYPE }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const settle = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      // An answer that broke off counts as one, so that it is seen to be torn.
      response.on("end", settle).on("error", settle);
    });
    call.on("error", reject);
    call.end(body);
  });
}

async function rackCode(url: string, code: string): Promise<string> {
  const { text } = await http1(`${url}${PATH}/GetRack`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ code, render: { format: "RENDER_FORMAT_NONE" } }),
  });
  return JSON.parse(text).rack?.code ?? text;
}
