import { expect, test } from "bun:test";
import { AGENT_NAMES, AGENTS } from "#cli/init/agents.ts";

async function added(agent: keyof typeof AGENTS, text: string): Promise<string> {
  const edit = await AGENTS[agent].extend("file", text);
  if (edit.kind !== "added") throw new Error(`Expected an addition, got ${edit.kind}`);
  return edit.text;
}

test("AGENTS knows the agents that init promises", () => {
  expect(AGENT_NAMES.join(" ")).toBe("claude cursor codex gemini opencode kiro qwen copilot vscode generic");
});

test("AGENTS.opencode follows a file that is written in the newer shape", async () => {
  const before = '{"mcp":{"servers":{"docs":{"type":"local","command":["docs"]}}}}';

  expect(JSON.parse(await added("opencode", before))).toEqual({
    mcp: {
      servers: {
        docs: { type: "local", command: ["docs"] },
        planner: { type: "local", command: ["planner", "mcp"] },
      },
    },
  });
});

test("AGENTS.opencode is not misled by a server of the older shape that is called servers", async () => {
  const before = '{"mcp":{"servers":{"type":"local","command":["x"]}}}';

  expect(JSON.parse(await added("opencode", before))).toHaveProperty("mcp.planner.enabled", true);
});

test("AGENTS find their own entry again", async () => {
  for (const name of AGENT_NAMES) {
    const text = await added(name, "");

    expect(await AGENTS[name].extend("file", text)).toEqual({ kind: "present" });
  }
});

test("AGENTS.claude adds its field to the entry that other agents use, and they accept the field", async () => {
  const shared = await added("generic", '{ // ours\n  "a": 1\n}\n');

  const loaded = await added("claude", shared);

  expect(loaded).toBe(shared.replace('"args": ["mcp"]', '"args": ["mcp"],\n      "alwaysLoad": true'));
  for (const name of ["claude", "generic", "copilot"] as const) {
    expect(await AGENTS[name].extend("file", loaded)).toEqual({ kind: "present" });
  }
});

test("AGENTS.claude leaves an entry that a person wrote otherwise", async () => {
  const text = '{"mcpServers":{"planner":{"type":"stdio","command":"planner","args":["mcp"],"alwaysLoad":false}}}';

  expect(await AGENTS.claude.extend("file", text)).toEqual({ kind: "other" });
});
