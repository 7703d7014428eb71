/** MCP over HTTP: the official clients of both revisions, the inspector, and requests that are refused. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { DcServer, emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { runCommand, runPlanner } from "../support/planner_command.ts";

const INSPECTOR = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")),
  "clients/launcher/build/index.js",
);
const ME = { name: "planner-tests", version: "1.0.0" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": ME,
};
const JSON_TYPE = { "content-type": "application/json" };
const ALL_CALLS = { code: "SRV-B03-07" };

let folder: string;
let server: DcServer;
let token: string;

beforeAll(async () => {
  folder = emptyFolder();
  await sampleDatabase(folder);
  writeFileSync(join(folder, "tokens.json"), '{"tokens": []}');
  token = (
    await runPlanner(["dc", "token", "create", "ann", "--tokens", "tokens.json"], { cwd: folder })
  ).stdout.trim();
  server = await DcServer.start(folder, ["--tokens", "tokens.json"]);
});

afterAll(() => server.end());

function post(message: unknown, headers: Readonly<Record<string, string>> = {}, query = ""): Promise<Response> {
  const all = { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers };
  return fetch(`${server.url}/mcp${query}`, { method: "POST", headers: all, body: JSON.stringify(message) });
}

function endpoint(query = ""): [URL, { requestInit: RequestInit }] {
  return [new URL(`${server.url}/mcp${query}`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }];
}

test("the client of the handshake revisions agrees on 2025-11-25 and calls the tools with the token's rights", async () => {
  const client = new Client(ME);
  const transport = new StreamableHTTPClientTransport(...endpoint());
  await client.connect(transport as Transport);

  const { tools } = await client.listTools();
  const device = await client.callTool({ name: "get_device", arguments: ALL_CALLS });

  expect(transport.protocolVersion).toBe("2025-11-25");
  expect(client.getInstructions()).toContain("floor_plan");
  expect(tools.map(({ name }) => name)).toContain("power_blast_radius");
  expect(JSON.stringify(device.content)).toContain("SRV-B03-07");
  expect(await client.ping()).toEqual({});
  await client.close();
});

test("the client of the stateless revision calls the tools, those of planning with ?planning=true", async () => {
  const client = new StatelessClient(ME, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StatelessTransport(...endpoint("?planning=true")));

  const { tools } = await client.listTools();
  const device = await client.callTool({ name: "get_device", arguments: ALL_CALLS });

  expect(tools.map(({ name }) => name)).toContain("find_placement");
  expect(JSON.stringify(device.content)).toContain("SRV-B03-07");
  await client.close();
});

test("the inspector lists the tools over HTTP", async () => {
  const words = ["--cli", `${server.url}/mcp`, "--transport", "http", "--method", "tools/list"];
  const listed = await runCommand(["node", INSPECTOR, ...words, "--header", `Authorization: Bearer ${token}`], {
    cwd: folder,
  });

  expect({ code: listed.code, stderr: listed.code === 0 ? "" : listed.stderr }).toEqual({ code: 0, stderr: "" });
  expect(listed.stdout).toContain('"power_blast_radius"');
});

const LIST = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
const [VERSION = "", CAPABILITIES = ""] = Object.keys(META);
const withMeta = (changed: object) => ({ ...LIST, params: { _meta: { ...META, ...changed } } });
const STATELESS = { ...LIST, params: { _meta: META } };
const MODERN = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
const CALL = { ...STATELESS, method: "tools/call", params: { name: "get_device", arguments: {}, _meta: META } };

test.each([
  ["a version that is not known", LIST, { "mcp-protocol-version": "1999-01-01" }, 400, -32022],
  ["a header of the stateless revision without its metadata", LIST, MODERN, 400, -32602],
  ["metadata without the version", withMeta({ [VERSION]: undefined }), MODERN, 400, -32602],
  [
    "a version that is no text",
    withMeta({ [VERSION]: 2026 }),
    { ...MODERN, "mcp-protocol-version": "2026" },
    400,
    -32020,
  ],
  ["metadata without capabilities of the client", withMeta({ [CAPABILITIES]: undefined }), MODERN, 400, -32602],
  ["capabilities that are no object", withMeta({ [CAPABILITIES]: [] }), MODERN, 400, -32602],
  ["metadata without the header", STATELESS, {}, 400, -32020],
  ["another method in the header", STATELESS, { ...MODERN, "mcp-method": "tools/call" }, 400, -32020],
  ["another tool in the header", CALL, { ...MODERN, "mcp-method": "tools/call", "mcp-name": "get_rack" }, 400, -32020],
  ["an unknown method", { ...STATELESS, method: "no" }, { ...MODERN, "mcp-method": "no" }, 404, -32601],
  ["a subscription", { ...STATELESS, method: "subscriptions/listen" }, MODERN, 404, -32601],
  ["an unknown method of a client that shook hands", { ...LIST, method: "no" }, {}, 200, -32601],
  ["a batch", [LIST], {}, 400, -32600],
  ["no JSON-RPC", { id: 1 }, {}, 400, -32600],
])("%s is refused in the words of the protocol", async (_, message, headers, status, code) => {
  const response = await post(message, headers);

  expect([response.status, await response.json()]).toEqual([
    status,
    expect.objectContaining({ jsonrpc: "2.0", error: expect.objectContaining({ code }) }),
  ]);
});

test("notifications are accepted, other methods and foreign pages and callers without a token are refused", async () => {
  const notice = { jsonrpc: "2.0", method: "notifications/initialized" };
  const statuses = [
    (await post(notice)).status,
    (await fetch(`${server.url}/mcp`, { headers: { accept: "text/event-stream" } })).status,
    (await fetch(`${server.url}/mcp`, { method: "DELETE" })).status,
    (await post(LIST, { origin: "https://evil.example" })).status,
    (await post(LIST, { authorization: "Bearer wrong" })).status,
    (await fetch(`${server.url}/mcp`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(LIST) })).status,
    (await post(LIST, { "content-type": "text/plain" })).status,
  ];

  expect(statuses).toEqual([202, 405, 405, 403, 401, 401, 415]);
});
