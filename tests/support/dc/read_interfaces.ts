import { type DescMessage, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { type GraphQLOutputType, getNamedType, isObjectType, isRequiredArgument } from "graphql";
import { allRpcs } from "#dc/operations/index.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { buildGraphqlSchema, findRootFieldName } from "#interfaces/graphql/schema.ts";
import { askByWire, envelope, understood, type WireRequest } from "../protocol_answers.ts";
import { graphqlInput } from "./graphql.ts";

/** A read with its request in proto JSON. */
export interface Question {
  readonly rpc: string;
  readonly request: JsonObject;
}

const SCHEMA = buildGraphqlSchema();

function findMethod(name: string) {
  const rpc = allRpcs.find(({ method }) => method.name === name);
  if (rpc === undefined) throw new Error(`There is no RPC "${name}"`);
  return rpc.method;
}

function posted({ rpc }: Question, type: string, body: Uint8Array, headers: WireRequest["headers"] = {}): WireRequest {
  const path = `/${findMethod(rpc).parent.typeName}/${rpc}`;
  return { verb: "POST", path, headers: { "content-type": type, ...headers }, body };
}

const text = (value: unknown) => Buffer.from(JSON.stringify(value));
const encode = ({ rpc, request }: Question) => {
  const { input } = findMethod(rpc);
  return toBinary(input, fromJson(input, request));
};

function asGraphql({ rpc, request }: Question): WireRequest {
  const method = findMethod(rpc);
  const field = SCHEMA.getQueryType()?.getFields()[findRootFieldName(method)];
  const variables = graphqlInput(method.input, request);
  const names = Object.keys(variables);
  const typed = names.map((one) => `$${one}: ${field?.args.find(({ name }) => name === one)?.type}`).join(", ");
  const given = names.map((one) => `${one}: $${one}`).join(", ");
  const [head, args] = names.length === 0 ? ["", ""] : [`(${typed})`, `(${given})`];
  const query = `query Q${head} { ${field?.name}${args} ${field === undefined ? "" : selectFields(field.type, 2)} }`;
  return { ...posted({ rpc, request }, "application/json", text({ query, variables })), path: "/graphql" };
}

/** Selects all fields down to a depth, without those that a cost limits. */
function selectFields(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const wanted = fields.filter((one) => depth > 0 || !isObjectType(getNamedType(one.type)));
  return `{ __typename ${wanted.map((one) => `${one.name} ${selectFields(one.type, depth - 1)}`).join(" ")} }`;
}

interface ReadInterface {
  readonly request: (question: Question) => WireRequest;
  readonly protocol: "connect" | "grpc" | "grpc-web";
  readonly isBinary: boolean;
}

/** Every way over the port in which a read can be asked. */
export const READ_INTERFACES: Readonly<Record<string, ReadInterface>> = {
  "Connect JSON": {
    request: (asked) => posted(asked, "application/json", text(asked.request)),
    protocol: "connect",
    isBinary: false,
  },
  "Connect JSON by GET": {
    request: (asked) => {
      const query = new URLSearchParams({ connect: "v1", encoding: "json", message: JSON.stringify(asked.request) });
      const { path } = posted(asked, "", new Uint8Array());
      return { verb: "GET", path: `${path}?${query}`, headers: {}, body: new Uint8Array() };
    },
    protocol: "connect",
    isBinary: false,
  },
  "Connect binary": {
    request: (asked) => posted(asked, "application/proto", encode(asked)),
    protocol: "connect",
    isBinary: true,
  },
  gRPC: {
    request: (asked) => posted(asked, "application/grpc", envelope(encode(asked)), { te: "trailers" }),
    protocol: "grpc",
    isBinary: true,
  },
  "gRPC-Web": {
    request: (asked) => posted(asked, "application/grpc-web+proto", envelope(encode(asked))),
    protocol: "grpc-web",
    isBinary: true,
  },
  GraphQL: { request: asGraphql, protocol: "connect", isBinary: false },
};

/** Asks over an interface. Returns what a client reads, without page tokens, which are sealed anew each time. */
export async function askRead(url: string, name: string, question: Question, headers = {}): Promise<unknown> {
  const how = READ_INTERFACES[name];
  if (how === undefined) throw new Error(`There is no interface "${name}"`);
  const request = how.request(question);
  const answer = await askByWire(url, { ...request, headers: { ...request.headers, ...headers } });
  const { code, message, reply } = understood(how.protocol, answer);
  if (reply === undefined) return { code, message };
  const read = how.isBinary ? readBinary(findMethod(question.rpc).output, reply) : JSON.parse(reply.toString());
  return JSON.parse(JSON.stringify(read, (key, value) => (/^next_?page_?token$/i.test(key) ? undefined : value)));
}

function readBinary(schema: DescMessage, bytes: Uint8Array): unknown {
  return toJson(schema, fromBinary(schema, bytes), { useProtoFieldName: true, registry: detailRegistry });
}
