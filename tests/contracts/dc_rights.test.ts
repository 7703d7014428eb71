import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from "graphql";
import { Hono, type MiddlewareHandler } from "hono";
import { allRpcs } from "#dc/operations/index.ts";
import type { RouteEnv } from "#interfaces/connect/kept_replies.ts";
import { buildGraphqlSchema } from "#interfaces/graphql/schema.ts";
import { mountRoutes } from "#interfaces/http/app.ts";
import { goodRequests } from "../support/dc/good_requests.ts";
import { graphqlInput } from "../support/dc/graphql.ts";
import { openServed } from "../support/dc/served.ts";
import { http1 } from "../support/http_client.ts";

type Method = (typeof allRpcs)[number]["method"];

let at: Awaited<ReturnType<typeof openServed>>;
let touched = 0;
beforeAll(async () => {
  at = await openServed({ authRequired: true });
  const touch = () => {
    touched++;
    return Promise.reject(new Error("The store was asked"));
  };
  at.site.store.read = touch;
  at.site.store.write = touch;
});
afterAll(() => at.end());

const bearer = (role: string | undefined): Record<string, string> =>
  role === undefined ? {} : { authorization: `Bearer ${role}` };

const CONNECT_CODE: Readonly<Record<string, Code>> = {
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
};

/** The code with which a caller of a role is refused, in Connect's words. */
type Ask = (method: Method, role: string | undefined) => Promise<string>;

const overClient =
  (open: (baseUrl: string) => Parameters<typeof createClient>[1]): Ask =>
  async ({ localName, name, input, parent }, role) => {
    const client = createClient(parent, open(at.url)) as unknown as Record<
      string,
      (request: object, options: object) => Promise<never>
    >;
    const request = fromJson(input, goodRequests[name] ?? {});
    const error = await client[localName]?.(request, { headers: bearer(role) }).catch((thrown: unknown) => thrown);
    const { code } = ConnectError.from(error);
    return Object.keys(CONNECT_CODE).find((word) => CONNECT_CODE[word] === code) ?? `code ${code}`;
  };

async function post(path: string, body: string | Uint8Array, headers: Record<string, string>): Promise<string> {
  return (await http1(at.url + path, { method: "POST", headers, body })).text;
}

/** The GraphQL field of an RPC: one that gets a thing has its name. */
const fieldOf = (localName: string) => localName.replace(/^get([A-Z])/, (_, letter: string) => letter.toLowerCase());
const schema = buildGraphqlSchema();
const mutations = schema.getMutationType()?.getFields() ?? {};

/** The smallest value of a GraphQL type. */
function leastValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastValue(type.ofType as GraphQLInputType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return type.name === "DateTime" ? "2026-01-01T00:00:00Z" : "x";
  const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
  return Object.fromEntries(required.map((field) => [field.name, leastValue(field.type)]));
}

