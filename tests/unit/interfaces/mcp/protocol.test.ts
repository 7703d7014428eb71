import { describe, expect, test } from "bun:test";
import { MAX_SUBSCRIPTIONS } from "#interfaces/mcp/requests.ts";
import { OperationError } from "#kernel/errors.ts";
import { Served, serve, settle, type TestTool, testTools } from "../../../support/mcp_served.ts";

const INFO = { name: "test", version: "9.8.7" };
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";
const META = { [VERSION_KEY]: "2026-07-28", [CAPABILITIES_KEY]: {} };
const STAMP = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": INFO } };

/** Sends one request and returns what came back without the frame. */
async function ask(method: string, params?: unknown): Promise<{ result?: unknown; error?: unknown }> {
  const served = serve();
  served.request(1, method, params);
  await served.end();
  const [{ jsonrpc, id, ...answer } = { jsonrpc: "", id: 0 }] = served.answers;
  expect({ jsonrpc, id, answers: served.answers.length }).toEqual({ jsonrpc: "2.0", id: 1, answers: 1 });
  return answer;
}

describe("a client that shakes hands", () => {
  test("gets the tools and nothing else in the list", async () => {
    const { result } = await ask("tools/list");

    expect(Object.keys(result as object)).toEqual(["tools"]);
  });

  test.each([
    ["an empty cursor", "", "Invalid params: unknown cursor"],
    ["a cursor that is no text", 5, "Invalid params: expected a string as cursor"],
  ])("is refused %s", async (_, cursor, message) => {
    expect(await ask("tools/list", { cursor })).toEqual({ error: { code: -32602, message } });
  });

  test("may name no cursor as null", async () => {
    expect(await ask("tools/list", { cursor: null })).toHaveProperty("result");
  });

  test.each(["server/discover", "subscriptions/listen", "resources/list", "notifications/initialized", "", "toString"])(
    "is told that %p is no method",
    async (method) => {
      expect(await ask(method)).toEqual({ error: { code: -32601, message: `Method not found: ${method}` } });
    },
  );

  test.each([null, "text", [], { progressToken: 1 }])("may send any other _meta: %p", async (_meta) => {
    expect(await ask("ping", { _meta })).toEqual({ result: {} });
  });
});

describe("a stateless client", () => {
  test("discovers the server", async () => {
    expect(await ask("server/discover", { _meta: META })).toEqual({
      result: {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: expect.any(Number),
        cacheScope: "public",
        ...STAMP,
      },
    });
  });

  test("gets the tools with cache hints", async () => {
    expect(await ask("tools/list", { _meta: META })).toEqual({
      result: {
        tools: [expect.objectContaining({ name: "echo" })],
        ttlMs: expect.any(Number),
        cacheScope: "public",
        ...STAMP,
      },
    });
  });

  test("gets a stamp on a tool's answer and on a refusal", async () => {
    expect(await ask("tools/call", { _meta: META, name: "echo", arguments: { a: 1 } })).toEqual({
      result: { content: [{ type: "text", text: '{"a":1}' }], ...STAMP },
    });
    expect(await ask("tools/call", { _meta: META, name: "nothing", arguments: {} })).toEqual({
      result: { content: [{ type: "text", text: "Unknown tool: nothing" }], isError: true, ...STAMP },
    });
  });

  test("gets a stamp on a tool's own refusal", async () => {
    const refusing: TestTool = {
      name: "refuse",
      call: async () => {
        throw new OperationError("aborted", "No");
      },
    };
    const served = serve(refusing);

    served.request(1, "tools/call", { _meta: META, name: "refuse", arguments: {} });
    await served.end();

    expect(served.answers).toMatchObject([{ result: { isError: true, ...STAMP } }]);
  });

  test.each(["initialize", "ping", "resources/list"])("is told that %s is no method", async (method) => {
    expect(await ask(method, { _meta: META })).toEqual({
      error: { code: -32601, message: `Method not found: ${method}` },
    });
  });

  test.each([
    ["a version that is no text", { ...META, [VERSION_KEY]: 20260728 }, VERSION_KEY],
    ["no capabilities", { [VERSION_KEY]: "2026-07-28" }, CAPABILITIES_KEY],
    ["capabilities that are no object", { ...META, [CAPABILITIES_KEY]: true }, CAPABILITIES_KEY],
  ])("is refused with %s", async (_, meta, key) => {
    const { error } = await ask("tools/list", { _meta: meta });

    expect(error).toEqual({ code: -32602, message: expect.stringContaining(`_meta["${key}"]`) });
  });

  test("shares the process with one that shakes hands", async () => {
    const served = serve();

    served.request(1, "server/discover", { _meta: META });
    served.request(2, "initialize");
    served.request(3, "tools/call", { _meta: META, name: "echo", arguments: {} });
    served.request(4, "tools/call", { name: "echo", arguments: {} });
    await served.end();

    expect(served.answers.map(({ result }) => Object.hasOwn(result as object, "resultType"))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("subscriptions/listen", () => {
  const params = { _meta: META, notifications: { toolsListChanged: true } };

  test("is acknowledged with nothing to come and answered when the server ends", async () => {
    const served = serve();

    served.request("sub", "subscriptions/listen", params);
    served.request(2, "tools/list", { _meta: META });
    await served.answered(2);
    expect(served.answers[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [SUBSCRIPTION_KEY]: "sub" }, notifications: {} },
    });
    await served.end();

    expect(served.answers[2]).toEqual({
      jsonrpc: "2.0",
      id: "sub",
      result: { resultType: "complete", _meta: { ...STAMP._meta, [SUBSCRIPTION_KEY]: "sub" } },
    });
  });

  test("has no answer when it was cancelled", async () => {
    const served = serve();

    served.request("sub", "subscriptions/listen", params);
    await served.answered(1);
    served.notify("notifications/cancelled", { requestId: "sub" });
    await served.end();

    expect(served.answers).toHaveLength(1);
  });

  test("is refused without a filter, and when too many are open", async () => {
    const served = serve();

    served.request("bad", "subscriptions/listen", { _meta: META });
    for (let id = 0; id <= MAX_SUBSCRIPTIONS; id += 1) served.request(id, "subscriptions/listen", params);
    await served.answered(MAX_SUBSCRIPTIONS + 2);
    await settle();

    const refused = served.answers.filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([
      { id: "bad", error: { code: -32602 } },
      { id: MAX_SUBSCRIPTIONS, error: { code: -32602 } },
    ]);
    await served.end();
  });
});

test("the list is made of what was loaded", async () => {
  const served = new Served({ loadTools: async () => testTools([]) });

  served.request(1, "tools/list");
  await served.end();

  expect(served.answers).toMatchObject([{ result: { tools: [] } }]);
});
