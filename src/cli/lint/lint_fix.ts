import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import type { LintReport } from "#planner/lint/finding.ts";
import { type FixedFile, fixText } from "#planner/lint/fix/fix_text.ts";
import { lintProject } from "#planner/lint/lint_project.ts";
import { type LintSource, projectSource, specFromText } from "#planner/lint/lint_source.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { unifiedDiff } from "./unified_diff.ts";

/** What `lint --fix` did, and what it leaves to a person. */
export interface FixOutcome {
  readonly report: LintReport;
  readonly fixed: readonly FixedFile[];
  /** Files that could not be written, with the reason. */
  readonly failed: readonly { readonly file: string; readonly message: string }[];
}

/** Mends the specs, then judges them. Files that do not parse are left alone. */
export async function lintAndFix(context: PlannerContext, ids: readonly SpecId[] | undefined): Promise<FixOutcome> {
  const tried = await each(await readable(context, ids), async ({ id }) => {
    let fixes: readonly string[] = [];
    await context.specs.edit(id, (text) => {
      const result = fixText(text, id);
      fixes = result.fixes;
      return result.text;
    });
    return fixes;
  });
  return { report: await lintProject(await projectSource(context), ids), ...tried };
}

/** The same without touching a file: what would be reported, and the change as a unified diff that git can apply. */
export async function previewFix(
  context: PlannerContext,
  ids: readonly SpecId[] | undefined,
): Promise<FixOutcome & { readonly diff: string }> {
  const texts = new Map<SpecId, string>();
  let diff = "";
  const tried = await each(await readable(context, ids), async ({ id, file }) => {
    const { text } = await context.specs.readText(id);
    const { text: fixed, fixes } = fixText(text, id);
    if (fixes.length > 0) {
      texts.set(id, fixed);
      diff += unifiedDiff(file, text, fixed);
    }
    return fixes;
  });
  const source = overlaid(await projectSource(context), texts);
  return { report: await lintProject(source, ids), ...tried, diff };
}

/** Fixes spec after spec; one that refuses does not keep the others from it. */
async function each(
  specs: readonly Spec[],
  fix: (spec: Spec) => Promise<readonly string[]>,
): Promise<Pick<FixOutcome, "fixed" | "failed">> {
  const fixed: FixedFile[] = [];
  const failed: { file: string; message: string }[] = [];
  for (const spec of specs) {
    try {
      const fixes = await fix(spec);
      if (fixes.length > 0) fixed.push({ file: spec.file, specId: spec.id, fixes });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      failed.push({ file: spec.file, message: error.message });
    }
  }
  return { fixed, failed };
}

async function readable(context: PlannerContext, ids: readonly SpecId[] | undefined): Promise<readonly Spec[]> {
  const { specs } = await context.specs.active();
  if (ids === undefined) return specs;
  const wanted = new Set(ids);
  return specs.filter(({ id }) => wanted.has(id));
}

/** The project as it would be with these texts in place of the files'. */
function overlaid(source: LintSource, texts: ReadonlyMap<SpecId, string>): LintSource {
  const over = (spec: Spec): Spec => {
    const fixed = texts.get(spec.id);
    const read = fixed === undefined ? spec : specFromText(spec.id, spec.file, fixed);
    return "id" in read ? read : spec;
  };
  return {
    ...source,
    async all() {
      const { specs, unreadable } = await source.all();
      return { specs: specs.map(over), unreadable };
    },
    async one(id) {
      const found = await source.one(id);
      return "id" in found ? over(found) : found;
    },
    text: async (id) => texts.get(id) ?? source.text(id),
  };
}
