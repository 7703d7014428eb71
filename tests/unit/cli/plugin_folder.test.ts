import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_TEXTS } from "#cli/init/set_up.ts";
import { REPOSITORY } from "../../support/source_code.ts";

const PLUGIN = join(REPOSITORY, "plugins", "planner");

test.each([
  ["skills/planner/SKILL.md", AGENT_TEXTS.skill],
  ["commands/spec-work.md", AGENT_TEXTS.work],
  ["commands/spec-add.md", AGENT_TEXTS.add],
])("plugins/planner/%s is what planner init writes for claude", (file, text) => {
  expect(readFileSync(join(PLUGIN, file), "utf8")).toBe(text);
});

test("plugins/planner starts the server that planner init configures", () => {
  const { mcpServers } = JSON.parse(readFileSync(join(PLUGIN, ".mcp.json"), "utf8"));

  expect(mcpServers).toEqual({ planner: { command: "planner", args: ["mcp"], alwaysLoad: true } });
});
