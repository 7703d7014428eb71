import { describe, expect, test } from "bun:test";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { DatacenterService, DeviceKind, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as V1Alpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { served } from "../../../support/dc/served.ts";

type Open = (baseUrl: string) => Transport;

const TRANSPORTS: readonly (readonly [string, "REST" | "GRPC", Open])[] = [
  ["Connect with JSON over HTTP/1.1", "REST", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  [
    "Connect with binary over HTTP/2, reads by GET",
    "REST",
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true, useHttpGet: true }),
  ],
  ["gRPC-Web over HTTP/1.1", "GRPC", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web over HTTP/2", "GRPC", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["gRPC over HTTP/2", "GRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC with JSON", "GRPC", (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false })],
];

const location = { siteId: "S1", floorNumber: 1 };

for (const [name, interfaceName, open] of TRANSPORTS) {
  describe(name, () => {
    test("writes, reads back and says through which interface", async () => {
      const at = await served();
      const client = createClient(DatacenterService, open(at.url));

      const rack = await client.upsertRack({ rack: { code: "R1", location } });
      const device = await client.upsertDevice({
        device: { code: "D1", kind: DeviceKind.SERVER, rackCode: "R1", serial: "ü" },
      });
      const found = await client.searchDevices({ filter: { rackCodes: ["R1"] } });

      expect([rack.outcome, device.outcome]).toEqual([Outcome.CREATED, Outcome.CREATED]);
      expect(found.devices.map(({ code, serial }) => [code, serial])).toEqual([["D1", "ü"]]);
      const entries = await at.site.store.read((reader) => reader.history({ descending: false, limit: 9 }));
      expect(entries.map(({ request }) => request.interface)).toEqual([interfaceName, interfaceName]);
    });

    test("refuses with code and details", async () => {
      const at = await served();
      const client = createClient(DatacenterService, open(at.url));

      const error = await client.upsertRack({ rack: { code: "no/slash", location } }).catch(ConnectError.from);

      expect(error).toBeInstanceOf(ConnectError);
      if (!(error instanceof ConnectError)) return;
      expect(error.code).toBe(Code.InvalidArgument);
      expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "INVALID_CODE", domain: "datacenter.v1" }]);
      expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field).toBe("rack.code");
    });
  });
}

describe("Health", () => {
  const watchOf = async (at: Awaited<ReturnType<typeof served>>, service: string) => {
    const client = createClient(Health, createGrpcTransport({ baseUrl: at.url }));
    return client.watch({ service })[Symbol.asyncIterator]();
  };

  test("checks the server and its service, and no other, without a token", async () => {
    const at = await served({ authRequired: true });
    const client = createClient(Health, createGrpcTransport({ baseUrl: at.url }));

    const whole = await client.check({});
    at.setReady(false);
    const service = await client.check({ service: DatacenterService.typeName });
    const other = await client.check({ service: "other" }).catch(ConnectError.from);
    const { statuses } = await client.list({});

    expect([whole.status, service.status]).toEqual([Status.SERVING, Status.NOT_SERVING]);
    expect(other).toMatchObject({ code: Code.NotFound });
    expect(Object.keys(statuses).toSorted()).toEqual(["", DatacenterService.typeName, "datacenter.v1.PlanningService"]);
  });

  test("tells watchers that the server is about to end", async () => {
    const at = await served();
    const watch = await watchOf(at, "");

    const first = await watch.next();
    at.shutdown.abort();
    const second = await watch.next();
    const last = await watch.next();

    expect([first.value?.status, second.value?.status, last.done]).toEqual([Status.SERVING, Status.NOT_SERVING, true]);
  });

  test("keeps the watch of an unknown service open", async () => {
    const at = await served();

    const { value } = await (await watchOf(at, "other")).next();

    expect(value?.status).toBe(Status.SERVICE_UNKNOWN);
    at.shutdown.abort();
  });
});

for (const [version, service] of [
  ["v1", ServerReflection],
  ["v1alpha", V1Alpha as unknown as typeof ServerReflection],
] as const) {
  test(`Reflection ${version} tells services, files and symbols`, async () => {
    const at = await served();
    const client = createClient(service, createGrpcTransport({ baseUrl: at.url }));
    async function* questions() {
      yield { messageRequest: { case: "listServices" as const, value: "" } };
      yield {
        messageRequest: { case: "fileContainingSymbol" as const, value: "datacenter.v1.DatacenterService.GetRack" },
      };
      yield { messageRequest: { case: "fileByFilename" as const, value: "google/rpc/status.proto" } };
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: "datacenter.v1.Nothing" } };
      const containingType = "google.protobuf.FieldOptions";
      yield { messageRequest: { case: "allExtensionNumbersOfType" as const, value: containingType } };
      const value = { containingType, extensionNumber: 50_100 };
      yield { messageRequest: { case: "fileContainingExtension" as const, value } };
      for (const { typeName } of detailRegistry)
        yield { messageRequest: { case: "fileContainingSymbol" as const, value: typeName } };
    }

    const answers = [];
    for await (const { messageResponse } of client.serverReflectionInfo(questions())) answers.push(messageResponse);

    const files = answers.map(({ case: kind, value }) =>
      kind === "fileDescriptorResponse"
        ? value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
        : [],
    );
    expect(answers[0]?.value).toMatchObject({
      service: [
        { name: "datacenter.v1.DatacenterService" },
        { name: "datacenter.v1.PlanningService" },
        { name: "grpc.health.v1.Health" },
        { name: "grpc.reflection.v1.ServerReflection" },
        { name: "grpc.reflection.v1alpha.ServerReflection" },
      ],
    });
    expect(files[1]?.[0]).toBe("datacenter/v1/datacenter.proto");
    expect(files[1]).toContain("google/protobuf/timestamp.proto");
    expect(files[2]?.[0]).toBe("google/rpc/status.proto");
    expect(answers[3]).toMatchObject({ case: "errorResponse", value: { errorCode: Code.NotFound } });
    expect(answers[4]?.value).toMatchObject({ extensionNumber: [50_100] });
    expect(files[5]?.[0]).toBe("datacenter/v1/rules.proto");
    // Types that a reply or an error packs into an Any.
    expect(new Set(files.slice(6).map(([first]) => first))).toEqual(new Set(["google/rpc/error_details.proto"]));
  });
}
