import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { fromDebian } from "../support/debian.ts";
import { http1, postJson, RPC } from "../support/http_client.ts";
import { runCommand } from "../support/planner_command.ts";

// Clients that we did not write, each as its own program against one server that speaks cleartext and TLS.

const ROOT = join(import.meta.dirname, "..", "..");
const TLS = join(ROOT, "tests", "fixtures", "tls");

const cwd = emptyFolder();
let server: DcServer;
let clear = "";
beforeAll(async () => {
  const tls = ["--tls-key", join(TLS, "key.pem"), "--tls-cert", join(TLS, "cert.pem"), "--cleartext"];
  server = await DcServer.start(cwd, tls);
  clear = server.url.replace("https:", "http:");
});
afterAll(() => server.end());

const run = (...words: readonly string[]) => runCommand(words, { cwd });

describe.skipIf(!fromDebian("/usr/bin/curl", "curl"))("curl", () => {
  for (const [how, words, version, url] of [
    ["HTTP/1.1", ["--http1.1"], "1.1", () => clear],
    ["HTTP/2 with prior knowledge", ["--http2-prior-knowledge"], "2", () => clear],
    ["HTTP/1.1 over TLS", ["--http1.1", "--insecure"], "1.1", () => server.url],
    ["HTTP/2 over TLS by ALPN", ["--http2", "--insecure"], "2", () => server.url],
  ] as const) {
    test(`calls RPCs, GraphQL and routes by ${how}`, async () => {
      const curl = (...more: readonly string[]) =>
        run(
          "curl",
          "--silent",
          "--show-error",
          "--compressed",
          ...words,
          "--write-out",
          "\n%{http_version} %{http_code}",
          ...more,
        );
      const json = ["--header", "content-type: application/json", "--data"];

      const read = await curl(...json, "{}", `${url()}${RPC}/SearchDevices`);
      const query = await curl(...json, '{"query":"{ searchDevices { totalCount } }"}', `${url()}/graphql`);
      const refused = await curl(...json, "{}", `${url()}${RPC}/GetDevice`);
      const health = await curl(`${url()}/healthz`);
      const asked = await curl(
        "--get",
        "--data",
        "connect=v1&encoding=json",
        "--data-urlencode",
        "message={}",
        `${url()}${RPC}/SearchDevices`,
      );

      expect(read.stdout).toMatch(/"devices":\[.*\n.* 200$/s);
      expect(query.stdout).toContain('{"data":{"searchDevices":{"totalCount":');
      expect(refused.stdout).toContain('"code":"invalid_argument"');
      expect(asked.stdout).toContain('"total_count"');
      expect([read, query, refused, health, asked].map(({ stdout }) => stdout.split("\n").at(-1))).toEqual(
        [200, 200, 400, 200, 200].map((status) => `${version} ${status}`),
      );
    });
  }
});

const PYTHON = "/usr/lib/python3/dist-packages";
const python =
  fromDebian(`${PYTHON}/grpc/__init__.py`, "python3-grpcio") &&
  fromDebian(`${PYTHON}/google/protobuf/__init__.py`, "python3-protobuf");
test.skipIf(!python).each(["cleartext", "TLS"])("Python's grpcio calls over %s", async (how) => {
  const descriptors = join(cwd, "descriptors.binpb");
  const buf = spawnSync(join(ROOT, "node_modules", ".bin", "buf"), ["build", "-o", descriptors], { cwd: ROOT });
  expect(buf.status).toBe(0);
  const certificate = how === "TLS" ? [join(TLS, "cert.pem")] : [];
  const script = join(ROOT, "tests", "support", "scripts", "grpc_client.py");

  const { stdout, stderr } = await run("/usr/bin/python3", script, new URL(clear).host, descriptors, ...certificate);

  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    health: { status: "SERVING" },
    rack: expect.stringMatching(/^OUTCOME_(?:CREATED|UNCHANGED)$/),
    bulk: 200,
    page: 200,
    zipped: 200,
    missing: { code: "NOT_FOUND", details: expect.stringContaining("D999"), status: true },
    wrong: { code: "INVALID_ARGUMENT", details: expect.stringContaining("no/slash"), status: true },
  });
});

for (const protocol of ["grpc", "grpcweb", "connect"]) {
  test(`buf curl calls by reflection in ${protocol}, and hears refusals`, async () => {
    const buf = join(ROOT, "node_modules", ".bin", "buf");
    const call = (rpc: string, data: string) =>
      run(buf, "curl", "--protocol", protocol, "--http2-prior-knowledge", "--data", data, `${clear}${RPC}/${rpc}`);

    const read = await call("SearchDevices", '{"page_size": 1}');
    const refused = await call("GetDevice", '{"code": "NONE"}');

    expect(read).toMatchObject({ code: 0, stderr: "" });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("not_found");
    expect(refused.stderr).toContain("google.rpc.ErrorInfo");
  });
}

test.skipIf(!fromDebian("/usr/bin/promtool", "prometheus"))(
  "promtool finds nothing wrong with the metrics",
  async () => {
    await postJson(`${clear}${RPC}/GetDevice`, {});
    const { text } = await http1(`${clear}/metrics`);

    const { code, stderr } = await runCommand(["promtool", "check", "metrics"], { cwd, input: text });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  },
);

describe.skipIf(!fromDebian("/usr/bin/h2load", "nghttp2-client"))("h2load", () => {
  const request = join(cwd, "request.json");
  const message = join(cwd, "request.grpc");
  writeFileSync(request, "{}");
  writeFileSync(message, Buffer.alloc(5));

  for (const [how, words, path, secure] of [
    ["JSON over HTTP/2", ["-d", request, "-H", "content-type: application/json"], `${RPC}/SearchDevices`, false],
    [
      "JSON over HTTP/1.1",
      ["--h1", "-d", request, "-H", "content-type: application/json"],
      `${RPC}/SearchDevices`,
      false,
    ],
    ["JSON over TLS", ["-d", request, "-H", "content-type: application/json"], `${RPC}/SearchDevices`, true],
    [
      "gRPC",
      ["-d", message, "-H", "content-type: application/grpc", "-H", "te: trailers"],
      `${RPC}/SearchDevices`,
      false,
    ],
    ["a route", [], "/healthz", false],
  ] as const) {
    test(`sees no request fail: ${how}`, async () => {
      const parallel = how.includes("1.1") ? "1" : "20";
      const load = ["-n", "1000", "-c", "5", "-m", parallel];

      const { stdout } = await run("h2load", ...load, ...words, (secure ? server.url : clear) + path);

      expect(stdout).toContain("1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout");
      expect(stdout).toContain("status codes: 1000 2xx, 0 3xx, 0 4xx, 0 5xx");
    });
  }
});
