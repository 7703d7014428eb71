import { setImmediate as otherWork } from "node:timers/promises";
import { createTwoFilesPatch } from "diff";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import type { LintReport } from "#planner/lint/finding.ts";
import { type FixedFile, type FixedText, fixText } from "#planner/lint/fix_text.ts";
import {
  createProjectSource,
  type LintSelection,
  type LintSource,
  lintProject,
  parseSpec,
} from "#planner/lint/lint_project.ts";
import type { Spec } from "#planner/spec/spec.ts";
import { parseSpecIdParts, type SpecId } from "#planner/spec/spec_id.ts";

/** Number of unchanged lines around a change, as in git's diffs. */
const CONTEXT_LINES = 3;

/**
 * Formats the change of one file for `git apply` and `patch -p1` in the project root. It has no `diff --git` line,
 * because git would then resolve the paths from the repository's top and skip a project in a subfolder.
 * @param file path from the project root
 */
function formatUnifiedDiff(file: string, before: string, after: string): string {
  const names = [`a/${file}`, `b/${file}`] as const;
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, { context: CONTEXT_LINES });
  // The library's output begins with a separator, then the file names, quoted as git quotes them.
  const [, from = "", to = "", ...hunks] = patch.split("\n");
  return [appendNameTab(from), appendNameTab(to), ...hunks].join("\n");
}

/** Appends a tab to a file name with blanks, because `patch` would end the name at the first blank. */
function appendNameTab(line: string): string {
  return line.includes(" ", "--- ".length) && !line.endsWith('"') ? `${line}\t` : line;
}

/** Result of `lint --fix`: the applied fixes and the remaining findings. */
export interface FixOutcome {
  readonly report: LintReport;
  readonly fixed: readonly FixedFile[];
  /** Files that could not be written, with the reason. */
  readonly failed: readonly { readonly file: string; readonly message: string }[];
}

/** Number of files that are written under one lock; other writers wait a fraction of a second. */
const BATCH_SIZE = 64;

/** Reports how many of all specs are processed. Called only if there are several batches. */
type FixProgress = (done: number, total: number) => void;

/** Fixes the specs, then lints them. Skips files that do not parse. */
export async function lintAndFix(
  context: PlannerContext,
  choice: LintSelection,
  progress: FixProgress = () => {},
): Promise<FixOutcome> {
  const specs = await listReadableSpecs(context, choice.ids);
  const results: FixResults = new Map();
  let ready: ReadonlyMap<SpecId, PendingFix> = new Map();
  for (let start = 0; start < specs.length + BATCH_SIZE; start += BATCH_SIZE) {
    // One batch is written while the next one is computed.
    const writing = writeFixes(context, ready, results);
    [ready] = await Promise.all([computeFixes(context, specs.slice(start, start + BATCH_SIZE), results), writing]);
    if (start > 0 && start < specs.length) progress(start, specs.length);
  }
  return { report: await lintProject(await createProjectSource(context), choice), ...listFixOutcomes(specs, results) };
}

/** Returns the findings after the fixes, and the changes as a unified diff for git. Changes no file. */
export async function previewFix(
  context: PlannerContext,
  choice: LintSelection,
  progress: FixProgress = () => {},
): Promise<FixOutcome & { readonly diff: string }> {
  const specs = await listReadableSpecs(context, choice.ids);
  const results: FixResults = new Map();
  const fixed = await computeFixes(context, specs, results, progress);
  const texts = new Map<SpecId, string>();
  let diff = "";
  for (const { id, file } of specs) {
    const change = fixed.get(id);
    if (change === undefined) continue;
    results.set(id, change.fixes);
    texts.set(id, change.text);
    diff += formatUnifiedDiff(file, change.before, change.text);
  }
  const source = overlaySource(await createProjectSource(context), texts);
  return { report: await lintProject(source, choice), ...listFixOutcomes(specs, results), diff };
}

/** Fixes that were applied to each spec, or the error; specs that need no fix are absent. */
type FixResults = Map<SpecId, readonly string[] | OperationError>;

interface PendingFix extends FixedText {
  readonly before: string;
}

/** Returns the fixes of all specs that need one. Adds the errors of unreadable specs to `results`. */
async function computeFixes(
  context: PlannerContext,
  specs: readonly Spec[],
  results: FixResults,
  progress: FixProgress = () => {},
): Promise<ReadonlyMap<SpecId, PendingFix>> {
  const fixed = new Map<SpecId, PendingFix>();
  for (const [index, { id }] of specs.entries()) {
    if (index > 0 && index % BATCH_SIZE === 0) progress(index, specs.length);
    await otherWork();
    try {
      const { text } = await context.specs.readText(id);
      const result = fixText(text, id);
      if (result.fixes.length > 0) fixed.set(id, { ...result, before: text });
    } catch (error) {
      results.set(id, convertToOperationError(error));
    }
  }
  return fixed;
}

async function writeFixes(
  context: PlannerContext,
  fixed: ReadonlyMap<SpecId, PendingFix>,
  results: FixResults,
): Promise<void> {
  if (fixed.size === 0) return;
  const done = new Map<SpecId, readonly string[]>();
  const applyFix = (text: string, id: SpecId): string => {
    const known = fixed.get(id);
    const now = known?.before === text ? known : fixText(text, id);
    done.set(id, now.fixes);
    return now.text;
  };
  try {
    for (const [id, outcome] of await context.specs.editSpecs(fixed.keys(), applyFix)) {
      if (outcome === true) results.set(id, done.get(id) ?? []);
      else if (outcome !== false) results.set(id, outcome);
    }
  } catch (error) {
    for (const id of fixed.keys()) results.set(id, convertToOperationError(error));
  }
}

function convertToOperationError(error: unknown): OperationError {
  if (error instanceof OperationError) return error;
  throw error;
}

function listFixOutcomes(specs: readonly Spec[], results: FixResults): Pick<FixOutcome, "fixed" | "failed"> {
  const fixed: FixedFile[] = [];
  const failed: { file: string; message: string }[] = [];
  for (const { id, file } of specs) {
    const result = results.get(id);
    if (result instanceof OperationError) failed.push({ file, message: result.message });
    else if (result !== undefined) fixed.push({ file, specId: id, fixes: result });
  }
  return { fixed, failed };
}

async function listReadableSpecs(
  context: PlannerContext,
  ids: readonly SpecId[] | undefined,
): Promise<readonly Spec[]> {
  const { specs } = await context.specs.readActive();
  if (ids === undefined) return specs.filter(isMeantAsSpec);
  const wanted = new Set(ids);
  return specs.filter(({ id }) => wanted.has(id));
}

/** Returns whether a file is a spec: it has frontmatter or a spec's name, unlike README.md. */
function isMeantAsSpec({ id, frontmatter }: Spec): boolean {
  return parseSpecIdParts(id) !== undefined || Object.keys(frontmatter).length > 0;
}

/** Returns a source of the project in which the given texts replace the texts of files. */
function overlaySource(source: LintSource, texts: ReadonlyMap<SpecId, string>): LintSource {
  const replaceText = (spec: Spec): Spec => {
    const fixed = texts.get(spec.id);
    const read = fixed === undefined ? spec : parseSpec(spec.id, spec.file, fixed);
    return "id" in read ? read : spec;
  };
  return {
    ...source,
    async loadAll() {
      const { specs, unreadable } = await source.loadAll();
      return { specs: specs.map(replaceText), unreadable };
    },
    async loadSpec(id) {
      const found = await source.loadSpec(id);
      return "id" in found ? replaceText(found) : found;
    },
    text: async (id) => texts.get(id) ?? source.text(id),
  };
}
