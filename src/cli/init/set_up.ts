import { createHash } from "node:crypto";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { type ProviderName, RULE_NAMES } from "#planner/config/config.ts";
import { describeSystemError, getErrorCode } from "#planner/store/files/disk_error.ts";
import { AGENT_GUIDE } from "#planner/work/guide.ts";
import type { ConfigEditResult } from "#planner/work/mcp_config/config_edit.ts";
import { STANDARD_PROMPT, STANDARD_PROMPT_NAME } from "#planner/work/prompts/prompt_template.ts";
import type { SetupProposal } from "#planner/work/setup_proposals.ts";
import { wrapWords } from "../output/wrap_text.ts";
import { createFile, replaceFile } from "../output/write_file.ts";
import { AGENT_NAMES, AGENTS, type AgentName } from "./agents.ts";

/** Input of `init`, from the wizard or the flags. */
export interface Setup extends InitialSettings {
  readonly agents: readonly AgentName[];
  /** True to check specs before every commit. */
  readonly hook: boolean;
  /** True to write instructions for agents into the files that they read. */
  readonly guide: boolean;
}

/** Result for one file. `other` means that the file's entry named planner has other content; the entry stays. */
export interface SetupStep {
  readonly file: string;
  readonly outcome: "created" | "extended" | "present" | "other";
  readonly note: string | null;
}

interface FilePlan {
  readonly file: string;
  readonly exists: boolean;
  readonly edit: ConfigEditResult;
  readonly note: string | null;
}

/**
 * Creates `.planner/` under `root` and extends the agents' configurations. Never replaces existing files, so a second
 * run adds only missing ones, and renews unedited texts of an earlier version. Reads and checks every existing file before it writes the first one, so that it writes
 * nothing if a configuration is invalid.
 */
export async function setUpProject(root: string, setup: Setup): Promise<readonly SetupStep[]> {
  const { agents, hook, guide } = setup;
  assertPlannerIsFolder(root);
  const plans = [
    ...(await planAgents(root, agents)),
    ...(guide ? planGuideFiles(root, agents) : planStaleTexts(root)),
    ...(agents.includes("claude") ? await planDenyRules(root, guide) : []),
  ];
  const hookInstaller = hook || (await hasStaleHook(root)) ? await planHook(root) : undefined;
  const steps = listProjectFiles(setup).map(({ path, text }): SetupStep => {
    const file = `.planner/${path}`;
    // A folder that is not writable is an error only if something must be written.
    const isThere = lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined;
    return { file, outcome: !isThere && createFile(join(root, file), text) ? "created" : "present", note: null };
  });
  steps.push(...plans.map((plan) => applyPlan(root, plan)));
  if (hookInstaller !== undefined) steps.push(await hookInstaller());
  return steps;
}

function assertPlannerIsFolder(root: string): void {
  const path = join(root, ".planner");
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  const what = there === undefined ? "a symbolic link that leads nowhere" : "a file";
  throw new OperationError("failed_precondition", `Cannot make a project: ".planner" is ${what}: expected a folder`);
}

const importHookModules = () => Promise.all([import("../git/repository.ts"), import("../hook/hook_file.ts")]);

async function hasStaleHook(root: string): Promise<boolean> {
  const [{ findRepository }, { readHookState }] = await importHookModules();
  const repository = await findRepository(root);
  if (repository === undefined) return false;
  const { installed, stale } = await readHookState(repository);
  return installed && stale;
}

// The repository is read before anything is written, because a hook that cannot be installed fails the whole setup.
async function planHook(root: string): Promise<() => Promise<SetupStep>> {
  const [{ requireRepository }, { readHookState: hookState, installHook }, { getSelfCommand: selfCommand }] =
    await Promise.all([
      import("../git/repository.ts"),
      import("../hook/hook_file.ts"),
      import("#runtime/self_command.ts"),
    ]);
  const repository = await requireRepository(root);
  return async () => {
    const written = await installHook(repository, selfCommand());
    const { path, kept } = await hookState(repository);
    const note = kept === null ? null : `${relative(root, kept)} runs first`;
    return { file: relative(root, path), outcome: written ? "created" : "present", note: written ? note : null };
  };
}

