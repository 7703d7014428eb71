import { describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { formatHeadRefusal } from "#interfaces/http/early_reply.ts";
import { type RequestHandler, SharedPort, type SharedPortOptions } from "#runtime/one_port.ts";
import { endAfterTest } from "../../support/end_after_test.ts";
import { Http2Client, http1 } from "../../support/http_client.ts";

const HOST = "127.0.0.1";
const pem = (name: string) => readFileSync(join(import.meta.dirname, "../../fixtures/tls", name), "utf8");
const tls = { key: pem("key.pem"), cert: pem("cert.pem") };
const renewed = { key: pem("renewed_key.pem"), cert: pem("renewed_cert.pem") };

const fingerprint = (cert: string) => new X509Certificate(cert).fingerprint256;

/** The fingerprint of the certificate that a new connection meets. */
async function certificateOf(port: number): Promise<string> {
  const socket = connectTls({ port, host: HOST, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** Answers with what it was asked, body included. */
const echo: RequestHandler = (asked, answer) => {
  const chunks: Buffer[] = [];
  asked.on("data", (chunk: Buffer) => chunks.push(chunk));
  asked.on("end", () => {
    (answer as { writeHead(status: number, headers: object): void }).writeHead(200, { "content-type": "text/plain" });
    answer.end(`${asked.httpVersion} ${asked.method} ${asked.url} ${Buffer.concat(chunks).length}`);
  });
};

async function serve(
  options: Partial<SharedPortOptions> = {},
): Promise<{ readonly server: SharedPort; readonly port: number }> {
  const server = new SharedPort({ handler: echo, ...options });
  const port = await server.listen(0, HOST);
  endAfterTest(() => server.close(0));
  return { server, port };
}

function http2(url: string): Http2Client {
  const client = new Http2Client(url);
  endAfterTest(() => client.close());
  return client;
}

function raw(port: number): { readonly socket: Socket; readonly ended: Promise<string> } {
  const socket = connect(port, HOST);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  endAfterTest(() => void socket.destroy());
  return { socket, ended };
}

describe("OnePort serves", () => {
  test("HTTP/1.1 and HTTP/2 with prior knowledge on one port", async () => {
    const { port } = await serve();

    const first = await http1(`http://${HOST}:${port}/a`, { method: "POST", body: "four" });
    const second = await http2(`http://${HOST}:${port}`).ask("/b", { method: "POST", body: "four" });

    expect([first.text, second.text]).toEqual(["1.1 POST /a 4", "2.0 POST /b 4"]);
  });

  test("a renewed certificate to new connections", async () => {
    const { server, port } = await serve({ tls });
    const before = await certificateOf(port);

    server.renewTls(renewed);

    expect([before, await certificateOf(port)]).toEqual([fingerprint(tls.cert), fingerprint(renewed.cert)]);
  });

  test("both over TLS beside cleartext, if cleartext is allowed", async () => {
    const { port } = await serve({ tls, cleartext: true });

    const answers = [
      await http1(`https://${HOST}:${port}/a`),
      await http2(`https://${HOST}:${port}`).ask("/b"),
      await http1(`http://${HOST}:${port}/c`),
    ];

    expect(answers.map(({ text }) => text)).toEqual(["1.1 GET /a 0", "2.0 GET /b 0", "1.1 GET /c 0"]);
  });

  test("many requests at once over one HTTP/2 connection, large ones too", async () => {
    const { port } = await serve();
    const client = http2(`http://${HOST}:${port}`);
    const body = Buffer.alloc(3_000_000, "x");

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.ask(`/${index}`, { method: "POST", body })),
    );

    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, index) => `2.0 POST /${index} 3000000`));
  });

  test("several requests over one kept HTTP/1.1 connection", async () => {
    const { port } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    endAfterTest(() => agent.destroy());
    const ports: (number | undefined)[] = [];

    for (let turn = 0; turn < 3; turn++) {
      await new Promise<void>((resolve, reject) => {
        const call = request({ host: HOST, port, agent }, (answer) => answer.on("end", resolve).resume());
        call.on("socket", (socket) => socket.once("connect", () => ports.push(socket.localPort)));
        call.on("error", reject).end();
      });
    }

    expect(ports).toHaveLength(1);
  });

  test("a client that sends its first bytes one by one", async () => {
    const { port } = await serve();
    const { socket, ended } = raw(port);

    for (const byte of "POST /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi") {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await ended).toContain("1.1 POST /slow 2");
  });
});

