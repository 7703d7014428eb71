import { createHash } from "node:crypto";
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { HISTORY_PARAMETERS } from "#dc/operations/audit_history.ts";
import { SERVICES } from "#dc/operations/index.ts";
import {
  buildMessageSchema,
  findProtoComment,
  type JsonSchema,
  type SchemaOptions,
} from "#dc/operations/messages/message_schema.ts";
import { LOG_PROBLEMS } from "#dc/service.ts";
import { MAX_MESSAGE_BYTES } from "#interfaces/connect/limits.ts";
import { ROUTES, STREAM_EVENTS } from "./routes.ts";

const ERROR_REF = { $ref: "#/components/schemas/Error" };

/** Schema of an error. Source: Connect protocol, Error End-Stream; the canonical codes. */
const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  description: "Every failure, on the RPCs and on the plain routes.",
  required: ["code"],
  properties: {
    code: { type: "string", description: "Canonical code, such as invalid_argument or not_found." },
    message: { type: "string", description: "What is wrong, with field, value and what was expected." },
    details: {
      type: "array",
      description: "google.rpc.ErrorInfo with a stable reason, and BadRequest, PreconditionFailure or ResourceInfo.",
      items: {
        type: "object",
        required: ["type", "value"],
        properties: {
          type: { type: "string" },
          value: { type: "string", contentEncoding: "base64" },
          debug: { description: "The same as JSON." },
        },
      },
    },
  },
};

const json = (description: string, schema: JsonSchema) => ({
  description,
  content: { "application/json": { schema } },
});

const failure = (description: string) => json(description, ERROR_REF);

/** Error replies of every call. */
const ERROR_RESPONSES = {
  "400": failure("The request cannot be read, or the inventory forbids it."),
  "401": failure("The token is missing or unknown."),
  "403": failure("The token's role is not enough."),
  "404": failure("A named object does not exist."),
  "409": failure("It exists already, or was changed meanwhile."),
  "415": failure("The Content-Type is not known."),
  "429": failure(`A limit was reached; messages have at most ${MAX_MESSAGE_BYTES} bytes.`),
  "503": failure("The database cannot be reached."),
  default: failure("Any other failure."),
};

const text = (description: string, type = "text/plain") => ({
  description,
  content: { [type]: { schema: { type: "string" } } },
});

/** The OpenAPI document as JSON, and its entity tag. */
export interface OpenapiDocument {
  readonly body: string;
  readonly etag: string;
}

let made: OpenapiDocument | undefined;

/**
 * Returns the whole HTTP interface as OpenAPI 3.1, from the proto's descriptors and comments. Source:
 * docs/decisions.md#d-11. Cost: a few milliseconds once.
 * @param version version of the program
 */
export function getOpenapiDocument(version: string): OpenapiDocument {
  made ??= buildOpenapiDocument(version);
  return made;
}

function buildOpenapiDocument(version: string): OpenapiDocument {
  const body = JSON.stringify(describeInterface(version));
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

function describeInterface(version: string): object {
  const schemas: Record<string, JsonSchema> = { Error: ERROR_SCHEMA };
  const options: SchemaOptions = { message: (desc) => createMessageReference(desc, schemas, options), complete: true };
  const rpcs = SERVICES.flatMap(({ service }): readonly DescMethod[] => service.methods).map((method) => [
    `/${method.parent.typeName}/${method.name}`,
    describeRpcPath(method, options),
  ]);
  return {
    openapi: "3.1.1",
    info: {
      title: "planner datacenter service",
      version,
      description:
        "Racks, devices, cooling, cables and fabric links. Requests may spell fields in snake_case or lowerCamelCase; " +
        "answers use snake_case. Field names end in their units.",
    },
    servers: [{ url: "/" }],
    security: [{}, { bearer: [] }],
    paths: { ...Object.fromEntries(rpcs), ...PLAIN_ROUTES },
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of the token file, or a JWT." },
      },
    },
  };
}

/** Returns a reference to a message's schema, which is built once. */
function createMessageReference(
  desc: DescMessage,
  schemas: Record<string, JsonSchema>,
  options: SchemaOptions,
): JsonSchema {
  if (schemas[desc.typeName] === undefined) {
    // Registered before the fields are read, because they may refer back to it.
    schemas[desc.typeName] = {};
    schemas[desc.typeName] = buildMessageSchema(desc, options);
  }
  return { $ref: `#/components/schemas/${desc.typeName}` };
}

