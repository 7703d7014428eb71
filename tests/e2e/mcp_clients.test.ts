import { describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client as StatelessClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as StatelessTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { PLANNER, runCommand } from "../support/planner_command.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";

/** A call of one tool, and whether it is refused there; null where that depends on what is installed. */
interface Stop {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly refused: boolean | null;
}

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";
const C = "2026-11-01-003-ccc";
const D = "2026-11-01-004-ddd";

/** Every tool once, in an order that a project can be worked in, for a fresh `tourProject`. */
const TOUR: readonly Stop[] = [
  { tool: "planner_spec_list", args: { limit: 2 }, refused: false },
  { tool: "planner_spec_get", args: { id: A }, refused: false },
  { tool: "planner_ready", args: {}, refused: false },
  { tool: "planner_status", args: { brief: true }, refused: false },
  { tool: "planner_log", args: { id: A, lines: 5 }, refused: false },
  { tool: "planner_search", args: { query: "first" }, refused: false },
  { tool: "planner_diagnose", args: { id: A }, refused: false },
  { tool: "planner_lint", args: {}, refused: false },
  { tool: "planner_spec_update", args: { id: A, status: "in_progress", labels: ["x", "y"] }, refused: false },
  { tool: "planner_add", args: { description: "One more" }, refused: false },
  { tool: "planner_verify", args: { id: A }, refused: false },
  { tool: "planner_finalize", args: { id: A }, refused: false },
  { tool: "planner_archive", args: { id: A }, refused: false },
  { tool: "planner_reset", args: { id: B }, refused: false },
  { tool: "planner_cancel", args: { id: C }, refused: false },
  { tool: "planner_work_list", args: { include_completed: true }, refused: false },
  { tool: "planner_pause", args: { id: D }, refused: true },
  { tool: "planner_takeover", args: { id: D, force: false }, refused: true },
  { tool: "planner_watch_status", args: {}, refused: false },
  { tool: "planner_split", args: { id: "no-such-spec" }, refused: true },
  { tool: "planner_work_start", args: { id: "no-such-spec" }, refused: true },
  { tool: "planner_watch_start", args: {}, refused: null },
  // Last, so that a watch that could be started does not outlive the tour.
  { tool: "planner_watch_stop", args: {}, refused: null },
];

/** A small project in which the tour can be made once. */
function tourProject(): TempProject {
  const project = tempProject();
  const spec = (id: string, status: string, title: string): void => {
    const fields = `status: ${status}\ntype: code\nlabels: [tour]\n`;
    project.spec(id, `---\n${fields}---\n\n# ${title}\n\n## Acceptance Criteria\n\n- [x] It is done\n`);
  };
  spec(A, "pending", "The first one");
  spec(B, "failed", "The second one");
  spec(C, "pending", "The third one");
  spec(D, "pending", "The fourth one");
  project.write(`.planner/logs/${A}.log`, "2026-11-01T10:00:00Z begun\n");
  return project;
}

const INSPECTOR = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")),
  "clients/launcher/build/index.js",
);
const [PROGRAM = "", ...ARGS] = [...PLANNER, "mcp"];
const ME = { name: "planner-tests", version: "1.0.0" };
/** Tools that take a number, a truth value, a text, a list, nothing, and one that refuses. */
const KINDS: ReadonlySet<string> = new Set(
  "planner_spec_list planner_status planner_search planner_spec_update planner_lint planner_pause".split(" "),
);
const NAMES = TOUR.map(({ tool }) => tool).toSorted();

/** What the tests need of any of the clients. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getServerVersion(): unknown;
  close(): Promise<void>;
}

async function tour(client: AnyClient): Promise<void> {
  expect(client.getServerVersion()).toEqual({ name: "planner", version: "0.1.0" });
  expect((await client.listTools()).tools.map(({ name }) => name).toSorted()).toEqual(NAMES);
  for (const { tool, args, refused } of TOUR) {
    const result = (await client.callTool({ name: tool, arguments: { ...args } })) as { isError?: boolean };
    expect(result, tool).toMatchObject({ content: [{ type: "text", text: expect.stringMatching(/\S/) }] });
    if (refused !== null) expect([tool, result.isError === true]).toEqual([tool, refused]);
  }
}

test("the SDK's client of the handshake revisions drives every tool", async () => {
  using project = tourProject();
  const client = new Client(ME);
  await client.connect(
    new StdioClientTransport({ command: PROGRAM, args: ARGS, cwd: project.root, stderr: "inherit" }),
  );

  await tour(client);

  expect(await client.ping()).toEqual({});
  await client.close();
});

describe.each([
  ["pinned to 2026-07-28", { pin: "2026-07-28" }, "modern"],
  ["that finds out by itself", "auto", "modern"],
  ["that shakes hands", "legacy", "legacy"],
] as const)("the newer client %s", (_, mode, era) => {
  test("drives every tool", async () => {
    using project = tourProject();
    const client = new StatelessClient(ME, { versionNegotiation: { mode } });
    await client.connect(
      new StatelessTransport({ command: PROGRAM, args: ARGS, cwd: project.root, stderr: "inherit" }),
    );

    expect(client.getProtocolEra()).toBe(era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === "modern" ? "2026-07-28" : "2024-11-05");
    await tour(client);

    await client.close();
  });
});

describe("the inspector's command line", () => {
  const config = JSON.stringify({ mcpServers: { planner: { type: "stdio", command: PROGRAM, args: ARGS } } });
  const inspect = (root: string, args: readonly string[]) =>
    runCommand(
      [
        "node",
        INSPECTOR,
        "--cli",
        "--config",
        join(root, "inspector.json"),
        "--server",
        "planner",
        "--cwd",
        root,
        ...args,
      ],
      // Its own settings and secrets stay out of the home of whoever runs the tests.
      { cwd: root, env: { HOME: root, MCP_INSPECTOR_SECRET_STORE: "memory" } },
    );

  test("lists every tool and finds nothing wrong with their schemas", async () => {
    using project = tourProject();
    project.write("inspector.json", config);

    const { code, stdout } = await inspect(project.root, ["--method", "tools/list", "--strict"]);

    expect(
      JSON.parse(stdout)
        .tools.map(({ name }: { name: string }) => name)
        .toSorted(),
    ).toEqual(NAMES);
    expect(code).toBe(0);
  });

  test("brings every kind of argument to the tools, and tells what they refuse", async () => {
    using project = tourProject();
    project.write("inspector.json", config);

    // Each call starts the inspector and the server anew, which takes most of a second.
    for (const { tool, args, refused } of TOUR.filter((stop) => KINDS.has(stop.tool))) {
      const call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args)];
      const { stdout } = await inspect(project.root, call);

      const result = JSON.parse(stdout);
      expect(result, tool).toMatchObject({ content: [{ type: "text", text: expect.stringMatching(/\S/) }] });
      if (refused !== null) expect([tool, result.isError === true]).toEqual([tool, refused]);
    }
  });
});
