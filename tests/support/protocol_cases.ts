import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { GetRackRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ERROR_KINDS } from "#kernel/errors.ts";
import { envelope, type Protocol, type WireRequest } from "./protocol_answers.ts";

/** A request and the codes of which a server must answer one. */
export interface ProtocolCase {
  readonly name: string;
  readonly protocol: Protocol;
  readonly request: WireRequest;
  readonly codes: readonly string[];
  /** HTTP status, where the protocol fixes it. */
  readonly status?: number;
  readonly message?: string;
}

export const RPC = "/datacenter.v1.DatacenterService/GetRack";

/** Codes of racks whose question the server refuses with that kind, and the text that it gives. */
export const FAILURE_PREFIX = "fail-";
export const FAILURE_TEXT = "Größe \u{1f4a5} 100%";

/** Code of a rack whose question is never answered. */
export const ENDLESS = "endless";

/** Status of each code. Source: Connect protocol, "Error Codes". */
const HTTP_STATUS: Readonly<Record<string, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  unauthenticated: 401,
};

/** What 415 means: a client that reads only the status knows no more than `unknown`. */
const UNSUPPORTED = ["unknown", "invalid_argument"];

const LIMIT = 16 * 2 ** 20;

const binary = (code: string) => toBinary(GetRackRequestSchema, create(GetRackRequestSchema, { code }));
const json = (code: string) => Buffer.from(JSON.stringify({ code }));

/** A message of exactly `bytes` bytes; no rack has its code. */
function sized({ message }: Form, bytes: number): Uint8Array {
  const more = message("x".repeat(LIMIT / 2)).length - LIMIT / 2;
  const nearly = message("x".repeat(bytes - more));
  return message("x".repeat(bytes - more + bytes - nearly.length));
}

/** A form in which an RPC can be called: content type, what frames a message, and where encodings and deadlines go. */
interface Form {
  readonly name: string;
  readonly protocol: Protocol;
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the question for a rack. */
  readonly message: (code: string) => Uint8Array;
  /** Frames a message. */
  readonly body: (bytes: Uint8Array, flags?: number) => Uint8Array;
  readonly encoding: string;
  readonly accept: string;
  /** Whether large messages are tried, which takes long: once per protocol and encoding. */
  readonly measuresSize: boolean;
  readonly timeout: (ms: number) => Readonly<Record<string, string>>;
}

const connectTimeout = (ms: number) => ({ "connect-timeout-ms": `${ms}` });
const grpcTimeout = (ms: number) => ({ "grpc-timeout": `${ms}m` });

const FORMS: readonly Form[] = (
  [
    ["Connect, binary", { "content-type": "application/proto", "connect-protocol-version": "1" }, binary],
    ["Connect, JSON", { "content-type": "application/json", "connect-protocol-version": "1" }, json],
    ["Connect, JSON, no version", { "content-type": "application/json" }, json],
  ] as const
).map(
  ([name, headers, message]): Form => ({
    name,
    protocol: "connect",
    headers,
    message,
    body: (bytes) => bytes,
    encoding: "content-encoding",
    accept: "accept-encoding",
    measuresSize: "connect-protocol-version" in headers,
    timeout: connectTimeout,
  }),
);

const ENVELOPED: readonly Form[] = (
  [
    ["gRPC", "grpc", "application/grpc"],
    ["gRPC with the form of its messages", "grpc", "application/grpc+proto"],
    ["gRPC-Web", "grpc-web", "application/grpc-web"],
    ["gRPC-Web with the form of its messages", "grpc-web", "application/grpc-web+proto"],
  ] as const
).map(([name, protocol, type]) => ({
  name,
  protocol,
  headers: { "content-type": type, ...(protocol === "grpc" && { te: "trailers" }) },
  message: binary,
  body: envelope,
  encoding: "grpc-encoding",
  accept: "grpc-accept-encoding",
  measuresSize: !type.includes("+"),
  timeout: grpcTimeout,
}));

const ALL = [...FORMS, ...ENVELOPED];

