import { type DescMethodUnary, fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { BadRequestSchema } from "#gen/google/rpc/error_details_pb.ts";
import { type Status, StatusSchema } from "#gen/google/rpc/status_pb.ts";
import { createServiceBackend } from "#interfaces/dc_mcp/service_backend.ts";
import { createDcTools } from "#interfaces/dc_mcp/tool_set.ts";
import { buildGraphqlSchema } from "#interfaces/graphql/schema.ts";
import { OperationError } from "#kernel/errors.ts";
import { http1 } from "../http_client.ts";
import { type BadRequest, pathOf, requestText } from "./bad_requests.ts";
import { goodRequests } from "./good_requests.ts";
import { graphqlInput } from "./graphql.ts";
import type { Served } from "./served.ts";

/** What an answer says, whatever its interface calls it. */
export interface Told {
  readonly refused: boolean;
  readonly broken: boolean;
  /** Whether the bad value is named by its path in the request, or something inside of it. */
  readonly named: boolean;
  readonly text: string;
}

export interface Asked {
  readonly method: DescMethodUnary;
  readonly request: BadRequest;
}

/** Asks one question with a bad value in it; undefined where no client of this interface can ask it. */
export type Ask = (asked: Asked) => Promise<Told | undefined>;

interface ItemResult {
  readonly error?: { readonly details?: readonly Detail[] } | null;
}

interface Detail {
  readonly field_violations?: readonly { readonly field: string }[];
  readonly fieldViolations?: readonly { readonly field: string }[];
}

/** Whether one of the paths leads to the value, or into it. */
function leadsTo(path: string, fields: readonly string[]): boolean {
  return fields.some((field) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
}

function fieldsOfItems(results: readonly ItemResult[] = []): readonly string[] {
  const details = results.flatMap(({ error }) => error?.details ?? []);
  return details.flatMap((one) => one.field_violations ?? one.fieldViolations ?? []).map(({ field }) => field);
}

/** Connect's JSON, which is the REST interface. */
export function connectInterface({ url }: Served): Ask {
  return async ({ method, request }) => {
    const { status: code, text } = await http1(`${url}/${method.parent.typeName}/${method.name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: requestText(goodRequests[method.name] ?? {}, request, ({ name }) => name),
    });
    const body = JSON.parse(text);
    const failed = (body.results ?? []).some(({ error }: ItemResult) => error);
    const fields = (body.details ?? []).flatMap(({ type, value }: { readonly type: string; readonly value: string }) =>
      type === "google.rpc.BadRequest"
        ? fromBinary(BadRequestSchema, base64Decode(value)).fieldViolations.map(({ field }) => field)
        : [],
    );
    return {
      refused: (code >= 400 && code < 500) || failed,
      broken: code >= 500 || (code !== 200 && typeof body.code !== "string"),
      named: leadsTo(
        pathOf(request, ({ name }) => name),
        [...fields, ...fieldsOfItems(body.results)],
      ),
      text,
    };
  };
}

interface GraphqlFailure {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly violations?: readonly { readonly field: string }[] };
}

/** What the library refuses before the service sees it is named in its sentence. */
function fieldsOfFailure({ message, extensions }: GraphqlFailure): readonly string[] {
  const [, variable, place = ""] = /^Variable "\$(\w+)" has invalid value(?: at ([^:]+))?:/.exec(message) ?? [];
  return [
    ...(variable === undefined ? [] : [variable + place]),
    ...(extensions?.violations ?? []).map(({ field }) => field),
  ];
}

export function graphqlInterface({ url }: Served): Ask {
  const schema = buildGraphqlSchema();
  return async ({ method, request }) => {
    const name = { GetRack: "rack", GetDevice: "device", GetPort: "port" }[method.name] ?? method.localName;
    const query = schema.getQueryType()?.getFields()[name];
    const field = query ?? schema.getMutationType()?.getFields()[name];
    const base = graphqlInput(method.input, goodRequests[method.name] ?? {});
    const variables = requestText(base, request, ({ jsonName }) => jsonName);
    const given = [...new Set([...Object.keys(base), request.steps[0]?.field.jsonName ?? ""])];
    const typed = given.map((one) => `$${one}: ${field?.args.find((arg) => arg.name === one)?.type}`).join(", ");
    const passed = given.map((one) => `${one}: $${one}`).join(", ");
    const isOfItems = method.output.fields.some((one) => one.name === "results");
    const results = isOfItems ? "results { error { code message details } }" : "__typename";
    const document = `${query ? "query" : "mutation"} Q(${typed}) { ${name}(${passed}) { ${results} } }`;
    const { status: code, text } = await http1(`${url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
      body: `{"query":${JSON.stringify(document)},"variables":${variables}}`,
    });
    const answer = JSON.parse(text);
    const errors: readonly GraphqlFailure[] = answer.errors ?? [];
    const items: readonly ItemResult[] = answer.data?.[name]?.results ?? [];
    return {
      refused: errors.length > 0 || items.some(({ error }) => error),
      broken: code >= 500 || errors.some(({ extensions }) => (extensions?.code ?? FAULT) === FAULT),
      named: leadsTo(
        pathOf(request, ({ jsonName }) => jsonName),
        [...errors.flatMap(fieldsOfFailure), ...fieldsOfItems(items)],
      ),
      text,
    };
  };
}

const FAULT = "INTERNAL_SERVER_ERROR";

const BROKEN: readonly number[] = [status.UNKNOWN, status.INTERNAL, status.DATA_LOSS, status.UNIMPLEMENTED];

/** What gRPC answers to these bytes: the failure, or the failures of items. */
export async function askGrpc(client: Client, { name, parent, output }: DescMethodUnary, bytes: Uint8Array) {
  const { error, reply } = await new Promise<{ error: ServiceError | null; reply: unknown }>((resolve) => {
    client.makeUnaryRequest(
      `/${parent.typeName}/${name}`,
      () => Buffer.from(bytes),
      (binary) => fromBinary(output, binary),
      undefined,
      (failure, message) => resolve({ error: failure, reply: message }),
    );
  });
  const { results = [] } = (reply ?? {}) as { readonly results?: readonly { readonly error?: Status }[] };
  const [sent] = error?.metadata.get("grpc-status-details-bin") ?? [];
  const failures = [
    ...(Buffer.isBuffer(sent) ? [fromBinary(StatusSchema, sent)] : []),
    ...results.flatMap(({ error: refusal }) => refusal ?? []),
  ];
  return {
    refused: error !== null || failures.length > 0,
    broken: error !== null && BROKEN.includes(error.code),
    fields: failures.flatMap(({ details }) => details.flatMap(fieldsOfAny)),
    text: error?.details ?? "",
  };
}

function fieldsOfAny({ typeUrl, value }: Status["details"][number]): readonly string[] {
  if (!typeUrl.endsWith("/google.rpc.BadRequest")) return [];
  return fromBinary(BadRequestSchema, value).fieldViolations.map(({ field }) => field);
}

export function grpcClient({ url }: Served): Client {
  return new Client(url.replace("http://", ""), credentials.createInsecure());
}

export function grpcInterface(client: Client): Ask {
  return async (asked) => {
    const bytes = messageOf(asked);
    if (bytes === undefined) return undefined;
    const { fields, ...told } = await askGrpc(client, asked.method, bytes);
    return {
      ...told,
      named: leadsTo(
        pathOf(asked.request, ({ name }) => name),
        fields,
      ),
    };
  };
}

/** What a message can say at all; undefined for what no client can write in binary. */
function messageOf({ method, request }: Asked): Uint8Array | undefined {
  try {
    const text = requestText(goodRequests[method.name] ?? {}, request, ({ name }) => name);
    return toBinary(method.input, fromJson(method.input, JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** The agents' tools, of which there are ten, for questions alone. */
export function mcpInterface({ site }: Served): Ask {
  const tools = createDcTools(async () => createServiceBackend(site.service));
  return async ({ method, request }) => {
    const tool = tools.get(method.name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase());
    // How pictures are made is a parameter of the tool that makes them, and of no other.
    const ofPictures = request.steps[0]?.field.name === "render" && method.name !== "Render";
    if (tool === undefined || ofPictures) return undefined;
    const args = JSON.parse(requestText(goodRequests[method.name] ?? {}, request, ({ name }) => name));
    try {
      const { value } = await tool.call(args, new AbortController().signal);
      return { refused: false, broken: false, named: false, text: JSON.stringify(value) };
    } catch (error) {
      const { message } = error as Error;
      const named = message.includes(pathOf(request, ({ name }) => name));
      return { refused: true, broken: !(error instanceof OperationError), named, text: message };
    }
  };
}
