import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DescMessage, type DescMethodUnary, fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { rpcs } from "#dc/operations/index.ts";
import { commentOf } from "#dc/operations/message_schema.ts";
import { BadRequestSchema } from "#gen/google/rpc/error_details_pb.ts";
import { graphqlSchema } from "#interfaces/graphql/schema.ts";
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

let at: Awaited<ReturnType<typeof openServed>>;
beforeAll(async () => {
  at = await openServed({ store: (await smallSite({ store: await openTemporarySqlite() })).store });
});
afterAll(() => at.end());

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

/** Whether the call must be refused; what is only answered may hold anything that can be read. */
function isDue(rpc: string, { steps, refused }: BadRequest): boolean {
  if (steps.some(({ field }) => commentOf(`${field.parent.typeName}.${field.name}`).startsWith("Output only")))
    return false;
  // A key that cannot be is as good as one that is not there.
  return refused === "always" || (refused === "on change" && rpc.includes("Upsert"));
}

const OVER = { "Connect JSON": overConnect, GraphQL: overGraphql } as const;

for (const [door, ask] of Object.entries(OVER)) {
  describe(`Bad values over ${door}`, () => {
    const visited = new Set<DescMessage>();
    for (const { method } of rpcs) {
      const requests = [...badRequests(method.input, visited)];

      test(`of ${requests.length} in ${method.name} are refused by name, and harm nobody`, async () => {
        const wrong: string[] = [];
        for (const request of requests) {
          const told = await ask({ method, request });
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
        expect(at.defects).toEqual([]);
      });
    }
  });
}
