import { describe, expect, test } from "bun:test";
import { served } from "../../../support/dc/served.ts";
import { type Ask, Http2Client, http1 } from "../../../support/http_client.ts";

const RPC = "/datacenter.v1.DatacenterService";
const BODY_BYTES = 17 * 1024 * 1024;

type Case = readonly [what: string, counted: string, path: string, ask: Ask, over?: "http2"];

const post = (type: string, body: string | Uint8Array = "{}", headers: Record<string, string> = {}): Ask => ({
  method: "POST",
  headers: { "content-type": type, ...headers },
  body,
});
const json = (body?: string | Uint8Array, headers?: Record<string, string>) => post("application/json", body, headers);
const frame = (content: Uint8Array) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
};
const broken = frame(Buffer.from([0xff, 0xff]));
const known = { authorization: "Bearer reader" };
const wrong = { authorization: "Bearer guess" };
const call = (method: string, interfaceName: string, outcome: string) =>
  `planner_dc_calls_total{method="${method}",interface="${interfaceName}",outcome="${outcome}"} 1`;

const CASES: readonly Case[] = [
  ["an unknown token by Connect", call("GetRack", "REST", "unauthenticated"), `${RPC}/GetRack`, json("{}", wrong)],
  [
    "no token by Connect GET",
    call("GetRack", "REST", "unauthenticated"),
    `${RPC}/GetRack?connect=v1&encoding=json&message={}`,
    {},
  ],
  [
    "an unknown token by gRPC",
    call("GetRack", "GRPC", "unauthenticated"),
    `${RPC}/GetRack`,
    post("application/grpc", frame(Buffer.alloc(0)), { ...wrong, te: "trailers" }),
    "http2",
  ],
  [
    "an unknown token by gRPC-Web",
    call("GetRack", "GRPC", "unauthenticated"),
    `${RPC}/GetRack`,
    post("application/grpc-web+proto", frame(Buffer.alloc(0)), wrong),
  ],
  ["no JSON by Connect", call("GetRack", "REST", "invalid_argument"), `${RPC}/GetRack`, json("{", known)],
  [
    "no message by gRPC",
    call("GetRack", "GRPC", "invalid_argument"),
    `${RPC}/GetRack`,
    post("application/grpc", broken, { ...known, te: "trailers" }),
    "http2",
  ],
  [
    "a reader's change by Connect, whose body is not read",
    call("BulkUpsertDevices", "REST", "permission_denied"),
    `${RPC}/BulkUpsertDevices`,
    json("{", known),
  ],
  [
    "a reader's change in another encoding, whose body is not read",
    call("BulkUpsertDevices", "REST", "permission_denied"),
    `${RPC}/BulkUpsertDevices`,
    json("no gzip", { ...known, "content-encoding": "gzip" }),
  ],
  [
    "a reader's change by gRPC, whose body is not read",
    call("BulkUpsertDevices", "GRPC", "permission_denied"),
    `${RPC}/BulkUpsertDevices`,
    post("application/grpc", broken, { ...known, te: "trailers" }),
    "http2",
  ],
  [
    "too large a body",
    call("GetRack", "REST", "resource_exhausted"),
    `${RPC}/GetRack`,
    json(Buffer.alloc(BODY_BYTES, " "), known),
  ],
  [
    "an unknown media type",
    call("GetRack", "REST", "invalid_argument"),
    `${RPC}/GetRack`,
    post("text/plain", "{}", known),
  ],
  ["an unknown RPC", call("unknown", "REST", "unimplemented"), `${RPC}/GetNothing`, json("{}", known)],
  ["an unknown path", call("unknown", "REST", "not_found"), "/nothing/here", {}],
  [
    "a wrong method",
    call("AuditHistory", "REST", "unimplemented"),
    "/audit/history",
    { method: "PUT", headers: known },
  ],
  ["no token on a route", call("AuditHistory", "REST", "unauthenticated"), "/audit/history", {}],
  ["a closed webhook", call("AuditWebhook", "WEBHOOK", "permission_denied"), "/audit/webhook", json("{}")],
  ["no token by GraphQL", call("GraphQL", "GRAPHQL", "unauthenticated"), "/graphql", json('{"query": "{"}')],
  ["no GraphQL", call("GraphQL", "GRAPHQL", "invalid_argument"), "/graphql", json('{"query": "{"}', known)],
  ["no JSON by GraphQL", call("GraphQL", "GRAPHQL", "invalid_argument"), "/graphql", json("{", known)],
];

/** What is counted once something is: an answer may be here before the server has noted that it is sent. */
async function countedBy(url: string): Promise<readonly string[]> {
  for (;;) {
    const { text } = await http1(`${url}/metrics`);
    const lines = text.split("\n").filter((line) => line.startsWith("planner_dc_calls_total{"));
    if (lines.length > 0) return lines;
  }
}

describe("a call that is refused before the service is asked is counted once:", () => {
  for (const [what, counted, path, ask, over] of CASES) {
    test(what, async () => {
      const { url } = await served({ authRequired: true });

      if (over === "http2") {
        const client = new Http2Client(url);
        await client.ask(path, ask);
        void client.close();
      } else await http1(`${url}${path}`, ask);

      expect(await countedBy(url)).toEqual([counted]);
    });
  }
});

test("what the service counts is not counted again, and what is no call not at all", async () => {
  const { url, setReady } = await served();
  setReady(false);

  await http1(`${url}${RPC}/GetRack`, json('{"code": "none"}'));
  await http1(`${url}${RPC}/SearchDevices`, json("{}", { "connect-timeout-ms": "60000" }));
  await http1(`${url}/graphql`, json('{"query": "{ rack(code: \\"none\\") { rack { code } } }"}'));
  await http1(`${url}/graphql`, json('{"query": "{ __typename }"}'));
  for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) await http1(`${url}${path}`);

  expect(await countedBy(url)).toEqual([
    call("GetRack", "REST", "not_found"),
    call("GetRack", "GRAPHQL", "not_found"),
    call("SearchDevices", "REST", "ok"),
  ]);
});