describe("OnePort gets rid of", () => {
  test("a client that says nothing", async () => {
    const { port } = await serve({ limits: { firstBytesMs: 20 } });

    expect(await raw(port).ended).toBe("");
  });

  test("a client that never finishes its headers", async () => {
    const { port } = await serve({ limits: { idleMs: 20 } });
    const { socket, ended } = raw(port);

    socket.write("GET / HTTP/1.1\r\nhost:");

    expect(await ended).toBe("");
  });

  test("a client that never finishes its body", async () => {
    const { port } = await serve({ limits: { requestMs: 20 } });
    const { socket, ended } = raw(port);

    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab");

    expect(await ended).toBe("");
  });

  test.each([
    ["what is no HTTP", "hello there\r\n\r\n", "400 Bad Request", "MALFORMED_REQUEST"],
    [
      "too many bytes of headers",
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(20_000)}\r\n\r\n`,
      "431 ",
      "MESSAGE_TOO_LARGE",
    ],
  ])("%s, with status and reason", async (_, sent, status, reason) => {
    const { port } = await serve({ formatHeadRefusal });
    const { socket, ended } = raw(port);

    socket.write(sent);

    const [head = "", body = ""] = (await ended).split("\r\n\r\n");
    expect(head).toStartWith(`HTTP/1.1 ${status}`);
    expect(head).toContain(`Content-Length: ${body.length}`);
    expect(JSON.parse(body).details[0].debug.reason).toBe(reason);
  });

  test("a TLS client where there is no certificate", async () => {
    const { port } = await serve();

    await expect(http1(`https://${HOST}:${port}/`)).rejects.toThrow();
    expect((await http1(`http://${HOST}:${port}/`)).status).toBe(200);
  });

  test("connections that are reset, without harm to others", async () => {
    const { port } = await serve();
    for (let turn = 0; turn < 20; turn++) {
      const { socket, ended } = raw(port);
      socket.write(
        turn % 2 === 0 ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" : "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n",
      );
      socket.once("connect", () => socket.resetAndDestroy());
      await ended;
    }

    expect((await http1(`http://${HOST}:${port}/`)).text).toBe("1.1 GET / 0");
  });
});

describe("OnePort drains", () => {
  /** Holds every answer until it is let go. */
  function held() {
    const waiting: (() => void)[] = [];
    let arrived: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const handler: RequestHandler = (asked, answer, account) => {
      waiting.push(() => echo(asked, answer, account));
      if (waiting.length === 2) arrived();
    };
    return { handler, both, letGo: () => waiting.splice(0).forEach((go) => void go()) };
  }

  test("running requests, and refuses new connections meanwhile", async () => {
    const { handler, both, letGo } = held();
    const { server, port } = await serve({ handler });
    const first = http1(`http://${HOST}:${port}/a`);
    const second = http2(`http://${HOST}:${port}`).ask("/b");
    await both;

    const closing = server.close(60_000);
    await expect(http1(`http://${HOST}:${port}/late`)).rejects.toThrow();
    letGo();

    expect((await first).text).toBe("1.1 GET /a 0");
    expect((await first).headers["connection"]).toBe("close");
    expect((await second).text).toBe("2.0 GET /b 0");
    expect(await closing).toBe(true);
  });

  test("idle connections at once", async () => {
    const { server, port } = await serve();
    const silent = raw(port);
    const kept = raw(port);
    kept.socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await new Promise((resolve) => kept.socket.once("data", resolve));
    const client = http2(`http://${HOST}:${port}`);
    await client.ask("/");

    expect(await server.close(60_000)).toBe(true);

    await Promise.all([silent.ended, kept.ended]);
  });

  test("nothing that outlasts the time of grace", async () => {
    const { handler, both } = held();
    const { server, port } = await serve({ handler });
    const cut = [http1(`http://${HOST}:${port}/a`), http1(`http://${HOST}:${port}/b`)];
    const outcomes = Promise.allSettled(cut);
    await both;

    expect(await server.close(10)).toBe(false);

    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

test("OnePort rejects to listen where somebody does", async () => {
  const { port } = await serve();
  const second = new SharedPort({ handler: echo });
  endAfterTest(() => second.close(0));

  await expect(second.listen(port, HOST)).rejects.toMatchObject({ code: "EADDRINUSE" });
});
