import type { PlannerContext } from "#planner/context.ts";
import { type Finding, type LintReport, lintReport } from "#planner/lint/finding.ts";
import { lintProject } from "#planner/lint/lint_project.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { requireRepository } from "../git/repository.ts";
import { readIndex, specsNaming, stagedIds } from "../git/staged_files.ts";
import { stagedSource } from "./staged_source.ts";

/**
 * Lints the next commit: the specs that it adds or changes, and other specs that depend on a spec that it removes.
 *
 * @throws OperationError `failed_precondition` outside a git repository
 *
 * Source: docs/decisions.md#s-15.
 */
export async function lintStaged(context: PlannerContext, root: string): Promise<LintReport> {
  const repository = await requireRepository(root);
  const [index, { changed, removed }] = await Promise.all([readIndex(repository), stagedIds(repository)]);
  const gone = removed.filter((id) => !index.archivedIds.has(id) && !index.specs.has(id));
  const own = new Set(changed);
  const others = (await specsNaming(repository, gone)).filter((id) => !own.has(id) && index.specs.has(id));
  if (own.size + others.length === 0) return lintReport(0, []);
  const source = await stagedSource(context, index, repository.git);
  try {
    const report = await lintProject(source, { ids: [...own, ...others] });
    return lintReport(
      report.specsChecked,
      report.files.map((file) =>
        own.has(file.specId as SpecId)
          ? file
          : { ...file, findings: file.findings.filter((finding) => isAbout(finding, gone)) },
      ),
    );
  } finally {
    source.close();
  }
}

function isAbout({ rule, message }: Finding, ids: readonly SpecId[]): boolean {
  return rule === "dependency" && ids.some((id) => message.includes(`'${id}' does not exist`));
}
