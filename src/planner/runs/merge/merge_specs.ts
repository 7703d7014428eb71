import { loadSpecWorld } from "../../operations/shared/world.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { listMemberIds, sortInMergeOrder } from "../../work/merge_order.ts";
import type { RunDeps } from "../run_types.ts";
import type { MergeResult, MergeSpecOptions } from "./complete_spec.ts";
import { mergeSpec } from "./merge_spec.ts";

const DONE_STATUSES: readonly string[] = ["completed", "cancelled"];

/**
 * Merges specs one at a time, members before their drivers. A driver includes all of its members that have worktrees,
 * and is merged only after all of its members.
 *
 * @param onResult called with each result as it arrives
 */
export async function mergeSpecs(
  deps: RunDeps,
  { ids, ...options }: MergeSpecOptions & { readonly ids: readonly SpecId[] },
  onResult: (result: MergeResult) => void = () => {},
): Promise<readonly MergeResult[]> {
  const { specs } = await loadSpecWorld(deps.context);
  const wanted = await addMembersWithWorktree(deps, ids, specs);
  const results: MergeResult[] = [];
  for (const id of sortInMergeOrder(wanted, specs) as readonly SpecId[]) {
    if (options.stop.soon.aborted) break;
    const result =
      (await findOpenMemberRefusal(deps, id)) ??
      (await mergeSpec(deps, id, ids.includes(id) ? options : { ...options, as: null }));
    results.push(result);
    onResult(result);
  }
  return results;
}

/** Returns `ids` and their members with worktrees. Omits a driver without a worktree if a member is included. */
async function addMembersWithWorktree(
  { ports }: RunDeps,
  ids: readonly SpecId[],
  specs: readonly Spec[],
): Promise<readonly string[]> {
  const worked = new Set<string>(await ports.worktrees.listIds());
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (id: string, isNamed: boolean): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const spec = byId.get(id);
    const members = spec === undefined ? [] : listMemberIds(spec, specs);
    for (const member of members) visit(member, false);
    // A spec that the caller named gets a result even without a worktree, except a driver that only lists its members.
    const hasMemberToMerge = members.some((member) => found.has(member));
    if (worked.has(id) || (isNamed && !hasMemberToMerge)) found.add(id);
  };
  for (const id of ids) visit(id, true);
  return [...found];
}

/** Returns outcome `refused` if a member of the spec is not done, or is done but not merged; else null. */
async function findOpenMemberRefusal({ context, ports }: RunDeps, id: SpecId): Promise<MergeResult | null> {
  const { specs } = await loadSpecWorld(context);
  const spec = specs.find((one) => one.id === id);
  if (spec === undefined) return null;
  for (const member of listMemberIds(spec, specs) as readonly SpecId[]) {
    const status = specs.find((one) => one.id === member)?.status;
    const open = status !== undefined && !DONE_STATUSES.includes(status);
    if (!open && (await ports.worktrees.isMerged(member))) continue;
    const why = open ? `its status is ${status}` : "its branch is not merged";
    return { spec_id: id, outcome: "refused", reason: `member '${member}' comes first: ${why}` };
  }
  return null;
}
