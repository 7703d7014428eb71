import { describe, expect, test } from "bun:test";
import { estimateTokens } from "../support/estimate_tokens.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { tempProject } from "../support/temp_project.ts";

interface Listed {
  readonly name: string;
  readonly description: string;
}

const CLIENT = { clientInfo: { name: "test", version: "1" } };
const STATELESS = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

describe.each([
  ["planner mcp", ["mcp"], 3000],
  ["planner dc mcp", ["dc", "mcp"], 6000],
  ["planner dc mcp --planning", ["dc", "mcp", "--planning"], 6000],
])("what an agent reads first from %s", (_, words, budget) => {
  test("fits the budget and tells each tool from its siblings", async () => {
    using project = tempProject();
    await using server = new McpLines(project.root, words);

    const { result } = await server.request("tools/list");
    const tools = result?.["tools"] as readonly Listed[];

    expect(estimateTokens(JSON.stringify(tools))).toBeLessThanOrEqual(budget);
    const names = tools.map(({ name }) => name);
    for (const { name, description } of tools) {
      expect(description.length, name).toBeLessThanOrEqual(200);
      expect(description, name).not.toContain("buf:lint");
      const siblings = names.filter((other) => other !== name && new RegExp(`\\b${other}\\b`).test(description));
      if (name !== "render") expect(siblings, name).not.toEqual([]);
      const strange = (description.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).filter((word) =>
        word.startsWith("planner_"),
      );
      expect(names, name).toEqual(expect.arrayContaining(strange));
    }
  });

  test("has instructions in both forms of the protocol that name its own tools", async () => {
    using project = tempProject();
    await using server = new McpLines(project.root, words);

    const { result } = await server.request("initialize", CLIENT);
    const discovered = await server.request("server/discover", STATELESS);
    const listed = await server.request("tools/list");

    expect(Object.keys(result ?? {}).sort()).toEqual(["capabilities", "instructions", "protocolVersion", "serverInfo"]);
    const instructions = String(result?.["instructions"]);
    expect(discovered.result?.["instructions"]).toBe(instructions);
    const tools = listed.result?.["tools"] as readonly Listed[];
    const named = tools.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(instructions));
    expect(named.length).toBeGreaterThanOrEqual(8);
    const names = tools.map(({ name }) => name);
    expect((instructions.match(/planner_\w+/g) ?? []).filter((name) => !names.includes(name))).toEqual([]);
    expect(estimateTokens(instructions)).toBeLessThanOrEqual(400);
  });
});
