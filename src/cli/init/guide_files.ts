import { GUIDE } from "#planner/work/guide.ts";
import type { AgentName } from "./agents.ts";

/** A file by which an agent learns how to work with specs. */
export interface GuideFile {
  readonly path: string;
  readonly text: string;
  /** True for a section at the end of a file that people write; else a separate file. */
  readonly isSection: boolean;
}

/** The line that marks our section: a file that has it is left as it is. */
export const SECTION_MARK = "<!-- planner: begin -->";

const SECTION = `${SECTION_MARK}\n${GUIDE}<!-- planner: end -->\n`;

/** What Claude Code and other agents with plugins read; `plugins/planner` holds the same texts. */
export const AGENT_TEXTS = {
  skill: `---
name: planner
description: Find, read, write and complete the specs of this project. Use it when asked to plan, specify or continue work, or when a spec id is named.
---

${GUIDE}`,
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

/** Accepting commands is a person's, whatever else the agent may run. */
export const DENIED = {
  file: ".claude/settings.json",
  path: ["permissions", "deny"],
  rules: ["Bash(planner approve:*)", "Bash(planner trust:*)"],
} as const;

/**
 * The files for these agents. Most agents read AGENTS.md; Claude Code has skills and commands, Gemini CLI a file with
 * its own name.
 */
export function guideFiles(agents: readonly AgentName[]): readonly GuideFile[] {
  const section = (path: string): GuideFile => ({ path, text: SECTION, isSection: true });
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

/** A file's text with the section behind it, or null for one that has it. */
export function withSection(text: string, section: string): string | null {
  if (text.includes(SECTION_MARK)) return null;
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const own = section.replaceAll("\n", lineBreak);
  if (text.trim() === "") return `${text}${own}`;
  const ended = /[\r\n]$/.test(text) ? text : `${text}${lineBreak}`;
  return `${ended}${lineBreak}${own}`;
}
