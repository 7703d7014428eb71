import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { type Call, SERVICE_NAME as NAME, overConnectNode, overGrpcJs, overRest } from "../support/dc_calls.ts";
import { DcServer, emptyFolder, sampleSite } from "../support/dc_server.ts";
import { Http2Client, http1 } from "../support/http_client.ts";

const site = sampleSite();

interface Way {
  readonly name: string;
  open(url: string): { readonly call: Call; close(): void };
}

const connectNode = (name: string, transport: (baseUrl: string) => Transport): Way => ({
  name,
  open: (url) => ({ call: overConnectNode(transport(url)), close: () => {} }),
});

const WAYS: readonly Way[] = [
  {
    name: "@grpc/grpc-js",
    open(url) {
      const client = new Client(url.replace("http://", ""), credentials.createInsecure());
      return { call: overGrpcJs(client), close: () => client.close() };
    },
  },
  connectNode("connect-node in gRPC", (baseUrl) => createGrpcTransport({ baseUrl })),
  connectNode("connect-node in gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  connectNode("connect-node in Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  { name: "JSON by node:http", open: (url) => ({ call: overRest(url), close: () => {} }) },
];

for (const { name, open } of WAYS) {
  describe(name, () => {
    let server: DcServer;
    let way: ReturnType<Way["open"]>;
    beforeAll(async () => {
      server = await DcServer.start(emptyFolder());
      way = open(server.url);
    });
    afterAll(async () => {
      way.close();
      await server.end();
    });

    test("loads the sample site in bulk, and the second time changes nothing", async () => {
      for (const outcome of ["OUTCOME_CREATED", "OUTCOME_UNCHANGED"]) {
        for (const [rpc, items = []] of [
          ["BulkUpsertRacks", site["racks"]],
          ["BulkUpsertDevices", site["devices"]],
          ["BulkUpsertCracs", site["cracs"]],
        ] as const) {
          const reply = await way.call(rpc, { items });

          expect(reply).toMatchObject({ succeeded: items.length, failed: 0, committed: true });
          expect(reply.results.every((one: { readonly outcome: string }) => one.outcome === outcome)).toBe(true);
        }
      }
    });

    test("finds devices page by page, with counts by role", async () => {
      const codes: string[] = [];
      let token = "";
      do {
        const page = await way.call("SearchDevices", { page_size: 300, page_token: token });
        codes.push(...page.devices.map(({ code }: { readonly code: string }) => code));
        token = page.next_page_token;
        const counts: Record<string, number> = page.role_counts;
        expect(page.total_count).toBe(808);
        expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(808);
      } while (token !== "");

      expect(codes.toSorted()).toEqual((site["devices"] ?? []).map(({ code }) => String(code)).toSorted());
    });

    test("reads one device with the way its power comes", async () => {
      const reply = await way.call("GetDevice", { code: "SRV-B03-07", view: "DEVICE_VIEW_FULL" });

      expect(reply.device).toMatchObject({ code: "SRV-B03-07", rack_code: "B03" });
      expect(reply.device.ports.length).toBeGreaterThan(0);
      expect(reply.power_chain.map(({ path_label }: { readonly path_label: string }) => path_label)).toEqual([
        "A",
        "A",
      ]);
    });

    test("tells who goes dark when a UPS fails and a panel trips after it", async () => {
      const cables = (site["cables"] ?? []).filter(({ type }) => type === "CABLE_TYPE_POWER");
      for (const cable of cables) await way.call("UpsertCable", { cable });

      const reply = await way.call("PowerBlastRadius", { source_ref: "device:UPS-A2", cascade: true });

      expect(reply.impact).toMatchObject({ racks_dark: 10, racks_partial: 10, devices_offline: 93, cracs_offline: 2 });
      expect(reply.cascade_steps).toMatchObject([{ tripped_refs: ["device:RPP-B-D"] }]);
    });
  });
}

describe("@grpc/grpc-js", () => {
  let server: DcServer;
  let client: Client;
  beforeAll(async () => {
    server = await DcServer.start(emptyFolder());
    client = new Client(server.url.replace("http://", ""), credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.end();
  });

  test("gets a refusal as code, message and status details", async () => {
    const error: ServiceError = await overGrpcJs(client)("GetDevice", { code: "D9" }).catch((thrown) => thrown);

    expect(error.code).toBe(status.NOT_FOUND);
    expect(error.details).toContain("D9");
    const [details] = error.metadata.get("grpc-status-details-bin");
    expect(String(details)).toContain("google.rpc.ErrorInfo");
  });

  test("reads signs and letters of a message as they were said", async () => {
    const code = "a/b: 100 %, ü🙂";
    const error: ServiceError = await overGrpcJs(client)("GetDevice", { code }).catch((thrown) => thrown);

    expect(error.code).toBe(status.INVALID_ARGUMENT);
    expect(error.details).toContain(`"${code}"`);
  });

  test("gets UNIMPLEMENTED for a method that is not there", async () => {
    const error: ServiceError = await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/${NAME}/Nothing`,
        (bytes: Buffer) => bytes,
        (bytes) => bytes,
        Buffer.alloc(0),
        (thrown) => (thrown === null ? reject(new Error("answered")) : resolve(thrown)),
      );
    });

    expect(error.code).toBe(status.UNIMPLEMENTED);
  });

  test("has 200 calls at once answered", async () => {
    const call = overGrpcJs(client);

    const replies = await Promise.all(Array.from({ length: 200 }, () => call("SearchDevices", {})));

    expect(replies.every(({ total_count }) => total_count === 0)).toBe(true);
  });
});

test("buf curl calls by reflection alone", async () => {
  const server = await DcServer.start(emptyFolder());
  const buf = join(import.meta.dirname, "..", "..", "node_modules", ".bin", "buf");
  const words = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data", "{}"];

  const { stdout, stderr } = spawnSync(buf, [...words, `${server.url}/${NAME}/SearchDevices`], { encoding: "utf8" });
  await server.end();

  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({});
});

test("GraphQL answers on the same port over HTTP/1.1 and HTTP/2", async () => {
  const server = await DcServer.start(emptyFolder());
  const headers = { "content-type": "application/json" };
  const write = 'mutation { upsertRack(rack: { code: "R1", location: { siteId: "S1", floorNumber: 1 } }) { outcome } }';
  const query = "{ searchDevices { totalCount } }";

  const written = await http1(`${server.url}/graphql`, {
    method: "POST",
    headers,
    body: JSON.stringify({ query: write }),
  });
  const client = new Http2Client(server.url);
  const read = await client.ask("/graphql", { method: "POST", headers, body: JSON.stringify({ query }) });
  client.close();
  await server.end();

  expect(JSON.parse(written.text)).toEqual({ data: { upsertRack: { outcome: "CREATED" } } });
  expect(JSON.parse(read.text)).toEqual({ data: { searchDevices: { totalCount: 0 } } });
});
