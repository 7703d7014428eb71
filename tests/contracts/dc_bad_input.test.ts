import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DescMessage, type DescMethodUnary, fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Client, credentials, status } from "@grpc/grpc-js";
import { rpcs } from "#dc/operations/index.ts";
import { commentOf } from "#dc/operations/message_schema.ts";
import { BadRequestSchema } from "#gen/google/rpc/error_details_pb.ts";
import type { Status } from "#gen/google/rpc/status_pb.ts";
import { serviceDoor } from "#interfaces/dc_mcp/service_door.ts";
import { dcTools } from "#interfaces/dc_mcp/tool_set.ts";
import { graphqlSchema } from "#interfaces/graphql/schema.ts";
import { OperationError } from "#kernel/errors.ts";
import { type BadRequest, badRequests, pathOf, requestText } from "../support/dc/bad_requests.ts";
import { goodRequests } from "../support/dc/good_requests.ts";
import { graphqlInput } from "../support/dc/graphql.ts";
import { openServed } from "../support/dc/served.ts";
import { smallSite } from "../support/dc/small_site.ts";
import { openTemporarySqlite } from "../support/dc/stores.ts";
import { http1 } from "../support/http_client.ts";

/** What an answer says, whatever its interface calls it. */
interface Told {
  readonly refused: boolean;
  /** A fault of the server. */
  readonly broken: boolean;
  /** Everything that names a field. */
  readonly fields: readonly string[];
  readonly text: string;
}

interface Asked {
  readonly method: DescMethodUnary;
  readonly request: BadRequest;
}

let grpc: Client;
let at: Awaited<ReturnType<typeof openServed>>;
beforeAll(async () => {
  at = await openServed({ store: (await smallSite({ store: await openTemporarySqlite() })).store });
  grpc = new Client(at.url.replace("http://", ""), credentials.createInsecure());
});
afterAll(async () => {
  grpc.close();
  await at.end();
});

/** What no answer may hold: a stack, a statement, a path of the program's source. */
const INSIDE = /\n\s+at |\.ts:\d|node_modules|\bINSERT INTO\b|\bSELECT .* FROM\b|sqlite|TypeError|undefined is not/i;

