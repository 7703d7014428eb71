import { describe, expect, test } from "bun:test";
import type { Caller } from "#dc/context.ts";
import { convertPageToJson, type HistoryParameters } from "#dc/operations/audit_history.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

const READER: Caller = { interface: "REST", principal: { name: "rita", roles: ["reader"], authMethod: "token" } };

describe("history", async () => {
  const site = await smallSite();
  site.clock.moveS(60);
  const graphql: Caller = { interface: "GRAPHQL", principal: { name: "bert", roles: ["writer"], authMethod: "jwt" } };
  await site.call("UpsertRack", { rack: { code: "R2", name: "late" } }, graphql);

  const entities = async (parameters: HistoryParameters) =>
    (await site.service.readHistory(parameters, READER)).entries.map(({ entity }) => entity);

  test("shows the newest change first and links to the end of the chain", async () => {
    const page = await site.service.readHistory({ page_size: "1" }, READER);

    expect(page.entries).toMatchObject([{ entity: "rack:R2", action: "UPDATE", seq: 17 }]);
    expect(page.chain).toEqual({ seq: 17, hash: page.entries[0]?.hash ?? "" });
  });

  const rows: readonly (readonly [string, HistoryParameters, readonly string[]])[] = [
    ["an entity and what belongs to it", { entity: "device:CH-1" }, ["device:BL-1", "device:CH-1"]],
    ["an actor", { actor: "bert" }, ["rack:R2"]],
    ["an actor who signed in by a JWT", { actor: "jwt:bert" }, ["rack:R2"]],
    ["an actor of that name who has a token", { actor: "token:bert" }, []],
    ["a name that only looks like a way of signing in", { actor: "saml:bert" }, []],
    ["an interface in any case", { interface: "graphql" }, ["rack:R2"]],
    ["an action", { action: "update" }, ["rack:R2"]],
    ["a time", { since: "2026-01-02T03:05:00Z" }, ["rack:R2"]],
    ["a time with another offset", { until: "2026-01-02T04:04:00+01:00" }, []],
  ];
  for (const [what, parameters, expected] of rows) {
    test(`filters by ${what}`, async () => {
      expect(await entities(parameters)).toEqual([...expected]);
    });
  }

  test("goes over the wire in snake_case", async () => {
    const json = convertPageToJson(await site.service.readHistory({ page_size: "1" }, READER));

    expect(Object.keys(json)).toEqual(["entries", "next_page_token", "complete_through", "chain"]);
    expect(json["entries"]).toMatchObject([{ changed_fields: ["name"], actor: { auth_method: "jwt" }, sealed: true }]);
  });
});