function describeRpcPath(method: DescMethod, options: SchemaOptions): object {
  const summary = findProtoComment(`${method.parent.typeName}.${method.name}`);
  const answer = json("The answer.", options.message(method.output));
  const { content } = json("The request.", options.message(method.input));
  const common = { tags: ["RPC"], summary, responses: { "200": answer, ...ERROR_RESPONSES } };
  const post = {
    ...common,
    operationId: method.name,
    parameters: [
      {
        name: "Connect-Timeout-Ms",
        in: "header",
        description: "Timeout of the call, in milliseconds.",
        schema: { type: "integer", minimum: 0, maximum: 600_000 },
      },
    ],
    requestBody: { required: true, content },
  };
  if (method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return { post };
  const message = { name: "message", in: "query", required: true, description: "The request.", content };
  const get = {
    ...common,
    operationId: `${method.name}Get`,
    parameters: [createConstantParameter("connect", "v1"), createConstantParameter("encoding", "json"), message],
  };
  return { get, post };
}

function createConstantParameter(name: string, value: string): object {
  return { name, in: "query", required: true, schema: { type: "string", const: value } };
}

const HISTORY_PAGE: JsonSchema = {
  type: "object",
  required: ["entries", "next_page_token", "complete_through", "chain"],
  properties: {
    entries: { type: "array", items: { type: "object" } },
    next_page_token: { type: "string", description: "Empty on the last page." },
    complete_through: { type: "string", format: "date-time", description: "Up to here nothing is missing." },
    chain: {
      type: "object",
      required: ["head_seq", "head_hash"],
      properties: { head_seq: { type: "integer" }, head_hash: { type: "string" } },
    },
  },
};

const VERDICT: JsonSchema = {
  type: "object",
  required: ["ok"],
  properties: {
    ok: { type: "boolean" },
    head_seq: { type: "integer", description: "The last entry, when all fit." },
    head_hash: { type: "string" },
    seq: { type: "integer", description: "The first entry that does not fit." },
    problem: { type: "string", enum: [...LOG_PROBLEMS] },
    detail: { type: "string", description: "What is wrong with it." },
  },
};

const RECEIPT: JsonSchema = {
  type: "object",
  properties: Object.fromEntries(
    ["accepted", "duplicates", "out_of_band", "ignored", "dead_letters"].map((name) => [
      name,
      { type: "integer", minimum: 0 },
    ]),
  ),
};

/** Describes an operation on a route that answers JSON to callers with a role. @param more its parameters and body */
function describeOperation(tag: string, summary: string, operationId: string, ok: object, more: object = {}): object {
  return { tags: [tag], summary, operationId, ...more, responses: { "200": ok, ...ERROR_RESPONSES } };
}

/** Describes a route that answers without authentication. */
function describeOpenRoute(summary: string, responses: object): object {
  return { get: { tags: ["Operation"], summary, security: [{}], responses } };
}

const LOG = "Change log";

const EVENTS = `Events until either side ends them. ${Object.entries(STREAM_EVENTS)
  .map(([name, data]) => `${name}: ${data}`)
  .join(" ")}`;

/** Paths of the plain HTTP routes. */
const PLAIN_ROUTES = {
  "/audit/history": {
    get: describeOperation(LOG, ROUTES["GET /audit/history"], "AuditHistory", json("One page.", HISTORY_PAGE), {
      parameters: HISTORY_PARAMETERS.map((name) => ({ name, in: "query", schema: { type: "string" } })),
    }),
  },
  "/changes/stream": {
    get: describeOperation(LOG, ROUTES["GET /changes/stream"], "ChangeStream", text(EVENTS, "text/event-stream"), {
      parameters: [
        {
          name: "Last-Event-ID",
          in: "header",
          description: "The seq of the last entry that the reader has; the stream begins behind it.",
          schema: { type: "integer", minimum: 0 },
        },
      ],
    }),
  },
  "/audit/verify": {
    get: describeOperation(LOG, ROUTES["GET /audit/verify"], "AuditVerify", json("The verdict.", VERDICT)),
  },
  "/audit/webhook": {
    post: describeOperation(LOG, ROUTES["POST /audit/webhook"], "AuditWebhook", json("What became of it.", RECEIPT), {
      security: [{ bearer: [] }],
      parameters: [{ name: "feed", in: "query", schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$" } }],
      requestBody: { required: true, content: { "application/json": { schema: {} } } },
    }),
  },
  "/sample": {
    get: describeOperation("Inventory", ROUTES["GET /sample"], "Sample", json("The lists.", { type: "object" })),
  },
  "/healthz": describeOpenRoute(ROUTES["GET /healthz"], { "200": text("It does.") }),
  "/readyz": describeOpenRoute(ROUTES["GET /readyz"], {
    "200": text("Ready."),
    "503": text("Not ready."),
  }),
  "/metrics": describeOpenRoute(ROUTES["GET /metrics"], { "200": text("The metrics.") }),
  "/openapi.json": describeOpenRoute(ROUTES["GET /openapi.json"], {
    "200": json("It.", { type: "object" }),
    "304": { description: "It has not changed." },
  }),
};
