import { expect, test } from "bun:test";
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from "graphql";
import { graphqlInput } from "../support/dc/graphql.ts";
import { type Call, overGrpcJs, overRest, SERVICE_NAME } from "../support/dc_calls.ts";
import { DcServer, emptyFolder, sampleSite, serviceFromProto } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const site = sampleSite();
const service = serviceFromProto(SERVICE_NAME);

/** Calls mutations as a client does that knows the introspected schema; tells outcomes in the contract's words. */
async function overGraphql(url: string): Promise<Call> {
  const ask = async (query: string, variables: JsonObject = {}) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ query, variables });
    const { data, errors } = JSON.parse((await http1(`${url}/graphql`, { method: "POST", headers, body })).text);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
  const schema = buildClientSchema(await ask(getIntrospectionQuery()));
  return async (rpc, request) => {
    const method = service.methods.find(({ name }) => name === rpc) as DescMethod;
    const variables = graphqlInput(method.input, request as JsonObject);
    const { [method.localName]: reply } = await ask(
      documentOf(schema, method.localName, Object.keys(variables)),
      variables,
    );
    const outcome = (word: string) => `OUTCOME_${word}`;
    if (reply.results === undefined) return { outcome: outcome(reply.outcome) };
    return { ...reply, results: reply.results.map((one: { outcome: string }) => ({ outcome: outcome(one.outcome) })) };
  };
}

function documentOf(schema: GraphQLSchema, name: string, given: readonly string[]): string {
  const field = schema.getMutationType()?.getFields()[name];
  const types = given.map((one) => `$${one}: ${field?.args.find((arg) => arg.name === one)?.type}`);
  const reply = name.startsWith("bulk") ? "succeeded failed committed results { outcome }" : "outcome";
  return `mutation(${types.join(", ")}) { ${name}(${given.map((one) => `${one}: $${one}`).join(", ")}) { ${reply} } }`;
}

const WAYS: Readonly<Record<string, (url: string) => Promise<Call>>> = {
  gRPC: async (url) => overGrpcJs(new Client(url.replace("http://", ""), credentials.createInsecure())),
  REST: async (url) => overRest(url),
  GraphQL: overGraphql,
};

async function load(call: Call, outcome: string): Promise<void> {
  for (const [rpc, list] of [
    ["BulkUpsertRacks", "racks"],
    ["BulkUpsertDevices", "devices"],
    ["BulkUpsertCracs", "cracs"],
  ] as const) {
    const items = site[list] ?? [];
    const reply = await call(rpc, { items });
    expect(reply).toMatchObject({ succeeded: items.length, failed: 0, committed: true });
    expect(new Set(reply.results.map((one: { readonly outcome: string }) => one.outcome))).toEqual(new Set([outcome]));
  }
}

/** Cables and links have no bulk call: they come in by the command line, the same for all ways. */
const edges = [
  ...(site["cables"] ?? []).map((cable) => JSON.stringify({ cable })),
  ...(site["fabric_links"] ?? []).map((link) => JSON.stringify({ fabric_link: link })),
].join("\n");

test("the sample site is the same whichever way it is loaded, changes nothing again, and survives export and import", async () => {
  const exports: Record<string, string> = {};
  const dc = async (cwd: string, ...words: readonly string[]) => {
    const { code, stdout } = await runPlanner(["dc", ...words], { cwd, input: edges });
    expect(code).toBe(0);
    return stdout;
  };
  let cwd = "";
  for (const [name, open] of Object.entries(WAYS)) {
    cwd = emptyFolder();
    const server = await DcServer.start(cwd);
    try {
      const call = await open(server.url);
      await load(call, "OUTCOME_CREATED");
      await load(call, "OUTCOME_UNCHANGED");
      await dc(cwd, "import", "-");
      exports[name] = await dc(cwd, "export");
    } finally {
      await server.end();
    }
  }
  await dc(cwd, "export", "out.jsonl");
  await dc(cwd, "import", "out.jsonl", "--db", "copy.sqlite");
  const copy = await dc(cwd, "export", "--db", "copy.sqlite");

  expect(exports["gRPC"]?.trimEnd().split("\n")).toHaveLength(2950);
  for (const name of Object.keys(WAYS)) expect(exports[name]).toBe(copy);
}, 300_000);
