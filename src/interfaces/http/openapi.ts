import { createHash } from "node:crypto";
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { ERROR_KIND_BY_REASON } from "#dc/model/finding.ts";
import { HISTORY_PARAMETERS } from "#dc/operations/audit_history.ts";
import { SERVICES } from "#dc/operations/index.ts";
import {
  buildMessageSchema,
  findProtoComment,
  type JsonSchema,
  type SchemaOptions,
} from "#dc/operations/messages/message_schema.ts";
import { LOG_PROBLEMS } from "#dc/service.ts";
import { MAX_MESSAGE_BYTES } from "#interfaces/connect/call_headers.ts";
import { IMPORT_PARAMETERS, IMPORT_TYPES } from "./import_route.ts";
import { ROUTE_DESCRIPTIONS, STREAM_EVENT_DESCRIPTIONS } from "./routes.ts";

const ERROR_REF = { $ref: "#/components/schemas/Error" };

/** Schema of an error. Source: Connect protocol, Error End-Stream; the canonical codes. */
const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  description: "Every failure, on the RPCs and on the plain routes.",
  required: ["code"],
  properties: {
    code: { type: "string", description: "Canonical code, such as invalid_argument or not_found." },
    message: {
      type: "string",
      maxLength: 4096,
      description: "What is wrong, with field, value and what was expected.",
    },
    details: {
      type: "array",
      description: "google.rpc.ErrorInfo with a stable reason, and BadRequest, PreconditionFailure or ResourceInfo.",
      items: {
        type: "object",
        required: ["type", "value"],
        properties: {
          type: { type: "string" },
          value: { type: "string", contentEncoding: "base64" },
          debug: {
            description: "The same as JSON.",
            properties: { reason: { description: "Stable; of ErrorInfo.", enum: Object.keys(ERROR_KIND_BY_REASON) } },
          },
        },
      },
    },
  },
};

const describeJsonResponse = (description: string, schema: JsonSchema) => ({
  description,
  content: { "application/json": { schema } },
});

const describeErrorResponse = (description: string) => describeJsonResponse(description, ERROR_REF);

/** Error replies of every call. */
const ERROR_RESPONSES = {
  "400": describeErrorResponse("The request cannot be read, or the inventory forbids it."),
  "401": describeErrorResponse("The token is missing or unknown."),
  "403": describeErrorResponse("The token's role is not enough."),
  "404": describeErrorResponse("A named object does not exist."),
  "409": describeErrorResponse("It exists already, or was changed meanwhile."),
  "415": describeErrorResponse("The Content-Type is not known."),
  "429": describeErrorResponse(`A limit was reached; messages have at most ${MAX_MESSAGE_BYTES} bytes.`),
  "503": describeErrorResponse("The database cannot be reached."),
  default: describeErrorResponse("Any other failure."),
};

const describeTextResponse = (description: string, type = "text/plain") => ({
  description,
  content: { [type]: { schema: { type: "string" } } },
});

/** The OpenAPI document as JSON, and its entity tag. */
export interface OpenapiDocument {
  readonly body: string;
  readonly etag: string;
}

let cachedDocument: OpenapiDocument | undefined;

/**
 * Returns the whole HTTP interface as OpenAPI 3.1, from the proto's descriptors and comments. Source:
 * docs/decisions.md#d-11. Cost: a few milliseconds once.
 * @param version version of the program
 */
export function getOpenapiDocument(version: string): OpenapiDocument {
  cachedDocument ??= buildOpenapiDocument(version);
  return cachedDocument;
}

