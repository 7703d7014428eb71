import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queryPrometheus, readReadingMapping } from "#cli/dc/readings/mapping_file.ts";
import { pullReadings, storeSeries } from "#cli/dc/readings/pull_readings.ts";
import { smallSite } from "../../../support/dc/small_site.ts";
import { until } from "../../../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "planner-queries-"));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server in the place of Prometheus. */
async function served(
  listener: RequestListener,
  tls?: { readonly key: string; readonly cert: string },
): Promise<string> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CERTIFICATES = join(import.meta.dirname, "../../../fixtures/tls");

let files = 0;
function file(value: unknown): string {
  files += 1;
  const path = join(folder, `${files}.yaml`);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const row = { query: "up", quantity: "POWER_W", element: "device:{{instance}}" };
const vector = (result: readonly unknown[]) =>
  JSON.stringify({ status: "success", data: { resultType: "vector", result } });
const series = (metric: object, value: unknown, at = 1767323045) => ({ metric, value: [at, value] });

describe("readMapping", () => {
  test("reads every mapping of docs", async () => {
    const path = join(import.meta.dirname, "../../../../docs/monitoring/readings");
    const mappings = await Promise.all(readdirSync(path).map((name) => readReadingMapping(join(path, name))));

    expect(mappings.length).toBeGreaterThanOrEqual(6);
    expect(mappings.every(({ queries }) => queries.length > 0)).toBe(true);
  });

  for (const [what, value, message] of [
    ["no address", { queries: [row] }, "Cannot take url"],
    ["another protocol", { url: "ftp://x", queries: [row] }, "Cannot take url"],
    ["a password in the address", { url: "http://a:b@x", queries: [row] }, "expected no password in the address"],
    ["no query", { url: "http://x", queries: [] }, "Cannot take queries"],
    ["an unknown key", { url: "http://x", querys: [] }, "Cannot take querys"],
    ["an unknown key of a query", { url: "http://x", queries: [{ ...row, evry: 1 }] }, "Cannot take queries[0].evry"],
    ["an unknown quantity", { url: "http://x", queries: [{ ...row, quantity: "WATTS" }] }, "expected POWER_W, "],
    ["a unit of another quantity", { url: "http://x", queries: [{ ...row, unit: "A" }] }, "expected W, mW, kW, MW"],
    ["a unit that every object has", { url: "http://x", queries: [{ ...row, unit: "toString" }] }, "expected W, mW"],
    ["no element", { url: "http://x", queries: [{ ...row, element: "" }] }, "Cannot take queries[0].element"],
    ["too short a time", { url: "http://x", queries: [{ ...row, every_s: 1 }] }, "expected 5 to 86400 seconds"],
    ["a user alone", { url: "http://x", user: "a", queries: [row] }, "expected user and password_file together"],
    ["no YAML", "a: [", "expected YAML or JSON"],
    ["a list", [], "expected keys and values"],
  ] as const) {
    test(`refuses ${what}, naming the key`, async () => {
      await expect(readReadingMapping(file(value))).rejects.toMatchObject({
        kind: "invalid_argument",
        message: expect.stringContaining(message),
      });
    });
  }
});

describe("askPrometheus", () => {
  const address = async (listener: RequestListener, more: object = {}) =>
    (await readReadingMapping(file({ url: await served(listener), timeout_s: 1, queries: [row], ...more }))).address;

  test("sends the query with the secret of a file, read for each question", async () => {
    const seen: unknown[] = [];
    const listener: RequestListener = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push([request.method, request.url, request.headers.authorization, body]);
      response.end(vector([series({ instance: "a" }, "1.5")]));
    };
    const token = file("first\n");
    const asked = await address(listener, { token_file: token });
    const basic = await address(listener, { user: "anna", password_file: file("s:ecret\n") });

    const found = await queryPrometheus(asked, 'up{a="ä"}');
    writeFileSync(token, "second");
    await queryPrometheus(asked, "up");
    await queryPrometheus(basic, "up");

    expect(found).toEqual([{ labels: { instance: "a" }, value: 1.5, at: 1767323045000 }]);
    expect(seen).toEqual([
      ["POST", "/api/v1/query", "Bearer first", new URLSearchParams({ query: 'up{a="ä"}' }).toString()],
      ["POST", "/api/v1/query", "Bearer second", "query=up"],
      ["POST", "/api/v1/query", `Basic ${btoa("anna:s:ecret")}`, "query=up"],
    ]);
  });

  test("keeps the secret out of the reason when a server repeats what it was asked with", async () => {
    const url = await served((request, response) => {
      response.writeHead(401).end(JSON.stringify({ error: `no access for ${request.headers.authorization}` }));
    });
    const mapping = await readReadingMapping(file({ url, token_file: file("s3cret-token\n"), queries: [row] }));
    const failure = await queryPrometheus(mapping.address, "up").catch((error: Error) => error.message);

    expect(failure).toBe("HTTP 401: no access for Bearer …");
  });

  test("reads no secret of a device without an end", async () => {
    const mapping = await readReadingMapping(
      file({ url: "http://127.0.0.1:1", token_file: "/dev/zero", queries: [row] }),
    );
    const failure = await queryPrometheus(mapping.address, "up").catch((error: Error) => error.message);

    expect(failure).toBe('cannot read "/dev/zero": expected a file of 1 MiB at most');
  });

  test("trusts the certificates of ca_file instead of the system's, and sends no secret to another server", async () => {
    const seen: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      response.end(vector([series({ instance: "a" }, "1.5")]));
    };
    const [key, cert] = ["key", "cert"].map((name) => readFileSync(join(CERTIFICATES, `${name}.pem`), "utf8"));
    if (key === undefined || cert === undefined) throw new Error("there is no certificate");
    const url = await served(listener, { key, cert });
    const ask = async (more: object) => {
      const mapping = await readReadingMapping(file({ url, token_file: file("secret"), queries: [row], ...more }));
      return queryPrometheus(mapping.address, "up");
    };

    expect(await ask({ ca_file: join(CERTIFICATES, "cert.pem") })).toHaveLength(1);
    for (const [more, reason] of [
      [{}, "certificate"],
      [{ ca_file: join(CERTIFICATES, "renewed_cert.pem") }, "certificate"],
      [{ ca_file: file("no certificate") }, ""],
      [{ ca_file: join(folder, "gone.pem") }, "gone.pem"],
    ] as const) {
      await expect(ask(more)).rejects.toMatchObject({ kind: "unavailable", message: expect.stringContaining(reason) });
    }
    expect(seen).toEqual(["Bearer secret"]);
  });

  const endless: RequestListener = (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(1 << 20)));
    };
    response.on("drain", write);
    write();
  };
  for (const [what, listener, reason] of [
    ["never answers", () => {}, "no reply within 1 s"],
    ["never ends its reply", (_, response) => void response.write("{"), "no reply within 1 s"],
    ["sends without end", endless, "longer than 8 MiB"],
    ["compresses", (_, response) => response.setHeader("content-encoding", "gzip").end("x"), "encoded as gzip"],
    ["redirects", (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), "HTTP 302"],
    ["is another program", (_, response) => response.end("<html>"), "not Prometheus'"],
    ["refuses", (_, response) => response.writeHead(422).end('{"error":"bad\\nquery"}'), "HTTP 422: bad query"],
    ["answers a matrix", (_, response) => response.end('{"data":{"resultType":"matrix","result":[]}}'), "is a matrix"],
    ["answers series of another form", (_, response) => response.end(vector([1])), "a series has no metric"],
    [
      "answers a label that is no text",
      (_, response) => response.end(vector([series({ a: { toString: 1 } }, "1")])),
      "a label is no text",
    ],
    ["closes the connection", (request) => request.socket.destroy(), ""],
  ] as const satisfies readonly (readonly [string, RequestListener, string])[]) {
    test(`fails with the reason for a server that ${what}`, async () => {
      await expect(queryPrometheus(await address(listener), "up")).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining(reason),
      });
    });
  }
});

