import { afterAll, describe, expect, test } from "bun:test";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const ID = "2026-11-01-001-aaa";
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const project = projectOfAllTests();
project.spec(ID, "---\nstatus: pending\n---\n\n# First\n");
const server = new LinesOfProcess([...PLANNER, "mcp"], project.root);
afterAll(async () => void (await server.end()));

const error = (id: unknown, code: number, message: unknown, data?: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
const refused = (id: unknown, text: string) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }], isError: true },
});
const call = (id: number, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });

describe("one line and its answer", () => {
  test.each<[string, string, unknown]>([
    ["half a JSON text", '{"jsonrpc":"2.0","id":1', error(null, -32700, expect.stringMatching(/^Parse error: ./))],
    ["a number", "42", error(null, -32600, "Invalid Request: expected an object")],
    ["an empty batch", "[]", error(null, -32600, expect.stringMatching(/^Invalid Request: /))],
    ["no method", '{"jsonrpc":"2.0","id":3}', error(3, -32600, "Invalid Request: expected a string as method")],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', error(null, -32600, expect.any(String))],
    ["id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', { jsonrpc: "2.0", id: null, result: {} }],
    [
      "params that are a list",
      '{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}',
      error(4, -32602, "Invalid params: expected an object"),
    ],
    [
      "an unknown cursor",
      '{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"x"}}',
      error(6, -32602, "Invalid params: unknown cursor"),
    ],
    ["ping", '{"jsonrpc":"2.0","id":7,"method":"ping"}', { jsonrpc: "2.0", id: 7, result: {} }],
    [
      "a call without arguments of a tool that needs none",
      call(12, { name: "planner_status" }),
      refused(12, "Missing arguments"),
    ],
    [
      "a call with arguments null",
      call(13, { name: "planner_status", arguments: null }),
      refused(13, "Missing arguments"),
    ],
    [
      "a number sent as text",
      call(18, { name: "planner_spec_list", arguments: { limit: "five" } }),
      refused(18, expect.stringContaining("limit") as never),
    ],
    [
      "__proto__ as an argument",
      '{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"planner_status","arguments":{"__proto__":{"brief":true}}}}',
      refused(19, expect.stringContaining("__proto__") as never),
    ],
    [
      "an unsupported version",
      JSON.stringify({
        jsonrpc: "2.0",
        id: 20,
        method: "tools/list",
        params: { _meta: { ...MODERN, "io.modelcontextprotocol/protocolVersion": "1900-01-01" } },
      }),
      error(20, -32022, "Unsupported protocol version", { supported: ["2026-07-28"], requested: "1900-01-01" }),
    ],
    [
      "initialize without a handshake",
      JSON.stringify({ jsonrpc: "2.0", id: 21, method: "initialize", params: { _meta: MODERN } }),
      error(21, -32601, "Method not found: initialize"),
    ],
    [
      "a stateless request without capabilities",
      JSON.stringify({
        jsonrpc: "2.0",
        id: 22,
        method: "tools/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
      }),
      error(22, -32602, expect.stringContaining("clientCapabilities")),
    ],
  ])("%s", async (_, line, answer) => {
    server.send(`${line}\n`);

    expect(await server.next()).toEqual(answer as never);
  });

  test.each([
    ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/unheard_of","params":{}}'],
    ["a notification of a wrong version", '{"jsonrpc":"1.0","method":"x"}'],
    ["a notification with wrong params", '{"jsonrpc":"2.0","method":"x","params":[]}'],
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["a batch of notifications", '[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","method":"y"}]'],
    ["a blank line", " \t "],
  ])("%s has none", async (name, line) => {
    server.send(`${line}\n`);
    server.request(name, "ping");

    expect((await server.next())["id"]).toBe(name);
  });

  test("invalid UTF-8", async () => {
    server.send(
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}\n')]),
    );

    expect(await server.next()).toEqual(error(null, -32700, "Parse error: invalid UTF-8"));
  });

  test("a batch", async () => {
    server.send('[{"jsonrpc":"2.0","id":"x","method":"ping"},5,{"jsonrpc":"2.0","method":"y"}]\n');

    expect((await server.next()) as unknown).toEqual([
      { jsonrpc: "2.0", id: "x", result: {} },
      error(null, -32600, "Invalid Request: expected an object"),
    ]);
  });

  test("JSON nested two million levels deep, as arguments and as a whole", async () => {
    const deep = `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`;

    server.send(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"planner_spec_get","arguments":{"id":${deep}}}}\n`,
    );
    expect(await server.next()).toMatchObject({ id: "deep", result: { isError: true } });
    server.send(`${deep}\n`);
    server.request("after", "ping");

    expect(await server.next()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(await server.next()).toMatchObject({ id: "after", result: {} });
  });
});

test("a refusal repeats the beginning of a long value only", async () => {
  const long = "x".repeat(200_000);
  const cut = `${"x".repeat(60)}…`;
  const asked: readonly (readonly [params: unknown, text: string])[] = [
    [{ name: "planner_spec_get", arguments: { id: long } }, `Spec not found: ${cut}`],
    [{ name: "planner_work_list", arguments: { process_id: long } }, `Process not found: ${cut}`],
    [{ name: "planner_add", arguments: { description: "A", prompt: long } }, `Prompt not found: "${cut}"`],
    [{ name: "planner_log", arguments: { id: ID, since: long } }, `Invalid since: "${cut}"`],
    [{ name: "planner_ready", arguments: { [long]: 1 } }, `Unknown parameter: ${cut}`],
    [{ name: long, arguments: {} }, `Unknown tool: ${cut}`],
    [{ name: "planner_spec_get", arguments: { id: " " } }, 'Invalid id "": expected a full or partial spec id'],
  ];

  for (const [index, [params, text]] of asked.entries()) {
    server.send(`${call(900 + index, params)}\n`);
    expect(await server.next()).toEqual(refused(900 + index, expect.stringContaining(text) as unknown as string));
  }
});
