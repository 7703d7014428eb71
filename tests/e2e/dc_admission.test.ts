import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { answerToRaw, http1, RPC } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const TLS = join(import.meta.dirname, "..", "fixtures", "tls");
const WITH_TLS = ["--tls-key", join(TLS, "key.pem"), "--tls-cert", join(TLS, "cert.pem")];
const UPSERT = `${RPC}/UpsertRack`;
const RACK = JSON.stringify({ rack: { code: "R1", location: { site_id: "S1", floor_number: 1 } } });
const json = { "content-type": "application/json" };

/** Servers that all tests share, which change nothing that others see. */
let plain: DcServer;
let secured: DcServer;
beforeAll(async () => {
  plain = await DcServer.start(emptyFolder());
  secured = await DcServer.start(emptyFolder(), WITH_TLS);
});
afterAll(() => Promise.all([plain.end(), secured.end()]));

const start = (...flags: readonly string[]) => serveDc(emptyFolder(), flags);

const write = (url: string, headers: Readonly<Record<string, string>>) =>
  http1(`${url}${UPSERT}`, { method: "POST", headers: { ...json, ...headers }, body: RACK });
const reasonOf = (text: string) => JSON.parse(text).details?.[0]?.debug?.reason;

describe("A server without tokens", () => {
  const ROUTES = (
    "/ /healthz /metrics /openapi.json /audit/history /graphql/playground /estate /resources " + "/session /sample"
  ).split(" ");

  test("refuses every route to a page that rebinds its name to this machine, and writes nothing", async () => {
    const { url } = await start();
    const evil = { host: "evil.example:8081", origin: "http://evil.example:8081" };

    const read = await Promise.all(ROUTES.map((path) => http1(`${url}${path}`, { headers: { host: evil.host } })));
    const written = await write(url, evil);
    const graphql = await http1(`${url}/graphql`, { method: "POST", headers: { ...json, ...evil }, body: "{}" });
    const webhook = await http1(`${url}/audit/webhook`, { method: "POST", headers: { ...json, ...evil }, body: "{}" });

    for (const { status, text } of [...read, written, graphql, webhook]) {
      expect([status, reasonOf(text)]).toEqual([403, "HOST_NOT_ALLOWED"]);
    }
    const { status } = await http1(`${url}${RPC}/GetRack`, { method: "POST", headers: json, body: '{"code": "R1"}' });
    expect(status).toBe(404);
  });

  test("refuses gRPC for a foreign authority with its own status", async () => {
    const { url } = plain;
    const session = connectHttp2(url);
    endAfterTest(() => session.destroy());
    const headers = {
      ":authority": "evil.example",
      ":path": UPSERT,
      ":method": "POST",
      "content-type": "application/grpc",
    };
    const stream = session.request(headers, { endStream: true });

    const found = await new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));

    expect([found[":status"], found["grpc-status"]]).toEqual([200, "7"]);
  });

  test("answers every name of this machine, and the ones that are allowed", async () => {
    const { url } = await start("--allowed-host", "dc.example", "--allowed-host", "2001:db8::1");
    const hosts = "localhost LOCALHOST:8081 a.localhost 127.0.0.1 127.9.9.9:1 [::1]:8081 dc.example".split(" ");

    const answers = await Promise.all([...hosts, "[2001:db8::1]"].map((host) => write(url, { host })));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test("refuses names that only look like this machine's", async () => {
    const { url } = await start("--allowed-host", "dc.example");
    const hosts = "localhost.evil.example 127.0.0.1.nip.example evil xdc.example 0x7f.1 [::2] a@localhost".split(" ");

    const answers = await Promise.all(hosts.map((host) => write(url, { host })));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
  });

  test("refuses writes of other sites' pages", async () => {
    const { url } = plain;
    const { host, port } = new URL(url);
    const foreign = [
      "http://evil.example",
      "null",
      `http://127.0.0.1:${Number(port) + 1}`,
      `http://${host}.evil.example`,
    ];

    for (const origin of foreign) expect((await write(url, { origin })).status).toBe(403);
    const unasked = await write(url, { "sec-fetch-site": "cross-site" });
    const own = await write(url, { origin: `http://${host}` });

    expect([unasked.status, reasonOf(unasked.text), own.status]).toEqual([403, "ORIGIN_NOT_ALLOWED", 200]);
  });

  test("lets pages of allowed origins call, and read what they get", async () => {
    const { url } = await start("--allowed-origin", "https://portal.example");
    const headers = { origin: "https://portal.example" };

    const preflight = await http1(`${url}${UPSERT}`, {
      method: "OPTIONS",
      headers: {
        ...headers,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    const written = await write(url, headers);

    expect([preflight.status, written.status]).toEqual([204, 200]);
    for (const answer of [preflight, written]) {
      expect(answer.headers["access-control-allow-origin"]).toBe("https://portal.example");
    }
    expect(preflight.headers["access-control-allow-headers"]).toContain("content-type");
  });
});

test("A server with tokens answers any Host, and refuses other sites' pages although they have a token", async () => {
  const cwd = emptyFolder();
  const made = await runPlanner(["dc", "token", "create", "anna", "--role", "writer", "--tokens", "t.json"], { cwd });
  const server = await serveDc(cwd, ["--tokens", "t.json"]);
  const authorization = `Bearer ${made.stdout.trim()}`;

  const named = await write(server.url, { host: "dc.example", authorization });
  const foreign = await write(server.url, { host: "dc.example", origin: "https://evil.example", authorization });

  expect([named.status, foreign.status, reasonOf(foreign.text)]).toEqual([200, 403, "ORIGIN_NOT_ALLOWED"]);
});

describe("A request that can be read in two ways", () => {
  const RAW: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
    "two Host headers": [["GET /healthz HTTP/1.1", "Host: localhost", "Host: evil.example"], /^HTTP\/1\.1 400 /],
    "no Host header": [["GET /healthz HTTP/1.1", "Connection: close"], /^HTTP\/1\.1 400 /],
    "a request line without version": [["GET /healthz", "Host: localhost"], /^HTTP\/1\.1 400 /],
    "version 2 in a request line": [["GET /healthz HTTP/2.0", "Host: localhost"], /^HTTP\/1\.1 505 /],
    "a target of another host": [["GET http://evil.example/healthz HTTP/1.1", "Host: localhost"], /^HTTP\/1\.1 400 /],
    "// before a route": [["GET //healthz HTTP/1.1", "Host: localhost", "Connection: close"], /^HTTP\/1\.1 404 /],
    "// in a route": [["GET /audit//history HTTP/1.1", "Host: localhost", "Connection: close"], /^HTTP\/1\.1 404 /],
  };
  for (const [what, [head, expected]] of Object.entries(RAW)) {
    test(`is refused: ${what}`, async () => {
      expect(await answerToRaw(plain.url, head)).toMatch(expected);
    });
  }

  test("is refused: an unknown version of Connect's protocol, in a header or a parameter", async () => {
    const { url } = plain;
    const ask = (version: string) =>
      http1(`${url}${RPC}/SearchDevices`, {
        method: "POST",
        headers: { ...json, "connect-protocol-version": version },
        body: "{}",
      });
    const get = (version: string) =>
      http1(`${url}${RPC}/SearchDevices?connect=${version}&encoding=json&message=%7B%7D`);

    const answers = [await ask("1"), await ask("2"), await ask(""), await get("v1"), await get("v2")];

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200, 400]);
    expect(JSON.parse(answers[1]?.text ?? "")).toMatchObject({ code: "invalid_argument" });
  });
});

