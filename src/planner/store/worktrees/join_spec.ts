import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { extractOutput } from "#planner/work/default_evidence.ts";
import { type Criterion, parseCriteria } from "../../spec/criteria.ts";
import { parseDocument } from "../../spec/document.ts";
import { appendOutput, keepChecks } from "../../spec/edit/edit_body.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { findLastSection } from "../../spec/sections.ts";
import { formatGitError, Git } from "../git/git.ts";

/** Statuses that a person sets and that a run does not override. */
const PERSONAL_STATUSES: readonly unknown[] = ["cancelled", "blocked"];

interface JoinedSpec {
  readonly text: string;
  /** Unchecked criteria of the project's version that the run's version does not have. */
  readonly open: readonly string[];
}

/**
 * Joins a spec that changed in the project (`ours`) and in the worktree (`theirs`). Matches ticks by the criterion's
 * text, appends the run's output, and keeps the project's lines where both changed the same ones. The status is the
 * run's, unless a person cancelled or blocked the spec.
 */
export async function joinSpec(versions: TextVersions): Promise<JoinedSpec> {
  const { ours, base, theirs } = versions;
  const parts = [ours, base, theirs].map((text) => parseSpecParts(text));
  const [own, old, run] = parts;
  if (own == null || old == null || run == null) {
    return { text: (await mergeText(versions, "ours")).text, open: [] };
  }
  const plain = { ours: buildPlainText(own), base: buildPlainText(old), theirs: buildPlainText(run) };
  const { text } = await mergeText(plain, "ours");
  const output = joinOutputs(own, old, run);
  const merged = output === "" ? text : appendOutput(text, output);
  const status = PERSONAL_STATUSES.includes(own.status) ? own.status : run.status;
  const open = [...own.criteria].flatMap(([name, checked]) => (checked || run.criteria.has(name) ? [] : [name]));
  // A criterion that the project unchecked again stays unchecked.
  const isTicked = (name: string): boolean =>
    own.criteria.get(name) === true || (run.criteria.get(name) === true && old.criteria.get(name) !== true);
  const ticked = keepChecks(applyTicks(merged, isTicked), { own: ours, restores: false });
  return { text: typeof status === "string" ? editFields(ticked, { status }) : ticked, open };
}

interface SpecParts {
  readonly text: string;
  readonly status: unknown;
  /** Whether each criterion is checked, by its text. */
  readonly criteria: ReadonlyMap<string, boolean>;
  /** Text of the section `## Output`, trimmed. */
  readonly output: string;
}

function parseSpecParts(text: string): SpecParts | null {
  const document = parseDocument(text);
  if (!document.ok) return null;
  const { body, frontmatter } = document;
  return {
    text,
    status: frontmatter["status"],
    criteria: new Map(parseCriteria(body).map((criterion) => [getCriterionWords(criterion), criterion.checked])),
    output: extractOutput(body),
  };
}

function getCriterionWords({ text }: Criterion): string {
  return text.replace(/^(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]\s*/, "").trim();
}

/** Returns the text without output and with all criteria unchecked, for the line-by-line merge. */
function buildPlainText(parts: SpecParts): string {
  const bare = applyTicks(parts.text, () => false);
  const document = parseDocument(bare);
  if (!document.ok) return bare;
  const { body } = document;
  const head = bare.slice(0, bare.length - body.length);
  const section = findLastSection(body, "Output");
  if (section === undefined) return ensureLineEnd(bare);
  return ensureLineEnd(head + body.slice(0, section.heading.start).trimEnd() + body.slice(section.end));
}

function ensureLineEnd(text: string): string {
  return `${text.trimEnd()}\n`;
}

/** Returns the project's output followed by the run's additions. */
function joinOutputs(own: SpecParts, old: SpecParts, run: SpecParts): string {
  if (run.output === old.output) return own.output;
  if (own.output === old.output) return run.output;
  const added = run.output.startsWith(old.output) ? run.output.slice(old.output.length).trim() : run.output;
  // The project's text may already contain the run's output.
  return own.output.endsWith(added) ? own.output : `${own.output}\n\n${added}`.trim();
}

function applyTicks(text: string, isTicked: (name: string) => boolean): string {
  const document = parseDocument(text);
  if (!document.ok) return text;
  const lines = document.body.split("\n");
  for (const criterion of parseCriteria(document.body)) {
    const line = lines[criterion.line - 1];
    if (line === undefined) continue;
    const mark = isTicked(getCriterionWords(criterion)) ? "[x]" : "[ ]";
    lines[criterion.line - 1] = line.replace(/\[[ xX]\]/, mark);
  }
  return text.slice(0, text.length - document.body.length) + lines.join("\n");
}

/** Returns the text merged by lines if that succeeds, else the result of `joinSpec`. */
export async function mergeOrJoinSpec(versions: TextVersions): Promise<string> {
  // The project's own status only records that work is in progress.
  const status = parseSpecStatus(versions.theirs);
  const merged = await mergeText({
    ours: replaceSpecStatus(versions.ours, status),
    base: replaceSpecStatus(versions.base, status),
    theirs: versions.theirs,
  });
  if (!merged.clean) return (await joinSpec(versions)).text;
  const isReadable = [versions.ours, merged.text].every((text) => parseDocument(text).ok);
  return isReadable ? keepChecks(merged.text, { own: versions.ours, restores: false }) : merged.text;
}

/** Two versions of one text and their common origin. */
interface TextVersions {
  readonly ours: string;
  readonly base: string;
  readonly theirs: string;
}

/**
 * Merges the changes of both sides by lines.
 *
 * @param favour side that wins if both changed the same lines; without it, the text contains conflict markers there and
 *   `clean` is false
 */
export async function mergeText(
  { ours, base, theirs }: TextVersions,
  favour?: "ours",
): Promise<{ readonly text: string; readonly clean: boolean }> {
  if (ours === theirs || base === theirs) return { text: ours, clean: true };
  if (base === ours) return { text: theirs, clean: true };
  const folder = await mkdtemp(join(tmpdir(), "planner-merge-"));
  try {
    await writeFile(join(folder, "ours"), ours);
    await writeFile(join(folder, "base"), base);
    await writeFile(join(folder, "theirs"), theirs);
    const side = favour === undefined ? [] : [`--${favour}`];
    const merge = ["merge-file", "--quiet", "-p", ...side, "ours", "base", "theirs"];
    const { status, stdout, stderr } = await new Git(folder).try(merge);
    // Up to 127, the status is the number of conflicts.
    if (status === null || status > 127) {
      throw createPreconditionError(`git merge-file failed: ${formatGitError(stderr)}`);
    }
    return { text: stdout.toString(), clean: status === 0 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseSpecStatus(text: string): string | undefined {
  const document = parseDocument(text);
  const status = document.ok ? document.frontmatter["status"] : undefined;
  return typeof status === "string" ? status : undefined;
}

function replaceSpecStatus(text: string, status: string | undefined): string {
  if (status === undefined) return text;
  try {
    return editFields(text, { status });
  } catch (error) {
    // A text that does not parse is merged without changes.
    if (error instanceof OperationError) return text;
    throw error;
  }
}