type Given = Partial<Omit<ProtocolCase, "request">> & { readonly request?: Partial<WireRequest> };

function caseOf(form: Form, name: string, { request, ...expected }: Given): ProtocolCase {
  const { headers = {}, ...rest } = request ?? {};
  return {
    name: `${form.name}: ${name}`,
    protocol: form.protocol,
    request: {
      verb: "POST",
      path: RPC,
      body: form.body(form.message("R1")),
      ...rest,
      headers: { ...form.headers, ...headers },
    },
    codes: ["ok"],
    ...expected,
  };
}

function refusalStatus({ protocol }: Form, code: string): Given {
  const status = protocol === "connect" ? HTTP_STATUS[code] : 200;
  return status === undefined ? {} : { status };
}

/** Basic calls, compressions, deadlines, empty and large messages: suites basic, timeouts, server_empty, message_size. */
function plainCases(form: Form): readonly ProtocolCase[] {
  const compressions = { gzip: gzipSync, br: brotliCompressSync };
  const flags = form.protocol === "connect" ? 0 : 1;
  return [
    caseOf(form, "a question", { status: 200 }),
    caseOf(form, "metadata with several values and a binary one", {
      request: { headers: { "x-conformance": "a, b", "x-bytes-bin": "AAEC" } },
    }),
    ...Object.entries(compressions).flatMap(([name, compress]) => [
      caseOf(form, `a question in ${name}`, {
        request: { headers: { [form.encoding]: name }, body: form.body(compress(form.message("R1")), flags) },
      }),
      caseOf(form, `an answer that may be in ${name}`, {
        request: { headers: { [form.accept]: `identity, ${name}` } },
      }),
    ]),
    caseOf(form, "an answer that may be in an unknown compression", { request: { headers: { [form.accept]: "foo" } } }),
    caseOf(form, "an unknown compression", {
      request: { headers: { [form.encoding]: "foo" }, body: form.body(deflateSync(form.message("R1")), flags) },
      codes: ["unimplemented"],
      ...refusalStatus(form, "unimplemented"),
    }),
    caseOf(form, "a deadline that is far", { request: { headers: form.timeout(60_000) } }),
    caseOf(form, "a deadline that is over", {
      request: { headers: form.timeout(0) },
      codes: ["deadline_exceeded"],
      ...refusalStatus(form, "deadline_exceeded"),
    }),
    caseOf(form, "a deadline that passes while the call runs", {
      request: { headers: form.timeout(50), body: form.body(form.message(ENDLESS)) },
      codes: ["deadline_exceeded"],
      ...refusalStatus(form, "deadline_exceeded"),
    }),
    caseOf(form, "a message of no bytes", {
      request: { body: form.body(new Uint8Array()) },
      codes: ["invalid_argument"],
      ...refusalStatus(form, "invalid_argument"),
    }),
    ...(form.measuresSize ? sizeCases(form) : []),
  ];
}

/** Messages at the limit of size and above: suite server_message_size. */
function sizeCases(form: Form): readonly ProtocolCase[] {
  return [
    caseOf(form, "a message at the limit of size", {
      request: { body: form.body(sized(form, LIMIT)) },
      codes: ["invalid_argument", "not_found"],
    }),
    caseOf(form, "a message above the limit of size", {
      request: { body: form.body(sized(form, LIMIT + 1)) },
      codes: ["resource_exhausted"],
      ...refusalStatus(form, "resource_exhausted"),
    }),
  ];
}

/** Every kind of refusal with a text beyond ASCII: suite errors. */
function failureCases(form: Form): readonly ProtocolCase[] {
  return ERROR_KINDS.map((kind) =>
    caseOf(form, `a refusal ${kind}`, {
      request: { body: form.body(form.message(`${FAILURE_PREFIX}${kind}`)) },
      codes: [kind],
      message: FAILURE_TEXT,
      ...refusalStatus(form, kind),
    }),
  );
}

