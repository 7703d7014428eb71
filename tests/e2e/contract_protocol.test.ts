import { afterAll, expect } from "bun:test";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "../requirements/verifies.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { tempProject } from "../support/temp_project.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const TOOLS = [
  "planner_spec_list",
  "planner_spec_get",
  "planner_ready",
  "planner_status",
  "planner_log",
  "planner_search",
  "planner_diagnose",
  "planner_lint",
  "planner_spec_update",
  "planner_add",
  "planner_finalize",
  "planner_reset",
  "planner_cancel",
  "planner_archive",
  "planner_verify",
  "planner_work_start",
  "planner_work_list",
  "planner_pause",
  "planner_takeover",
  "planner_watch_status",
  "planner_watch_start",
  "planner_watch_stop",
  "planner_split",
];

/** The parameters with a star in docs/contract/spec-tool.md#tools. */
const REQUIRED: Readonly<Record<string, string>> = {
  planner_search: "query",
  planner_add: "description",
  ...Object.fromEntries(
    "spec_get log diagnose verify spec_update finalize reset cancel archive work_start pause takeover split"
      .split(" ")
      .map((name) => [`planner_${name}`, "id"]),
  ),
};

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: string; readonly properties: object; readonly required?: readonly string[] };
}

const project = projectOfAllTests();
project.spec("2026-11-01-001-aaa", "---\nstatus: pending\n---\n\n# First\n");
const client = new McpLines(project.root);
afterAll(() => client.end());

verifies("mcp.initialize.result", async () => {
  const { result } = await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {} });

  expect(result).toEqual({
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "planner", version: "0.1.0" },
  });
});

verifies("mcp.initialized.ignored", async () => {
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

  const next = await client.request("tools/list");

  expect(next.result).toHaveProperty("tools");
});

verifies("mcp.transport.notification-unanswered", async () => {
  client.send('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"planner_status","arguments":{}}}\n');
  client.send('{"jsonrpc":"2.0","method":"no/such/method"}\n');
  client.send('{"jsonrpc":"2.0","id":"behind","method":"tools/list"}\n');

  expect((await client.next()).id).toBe("behind");
});

verifies("mcp.transport.id-number-or-string", async () => {
  client.send(
    '{"jsonrpc":"2.0","id":"a-text","method":"tools/list"}\n{"jsonrpc":"2.0","id":-7,"method":"tools/list"}\n',
  );

  expect([(await client.next()).id, (await client.next()).id]).toEqual(["a-text", -7]);
});

verifies("mcp.transport.line-per-message", async () => {
  client.send('{"jsonrpc":"2.0","id":1,"me');
  client.send('thod":"tools/list"}\n\n\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');

  const answers = [await client.next(), await client.next()];

  expect(answers.map(({ id, jsonrpc }) => ({ id, jsonrpc }))).toEqual([
    { id: 1, jsonrpc: "2.0" },
    { id: 2, jsonrpc: "2.0" },
  ]);
});

verifies("mcp.tools-list.shape", async () => {
  const { result } = await client.request("tools/list");
  const tools = result?.["tools"] as readonly Tool[];

  expect(tools.map(({ name }) => name)).toEqual(TOOLS);
  expect(tools.filter(({ description }) => description.trim() === "")).toEqual([]);
  expect(new Set(tools.map(({ inputSchema }) => inputSchema.type))).toEqual(new Set(["object"]));
  expect(tools.every(({ inputSchema }) => typeof inputSchema.properties === "object")).toBe(true);
});

verifies("mcp.tools-list.required", async () => {
  const { result } = await client.request("tools/list");
  const tools = result?.["tools"] as readonly Tool[];

  const required = tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]);

  expect(required).toEqual(TOOLS.map((name) => [name, REQUIRED[name] === undefined ? [] : [REQUIRED[name]]]));
});

verifies("mcp.tools-call.content", async () => {
  const { result } = await client.request("tools/call", { name: "planner_status", arguments: {} });

  expect(result?.content).toEqual([{ type: "text", text: expect.any(String) }]);
  expect(result?.isError ?? false).toBe(false);
});

verifies("mcp.tools-call.error-flag", async () => {
  const { result } = await client.request("tools/call", { name: "planner_spec_get", arguments: { id: "no-such" } });

  expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "Spec not found: no-such" }] });
});

verifies("mcp.error.parse", async () => {
  client.send("this is no JSON\n");

  const answer = await client.next();

  expect(answer).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
  expect(answer.error?.message).toStartWith("Parse error: ");
});

verifies("mcp.error.version", async () => {
  client.send('{"jsonrpc":"1.0","id":5,"method":"tools/list"}\n{"id":6,"method":"tools/list"}\n');

  const error = { code: -32600, message: "Invalid JSON-RPC version" };

  expect(await client.next()).toMatchObject({ id: 5, error });
  expect(await client.next()).toMatchObject({ id: 6, error });
});

verifies("mcp.error.unknown-method", async () => {
  const { error } = await client.request("resources/list");

  expect(error).toMatchObject({ code: -32601, message: "Method not found: resources/list" });
});

verifies("tool.error.unknown-tool", async () => {
  expect(await client.tool("planner_dance")).toEqual({ text: "Unknown tool: planner_dance", refused: true });
});

verifies("tool.error.missing-tool-name", async () => {
  for (const params of [{ arguments: {} }, { name: 7, arguments: {} }]) {
    const { result } = await client.request("tools/call", params);

    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "Missing tool name" }] });
  }
});

verifies("tool.error.missing-arguments", async () => {
  const { result } = await client.request("tools/call", { name: "planner_spec_get" });

  expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "Missing arguments" }] });
});

verifies("tool.error.missing-id", async () => {
  for (const name of TOOLS.filter((tool) => REQUIRED[tool] === "id")) {
    expect(await client.tool(name)).toEqual({ text: "Missing required parameter: id", refused: true });
  }
});

verifies("tool.error.not-initialized", async () => {
  using folder = tempProject();
  rmSync(join(folder.root, ".planner"), { recursive: true });
  await using outside = new McpLines(folder.root);

  for (const name of TOOLS) {
    const args = REQUIRED[name] === undefined ? {} : { [REQUIRED[name]]: "x" };

    expect(await outside.tool(name, args)).toEqual({
      text: "Planner not initialized. Run `planner init` first.",
      refused: true,
    });
  }
});

verifies("cli.local-only", () => {
  if (process.platform !== "linux") return;
  const folder = `/proc/${client.child.pid}/fd`;
  const sockets = readdirSync(folder)
    .map((fd) => readlink(`${folder}/${fd}`))
    .flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  const listening = ["tcp", "tcp6"]
    .flatMap((table) => readFileSync(`/proc/${client.child.pid}/net/${table}`, "utf8").split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === "0A")
    .map((columns) => columns[9] ?? "");

  expect(sockets.filter((inode) => listening.includes(inode))).toEqual([]);
});

function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
