import { createPreconditionError } from "#kernel/errors.ts";
import type { OutputValidator } from "#planner/work/judge_output.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { MAX_CONTEXT_CHARS, MAX_CONTEXT_FILE_BYTES } from "../../limits.ts";
import { parseReviews } from "../../spec/reviews.ts";
import { findFirstHeading, findHeadings } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import { createCommitWriter } from "../commit_message.ts";
import { fillTemplate, loadTemplate, type PromptStore, STANDARD_PROMPT_NAME } from "./prompt_template.ts";

interface PromptSources {
  readonly prompts: PromptStore;
  readonly outputs: Pick<OutputValidator, "promptSection">;
}

export interface PromptRequest {
  readonly spec: Spec;
  readonly specText: string;
  readonly config: PlannerConfig;
  readonly projectName: string;
  /** Name of the template that the caller requests; null for the default choice. */
  readonly template: string | null;
  readonly folder: WorkFolder;
}

/** Folder and branch in which the agent works. */
interface WorkFolder {
  readonly path: string;
  /** Name of the branch; empty without one. */
  readonly branch: string;
  /** True if the run has its own worktree. */
  readonly isolated: boolean;
}

export interface AssembledPrompt {
  readonly template: string;
  readonly text: string;
  /** Warnings for a person, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Builds the prompt of a run: the filled template, then sections about the context files, the last review, the
 * worktree, the commit rules, the checks before a commit, and the expected output. Omits the context files and commit
 * rules that the template contains itself.
 *
 * The template is the requested one, else the spec's, else the configured one, else the standard one.
 *
 * @throws OperationError for a template, a context path or an output schema that cannot be used
 *
 * Source: docs/contract/spec-tool.md#output-1; docs/decisions.md#s-22.
 */
export async function assemblePrompt(sources: PromptSources, request: PromptRequest): Promise<AssembledPrompt> {
  const { spec, folder } = request;
  const template = await loadTemplate(sources.prompts, chooseTemplateName(request));
  const context = await readPromptContext(sources.prompts, spec);
  const filled = fillTemplate(template, buildPromptVariables(request, context));
  if (filled.text.trim() === "") {
    throw createPreconditionError(`Prompt "${template.name}" is empty: expected a text for the agent`);
  }
  const sections = [
    filled.text.trim(),
    ...(context.text === "" || filled.usedVariables.has("spec.context") ? [] : [`## Context files\n\n${context.text}`]),
    ...buildReviewSections(spec),
    ...(folder.isolated ? [buildWorktreeSection(folder)] : []),
    ...buildCommitSections(request, template.text),
    buildChecklist(request),
    ...(spec.outputSchema === null ? [] : [(await sources.outputs.promptSection(spec.outputSchema)).trim()]),
  ];
  return {
    template: template.name,
    text: `${sections.join("\n\n")}\n`,
    warnings: [...filled.warnings, ...context.warnings],
  };
}

/** Variables that a template may contain, each with a description of its value. */
export const PROMPT_VARIABLES = {
  "project.name": "`project.name` of the settings, else the package file's name or the folder's",
  spec: "The spec's whole file",
  "spec.id": "Its id",
  "spec.title": "Its title",
  "spec.description": "What stands between the title and the next heading",
  "spec.path": "Its file, from the project's root",
  "spec.target_files": "Its target files, with commas; `none` without any",
  "spec.context": "The contents of its context files; `none` without any",
  "worktree.path": "The folder that the agent works in",
  "worktree.branch": "The branch that is checked out there",
  "worktree.isolated": "`true` in a worktree of the run's own",
} as const;

/** Returns the values of `PROMPT_VARIABLES` for one spec and working folder. */
export async function readPromptVariables(
  { prompts }: Pick<PromptSources, "prompts">,
  request: PromptRequest,
): Promise<ReadonlyMap<string, string>> {
  return buildPromptVariables(request, await readPromptContext(prompts, request.spec));
}

function buildPromptVariables(request: PromptRequest, context: PromptContext): ReadonlyMap<string, string> {
  const { spec, specText, projectName, folder } = request;
  const values: Readonly<Record<keyof typeof PROMPT_VARIABLES, string>> = {
    "project.name": projectName,
    spec: specText.replace(/^\ufeff/, "").trim(),
    "spec.id": spec.id,
    "spec.title": spec.title ?? spec.id,
    "spec.description": extractDescription(spec),
    "spec.path": spec.file,
    "spec.target_files": spec.targetFiles.length === 0 ? "none" : spec.targetFiles.join(", "),
    "spec.context": context.text === "" ? "none" : context.text,
    "worktree.path": folder.path,
    "worktree.branch": folder.branch,
    "worktree.isolated": String(folder.isolated),
  };
  return new Map(Object.entries(values));
}

function chooseTemplateName({ template, spec, config }: PromptRequest): string {
  const own = spec.frontmatter["prompt"];
  return (
    template ?? (typeof own === "string" && own !== "" ? own : null) ?? config.defaults.prompt ?? STANDARD_PROMPT_NAME
  );
}

/** Returns the text between the title and the next heading. */
function extractDescription({ body }: Spec): string {
  const from = findFirstHeading(body)?.next ?? 0;
  const next = findHeadings(body).find(({ start }) => start >= from);
  return body.slice(from, next?.start ?? body.length).trim();
}

/** Returns a section with the newest review, because the template may omit the spec's body; empty without a review. */
function buildReviewSections({ body }: Spec): readonly string[] {
  const reviews = parseReviews(body);
  const last = reviews.at(-1);
  if (last === undefined) return [];
  const quotedReview = last.text.split("\n").map((line) => `> ${line}`.trimEnd());
  const before = reviews.length === 1 ? "" : " What they said before is there too: it still holds.";
  return [
    [
      "## A person sent the work back",
      `A person has reviewed the work on this spec and asks for changes, under \`## Review\` of the spec.${before} Do what the newest entry asks, and leave the section as it is:`,
      quotedReview.join("\n"),
    ].join("\n\n"),
  ];
}

function buildWorktreeSection({ path, branch }: WorkFolder): string {
  return [
    "## Where you work",
    `You are in a git worktree of your own, ${path}, on the branch \`${branch}\`.`,
    "Change files below this folder only, and stay on this branch: it is merged for you once the work is done.",
  ].join("\n\n");
}

/** Returns the section of commit rules. Omits the default format if the template contains it. */
function buildCommitSections({ spec, config }: PromptRequest, template: string): readonly string[] {
  const { commit_template: commitTemplate } = config.git;
  if (commitTemplate === null)
    return /planner\(\{\{\s*spec\.id\s*\}\}\)/.test(template) ? [] : [buildCommitSection(spec)];
  const example = createCommitWriter(commitTemplate, spec)("<what the commit does>");
  return [
    [
      "## Commit your work",
      "Before you end, commit everything that belongs to the work. This project demands that every commit message has this form, whatever else is said about it:",
      `\`\`\`\n${example}\n\`\`\``,
    ].join("\n\n"),
  ];
}

/** Returns the section of checks before a commit, which lists the configured statuses. */
function buildChecklist({ spec, config }: PromptRequest): string {
  const statuses = config.schema.spec.fields["status"]?.enum;
  return [
    "## Before you commit",
    [
      "- [ ] The spec's frontmatter still has its id and status, and it is valid YAML.",
      ...(statuses === undefined ? [] : [`- [ ] The status is one of ${statuses.join(", ")}.`]),
      "- [ ] Every id under depends_on exists.",
      `- [ ] \`planner lint ${spec.id}\` reports no error.`,
    ].join("\n"),
  ].join("\n\n");
}

function buildCommitSection({ id }: Spec): string {
  return [
    "## Commit your work",
    `Before you end, commit everything that belongs to the work. Every commit message begins with \`planner(${id}):\`.`,
  ].join("\n\n");
}

interface PromptContext {
  /** A heading and a code block for each file; empty without files. */
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Returns the paths in a spec's `context` field. */
function listContextPaths({ frontmatter }: Spec): readonly string[] {
  const listed = frontmatter["context"];
  const paths = Array.isArray(listed) ? listed : [listed];
  return [...new Set(paths.filter((path): path is string => typeof path === "string" && path !== ""))];
}

/**
 * Reads a spec's context files. Replaces a missing or binary file with a note, and adds a note after a truncated file.
 *
 * @throws OperationError `failed_precondition` for a path outside of the project
 */
async function readPromptContext(prompts: PromptStore, spec: Spec): Promise<PromptContext> {
  const blocks: string[] = [];
  const warnings: string[] = [];
  let room = MAX_CONTEXT_CHARS;
  for (const path of listContextPaths(spec)) {
    const { content, problem } = await readContextFile(prompts, path, Math.min(room, MAX_CONTEXT_FILE_BYTES));
    room -= content.length;
    blocks.push(`### ${path}\n\n${content}`);
    if (problem !== null) warnings.push(`Context file "${path}": ${problem}`);
  }
  return { text: blocks.join("\n\n"), warnings };
}

interface ContextContent {
  readonly content: string;
  readonly problem: string | null;
}

async function readContextFile(prompts: PromptStore, path: string, room: number): Promise<ContextContent> {
  if (room <= 0) return buildProblemContent("left out, the files before it fill the prompt");
  const read = await prompts.readProjectFile(path, room);
  if (read.kind === "outside") {
    throw createPreconditionError(`Cannot read context file "${path}": it lies outside the project`);
  }
  if (read.kind === "none") return buildProblemContent(read.why);
  const block = fenceText(read.text, path);
  if (read.whole) return { content: block, problem: null };
  const cut = `only its first ${new TextEncoder().encode(read.text).length} bytes are here`;
  return { content: `${block}\n\n(${cut})`, problem: cut };
}

function buildProblemContent(problem: string): ContextContent {
  return { content: `(${problem})`, problem };
}

/** Returns a code block with a fence longer than any in the text, so that the text cannot close it. */
function fenceText(text: string, path: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const [, language = ""] = /\.([A-Za-z0-9]+)$/.exec(path) ?? [];
  return `${fence}${language}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`;
}