/** Requests that no client of the protocol sends: suites server_unexpected of each protocol. */
function unexpectedCases(form: Form): readonly ProtocolCase[] {
  const foo = `${form.headers["content-type"]?.split("+")[0]?.replace(/\/(?:proto|json)$/, "/")}${form.protocol === "connect" ? "foo" : "+foo"}`;
  const isVersioned = form.headers["connect-protocol-version"] !== undefined;
  return [
    caseOf(form, "another method of HTTP", {
      request: { verb: "DELETE" },
      codes: ["unknown", "unimplemented"],
      status: 405,
    }),
    caseOf(form, "another method of a known service", {
      request: { path: `${RPC}s` },
      codes: ["unimplemented"],
    }),
    caseOf(form, "an unknown service", { request: { path: "/none.v1.None/None" }, codes: ["unimplemented"] }),
    caseOf(form, "an unknown form of messages", {
      request: { headers: { "content-type": foo } },
      codes: UNSUPPORTED,
      status: 415,
    }),
    caseOf(form, "an unknown content type", {
      request: { headers: { "content-type": "image/jpeg" } },
      codes: UNSUPPORTED,
      status: 415,
    }),
    ...(isVersioned
      ? [
          caseOf(form, "an unknown version", {
            request: { headers: { "connect-protocol-version": "2" } },
            codes: ["invalid_argument"],
            status: 400,
          }),
        ]
      : []),
  ];
}

/** Envelopes that are missing, repeated, cut off or marked wrongly. */
function envelopeCases(form: Form): readonly ProtocolCase[] {
  const there = form.message("R1");
  const one = envelope(there);
  return [
    caseOf(form, "no message", { request: { body: new Uint8Array() }, codes: ["unimplemented"] }),
    caseOf(form, "two messages", { request: { body: Buffer.concat([one, one]) }, codes: ["unimplemented"] }),
    caseOf(form, "a message marked as compressed without a compression", {
      request: { headers: { [form.encoding]: "identity" }, body: envelope(there, 1) },
      // The protocol says internal, which names a defect of the server here.
      codes: ["invalid_argument"],
    }),
    caseOf(form, "an envelope that is cut off", {
      request: { body: envelope(there, 0, 90) },
      codes: ["invalid_argument", "internal", "data_loss"],
    }),
  ];
}

/** Connect's calls by GET: suite connect_with_get. */
function getCases(): readonly ProtocolCase[] {
  const get = (name: string, query: Readonly<Record<string, string>>, expected: Given = {}): ProtocolCase => ({
    name: `Connect by GET: ${name}`,
    protocol: "connect",
    request: { verb: "GET", path: `${RPC}?${new URLSearchParams(query)}`, headers: {}, body: new Uint8Array() },
    codes: ["ok"],
    ...(expected as Partial<ProtocolCase>),
  });
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const asJson = { connect: "v1", encoding: "json" };
  const refused = { codes: ["invalid_argument"], status: 400 };
  return [
    get("JSON", { ...asJson, message: '{"code":"R1"}' }, { status: 200 }),
    get("JSON in base64", { ...asJson, message: base64(json("R1")), base64: "1" }),
    get("binary", { connect: "v1", encoding: "proto", message: base64(binary("R1")), base64: "1" }),
    get("a compressed message", {
      ...asJson,
      message: base64(gzipSync(json("R1"))),
      base64: "1",
      compression: "gzip",
    }),
    get("something that is not there", { ...asJson, message: '{"code":"R9"}' }, { codes: ["not_found"], status: 404 }),
    get("an unknown version", { ...asJson, connect: "v2", message: "{}" }, refused),
    get("an unknown form", { connect: "v1", encoding: "foo", message: "{}" }, { codes: UNSUPPORTED, status: 415 }),
    get("no message that can be read", { ...asJson, message: "{" }, refused),
  ];
}

export const PROTOCOL_CASES: readonly ProtocolCase[] = [
  ...ALL.flatMap((form) => [...plainCases(form), ...failureCases(form), ...unexpectedCases(form)]),
  ...ENVELOPED.flatMap(envelopeCases),
  ...getCases(),
];
