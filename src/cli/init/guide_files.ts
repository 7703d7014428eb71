import { AGENT_GUIDE } from "#planner/work/guide.ts";
import type { AgentName } from "./agents.ts";

/** A file with instructions for an agent on how to work with specs. */
export interface GuideFile {
  readonly path: string;
  readonly text: string;
  /** True for a section at the end of a file that people write; false for a separate file. */
  readonly isSection: boolean;
}

/** Line that marks planner's section; a file that contains it stays unchanged. */
export const SECTION_MARK = "<!-- planner: begin -->";

const GUIDE_SECTION = `${SECTION_MARK}\n${AGENT_GUIDE}<!-- planner: end -->\n`;

/** Texts for Claude Code and other agents with plugins; `plugins/planner` contains the same texts. */
export const AGENT_TEXTS = {
  skill: `---
name: planner
description: Find, read, write and complete the specs of this project. Use it when asked to plan, specify or continue work, or when a spec id is named.
---

${AGENT_GUIDE}`,
  work: `---
description: Work one spec to its end
argument-hint: <spec id>
---

Work on the spec $ARGUMENTS: read it with planner_spec_get, do what it asks and nothing beside it, run the project's checks,
check each criterion that you have seen hold, commit with a message that begins "planner(<id>):", and complete it with
planner_finalize. If something stays open, say what and why.
`,
  add: `---
description: Write a new spec
argument-hint: <what is to be done>
---

Write a spec for: $ARGUMENTS. Look for related specs with planner_search first. Create it with planner_add in one
call: one coherent change, criteria that a person or a program can check, its labels and what it depends on. Fix what the answer
reports, and name its target files, with planner_spec_update.
`,
} as const;

/** Rules that forbid an agent to accept commands, which only a person may do. */
export const DENY_RULES = {
  file: ".claude/settings.json",
  path: ["permissions", "deny"],
  rules: ["Bash(planner approve:*)", "Bash(planner trust:*)"],
} as const;

/** Returns the files for these agents. Most read AGENTS.md; Gemini CLI has a file with its own name. */
export function listGuideFiles(agents: readonly AgentName[]): readonly GuideFile[] {
  const section = (path: string): GuideFile => ({ path, text: GUIDE_SECTION, isSection: true });
  const file = (path: string, text: string): GuideFile => ({ path, text, isSection: false });
  return [
    section("AGENTS.md"),
    ...(agents.includes("gemini") ? [section("GEMINI.md")] : []),
    ...(agents.includes("claude")
      ? [
          file(".claude/skills/planner/SKILL.md", AGENT_TEXTS.skill),
          file(".claude/commands/spec-work.md", AGENT_TEXTS.work),
          file(".claude/commands/spec-add.md", AGENT_TEXTS.add),
        ]
      : []),
  ];
}

/** Appends the section to a file's text; null if the text already has it. */
export function appendSection(text: string, section: string): string | null {
  if (text.includes(SECTION_MARK)) return null;
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const own = section.replaceAll("\n", lineBreak);
  if (text.trim() === "") return `${text}${own}`;
  const ended = /[\r\n]$/.test(text) ? text : `${text}${lineBreak}`;
  return `${ended}${lineBreak}${own}`;
}
