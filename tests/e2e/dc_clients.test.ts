import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { type Call, SERVICE_NAME as NAME, overConnectNode, overGrpcJs, overRest } from "../support/dc_calls.ts";
import { DcServer, emptyFolder, sampleDatabase, sampleSite } from "../support/dc_server.ts";

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

let sample: DcServer;
beforeAll(async () => {
  const folder = emptyFolder();
  await sampleDatabase(folder);
  sample = await DcServer.start(folder);
});
afterAll(() => sample.end());

for (const { name, open } of WAYS) {
  describe(name, () => {
    let way: ReturnType<Way["open"]>;
    beforeAll(() => {
      way = open(sample.url);
    });
    afterAll(() => way.close());

    test("loads the sample site in bulk, which is there already", async () => {
      for (const [rpc, items = []] of [
        ["BulkUpsertRacks", site["racks"]],
        ["BulkUpsertDevices", site["devices"]],
        ["BulkUpsertCracs", site["cracs"]],
      ] as const) {
        const reply = await way.call(rpc, { items });

        expect(reply).toMatchObject({ succeeded: items.length, failed: 0, committed: true });
        expect(new Set(reply.results.map(({ outcome }: { readonly outcome: string }) => outcome))).toEqual(
          new Set(["OUTCOME_UNCHANGED"]),
        );
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
