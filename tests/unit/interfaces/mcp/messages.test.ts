import { describe, expect, test } from "bun:test";
import { formatErrorLine, formatResultLine, parseLine, type RpcError, readMessage } from "#interfaces/mcp/messages.ts";

const VERSION: RpcError = { code: -32600, message: "Invalid JSON-RPC version" };

function read(text: string) {
  const content = parseLine(new TextEncoder().encode(text));
  if (content.kind !== "single") throw new Error(`not a single message: ${text}`);
  return readMessage(content.value);
}

describe("parseLine", () => {
  test("names what is wrong with a text that is no JSON", () => {
    const content = parseLine(new TextEncoder().encode("no json"));

    expect(content).toMatchObject({ kind: "invalid", error: { code: -32700 } });
    expect((content as { error: RpcError }).error.message).toMatch(/^Parse error: [^J].*/);
  });

  test("refuses invalid UTF-8 even inside a string", () => {
    const content = parseLine(Uint8Array.of(34, 0xff, 34));

    expect(content).toEqual({ kind: "invalid", error: { code: -32700, message: "Parse error: invalid UTF-8" } });
  });

  test("takes JSON nested a million levels deep", () => {
    const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;

    expect(parseLine(new TextEncoder().encode(deep)).kind).toBe("batch");
  });
});

describe("readMessage", () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1,"method":"m"}', { id: 1, method: "m", params: {} }],
    ['{"jsonrpc":"2.0","id":"a","method":"m","params":{"b":1}}', { id: "a", method: "m", params: { b: 1 } }],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', { id: null, method: "m", params: {} }],
    ['{"jsonrpc":"2.0","id":1.5,"method":"m","params":null}', { id: 1.5, method: "m", params: {} }],
    ['{"jsonrpc":"2.0","id":"","method":""}', { id: "", method: "", params: {} }],
  ])("takes %s for a request", (text, request) => {
    expect(read(text)).toEqual({ kind: "request", ...request });
  });

  test.each(['{"jsonrpc":"2.0","method":"m"}', '{"jsonrpc":"2.0","method":"m","params":{}}'])(
    "takes %s for a notification",
    (text) => {
      expect(read(text)).toEqual({ kind: "notification", method: "m", params: {} });
    },
  );

  test.each([
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["an error response", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'],
    ["a response of another version", '{"id":1,"result":{}}'],
    ["a notification without jsonrpc", '{"method":"m"}'],
    ["a notification whose params are a list", '{"jsonrpc":"2.0","method":"m","params":[1]}'],
  ])("ignores %s", (_, text) => {
    expect(read(text)).toEqual({ kind: "ignored" });
  });

  test.each([
    ['{"id":7,"method":"m"}', 7],
    ['{"jsonrpc":"1.0","id":"x","method":"m"}', "x"],
    ['{"jsonrpc":2.0,"id":7,"method":"m"}', 7],
    ['{"jsonrpc":"1.0","id":null,"method":"m"}', null],
    ['{"jsonrpc":"1.0","id":{},"method":"m"}', null],
    ["{}", null],
  ])("answers %s with the wrong version", (text, id) => {
    expect(read(text)).toEqual({ kind: "invalid", id, error: VERSION });
  });

  test.each([
    ["1", null],
    ["null", null],
    ['"text"', null],
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":5}', 1],
    ['{"jsonrpc":"2.0"}', null],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', null],
    ['{"jsonrpc":"2.0","id":[1],"method":"m"}', null],
    ['{"jsonrpc":"2.0","id":true,"method":"m"}', null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"m"}', null],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}', null],
  ])("refuses %s as an invalid request", (text, id) => {
    expect(read(text)).toMatchObject({ kind: "invalid", id, error: { code: -32600 } });
    expect((read(text) as { error: RpcError }).error.message).toStartWith("Invalid Request: ");
  });

  test.each(["[]", '"x"', "5", "true"])("refuses params %s", (params) => {
    const error = { code: -32602, message: "Invalid params: expected an object" } as const;

    expect(read(`{"jsonrpc":"2.0","id":3,"method":"m","params":${params}}`)).toEqual({ kind: "invalid", id: 3, error });
  });

  test("leaves __proto__ a member like any other", () => {
    const message = read('{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":true}}}');

    expect(message).toMatchObject({ kind: "request", method: "m" });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("resultLine and errorLine make one line each, whatever they carry", () => {
  const lines = [
    formatResultLine("a\nb", JSON.stringify({ text: "x\r\ny\u2028z" })),
    formatErrorLine(null, { code: -32603, message: "a\nb" }),
  ];

  expect(lines.map((line) => line.includes("\n"))).toEqual([false, false]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: "2.0", id: "a\nb", result: { text: "x\r\ny\u2028z" } },
    { jsonrpc: "2.0", id: null, error: { code: -32603, message: "a\nb" } },
  ]);
});
