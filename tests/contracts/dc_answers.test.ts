import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DescMethodUnary, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { datacenterRpcs } from "#dc/operations/index.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { createRemoteBackend } from "#interfaces/dc_mcp/remote_backend.ts";
import { createDcTools } from "#interfaces/dc_mcp/tool_set.ts";
import { createHttpHandler } from "#interfaces/http/handler.ts";
import { SharedPort } from "#runtime/one_port.ts";
import { ams1Store } from "../support/dc/ams1_inventory.ts";
import { graphqlInput, graphqlSelection } from "../support/dc/graphql.ts";
import { LOCAL } from "../support/dc/served.ts";
import { testService } from "../support/dc/service.ts";
import { postJson } from "../support/http_client.ts";
import { QUESTIONS, type Question } from "./dc_answers.ts";

/** Asks over one interface; the answer and what is expected come back in that interface's own spelling. */
type Ask = (url: string, question: Question) => Promise<{ readonly answer: unknown; readonly expected: JsonObject }>;

function methodOf(rpc: string): DescMethodUnary {
  const found = datacenterRpcs.find(({ method }) => method.name === rpc);
  if (found === undefined) throw new Error(`There is no RPC "${rpc}"`);
  return found.method;
}

function overClient(transport: (baseUrl: string) => Transport): Ask {
  return async (url, { rpc, request, expected }) => {
    const { localName, input, output } = methodOf(rpc);
    const client = createClient(DatacenterService, transport(url)) as unknown as Record<
      string,
      (request: object) => Promise<never>
    >;
    const reply = await client[localName]?.(fromJson(input, request));
    return { expected, answer: toJson(output, reply as never, { useProtoFieldName: true, alwaysEmitImplicit: true }) };
  };
}

const ask = async (url: string, body: object): Promise<JsonObject> => JSON.parse((await postJson(url, body)).text);

const FIELDS: Readonly<Record<string, string>> = { GetDevice: "device", GetRack: "rack", GetPort: "port" };

/** Every argument is a variable of the type that the schema says. */
async function overGraphql(url: string, { rpc, request, expected }: Question) {
  const { input, output, localName } = methodOf(rpc);
  const field = FIELDS[rpc] ?? localName;
  const given = Object.entries(graphqlInput(input, request));
  const written = given.map(([name, value]) => `${name}: ${literal(value)}`).join(", ");
  const reply = await ask(`${url}/graphql`, {
    query: `{ ${field}(${written}) ${graphqlSelection(output, expected)} }`,
  });
  const data = reply["data"] as JsonObject | undefined;
  if (reply["errors"] !== undefined) throw new Error(JSON.stringify(reply["errors"]));
  return { answer: data?.[field], expected: graphqlInput(output, expected) };
}

/** A value as GraphQL writes it: names of an object's fields stand without quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${name}: ${literal(part)}`)
    .join(", ")}}`;
}

/** The tools of an agent who asks a server; every part of the answer that is expected is asked for by name. */
async function overMcp(url: string, { rpc, request, expected }: Question) {
  const { localName, input, output } = methodOf(rpc);
  const tools = createDcTools(async () => createRemoteBackend({ url, token: undefined, timeoutMs: 30_000 }));
  const tool = tools.get(localName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  if (tool === undefined) throw new Error(`There is no tool for ${rpc}`);
  const options = { useProtoFieldName: true };
  const { page_size: size = 1000, ...own } = toJson(input, fromJson(input, request), options) as JsonObject;
  const fields = Object.keys(expected);
  const { value } = await tool.call({ ...own, fields, max_items: size }, new AbortController().signal);
  // Tools leave out what is zero, so both sides are read by the proto's rules.
  const full = (json: unknown) =>
    toJson(output, fromJson(output, json as JsonObject, { ignoreUnknownFields: true }), {
      ...options,
      alwaysEmitImplicit: true,
    });
  return { answer: full(value), expected };
}

const INTERFACES: Readonly<Record<string, Ask>> = {
  gRPC: overClient((baseUrl) => createGrpcTransport({ baseUrl })),
  "gRPC-Web": overClient((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  "Connect in binary": overClient((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  "Connect JSON": async (url, { rpc, request, expected }) => ({
    answer: await ask(`${url}/${DatacenterService.typeName}/${rpc}`, request),
    expected,
  }),
  GraphQL: overGraphql,
  MCP: overMcp,
};

let url = "";
let server: SharedPort;
beforeAll(async () => {
  const site = await testService({ store: await ams1Store() });
  server = new SharedPort({
    handler: createHttpHandler({
      service: site.service,
      findPrincipal: async () => undefined,
      findUnreadyReason: async () => undefined,
      formatMetrics: () => "",
      observeRefusedCall: () => {},
      reportDefect: (_, error) => {
        throw error;
      },
      shutdown: new AbortController().signal,
      admission: LOCAL,
    }),
  });
  url = `http://127.0.0.1:${await server.listen(0, "127.0.0.1")}`;
});
afterAll(() => server.close(0));

for (const [name, ask] of Object.entries(INTERFACES)) {
  describe(`The sample site over ${name}`, () => {
    for (const [story, question] of Object.entries(QUESTIONS)) {
      test(story, async () => {
        const { answer, expected } = await ask(url, question);

        expect(answer).toMatchObject(expected);
      });
    }
  });
}