function buildOpenapiDocument(version: string): OpenapiDocument {
  const body = JSON.stringify(describeInterface(version));
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

function describeInterface(version: string): object {
  const schemas: Record<string, JsonSchema> = { Error: ERROR_SCHEMA };
  const options: SchemaOptions = {
    message: (desc) => createMessageReference(desc, schemas, options),
    isComplete: true,
  };
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
    paths: { ...Object.fromEntries(rpcs), ...PLAIN_ROUTE_PATHS },
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
  const answer = describeJsonResponse("The answer.", options.message(method.output));
  const { content } = describeJsonResponse("The request.", options.message(method.input));
  const common = { tags: ["RPC"], summary, responses: { "200": answer, ...ERROR_RESPONSES } };
  const post = {
    ...common,
    operationId: method.name,
    parameters: [
      {
        name: "Connect-Timeout-Ms",
        in: "header",
        description: "Timeout of the call, in milliseconds.",
        schema: { type: "integer", minimum: 1, maximum: 600_000 },
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

const HISTORY_PAGE_SCHEMA: JsonSchema = {
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

const VERDICT_SCHEMA: JsonSchema = {
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

const RECEIPT_SCHEMA: JsonSchema = {
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

const CHANGE_LOG_TAG = "Change log";

const STREAM_DESCRIPTION = `Events until either side ends them. ${Object.entries(STREAM_EVENT_DESCRIPTIONS)
  .map(([name, data]) => `${name}: ${data}`)
  .join(" ")}`;

/** OpenAPI descriptions of the HTTP routes that are not RPCs, by path. */
const PLAIN_ROUTE_PATHS = {
  "/audit/history": {
    get: describeOperation(
      CHANGE_LOG_TAG,
      ROUTE_DESCRIPTIONS["GET /audit/history"],
      "AuditHistory",
      describeJsonResponse("One page.", HISTORY_PAGE_SCHEMA),
      {
        parameters: HISTORY_PARAMETERS.map((name) => ({ name, in: "query", schema: { type: "string" } })),
      },
    ),
  },
  "/changes/stream": {
    get: describeOperation(
      CHANGE_LOG_TAG,
      ROUTE_DESCRIPTIONS["GET /changes/stream"],
      "ChangeStream",
      describeTextResponse(STREAM_DESCRIPTION, "text/event-stream"),
      {
        parameters: [
          {
            name: "Last-Event-ID",
            in: "header",
            description: "The seq of the last entry that the reader has; the stream begins behind it.",
            schema: { type: "integer", minimum: 0 },
          },
        ],
      },
    ),
  },
  "/audit/verify": {
    get: describeOperation(
      CHANGE_LOG_TAG,
      ROUTE_DESCRIPTIONS["GET /audit/verify"],
      "AuditVerify",
      describeJsonResponse("The verdict.", VERDICT_SCHEMA),
    ),
  },
  "/audit/webhook": {
    post: describeOperation(
      CHANGE_LOG_TAG,
      ROUTE_DESCRIPTIONS["POST /audit/webhook"],
      "AuditWebhook",
      describeJsonResponse("What became of it.", RECEIPT_SCHEMA),
      {
        security: [{ bearer: [] }],
        parameters: [{ name: "feed", in: "query", schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$" } }],
        requestBody: { required: true, content: { "application/json": { schema: {} } } },
      },
    ),
  },
  "/import": {
    post: describeOperation(
      "Inventory",
      ROUTE_DESCRIPTIONS["POST /import"],
      "Import",
      describeTextResponse("One event per line, as JSON.", "application/x-ndjson"),
      {
        parameters: IMPORT_PARAMETERS.map((name) => {
          const isRepeated = name === "column" || name === "default";
          const type = { type: "string" };
          return { name, in: "query", schema: isRepeated ? { type: "array", items: type } : type };
        }),
        requestBody: {
          required: true,
          content: Object.fromEntries(IMPORT_TYPES.map((name) => [name, { schema: {} }])),
        },
      },
    ),
  },
  "/sample": {
    get: describeOperation(
      "Inventory",
      ROUTE_DESCRIPTIONS["GET /sample"],
      "Sample",
      describeJsonResponse("The lists.", { type: "object" }),
    ),
  },
  "/healthz": describeOpenRoute(ROUTE_DESCRIPTIONS["GET /healthz"], { "200": describeTextResponse("It does.") }),
  "/readyz": describeOpenRoute(ROUTE_DESCRIPTIONS["GET /readyz"], {
    "200": describeTextResponse("Ready."),
    "503": describeTextResponse("Not ready."),
  }),
  "/metrics": describeOpenRoute(ROUTE_DESCRIPTIONS["GET /metrics"], { "200": describeTextResponse("The metrics.") }),
  "/openapi.json": describeOpenRoute(ROUTE_DESCRIPTIONS["GET /openapi.json"], {
    "200": describeJsonResponse("It.", { type: "object" }),
    "304": { description: "It has not changed." },
  }),
};
