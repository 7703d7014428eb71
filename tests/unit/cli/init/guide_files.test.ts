import { expect, test } from "bun:test";
import { program } from "#cli/commands.ts";
import { AGENT_TEXTS, appendSection, type GuideFile, inspectGuide, listGuideFiles } from "#cli/init/set_up.ts";
import { tools } from "#planner/operations/index.ts";
import { AGENT_GUIDE, AGENT_INSTRUCTIONS } from "#planner/work/guide.ts";
import { STANDARD_PROMPT } from "#planner/work/prompts/prompt_template.ts";

test("withSection goes behind what is there, in its line endings, and is written once", () => {
  const [agents = SKILL] = listGuideFiles([]);
  const once = appendSection("# Mine\r\n\r\nKeep", agents.text);

  expect(once).toMatch(/^# Mine\r\n\r\nKeep\r\n\r\n<!-- planner: begin [0-9a-f]{8} -->\r\n/);
  expect(once).not.toMatch(/[^\r]\n/);
  expect(inspectGuide(agents, once)).toEqual({ kind: "current" });
  expect(inspectGuide(agents, "# Mine\r\n")).toEqual({ kind: "absent" });
  expect(appendSection("", agents.text)).toStartWith("<!-- planner: begin ");
});

const [SECTION, , SKILL] = listGuideFiles(["gemini", "claude"]) as [GuideFile, GuideFile, GuideFile];
const OLD_SECTION = `<!-- planner: begin -->\n${AGENT_GUIDE}<!-- planner: end -->\n`;
const around = (text: string) => `# Mine\n\n${text}\nAfter\n`;
const stamped = (text: string) =>
  `<!-- planner: begin ${Bun.SHA256.hash(text, "hex").slice(0, 8)} -->\n${text}<!-- planner: end -->\n`;

test.each<[name: string, file: GuideFile, before: string, after: string | "current" | "absent" | "edited"]>([
  ["a section as it is", SECTION, around(SECTION.text), "current"],
  [
    "a current section that a person edited",
    SECTION,
    around(SECTION.text.replace("find work", "find tasks")),
    "current",
  ],
  ["a file without a section", SECTION, "# Mine\n", "absent"],
  ["a file that names planner", SECTION, "# Mine\n\nWe use planner: begin with `planner ready`.\n", "absent"],
  ["0.3.0's section", SECTION, around(OLD_SECTION), around(SECTION.text)],
  [
    "0.3.0's section with Windows' line ends",
    SECTION,
    OLD_SECTION.replaceAll("\n", "\r\n"),
    SECTION.text.replaceAll("\n", "\r\n"),
  ],
  ["0.3.0's section, edited", SECTION, OLD_SECTION.replace("find work", "find tasks"), "edited"],
  ["another version's section", SECTION, around(stamped("Old.\n")), around(SECTION.text)],
  ["another version's section, edited", SECTION, stamped("Old.\n").replace("Old.", "Mine."), "edited"],
  ["a file as it is", SKILL, SKILL.text, "current"],
  ["0.3.0's file", SKILL, AGENT_TEXTS.skill, SKILL.text],
  ["a person's own file of that name", SKILL, "---\nname: planner\n---\n\nMine\n", "current"],
  ["another version's file, edited", SKILL, "Mine\n\n<!-- planner: 01234567 -->\n", "edited"],
])("inspectGuide judges %s", (_, file, before, after) => {
  const state = inspectGuide(file, before);

  expect(state.kind === "stale" ? state.renewed : state.kind).toBe(after);
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
  expect(commands.filter((name) => !Object.hasOwn(program.family.subCommands, name))).toEqual([]);
  expect(commands.length).toBeGreaterThan(8);
});