test("A path that a proxy could take for another one is refused", async () => {
  const { url } = plain;
  const paths = ["/x/../audit/history", "/./metrics", "/%61udit/history", "/audit/history#x", "/metrics/..", "/a%2f"];

  const answers = await Promise.all(
    paths.map((path) => answerToRaw(url, [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close"])),
  );

  expect(answers.map((text) => text.slice(0, 12))).toEqual(paths.map(() => "HTTP/1.1 400"));
});

describe("A server with a certificate", () => {
  test("refuses cleartext: pages by a redirect to a name of its own, other requests by 426", async () => {
    const { url } = secured;
    const html = "Accept: text/html,*/*";

    const page = await answerToRaw(url, ["GET /?a=b HTTP/1.1", "Host: localhost", html]);
    const foreign = await answerToRaw(url, ["GET / HTTP/1.1", "Host: evil.example", html]);
    const call = await answerToRaw(url, [`POST ${UPSERT} HTTP/1.1`, "Host: localhost", "Content-Length: 5000000"], "{");

    expect(page).toMatch(/^HTTP\/1\.1 308 /);
    expect(page.toLowerCase()).toContain("location: https://localhost/?a=b\r\n");
    expect(foreign).toMatch(/^HTTP\/1\.1 426 /);
    expect(call).toMatch(/^HTTP\/1\.1 426 /);
    expect(call.toLowerCase()).toContain("upgrade: tls/1.3, http/1.1\r\n");
  });

  test("refuses cleartext gRPC by trailers with status 9 and the reason", async () => {
    const { url } = secured;
    const session = connectHttp2(url.replace("https:", "http:"));
    endAfterTest(() => session.destroy());
    session.on("error", () => {});
    const stream = session.request({ ":path": UPSERT, ":method": "POST", "content-type": "application/grpc" });

    const found = await new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));

    expect(found).toMatchObject({ ":status": 200, "grpc-status": "9", "grpc-message": "This port serves TLS only" });
  });

  test("tells browsers to use TLS alone, and every reader not to guess types", async () => {
    const { url } = secured;
    const call = await write(url, {});
    const page = await http1(`${url}/`);

    for (const { status, headers } of [call, page]) {
      expect(status).toBe(200);
      expect(headers["strict-transport-security"]).toBe("max-age=31536000");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  const CIPHERS: Readonly<Record<string, readonly [ciphers: string, version: "TLSv1.1" | "TLSv1.2", taken: boolean]>> =
    {
      "TLS 1.2 with an ephemeral key and AEAD": [
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
        "TLSv1.2",
        true,
      ],
      "TLS 1.2 without an ephemeral key": ["AES128-GCM-SHA256", "TLSv1.2", false],
      "TLS 1.2 with CBC": ["ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA", "TLSv1.2", false],
      "TLS 1.1": ["ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA", "TLSv1.1", false],
    };
  for (const [what, [ciphers, version, taken]] of Object.entries(CIPHERS)) {
    test(`${taken ? "speaks" : "does not speak"} ${what}`, async () => {
      const { url } = secured;
      const options = { ciphers, minVersion: version, maxVersion: version, rejectUnauthorized: false } as const;

      const isSecured = await new Promise<boolean>((resolve) => {
        const socket = connectTls({ port: Number(new URL(url).port), host: "127.0.0.1", ...options });
        endAfterTest(() => socket.destroy());
        socket
          .on("secureConnect", () => resolve(true))
          .on("error", () => resolve(false))
          .on("close", () => resolve(false));
      });

      expect(isSecured).toBe(taken);
    });
  }
});

test("Tokens that travel in cleartext beyond this machine are warned about", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "token", "create", "anna", "--tokens", "t.json"], { cwd });
  const server = await serveDc(cwd, ["--tokens", "t.json", "--host", "0.0.0.0"]);
  while (!server.stderr.includes("warning")) await new Promise((resolve) => setTimeout(resolve, 10));

  expect(server.stderr).toContain("Tokens are sent in cleartext");
});

test("An allowed host or origin that cannot be one is refused with its name", async () => {
  const cwd = emptyFolder();
  const serve = (...flags: readonly string[]) => runPlanner(["dc", "serve", "--port", "0", ...flags], { cwd });

  const host = await serve("--allowed-host", "dc.example:8081");
  const origin = await serve("--allowed-origin", "portal.example");

  expect([host.code, origin.code]).toEqual([2, 2]);
  expect(host.stderr).toContain('Wrong value "dc.example:8081" for "--allowed-host"');
  expect(origin.stderr).toContain('Wrong value "portal.example" for "--allowed-origin"');
});

test("More connections of one address than allowed are served probes alone", async () => {
  const { url } = await start("--max-connections-per-address", "4");
  const port = Number(new URL(url).port);
  const idle = Array.from({ length: 4 }, () => connect(port, "127.0.0.1"));
  endAfterTest(() => idle.map((socket) => socket.destroy()));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const head = ["Host: localhost", "Content-Type: application/json", "Content-Length: 2"];

  const probe = await answerToRaw(url, ["GET /healthz HTTP/1.1", "Host: localhost"]);
  const call = await answerToRaw(url, [`POST ${RPC}/SearchDevices HTTP/1.1`, ...head], "{}");
  for (const socket of idle) socket.destroy();
  let again = "";
  while (!again.startsWith("HTTP/1.1 200 ")) {
    again = await answerToRaw(url, [`POST ${RPC}/SearchDevices HTTP/1.1`, ...head, "Connection: close"], "{}");
  }

  expect(probe).toStartWith("HTTP/1.1 200 ");
  expect(call).toStartWith("HTTP/1.1 429 ");
  expect(call.toLowerCase()).toContain("retry-after: ");
});