const INTERFACES: Readonly<Record<string, Ask>> = {
  "Connect JSON": async ({ name, parent }, role) => {
    const headers = { "content-type": "application/json", ...bearer(role) };
    return JSON.parse(await post(`/${parent.typeName}/${name}`, JSON.stringify(goodRequests[name] ?? {}), headers))
      .code;
  },
  "Connect in binary": async ({ name, input, parent }, role) => {
    const headers = { "content-type": "application/proto", ...bearer(role) };
    const body = toBinary(input, fromJson(input, goodRequests[name] ?? {}));
    return JSON.parse(await post(`/${parent.typeName}/${name}`, body, headers)).code;
  },
  "Connect over HTTP/2": overClient((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  gRPC: overClient((baseUrl) => createGrpcTransport({ baseUrl })),
  "gRPC-Web": overClient((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  GraphQL: async ({ localName, name, input }, role) => {
    const field = fieldOf(localName);
    const declared = mutations[field] ?? schema.getQueryType()?.getFields()[field];
    const required = (declared?.args ?? []).filter(({ type }) => isNonNullType(type));
    const least = Object.fromEntries(required.map((one) => [one.name, leastValue(one.type)]));
    const variables: Record<string, unknown> = { ...least, ...graphqlInput(input, goodRequests[name] ?? {}) };
    const given = Object.keys(variables);
    const typeOf = (argument: string) => declared?.args.find((one) => one.name === argument)?.type;
    const kind = field in mutations ? "mutation" : "query";
    const head = given.length === 0 ? "" : `(${given.map((one) => `$${one}: ${typeOf(one)}`).join(", ")})`;
    const passed = given.length === 0 ? "" : `(${given.map((one) => `${one}: $${one}`).join(", ")})`;
    const query = `${kind} Q${head} { ${field}${passed} { __typename } }`;
    const headers = { "content-type": "application/json", ...bearer(role) };
    const { errors } = JSON.parse(await post("/graphql", JSON.stringify({ query, variables }), headers));
    return errors[0].extensions.code.toLowerCase();
  },
};

for (const [name, ask] of Object.entries(INTERFACES)) {
  describe(`${name}, before anything is looked up,`, () => {
    test("refuses every change of a reader, single and bulk", async () => {
      for (const { method } of allRpcs.filter(({ effect }) => effect === "write")) {
        expect([method.name, await ask(method, "reader")]).toEqual([method.name, "permission_denied"]);
      }
      expect([touched, at.defects]).toEqual([0, []]);
    });

    test("refuses every call of a meter but its report, which reaches the store", async () => {
      for (const { method, effect } of allRpcs.filter((rpc) => rpc.effect !== "report")) {
        expect([method.name, effect, await ask(method, "meter")]).toEqual([method.name, effect, "permission_denied"]);
      }
      expect([touched, at.defects]).toEqual([0, []]);
      const report = allRpcs.filter(({ effect }) => effect === "report");
      expect(report.map(({ method }) => method.name)).toEqual(["ReportReadings"]);
      // An empty report is refused for itself, by a meter's right to report.
      for (const { method } of report) {
        const [asMeter, asReader] = [await ask(method, "meter"), await ask(method, "reader")];
        expect([asMeter.replace(/^(?:code 3|bad_user_input)$/, "invalid_argument"), asReader]).toEqual([
          "invalid_argument",
          "permission_denied",
        ]);
      }
    });

    test("refuses every call without a token, and with one that is not known", async () => {
      for (const { method } of allRpcs) {
        const codes = [await ask(method, undefined), await ask(method, "stranger")];
        expect([method.name, ...codes]).toEqual([method.name, "unauthenticated", "unauthenticated"]);
      }
      expect([touched, at.defects]).toEqual([0, []]);
    });
  });
}

test("a batch of GraphQL mutations changes nothing for a reader, each refused by itself", async () => {
  const query = 'mutation { a: deleteRack(code: "R1") { deleted } b: bulkDeleteDevices(codes: ["D1"]) { succeeded } }';
  const headers = { "content-type": "application/json", ...bearer("reader") };

  const { errors } = JSON.parse(await post("/graphql", JSON.stringify({ query }), headers));

  expect(errors.map((one: { readonly path: string[] }) => one.path[0])).toEqual(["a", "b"]);
  expect(touched).toBe(0);
});

test("a meter reads no route but its session, calls no tool and subscribes to no calendar", async () => {
  const paths = ["/audit/history", "/audit/verify", "/estate", "/resources?ref=rack:R1", "/changes/stream"];
  const headers = {
    ...bearer("meter"),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const get = async (path: string) => (await http1(at.url + path, { headers })).status;
  const tool = { name: "get_rack", arguments: { code: "R1" } };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: tool });

  const read = Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await get(path)] as const)));
  const called = await post("/mcp", message, headers);

  expect(read).toEqual(Object.fromEntries(paths.map((path) => [path, 403])));
  expect(called).toContain("may not call GetRack");
  expect(await get("/windows.ics?secret=meter")).toBe(403);
  expect(await get("/session")).toBe(200);
  expect(touched).toBe(0);
});

test("of all routes, only those that tell nothing of the inventory are open to everyone", async () => {
  const app = new Hono<RouteEnv>();
  const options = {
    service: at.site.service,
    findPrincipal: async () => undefined,
    findUnreadyReason: async () => undefined,
    formatMetrics: () => "",
    observeRefusedCall: () => {},
    reportDefect: () => {},
    shutdown: new AbortController().signal,
  };
  const pass: MiddlewareHandler<RouteEnv> = async (_, next) => next();
  mountRoutes(app, options, { keep: pass, queue: pass, count: pass });
  const routes = new Map<string, string>();
  for (const { path, method } of app.routes) {
    // Where POST is served, other methods are refused before anyone is asked who calls.
    if (!path.includes("*") && routes.get(path) !== "POST") routes.set(path, method === "POST" ? "POST" : "GET");
  }
  const statuses: Record<string, number> = {};
  for (const [path, method] of [...routes].toSorted()) {
    statuses[path] = (await http1(at.url + path, { method, headers: { "content-type": "application/json" } })).status;
  }

  const open = Object.keys(statuses).filter((path) => statuses[path] !== 401);
  expect(open).toEqual("/ /audit/webhook /graphql/playground /healthz /metrics /openapi.json /readyz".split(" "));
  // Closed as long as there is no secret for it.
  expect([403, 404, 405, 503]).toContain(statuses["/audit/webhook"] ?? 0);
  expect(touched).toBe(0);
});
