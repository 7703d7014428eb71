import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from "graphql";
import { graphqlInput } from "../support/dc/graphql.ts";
import { type Call, overGrpcJs, overRest, SERVICE_NAME } from "../support/dc_calls.ts";
import { DcServer, emptyFolder, sampleSite, serviceFromProto } from "../support/dc_server.ts";
import { postJson } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";

const site = sampleSite();
const service = serviceFromProto(SERVICE_NAME);

/** What a bulk call says of an item. */
interface ItemResult {
  readonly code: string;
  readonly outcome: string;
  /** Changes with the content, so that equal ones are equal resources. */
  readonly etag: string;
}

/** Calls bulk mutations as a client does that knows the introspected schema; reports outcomes by their wire names. */
async function overGraphql(url: string): Promise<Call> {
  const ask = async (query: string, variables: JsonObject = {}) => {
    const { data, errors } = JSON.parse((await postJson(`${url}/graphql`, { query, variables })).text);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
  const schema = buildClientSchema(await ask(getIntrospectionQuery()));
  return async (rpc, request) => {
    const method = service.methods.find(({ name }) => name === rpc) as DescMethod;
    const variables = graphqlInput(method.input, request as JsonObject);
    const document = documentOf(schema, method.localName, Object.keys(variables));
    const { [method.localName]: reply } = await ask(document, variables);
    const results = reply.results.map((one: ItemResult) => ({ ...one, outcome: `OUTCOME_${one.outcome}` }));
    return { ...reply, results };
  };
}

function documentOf(schema: GraphQLSchema, name: string, given: readonly string[]): string {
  const field = schema.getMutationType()?.getFields()[name];
  const types = given.map((one) => `$${one}: ${field?.args.find((arg) => arg.name === one)?.type}`);
  const passed = given.map((one) => `${one}: $${one}`).join(", ");
  const reply = "succeeded failed committed results { code outcome etag }";
  return `mutation(${types.join(", ")}) { ${name}(${passed}) { ${reply} } }`;
}

const WAYS: Readonly<Record<string, (url: string) => Promise<Call>>> = {
  gRPC: async (url) => overGrpcJs(new Client(url.replace("http://", ""), credentials.createInsecure())),
  REST: async (url) => overRest(url),
  GraphQL: overGraphql,
};

/** Loads everything that has a bulk call, and tells what is there then: each code with its version. */
async function load(call: Call, outcome: string): Promise<readonly string[]> {
  const versions: string[] = [];
  for (const [rpc, list] of [
    ["BulkUpsertRacks", "racks"],
    ["BulkUpsertDevices", "devices"],
    ["BulkUpsertCracs", "cracs"],
  ] as const) {
    const items = site[list] ?? [];
    const reply = await call(rpc, { items });
    expect(reply).toMatchObject({ succeeded: items.length, failed: 0, committed: true });
    const results: readonly ItemResult[] = reply.results;
    expect(new Set(results.map((one) => one.outcome))).toEqual(new Set([outcome]));
    versions.push(...results.map(({ code, etag }) => `${list} ${code} ${etag}`));
  }
  return versions;
}

/** Cables and links have no bulk call: they come in by the command line. */
const edges = [
  ...(site["cables"] ?? []).map((cable) => JSON.stringify({ cable })),
  ...(site["fabric_links"] ?? []).map((link) => JSON.stringify({ fabric_link: link })),
].join("\n");

async function dc(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runPlanner(["dc", ...words], { cwd: emptyFolder(), input: edges });
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return stdout;
}

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await PostgresServer.start();
});
afterAll(() => postgres.end());

/** What every way and every database must come to. */
let versions: readonly string[] | undefined;
/** The last database of each kind, which all but the cables and links were loaded into. */
let sqlite = "";
let server = "";

async function served(database: string, work: (url: string) => Promise<void>): Promise<void> {
  const dcServer = await DcServer.start(emptyFolder(), ["--db", database]);
  try {
    await work(dcServer.url);
  } finally {
    await dcServer.end();
  }
}

for (const [way, open] of Object.entries(WAYS)) {
  test(`The sample site is the same by ${way} as by the others, and a second load changes nothing`, async () => {
    sqlite = join(emptyFolder(), "dc.sqlite");
    await served(sqlite, async (url) => {
      const call = await open(url);
      const created = await load(call, "OUTCOME_CREATED");
      versions ??= created;

      expect(created).toEqual(versions);
      expect(await load(call, "OUTCOME_UNCHANGED")).toEqual(created);
    });
  }, 300_000);
}

test("The sample site is the same in PostgreSQL, by whichever way it comes in again", async () => {
  server = await postgres.database();
  await served(server, async (url) => {
    let outcome = "OUTCOME_CREATED";
    for (const open of Object.values(WAYS)) {
      expect(await load(await open(url), outcome)).toEqual(versions ?? []);
      outcome = "OUTCOME_UNCHANGED";
    }
  });
}, 300_000);

/** What an import says of the whole site. */
const told = (outcome: "created" | "unchanged") =>
  Object.entries({ rack: 40, device: 808, crac: 8, cable: 1822, fabric_link: 272 })
    .map(
      ([key, count]) =>
        [key, ["created", "updated", "unchanged", "failed"].map((one) => [one === outcome ? count : 0, one])] as const,
    )
    .map(([key, counts]) => `${key}: ${counts.map((one) => one.join(" ")).join(", ")}\n`)
    .join("");

test("The sample site survives export and import, from one kind of database to the other and back", async () => {
  const [file, copy] = [join(emptyFolder(), "out.jsonl"), join(emptyFolder(), "copy.sqlite")];
  const other = await postgres.database();
  await dc("import", "-", "--db", sqlite);

  const out = await dc("export", "--db", sqlite);
  writeFileSync(file, out);
  const imports = [await dc("import", file, "--db", other), await dc("import", file, "--db", other)];
  await dc("import", file, "--db", server);
  await dc("export", file, "--db", other);
  imports.push(await dc("import", file, "--db", copy), await dc("import", file, "--db", copy));

  expect(out.trimEnd().split("\n")).toHaveLength(2950);
  expect(imports).toEqual((["created", "unchanged", "created", "unchanged"] as const).map(told));
  expect(await dc("export", "--db", server)).toBe(out);
  expect(await dc("export", "--db", copy)).toBe(out);
}, 300_000);
