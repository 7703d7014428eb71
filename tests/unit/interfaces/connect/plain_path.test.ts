import { expect, test } from "bun:test";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { GetRackRequestSchema, UpsertRackRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlainCallPath } from "#interfaces/connect/plain_path.ts";
import { SharedPort } from "#runtime/one_port.ts";
import { served } from "../../../support/dc/served.ts";
import { testService } from "../../../support/dc/service.ts";
import { endAfterTest } from "../../../support/end_after_test.ts";
import { http1 } from "../../../support/http_client.ts";

const RPC = "/datacenter.v1.DatacenterService/";
const RACK = { code: "R1", location: { siteId: "S1", floorNumber: 1 } };

interface Sent {
  readonly rpc: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Everything that a client sees of an answer, but the clock. */
async function heard(url: string, path: string, { headers, body }: Omit<Sent, "rpc">) {
  const session = connect(url);
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  const found: { headers?: object; trailers?: object; body: string } = { body: "" };
  const chunks: Buffer[] = [];
  stream.on("response", ({ date: _clock, ...rest }) => {
    found.headers = { ...rest };
  });
  stream.on("trailers", (trailers) => {
    found.trailers = { ...trailers };
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => {
    stream.on("close", resolve);
    stream.on("error", reject);
    stream.end(body);
  });
  session.close();
  return { ...found, body: Buffer.concat(chunks).toString("latin1") };
}

const text = (json: unknown) => Buffer.from(typeof json === "string" ? json : JSON.stringify(json));
const getRack = (init: MessageInitShape<typeof GetRackRequestSchema>) =>
  toBinary(GetRackRequestSchema, create(GetRackRequestSchema, init));

function envelope(bytes: Uint8Array, flags = 0, length = bytes.length): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

const json = { "content-type": "application/json" };
const proto = { "content-type": "application/proto" };
const grpc = { "content-type": "application/grpc", te: "trailers" };
const there = getRack({ code: "R1" });

type Headers = Sent["headers"];
const asJson = (rpc: string, message: unknown, headers: Headers = {}): Sent => ({
  rpc,
  headers: { ...json, ...headers },
  body: text(message),
});
const byGrpc = (rpc: string, body: Uint8Array, headers: Headers = {}): Sent => ({
  rpc,
  headers: { ...grpc, ...headers },
  body,
});

const CASES: Readonly<Record<string, Sent>> = {
  "a question as JSON": asJson("GetRack", { code: "R1" }),
  "a question as binary": { rpc: "GetRack", headers: proto, body: there },
  "a question by gRPC": byGrpc("GetRack", envelope(there)),
  "JSON for one who takes gzip": asJson("GetRack", { code: "R1" }, { "accept-encoding": "gzip, br" }),
  "a small answer for one who takes gzip": asJson("SearchDevices", {}, { "accept-encoding": "gzip" }),
  "gRPC for one who takes gzip": byGrpc("GetRack", envelope(there), {
    "grpc-accept-encoding": "identity,deflate,gzip",
  }),
  "a small answer of gRPC for one who takes gzip": byGrpc("SearchDevices", envelope(new Uint8Array()), {
    "grpc-accept-encoding": "gzip",
  }),
  "a deadline that is kept": asJson("GetRack", { code: "R1" }, { "connect-timeout-ms": "60000" }),
  "a deadline of gRPC that is kept": byGrpc("GetRack", envelope(there), { "grpc-timeout": "1M" }),
  "a deadline that is over at once": asJson("GetRack", { code: "R1" }, { "connect-timeout-ms": "0" }),
  "a deadline that cannot be read": byGrpc("GetRack", envelope(there), { "grpc-timeout": "soon" }),
  "a deadline that is too long": asJson("GetRack", { code: "R1" }, { "connect-timeout-ms": "999999999" }),
  "something that is not there": asJson("GetRack", { code: "R9" }),
  "something that is not there, by gRPC": byGrpc("GetRack", envelope(getRack({ code: "R9" }))),
  "a change that breaks a rule": asJson("UpsertRack", { rack: { ...RACK, code: "no/slash" } }),
  "a change that breaks a rule, by gRPC": byGrpc(
    "UpsertRack",
    envelope(
      toBinary(UpsertRackRequestSchema, create(UpsertRackRequestSchema, { rack: { ...RACK, code: "no/slash" } })),
    ),
  ),
  "a field that is not known": asJson("UpsertRack", { rack: { ...RACK, kode: 1 } }),
  "a value of the wrong type": asJson("GetRack", { code: 5 }),
  "no JSON": asJson("GetRack", "{"),
  "no message": { rpc: "GetRack", headers: proto, body: Buffer.from([0xff]) },
  "nothing by gRPC": { rpc: "GetRack", headers: grpc, body: new Uint8Array() },
  "half an envelope": byGrpc("GetRack", envelope(there, 0, 90)),
  "two envelopes": { rpc: "GetRack", headers: grpc, body: Buffer.concat([envelope(there), envelope(there)]) },
  "an envelope that says it is compressed": byGrpc("GetRack", envelope(there, 1)),
  "a compressed question": {
    rpc: "GetRack",
    headers: { ...json, "content-encoding": "gzip" },
    body: gzipSync(text({ code: "R1" })),
  },
  "a compression that is not known": byGrpc("GetRack", envelope(there), { "grpc-encoding": "zstd" }),
  "more than a message may hold": { rpc: "GetRack", headers: json, body: Buffer.alloc(16 * 2 ** 20 + 1, 0x20) },
  "JSON in capitals": { rpc: "GetRack", headers: { "content-type": "Application/JSON" }, body: text({ code: "R1" }) },
  "a token that is not known": asJson("GetRack", { code: "R1" }, { authorization: "Bearer wrong" }),
  "a token that is not known, by gRPC": {
    rpc: "GetRack",
    headers: { ...grpc, authorization: "Bearer wrong" },
    body: envelope(there),
  },
};

for (const [name, { rpc, headers, body }] of Object.entries(CASES)) {
  test(`answers as the library does: ${name}`, async () => {
    const { url } = await served();
    await http1(`${url}${RPC}UpsertRack`, { method: "POST", headers: json, body: text({ rack: RACK }) });

    const plain = await heard(url, `${RPC}${rpc}`, { headers, body });
    // The library passes over what stands behind the path; the plain path knows it only bare.
    const library = await heard(url, `${RPC}${rpc}?by=library`, { headers, body });

    expect(plain).toEqual(library);
    expect(Object.keys(plain.headers ?? {})).not.toEqual([]);
  });
}

test("answers without the library what it takes", async () => {
  const { service } = await testService();
  let handedOver = 0;
  const plain = new PlainCallPath(
    service,
    async () => undefined,
    async (_request, response) => {
      handedOver += 1;
      response.destroy();
    },
  );
  const server = new SharedPort({ handler: (...given) => expect(plain.tryAnswer(...given)).toBe(true) });
  const url = `http://127.0.0.1:${await server.listen(0, "127.0.0.1")}`;
  endAfterTest(() => server.close(0));

  const written = await http1(`${url}${RPC}UpsertRack`, { method: "POST", headers: json, body: text({ rack: RACK }) });
  const read = await heard(url, `${RPC}GetRack`, { headers: grpc, body: envelope(there) });

  expect(JSON.parse(written.text)).toMatchObject({ outcome: "OUTCOME_CREATED" });
  expect(read).toMatchObject({ headers: { ":status": 200 }, trailers: { "grpc-status": "0" } });
  expect(handedOver).toBe(0);
});
