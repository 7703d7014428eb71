import type { PlannerContext } from "#planner/context.ts";
import { meetsFilter } from "#planner/operations/shared/spec_filter.ts";
import { loadWorld } from "#planner/operations/shared/world.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { FilterStatus } from "#planner/spec/status.ts";
import { type ExportFile, exportedSpec } from "./export_file.ts";

/** Which specs an export holds. */
export interface ExportFilter {
  readonly status: FilterStatus | undefined;
  readonly types: readonly string[];
  readonly labels: readonly string[];
  readonly archived: boolean;
}

/** Reads the specs that meet the filter, active ones first, each group in order of id. */
export async function collectExport(context: PlannerContext, filter: ExportFilter): Promise<ExportFile> {
  const { status, types, labels } = filter;
  const world = await loadWorld(context);
  const archive = filter.archived ? await context.specs.archived() : { specs: [], unreadable: [] };
  const hasStatus = (spec: Spec): boolean => {
    if (status === undefined) return true;
    return spec.archived ? spec.status === status : world.readiness.matches(spec, status);
  };
  const found = [...world.specs, ...archive.specs].filter(
    (spec) => hasStatus(spec) && meetsFilter(spec, { types, labels }),
  );
  const specs = [];
  for (const spec of found) specs.push(exportedSpec(spec, (await context.specs.readText(spec.id)).text));
  const unreadable = [...world.unreadable, ...archive.unreadable];
  return { format: "planner-export", version: 1, specs, ...(unreadable.length === 0 ? {} : { unreadable }) };
}
