import { createHash } from "node:crypto";
import { AGENT_GUIDE } from "#planner/work/guide.ts";
import type { AgentName } from "./agents.ts";

/** A file with instructions for an agent on how to work with specs. */
export interface GuideFile {
  readonly path: string;
  readonly text: string;
  /** True for a section at the end of a file that people write; false for a separate file. */
  readonly isSection: boolean;
}

/** Matches planner's section: the version of its text, which 0.3.0 did not write, and the text. */
const SECTION_PATTERN = /<!-- planner: begin(?: ([0-9a-f]{8}))? -->\r?\n([\s\S]*?)<!-- planner: end -->\r?\n?/;

/** Matches the version at the end of a separate file, and the text before it. */
const FILE_PATTERN = /^([\s\S]*)\n<!-- planner: ([0-9a-f]{8}) -->\s*$/;

/** Versions of the texts that 0.3.0 wrote without naming them. */
const UNNAMED_VERSIONS: ReadonlySet<string> = new Set(["c033c0ba", "fb97bd0c", "18ee9845", "2aa29ea7"]);

/** Returns the version of a text that planner writes: a person edited the text if it differs. */
function computeTextVersion(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex").slice(0, 8);
}

const GUIDE_SECTION = `<!-- planner: begin ${computeTextVersion(AGENT_GUIDE)} -->\n${AGENT_GUIDE}<!-- planner: end -->\n`;

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
  const file = (path: string, text: string): GuideFile => ({
    path,
    text: `${text}\n<!-- planner: ${computeTextVersion(text)} -->\n`,
    isSection: false,
  });
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

/**
 * State of planner's text in a file: `current`, `absent`, `stale` (of an earlier version, and `renewed` is the file with
 * the current one), or `edited` (of an earlier version, and changed by a person).
 */
export type GuideState =
  | { readonly kind: "current" | "absent" | "edited" }
  | { readonly kind: "stale"; readonly renewed: string };

/** Compares planner's text in a file with the current one. A file of that name without planner's text is a person's. */
export function inspectGuide({ text: wanted, isSection }: GuideFile, before: string): GuideState {
  const pattern = isSection ? SECTION_PATTERN : FILE_PATTERN;
  const [first, second = ""] = pattern.exec(wanted)?.slice(1) ?? [];
  const found = pattern.exec(before);
  if (isSection && found === null) return { kind: "absent" };
  const [named, own = before] = isSection ? [found?.[1], found?.[2]] : [found?.[2], found?.[1]];
  if (named === (isSection ? first : second)) return { kind: "current" };
  const written = computeTextVersion(own);
  const isUnedited = named === undefined ? UNNAMED_VERSIONS.has(written) : written === named;
  if (!isUnedited) return { kind: isSection || named !== undefined ? "edited" : "current" };
  const text = before.includes("\r\n") ? wanted.replaceAll("\n", "\r\n") : wanted;
  return { kind: "stale", renewed: isSection ? before.replace(SECTION_PATTERN, () => text) : text };
}

/** Appends the section to a file's text. */
export function appendSection(text: string, section: string): string {
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const own = section.replaceAll("\n", lineBreak);
  if (text.trim() === "") return `${text}${own}`;
  const ended = /[\r\n]$/.test(text) ? text : `${text}${lineBreak}`;
  return `${ended}${lineBreak}${own}`;
}