// Two agents may share one file (claude and generic); the second one then extends the result of the first.
async function planAgents(root: string, names: readonly AgentName[]): Promise<readonly FilePlan[]> {
  const plans = new Map<string, FilePlan>();
  for (const name of names) {
    const { files, note, extend } = AGENTS[name];
    const file = files.find((each) => statSync(join(root, each), { throwIfNoEntry: false }) !== undefined) ?? files[0];
    const earlier = plans.get(file);
    const there = readTextFile(root, file);
    const text = earlier?.edit.kind === "added" ? earlier.edit.text : there;
    const edit = await extend(file, text ?? "");
    if (earlier === undefined || edit.kind === "added") {
      plans.set(file, { file, exists: there !== undefined, edit, note: earlier?.note ?? note });
    }
  }
  return [...plans.values()];
}

function planGuideFiles(root: string, agents: readonly AgentName[]): readonly FilePlan[] {
  return listGuideFiles(agents).map(({ path, text, isSection }): FilePlan => {
    const before = readTextFile(root, path);
    if (before === undefined) return { file: path, exists: false, edit: { kind: "added", text }, note: null };
    const state = inspectGuide({ path, text, isSection }, before);
    if (state.kind === "absent")
      return { file: path, exists: true, edit: { kind: "added", text: appendSection(before, text) }, note: null };
    if (state.kind === "stale")
      return { file: path, exists: true, edit: { kind: "added", text: state.renewed }, note: "renewed" };
    return { file: path, exists: true, edit: { kind: "present" }, note: null };
  });
}

/** Renews the texts of an earlier version in a setup without instructions for agents. */
function planStaleTexts(root: string): readonly FilePlan[] {
  return inspectTexts(root).flatMap(({ path: file, state }): FilePlan[] =>
    state.kind === "stale"
      ? [{ file, exists: true, edit: { kind: "added", text: state.renewed }, note: "renewed" }]
      : [],
  );
}

/** Inspects every file for agents that exists and is readable. */
function inspectTexts(root: string): readonly { readonly path: string; readonly state: GuideState }[] {
  return listGuideFiles(AGENT_NAMES).flatMap((guide) => {
    try {
      const before = readTextFile(root, guide.path);
      return before === undefined ? [] : [{ path: guide.path, state: inspectGuide(guide, before) }];
    } catch (error) {
      // A file that planner cannot read has no text of planner's.
      if (error instanceof OperationError) return [];
      throw error;
    }
  });
}

function listStaleTexts(root: string): readonly string[] {
  return inspectTexts(root).flatMap(({ path, state: { kind } }) => {
    if (kind === "stale") return [describeStale(path)];
    if (kind !== "edited") return [];
    return [
      `"${path}" has planner's text of an earlier version, with changes: compare it with "planner prime", or remove it and run "planner init --guide"`,
    ];
  });
}

/** Returns what planner wrote of an earlier version into the project's files and hooks, a sentence each. */
export async function listStale(root: string): Promise<readonly string[]> {
  const [{ findRepository }, { readHookState }] = await importHookModules();
  const texts = listStaleTexts(root);
  try {
    const repository = await findRepository(root);
    const state = repository === undefined ? null : await readHookState(repository);
    return state?.stale === true ? [...texts, describeStale(state.path)] : texts;
  } catch (error) {
    // Doctor's checks report a repository that git refuses to use.
    if (error instanceof OperationError) return texts;
    throw error;
  }
}

const describeStale = (path: string): string =>
  `"${path}" has planner's text of an earlier version: "planner init" renews it`;

/** Adds the rules to an existing settings file; creates one only if the instructions (`guide`) are requested. */
async function planDenyRules(root: string, guide: boolean): Promise<readonly FilePlan[]> {
  const { file, path, rules } = DENY_RULES;
  const before = readTextFile(root, file);
  if (before === undefined && !guide) return [];
  const { extendJsonList } = await import("#planner/work/mcp_config/json_config.ts");
  const edit = extendJsonList(file, before ?? "", path, rules);
  return [
    {
      file,
      exists: before !== undefined,
      edit,
      note: before === undefined ? null : "denies planner approve and planner trust",
    },
  ];
}

