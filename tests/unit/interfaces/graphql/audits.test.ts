import { expect, test } from "bun:test";
import { serverAudits } from "graphql-http";
import { served } from "../../../support/dc/served.ts";

const audits = serverAudits({ url: "http://127.0.0.1" });

test("there are audits of every strength", () => {
  expect(audits.length).toBeGreaterThan(50);
});

test("every MUST, SHOULD and MAY of GraphQL over HTTP is kept", async () => {
  const at = await served();
  const results = await Promise.all(
    serverAudits({ url: `${at.url}/graphql`, fetchFn: fetch }).map(async (audit) => {
      const result = await audit.fn();
      return { name: audit.name, status: result.status, ...("reason" in result && { reason: result.reason }) };
    }),
  );

  expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
});
