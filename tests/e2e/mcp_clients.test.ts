import { describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client as StatelessClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as StatelessTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { TOUR, tourProject } from "../support/mcp_tour.ts";
import { PLANNER, runCommand } from "../support/planner_command.ts";

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