function applyPlan(root: string, { file, exists, edit, note }: FilePlan): SetupStep {
  if (edit.kind !== "added") return { file, outcome: edit.kind, note: null };
  const path = join(root, file);
  if (exists) {
    replaceFile(path, edit.text);
    return { file, outcome: "extended", note };
  }
  if (createFile(path, edit.text)) return { file, outcome: "created", note };
  throw new OperationError("aborted", `Cannot write "${file}": it appeared meanwhile; run the command again`);
}

function readTextFile(root: string, file: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(join(root, file)));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw new OperationError("failed_precondition", `Cannot read "${file}": ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}

interface InitialSettings {
  readonly name: string;
  readonly prompts: boolean;
  /** The agent that works on specs; null for the default. */
  readonly provider: ProviderName | null;
  readonly setup: readonly SetupProposal[];
}

/** Returns a new project's files, with paths below `.planner/`; git stores no empty folder, so each has one. Source: docs/decisions.md#s-01. */
function listProjectFiles(first: InitialSettings) {
  return [
    { path: "config.md", text: buildConfig(first) },
    { path: ".gitignore", text: GITIGNORE },
    { path: "specs/.gitkeep", text: "" },
    { path: "archive/.gitkeep", text: "" },
    { path: "prompts/.gitkeep", text: "" },
    ...(first.prompts ? [{ path: `prompts/${STANDARD_PROMPT_NAME}.md`, text: STANDARD_PROMPT }] : []),
    { path: "templates/spec.md", text: SPEC_TEMPLATE },
    { path: "schemas/.gitkeep", text: "" },
  ];
}

// Files that runs create belong to one machine; specs, archive and settings belong to the project.
const GITIGNORE = `logs/
processes/
locks/
worktrees/
watch.pid
*.tmp
`;

function buildConfig({ name, prompts, provider, setup }: InitialSettings): string {
  const lines = [
    ...(provider === null ? [] : ["  # The agent that works on specs.", `  provider: ${provider}`]),
    ...(prompts
      ? ['  # The file under prompts/ that an agent\'s task is written with, without ".md".', "  prompt: standard"]
      : []),
  ];
  const defaults = lines.length === 0 ? "" : `defaults:\n${lines.join("\n")}\n`;
  return `---
project:
  # A JSON text is YAML as well, so any name is safe here.
  name: ${JSON.stringify(name)}
${defaults}${buildWorktreeSettings(setup)}schema:
  spec:
    # Fields that every spec must have; the id comes from the file name.
    required: [status]
    fields:
      status:
        type: string
        enum: [pending, in_progress, completed, failed]
      labels:
        type: array
        items: string
validation:
  # true: a completed spec whose output does not fit its output_schema needs attention; false: it is a warning.
  strict_output_validation: false
lint:
${wrapWords(`Rules that are switched off: ${RULE_NAMES.join(", ")}.`, 112)
  .map((line) => `  # ${line}`)
  .join("\n")}
  disable: []
---

# Settings of this project

\`planner config\` shows what holds, with the defaults filled in; \`planner lint\` says what is wrong here.

| Folder | What lies there |
| --- | --- |
| \`specs/\` | one Markdown file a spec; \`planner add "<title>"\` makes one |
| \`archive/\` | completed specs, moved there by \`planner archive <id>\` |
| \`prompts/\` | texts that an agent's task is written with |
| \`templates/\` | what \`planner add --template\` makes specs from |
| \`schemas/\` | JSON Schemas that a spec names as \`output_schema\` |
`;
}

function buildWorktreeSettings(setup: readonly SetupProposal[]): string {
  if (setup.length === 0) return "";
  const items = setup.map(({ command, file }) => `    # For ${file}.\n    - ${JSON.stringify(command)}\n`);
  return `worktree:\n  # What makes a new worktree build, before an agent starts in it.\n  setup:\n${items.join("")}`;
}

const SPEC_TEMPLATE = `---
status: pending
type: code
# Ids of specs that must be completed first.
depends_on: []
labels: []
# Files that the work will touch.
target_files: []
---

# What is to be done, in one line

Why it is wanted, and what there is to know before one begins.

## Acceptance Criteria

- [ ] Something that can be seen or run once it is done
- [ ] A test that fails today and passes then
`;

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
const DENY_RULES = {
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
type GuideState =
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
