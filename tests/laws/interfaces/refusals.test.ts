import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { ERROR_KIND_BY_REASON } from "#dc/model/finding.ts";
import { allRpcs } from "#dc/operations/index.ts";
import { ErrorInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "#gen/google/rpc/status_pb.ts";
import { ROUTE_DESCRIPTIONS } from "#interfaces/http/routes.ts";
import { openServed } from "../../support/dc/served.ts";
import { askByWire, envelope, type WireAnswer, type WireRequest } from "../../support/protocol_answers.ts";

/** Largest size of what a refusal says, in bytes. Source: docs/contract/datacenter-errors.md. */
const MAX_BYTES = 4096;
const SIZES = [1, 3000, 200_000];

let at: Awaited<ReturnType<typeof openServed>>;
beforeAll(async () => {
  at = await openServed();
});
afterAll(() => at.end());

/** What a caller sends wrongly as the JSON of a message, of some size. */
const WRONG_JSON: Readonly<Record<string, (size: number) => string>> = {
  "cut off": (size) => `{"request_id": "${"x".repeat(size)}`,
  "no object": (size) => JSON.stringify(["x".repeat(size)]),
  "a name twice": (size) => `{"${"n".repeat(size)}": 1, "${"n".repeat(size)}": 2}`,
  "a wrong value in every field": (size) => `{"x": "${"\u0001".repeat(size)}", FIELDS}`,
};

interface Form {
  readonly headers: Readonly<Record<string, string>>;
  readonly write: (json: string) => Uint8Array;
}

const FORMS: Readonly<Record<string, Form>> = {
  Connect: { headers: { "content-type": "application/json" }, write: (json) => Buffer.from(json) },
  "gRPC with JSON": {
    headers: { "content-type": "application/grpc+json", te: "trailers" },
    write: (json) => envelope(Buffer.from(json)),
  },
  "gRPC-Web with JSON": {
    headers: { "content-type": "application/grpc-web+json" },
    write: (json) => envelope(Buffer.from(json)),
  },
  "binary gRPC": {
    headers: { "content-type": "application/grpc", te: "trailers" },
    write: (json) => envelope(Buffer.from(`\xff\xff\xff\xff\xff\xff${json}`)),
  },
  "binary Connect": {
    headers: { "content-type": "application/proto" },
    write: (json) => Buffer.from(`\xff\xff\xff\xff\xff\xff${json}`),
  },
};

/** Faults of a call beside its message. */
const WRONG_CALLS: Readonly<Record<string, Partial<WireRequest>>> = {
  "another method": { verb: "DELETE" },
  "a changing method by GET": { verb: "GET", path: "?connect=v1&encoding=json&base64=1&message=%25%25%25" },
  "another media type": { headers: { "content-type": `text/${"x".repeat(3000)}` } },
  "another compression": { headers: { "content-encoding": "x".repeat(3000) } },
  "no gzip": { headers: { "content-encoding": "gzip" } },
  "no deadline": { headers: { "connect-timeout-ms": "x".repeat(3000) } },
  "another version": { headers: { "connect-protocol-version": "9".repeat(3000) } },
  "a deadline that is over": { headers: { "connect-timeout-ms": "0" } },
  "a token where none is expected": { headers: { authorization: `Bearer ${"x".repeat(3000)}` } },
};

/** Returns code and reason of a refusal, and checks that what it says is small. */
function readRefusal({ status, headers, trailers, body }: WireAnswer) {
  const web = /grpc-web/.test(headers["content-type"] ?? "") ? readWebTrailers(body) : {};
  const grpc: Readonly<Record<string, string>> = { ...headers, ...trailers, ...web };
  const number = grpc["grpc-status"];
  if (number !== undefined) {
    const binary = grpc["grpc-status-details-bin"] ?? "";
    expect(binary.length + (grpc["grpc-message"] ?? "").length).toBeLessThanOrEqual(MAX_BYTES);
    const [detail] = fromBinary(StatusSchema, base64Decode(binary)).details;
    return { code: number, reason: fromBinary(ErrorInfoSchema, detail?.value ?? new Uint8Array()).reason };
  }
  expect(body.length).toBeLessThanOrEqual(MAX_BYTES);
  expect(status).toBeGreaterThanOrEqual(400);
  const { code, details, errors } = JSON.parse(body.toString());
  if (errors !== undefined) return { code: errors[0].extensions.code, reason: errors[0].extensions.reason };
  return { code, reason: details?.[0].debug.reason };
}

function readWebTrailers(body: Buffer): Readonly<Record<string, string>> {
  const at = body.lastIndexOf(Buffer.from([0x80]));
  const lines = body
    .subarray(at + 5)
    .toString()
    .split("\r\n")
    .filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s) as [string, string]));
}

