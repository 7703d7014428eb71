import { expect, test } from "bun:test";
import { COMMANDS } from "#cli/commands.ts";
import { appendSection, listGuideFiles, SECTION_MARK } from "#cli/init/guide_files.ts";
import { tools } from "#planner/operations/index.ts";
import { AGENT_GUIDE, AGENT_INSTRUCTIONS } from "#planner/work/guide.ts";
import { STANDARD_PROMPT } from "#planner/work/prompts/standard_prompt.ts";

test("withSection goes behind what is there, in its line endings, and is written once", () => {
  const [agents] = listGuideFiles([]);
  const once = appendSection("# Mine\r\n\r\nKeep", agents?.text ?? "");

  expect(once).toStartWith("# Mine\r\n\r\nKeep\r\n\r\n<!-- planner: begin -->\r\n");
  expect(once).not.toMatch(/[^\r]\n/);
  expect(appendSection(once ?? "", agents?.text ?? "")).toBeNull();
  expect(appendSection("", agents?.text ?? "")).toStartWith(SECTION_MARK);
});

test("guideFiles gives each agent the files that it reads", () => {
  expect(listGuideFiles(["codex"]).map(({ path }) => path)).toEqual(["AGENTS.md"]);
  expect(listGuideFiles(["claude", "gemini"]).map(({ path }) => path)).toEqual([
    "AGENTS.md",
    "GEMINI.md",
    ".claude/skills/planner/SKILL.md",
    ".claude/commands/spec-work.md",
    ".claude/commands/spec-add.md",
  ]);
});

test("what agents are told names only tools and commands that there are", () => {
  const names = tools.map(({ name }) => name);
  const told = [
    AGENT_GUIDE,
    AGENT_INSTRUCTIONS,
    STANDARD_PROMPT,
    ...listGuideFiles(["claude"]).map(({ text }) => text),
  ].join("\n");

  expect((told.match(/planner_\w+/g) ?? []).filter((name) => !names.includes(name))).toEqual([]);
  const commands = [...told.matchAll(/`planner ([a-z]+)/g)].map(([, name = ""]) => name);
  expect(commands.filter((name) => !Object.hasOwn(COMMANDS, name))).toEqual([]);
  expect(commands.length).toBeGreaterThan(8);
});
