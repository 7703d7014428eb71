import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DescMessage, getOption } from "@bufbuild/protobuf";
import type { Client } from "@grpc/grpc-js";
import { datacenterRpcs as contractRpcs } from "#dc/operations/index.ts";
import { applyChanges, previewChanges } from "#dc/operations/planning/change_list.ts";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";
import {
  type Ask,
  type Asked,
  askGrpc,
  connectInterface,
  graphqlInterface,
  grpcClient,
  grpcInterface,
  mcpInterface,
} from "../support/dc/asked_interfaces.ts";
import { type BadRequest, badRequests, pathOf } from "../support/dc/bad_requests.ts";
import { openServed } from "../support/dc/served.ts";
import { smallSite } from "../support/dc/small_site.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../support/dc/stores.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** The 26 RPCs, and those of planning that take resources of every kind. */
const rpcs = [...contractRpcs, applyChanges, previewChanges];

/** What no answer may hold: a stack, a statement, a path of the program's source. */
const INSIDE = /\n\s+at |\.ts:\d|node_modules|\bINSERT INTO\b|\bSELECT .* FROM\b|sqlite|TypeError|undefined is not/i;

/** Whether the call must be refused; what is only answered may hold anything that can be read. */
function isDue(rpc: string, { steps, refused }: BadRequest): boolean {
  if (steps.some(({ field }) => getOption(field, rule).output)) return false;
  // A key that cannot be is as good as one that is not there.
  return refused === "always" || (refused === "on change" && /Upsert|Changes/.test(rpc));
}

const chance = new SeededRandom(20_260_102);

/** Text that only some databases hold, and a tenth of the others: what is refused by reading reaches no database. */
function isDistinctive({ json }: BadRequest): boolean {
  return json.includes("\\u0000") || json.includes("\\ud800") || chance.below(10) === 0;
}

/** The first field of a request, as text. */
const FIRST = 1 << 3;
const NO_MESSAGES: Readonly<Record<string, readonly number[]>> = {
  "a text cut short": [FIRST | 2, 100, 65],
  "a length beyond measure": [FIRST | 2, 0xff, 0xff, 0xff, 0xff, 0x0f],
  "a field numbered 0": [2, 1, 65],
  "a wire type that is none": [FIRST | 7, 0],
  "a group that never ends": [FIRST | 3],
  "an end without a group": [FIRST | 4],
  "endless numbers": Array.from({ length: 50 }, () => 0xff),
};

/** What a database holds does not depend on who asks for it, but on whether it came as JSON or in binary. */
const STORES = {
  SQLite: { open: openTemporarySqlite, isAsked: () => true, names: ["Connect JSON", "GraphQL", "gRPC", "MCP"] },
  PostgreSQL: { open: openTemporaryPostgres, isAsked: isDistinctive, names: ["Connect JSON", "gRPC"] },
} as const;

/** What is wrong with the answer, in words. */
async function faultsOf(asked: Asked, interfaceName: Ask | undefined): Promise<readonly string[]> {
  const told = await interfaceName?.(asked);
  if (told === undefined) return [];
  const { method, request } = asked;
  const due = isDue(method.name, request);
  const faults = [
    told.broken && "is a fault",
    due && !told.refused && "is taken",
    due && told.refused && !told.named && "does not name its path",
    INSIDE.test(told.text) && "shows the inside",
  ].filter(Boolean);
  if (faults.length === 0) return [];
  const path = pathOf(request, ({ name }) => name);
  return [`${path} as ${request.what}: ${faults.join(", ")}: ${told.text.slice(0, 400)}`];
}

for (const [store, { open, isAsked, names }] of Object.entries(STORES)) {
  describe(`Over ${store}:`, () => {
    let client: Client;
    let at: Awaited<ReturnType<typeof openServed>>;
    let interfaces: Readonly<Record<string, Ask>> = {};
    beforeAll(async () => {
      at = await openServed({ store: (await smallSite({ store: await open() })).store });
      client = grpcClient(at);
      interfaces = {
        "Connect JSON": connectInterface(at),
        GraphQL: graphqlInterface(at),
        gRPC: grpcInterface(client),
        MCP: mcpInterface(at),
      };
    });
    afterAll(async () => {
      client.close();
      await at.end();
    });

    for (const interfaceName of names) {
      const visited = new Set<DescMessage>();
      for (const { method } of rpcs) {
        const requests = [...badRequests(method.input, visited)].filter(isAsked);

        test(`${requests.length} bad values in ${method.name} are refused over ${interfaceName} by their path, and harm nobody`, async () => {
          const wrong: string[] = [];
          for (const request of requests)
            wrong.push(...(await faultsOf({ method, request }, interfaces[interfaceName])));

          expect(wrong).toEqual([]);
          expect(at.defects.splice(0)).toEqual([]);
        });
      }
    }

    // What is no message reaches no database.
    for (const [what, bytes] of store === "SQLite" ? Object.entries(NO_MESSAGES) : []) {
      test(`every call refuses ${what} over gRPC`, async () => {
        for (const { method } of rpcs) {
          const told = await askGrpc(client, method, Uint8Array.from(bytes));

          // gRPC itself says INTERNAL for a request that cannot be parsed; it is no defect of the server all the same.
          expect([method.name, told.refused, INSIDE.test(told.text)]).toEqual([method.name, true, false]);
        }
        expect(at.defects).toEqual([]);
      });
    }
  });
}
