import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { rpcs } from "#dc/operations/index.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { graphqlSchema } from "#interfaces/graphql/schema.ts";
import { httpApp } from "#interfaces/http/app.ts";
import { goodRequests } from "../support/dc/good_requests.ts";
import { openServed } from "../support/dc/served.ts";
import { http1 } from "../support/http_client.ts";

type Method = (typeof rpcs)[number]["method"];

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
  async ({ localName, name, input }, role) => {
    const client = createClient(DatacenterService, open(at.url)) as unknown as Record<
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

const FIELDS: Readonly<Record<string, string>> = { GetRack: "rack", GetDevice: "device", GetPort: "port" };
const mutations = new Set(Object.keys(graphqlSchema().getMutationType()?.getFields() ?? {}));

const INTERFACES: Readonly<Record<string, Ask>> = {
  "Connect JSON": async ({ name }, role) => {
    const headers = { "content-type": "application/json", ...bearer(role) };
    return JSON.parse(await post(`/${DatacenterService.typeName}/${name}`, JSON.stringify(goodRequests[name]), headers))
      .code;
  },
  "Connect in binary": async ({ name, input }, role) => {
    const headers = { "content-type": "application/proto", ...bearer(role) };
    const body = toBinary(input, fromJson(input, goodRequests[name] ?? {}));
    return JSON.parse(await post(`/${DatacenterService.typeName}/${name}`, body, headers)).code;
  },
  "Connect over HTTP/2": overClient((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  gRPC: overClient((baseUrl) => createGrpcTransport({ baseUrl })),
  "gRPC-Web": overClient((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  GraphQL: async ({ name, localName }, role) => {
    const field = FIELDS[name] ?? localName;
    const query = `${mutations.has(field) ? "mutation" : "query"} { ${field} { __typename } }`;
    const headers = { "content-type": "application/json", ...bearer(role) };
    const { errors } = JSON.parse(await post("/graphql", JSON.stringify({ query }), headers));
    return errors[0].extensions.code.toLowerCase();
  },
};

for (const [name, ask] of Object.entries(INTERFACES)) {
  describe(`${name}, before anything is looked up,`, () => {
    test("refuses every change of a reader, single and bulk", async () => {
      const changes = rpcs.filter(({ effect }) => effect === "write");
      expect(changes).toHaveLength(16);

      for (const { method } of changes) {
        expect([method.name, await ask(method, "reader")]).toEqual([method.name, "permission_denied"]);
      }
      expect([touched, at.defects]).toEqual([0, []]);
    });

    test("refuses every call without a token, and with one that is not known", async () => {
      for (const { method } of rpcs) {
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

test("of all routes, only those that tell nothing of the inventory are open to everyone", async () => {
  const app = httpApp({
    service: at.site.service,
    findPrincipal: async () => undefined,
    whyNotReady: async () => undefined,
    metrics: () => "",
    observe: () => {},
    report: () => {},
    shutdown: new AbortController().signal,
  });
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
  expect(open).toEqual([
    "/",
    "/audit/webhook",
    "/graphql/playground",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/readyz",
  ]);
  // Closed as long as there is no secret for it.
  expect([403, 404, 405, 503]).toContain(statuses["/audit/webhook"] ?? 0);
  expect(touched).toBe(0);
});
