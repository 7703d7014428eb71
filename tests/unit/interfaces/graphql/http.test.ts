import { describe, expect, test } from "bun:test";
import {
  buildClientSchema,
  type DocumentNode,
  getIntrospectionQuery,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import { serverAudits } from "graphql-http";
import { checkQueryLimits } from "#interfaces/graphql/handler.ts";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { http1 } from "../../../support/http_client.ts";

const JSON_TYPE = "application/json";
const RESPONSE_TYPE = "application/graphql-response+json";

interface Posted {
  readonly accept?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly method?: string;
}

async function post(at: Served, asked: object, { accept = RESPONSE_TYPE, type = JSON_TYPE, ...rest }: Posted = {}) {
  const answer = await http1(`${at.url}/graphql`, {
    method: "POST",
    headers: { accept, "content-type": type },
    body: JSON.stringify(asked),
    ...rest,
  });
  return { ...answer, body: JSON.parse(answer.text) };
}

async function get(at: Served, query: Record<string, string>, accept = RESPONSE_TYPE) {
  const answer = await http1(`${at.url}/graphql?${new URLSearchParams(query)}`, { headers: { accept } });
  return { ...answer, body: JSON.parse(answer.text) };
}

const OK = "{ searchDevices { totalCount } }";

const at = eachTest(served);

describe("GraphQL over HTTP", () => {
  for (const [accept, type] of [
    [RESPONSE_TYPE, RESPONSE_TYPE],
    [JSON_TYPE, JSON_TYPE],
    ["*/*", JSON_TYPE],
    ["application/*", JSON_TYPE],
    [`${JSON_TYPE}, ${RESPONSE_TYPE}`, RESPONSE_TYPE],
    [`${JSON_TYPE}, ${RESPONSE_TYPE};q=0.5`, JSON_TYPE],
    ["", JSON_TYPE],
    ["text/html, application/json; charset=utf-8", JSON_TYPE],
  ] as const) {
    test(`answers "${accept}" in ${type}`, async () => {
      const { status, headers, body } = await post(at, { query: OK }, { accept });

      expect(status).toBe(200);
      expect(headers["content-type"]).toBe(`${type}; charset=utf-8`);
      expect(body).toEqual({ data: { searchDevices: { totalCount: 0 } } });
    });
  }

  for (const accept of ["text/html", "application/json; charset=iso-8859-1", "application/json;q=0"]) {
    test(`has nothing for "${accept}"`, async () => {
      expect((await post(await served(), { query: OK }, { accept })).status).toBe(406);
    });
  }

  test("answers queries by GET with variables", async () => {
    const query = "query Q($size: Int) { searchDevices(pageSize: $size) { totalCount } } query R { __typename }";

    const { status, body } = await get(at, { query, operationName: "Q", variables: '{"size": 5}' });

    expect(status).toBe(200);
    expect(body.data.searchDevices.totalCount).toBe(0);
  });

  for (const [what, asked, options, status] of [
    ["another method", {}, { method: "PUT" }, 405],
    ["another media type", { query: OK }, { type: "text/plain" }, 415],
    ["a form", { query: OK }, { type: "application/x-www-form-urlencoded" }, 415],
    ["another charset", { query: OK }, { type: "application/json; charset=iso-8859-1" }, 415],
    ["no JSON", {}, { body: "{" }, 400],
    ["bytes that are no UTF-8", {}, { body: Uint8Array.of(0xff, 0xfe) }, 400],
    ["a batch", [{ query: OK }], {}, 400],
    ["no query", {}, {}, 400],
    ["a query that is no text", { query: 1 }, {}, 400],
    ["variables that are no object", { query: OK, variables: [1] }, {}, 400],
    ["extensions that are no object", { query: OK, extensions: "x" }, {}, 400],
    ["a name that is no text", { query: OK, operationName: 1 }, {}, 400],
    ["a document that cannot be parsed", { query: "{" }, {}, 400],
    ["a document that breaks the schema", { query: "{ nothing }" }, {}, 400],
    ["an operation that is not there", { query: OK, operationName: "Q" }, {}, 400],
    ["several operations without a name", { query: "query A { __typename } query B { __typename }" }, {}, 400],
    [
      "a variable of the wrong type",
      { query: "query($a: Int) { searchDevices(pageSize: $a) { totalCount } }", variables: { a: "x" } },
      {},
      400,
    ],
    ["a body above 1 MiB", { query: OK, variables: { a: "x".repeat(1024 * 1024) } }, {}, 413],
    ["a body above 16 MiB", {}, { body: Buffer.alloc(17 * 1024 * 1024, "x") }, 413],
  ] as const) {
    test(`refuses ${what} with ${status}`, async () => {
      const answer = await post(at, asked, options);

      expect(answer.status).toBe(status);
      expect(answer.body.errors[0].message).not.toBe("");
      expect(answer.body).not.toHaveProperty("data");
      expect(at.defects).toEqual([]);
    });
  }
});

describe("GraphQL limits", () => {
  test("refuse an operation that asks for too many values", async () => {
    const query =
      "query($n: Int) { searchDevices(pageSize: $n) { devices { code name role serial model status kind tags comments rackCode } } }";

    const small = await post(at, { query, variables: { n: 500 } });
    const large = await post(at, { query, variables: { n: 1000 } });
    const byDefault = await post(at, { query: query.replace("Int", "Int = 1000") });

    const readings = await post(at, {
      query:
        "{ listReadings(pageSize: 1000) { readings { elementRef quantity value time source p9530d max30d days { date p95 max } } } }",
    });

    expect(small.status).toBe(200);
    expect(readings.body).toEqual(large.body);
    expect(byDefault.body).toEqual(large.body);
    expect(large.body.errors[0]).toMatchObject({
      message: "The operation asks for more than 10000 values",
      extensions: { reason: "QUERY_TOO_COMPLEX" },
    });
  });

  test("refuse an operation with too many aliases, in fragments too", async () => {
    const renamed = Array.from({ length: 16 }, (_, index) => `a${index}: totalCount`).join(" ");
    const query = `{ searchDevices { ...F } more: searchDevices { ...F } } fragment F on DevicePage { ${renamed} }`;

    const { body } = await post(at, { query });

    expect(body.errors[0].message).toBe("The operation has more than 30 aliases");
  });

  test("refuse an operation that is nested too deep", () => {
    const nested = (levels: number) => parse(`${"{ f ".repeat(levels)}${"}".repeat(levels)}`);
    const check = (document: DocumentNode) => () =>
      checkQueryLimits({
        document,
        operation: document.definitions[0] as OperationDefinitionNode,
        variables: {},
        introspection: {},
      });

    expect(check(nested(12))).not.toThrow();
    expect(check(nested(13))).toThrow("nested deeper than 12 levels");
  });

  test("refuse fragments that unfold without end and without a field", async () => {
    const fragments = Array.from(
      { length: 60 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );

    const { body } = await post(at, { query: `{ ...F0 } ${fragments.join(" ")} fragment F60 on Query { __typename }` });

    expect(body.errors[0].extensions.reason).toBe("QUERY_TOO_COMPLEX");
  });

  test("refuse a document of too many tokens", async () => {
    const { body } = await post(await served(), { query: `{ ${"__typename ".repeat(2100)} }` });

    expect(body.errors[0].message).toContain("2000");
  });

  test("let a tool read the whole schema", async () => {
    const { status, body } = await post(at, { query: getIntrospectionQuery() });

    expect(status).toBe(200);
    expect(buildClientSchema(body.data).getQueryType()?.getFields()).toHaveProperty("powerBlastRadius");
  });
});

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