function expectOwnRefusal(answer: WireAnswer): void {
  const { code, reason } = readRefusal(answer);
  expect(Object.keys(ERROR_KIND_BY_REASON)).toContain(reason);
  expect(["internal", "13", "INTERNAL_SERVER_ERROR"]).not.toContain(code);
  if (answer.status === 405) expect(answer.headers["allow"]).toBeString();
  const { "accept-encoding": connect, "grpc-accept-encoding": grpc } = answer.headers;
  if (reason === "UNSUPPORTED_ENCODING") expect(connect ?? grpc).toBe("gzip,br");
  if (answer.status === 415) expect(answer.headers["accept-post"] ?? answer.headers["accept-encoding"]).toBeString();
}

describe("every refusal of an RPC is small and has a reason, whatever was sent:", () => {
  for (const { method } of allRpcs) {
    const path = `/${method.parent.typeName}/${method.name}`;
    const fields = method.input.fields.map(({ name }) => `"${name}": [[{}]]`).join();
    test(`${method.name}, wrong messages`, async () => {
      for (const [form, { headers, write }] of Object.entries(FORMS)) {
        for (const wrong of Object.values(WRONG_JSON)) {
          const size = SIZES[(path.length + form.length) % SIZES.length] ?? 1;
          const body = write(wrong(size).replace("FIELDS", fields || '"x": 1'));
          const answer = await askByWire(at.url, { verb: "POST", path, headers, body });
          // A read ignores unknown fields, as the only fault of a request without fields.
          if (fields !== "" || answer.status !== 200 || answer.body.length === 0) expectOwnRefusal(answer);
        }
      }
      expect(at.defects).toEqual([]);
    });

    test(`${method.name}, wrong calls`, async () => {
      for (const { path: query = "", headers = {}, ...wrong } of Object.values(WRONG_CALLS)) {
        const request = {
          verb: "POST",
          path: path + query,
          headers: { "content-type": "application/json", ...headers },
          body: Buffer.from("no message"),
          ...wrong,
        };
        expectOwnRefusal(await askByWire(at.url, request));
      }
      expect(at.defects).toEqual([]);
    });
  }
});

describe("every refusal of a route is small and has a reason, whatever was sent:", () => {
  const routes = ["POST /graphql", "POST /mcp", ...Object.keys(ROUTE_DESCRIPTIONS), `POST /${"n".repeat(3000)}`];
  for (const route of new Set(routes)) {
    const [verb = "", path = ""] = route.split(" ");
    test(route.slice(0, 40), async () => {
      const type = { "content-type": "application/json" };
      const long = "x".repeat(3000);
      const wrong: readonly Partial<WireRequest>[] = [
        { verb: "DELETE" },
        { headers: { origin: `http://${long}.example` } },
        { headers: { ...type, authorization: long } },
        ...(verb === "POST"
          ? [
              { headers: { "content-type": `text/${long}` } },
              { headers: { ...type, "content-encoding": long } },
              { headers: type, body: Buffer.from(`{"${long}": 1, "${long}": 2}`) },
              { headers: type, body: Buffer.from("{") },
            ]
          : []),
      ];
      for (const given of wrong) {
        const request = { verb, path, headers: {}, body: Buffer.alloc(0), ...given };
        const answer = await askByWire(at.url, request);
        // Without a body, /readyz and pages answer texts; routes that need no token ignore one.
        if (answer.status >= 400 && /json/.test(answer.headers["content-type"] ?? "")) expectOwnRefusal(answer);
      }
      expect(at.defects).toEqual([]);
    });
  }
});