describe("takeSeries", () => {
  test("converts units, and names each series that is no reading", async () => {
    const { service, call } = await smallSite();
    const { queries } = await readReadingMapping(file({ url: "http://x", queries: [{ ...row, unit: "kW" }] }));
    const [query] = queries;
    if (query === undefined) throw new Error("there is no query");
    const at = Date.parse("2026-01-02T03:04:05Z");
    const of = (instance: string, value: number) => ({ labels: { __name__: "p", instance }, value, at });
    const given = [
      of("srv-1", 0.41),
      of("GONE", 1),
      of("PDU", Number.NaN),
      of("LEAF-1", 1),
      of("leaf-1", 2),
      of("no code", 1),
      { labels: { __name__: "p", toString: "x" }, value: 1, at },
    ];

    const trial = await storeSeries(service, { query, source: "prom" }, { series: given, isTrial: true });
    expect(await call("ListReadings", {})).toEqual({});
    const taken = await storeSeries(service, { query, source: "prom" }, { series: given, isTrial: false });

    expect(taken).toEqual(trial);
    expect(taken).toMatchObject({ seriesCount: 7, storedCount: 1, skippedCount: 6, examples: ["device:srv-1 410"] });
    expect(Object.fromEntries(taken.skipped.map((one) => [one.series, one.reason]))).toMatchObject({
      'p{toString="x"}': 'It has no label "instance"',
      'p{instance="LEAF-1"}': "2 series name device:LEAF-1: expected one",
      'p{instance="leaf-1"}': "2 series name device:LEAF-1: expected one",
      'p{instance="GONE"}': 'Cannot find "device:GONE"',
      'p{instance="PDU"}': expect.stringContaining("NaN"),
      'p{instance="no code"}': expect.stringContaining("element_ref"),
    });
    const { readings } = await call("ListReadings", {});
    expect(readings).toMatchObject([{ element_ref: "device:SRV-1", value: 410, source: "prom" }]);
  });

  test("shows the beginning of long labels, and takes the others beside a time that no date has", async () => {
    const { service } = await smallSite();
    const { queries } = await readReadingMapping(file({ url: "http://x", queries: [row] }));
    const [query] = queries;
    if (query === undefined) throw new Error("there is no query");
    const of = (instance: string, more: object, at: number) => ({ labels: { instance, ...more }, value: 1, at });
    const [long, at] = ["A".repeat(100_000), Date.parse("2026-01-02T03:04:05Z")];
    const given = [of(long, { n: "1" }, at), of(long, { n: "2" }, at), of(`B${long}`, {}, at), of("LEAF-1", {}, 1e300)];

    const taken = await storeSeries(
      service,
      { query, source: "prom" },
      { series: [...given, of("SRV-1", {}, at)], isTrial: true },
    );

    expect(taken).toMatchObject({ storedCount: 1, skippedCount: 4, examples: ["device:SRV-1 1"] });
    expect(taken.skipped.every(({ series: shown, reason }) => shown.length + reason.length < 700)).toBe(true);
    expect(taken.skipped.map(({ reason }) => reason)).toContain("Its time is 1e+297: expected seconds since 1970");
  });

  test("gives no example when more series failed than a reply lists", async () => {
    const { service } = await smallSite();
    const { queries } = await readReadingMapping(file({ url: "http://x", queries: [row] }));
    const [query] = queries;
    if (query === undefined) throw new Error("there is no query");
    const given = Array.from({ length: 1500 }, (_, n) => ({ labels: { instance: `GONE-${n}` }, value: 1, at: 0 }));

    const taken = await storeSeries(service, { query, source: "prom" }, { series: given, isTrial: true });

    expect(taken).toMatchObject({ storedCount: 0, skippedCount: 1500, examples: [] });
  });
});

test("pullReadings goes on after failures, says each outage and change once, and ends with its signal", async () => {
  const site = await smallSite();
  const replies = [503, 503, 200, 200, 200];
  const asked: number[] = [];
  const url = await served((_, response) => {
    const status = replies[asked.length] ?? 200;
    asked.push(status);
    response.writeHead(status).end(vector([series({ instance: "SRV-1" }, "7"), series({ instance: "GONE" }, "7")]));
  });
  const read = await readReadingMapping(file({ url, queries: [row] }));
  const mapping = { ...read, queries: read.queries.map((query) => ({ ...query, intervalS: 0.01 })) };
  const said: string[] = [];
  const stop = new AbortController();

  const pulling = pullReadings(site.service, mapping, (line) => said.push(line), stop.signal);
  await until(() => asked.length >= 5);
  stop.abort();
  await pulling;

  expect(said).toEqual([
    'Query "up" failed: HTTP 503',
    'Query "up" works again',
    'Query "up": 1 of 2 series not taken, such as {instance="GONE"}: Cannot find "device:GONE"',
  ]);
  expect(await site.call("ListReadings", {})).toMatchObject({ readings: [{ value: 7 }] });
});