async function overConnect({ method, request }: Asked): Promise<Told> {
  const { status, text } = await http1(`${at.url}/datacenter.v1.DatacenterService/${method.name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: requestText(goodRequests[method.name] ?? {}, request, ({ name }) => name),
  });
  const body = JSON.parse(text);
  const failed = (body.results ?? []).filter((one: { readonly error?: unknown }) => one.error);
  const details = [...(body.details ?? []), ...failed.flatMap((one: { readonly error: object }) => one.error)];
  const fields = details.flatMap(({ type, value, debug }) => {
    if (type === "google.rpc.ErrorInfo") return debug.metadata?.field ?? [];
    if (type !== "google.rpc.BadRequest") return [];
    return fromBinary(BadRequestSchema, base64Decode(value)).fieldViolations.map(({ field }) => field);
  });
  const inItems = failed.map((one: unknown) => JSON.stringify(one));
  return {
    refused: (status >= 400 && status < 500) || failed.length > 0,
    broken: status >= 500 || (status !== 200 && typeof body.code !== "string"),
    fields: [...fields, ...inItems],
    text,
  };
}

const schema = graphqlSchema();

async function overGraphql({ method, request }: Asked): Promise<Told> {
  const name = { GetRack: "rack", GetDevice: "device", GetPort: "port" }[method.name] ?? method.localName;
  const query = schema.getQueryType()?.getFields()[name];
  const field = query ?? schema.getMutationType()?.getFields()[name];
  const base = graphqlInput(method.input, goodRequests[method.name] ?? {});
  const variables = requestText(base, request, ({ jsonName }) => jsonName);
  const given = [...new Set([...Object.keys(base), request.steps[0]?.field.jsonName ?? ""])];
  const typed = given.map((one) => `$${one}: ${field?.args.find((arg) => arg.name === one)?.type}`).join(", ");
  const passed = given.map((one) => `${one}: $${one}`).join(", ");
  const results = method.name.startsWith("Bulk") ? "results { error { code message details } }" : "__typename";
  const document = `${query ? "query" : "mutation"} Q(${typed}) { ${name}(${passed}) { ${results} } }`;
  const { status, text } = await http1(`${at.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
    body: `{"query":${JSON.stringify(document)},"variables":${variables}}`,
  });
  const { data, errors = [] } = JSON.parse(text);
  const failed = (data?.[name]?.results ?? []).filter((one: { readonly error: unknown }) => one.error);
  const codes = errors.map((one: { readonly extensions?: { readonly code?: string } }) => one.extensions?.code);
  return {
    refused: errors.length > 0 || failed.length > 0,
    broken: status >= 500 || codes.some((code: unknown) => code === undefined || code === "INTERNAL_SERVER_ERROR"),
    fields: [...errors, ...failed].map((one) => JSON.stringify(one)),
    text,
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

async function overGrpc(asked: Asked): Promise<Told | undefined> {
  const bytes = messageOf(asked);
  return bytes === undefined ? undefined : askGrpc(asked.method, bytes);
}

function askGrpc({ name, output }: DescMethodUnary, bytes: Uint8Array): Promise<Told> {
  return new Promise((resolve) => {
    grpc.makeUnaryRequest(
      `/datacenter.v1.DatacenterService/${name}`,
      () => Buffer.from(bytes),
      (reply) => fromBinary(output, reply) as { readonly results?: readonly { readonly error?: Status }[] },
      undefined,
      (error, reply) => {
        const failed = (reply?.results ?? []).flatMap(({ error: refusal }) => refusal ?? []);
        const inItems = failed.map(({ details }) =>
          details.map(({ value }) => Buffer.from(value).toString()).join(" "),
        );
        resolve({
          refused: error !== null || failed.length > 0,
          broken: error !== null && BROKEN.includes(error.code),
          fields: [String(error?.metadata.get("grpc-status-details-bin")), ...inItems],
          text: error?.details ?? "",
        });
      },
    );
  });
}

const tools = dcTools(async () => serviceDoor(at.site.service));

/** The agents' tools, of which there are ten, for questions alone. */
async function overMcp({ method, request }: Asked): Promise<Told | undefined> {
  const tool = tools.get(method.name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase());
  // How pictures are made is a parameter of the tool that makes them, and of no other.
  const ofPictures = request.steps[0]?.field.name === "render" && method.name !== "Render";
  if (tool === undefined || ofPictures) return undefined;
  const args = JSON.parse(requestText(goodRequests[method.name] ?? {}, request, ({ name }) => name));
  try {
    const { value } = await tool.call(args, new AbortController().signal);
    return { refused: false, broken: false, fields: [], text: JSON.stringify(value) };
  } catch (error) {
    const { message } = error as Error;
    return { refused: true, broken: !(error instanceof OperationError), fields: [message], text: message };
  }
}

const BROKEN: readonly number[] = [status.UNKNOWN, status.INTERNAL, status.DATA_LOSS, status.UNIMPLEMENTED];

/** Whether the call must be refused; what is only answered may hold anything that can be read. */
function isDue(rpc: string, { steps, refused }: BadRequest): boolean {
  if (steps.some(({ field }) => commentOf(`${field.parent.typeName}.${field.name}`).startsWith("Output only")))
    return false;
  // A key that cannot be is as good as one that is not there.
  return refused === "always" || (refused === "on change" && rpc.includes("Upsert"));
}

const OVER = { "Connect JSON": overConnect, GraphQL: overGraphql, gRPC: overGrpc, MCP: overMcp } as const;

for (const [door, ask] of Object.entries(OVER)) {
  describe(`Bad values over ${door}`, () => {
    const visited = new Set<DescMessage>();
    for (const { method } of rpcs) {
      const requests = [...badRequests(method.input, visited)];

      test(`of ${requests.length} in ${method.name} are refused by name, and harm nobody`, async () => {
        const wrong: string[] = [];
        for (const request of requests) {
          const told = await ask({ method, request });
          if (told === undefined) continue;
          const due = isDue(method.name, request);
          const names = ["no_such_field", request.steps.at(-1)?.field.name, request.steps.at(-1)?.field.jsonName];
          const named = told.fields.some((one) => names.some((name) => name !== undefined && one.includes(name)));
          const faults = [
            told.broken && "is a fault",
            due && !told.refused && "is taken",
            due && told.refused && !named && "names no field",
            INSIDE.test(told.text) && "shows the inside",
          ].filter(Boolean);
          if (faults.length > 0)
            wrong.push(`${pathOf(request)} as ${request.what}: ${faults.join(", ")}: ${told.text.slice(0, 400)}`);
        }

        expect(wrong).toEqual([]);
        expect(at.defects.splice(0)).toEqual([]);
      });
    }
  });
}

describe("Bytes that are no message, over gRPC,", () => {
  const number = 1 << 3;
  const wrong: Readonly<Record<string, readonly number[]>> = {
    "a text cut short": [number | 2, 100, 65],
    "a length beyond measure": [number | 2, 0xff, 0xff, 0xff, 0xff, 0x0f],
    "a field numbered 0": [2, 1, 65],
    "a wire type that is none": [number | 7, 0],
    "a group that never ends": [number | 3],
    "an end without a group": [number | 4],
    "endless numbers": Array.from({ length: 50 }, () => 0xff),
  };
  for (const [what, bytes] of Object.entries(wrong)) {
    test(`${what}: every call is refused`, async () => {
      for (const { method } of rpcs) {
        const told = await askGrpc(method, Uint8Array.from(bytes));

        // gRPC itself says INTERNAL for a request that cannot be parsed; it is no defect of the server all the same.
        expect([method.name, told.refused, INSIDE.test(told.text)]).toEqual([method.name, true, false]);
      }
      expect(at.defects).toEqual([]);
    });
  }
});
