import type { Spec } from "../spec/spec.ts";
import { parseParentId } from "../spec/spec_id.ts";

/** Returns the ids of a spec's members: those that it lists, and specs whose ids extend its own. */
export function listMemberIds(spec: Spec, specs: readonly Spec[]): readonly string[] {
  const membersById = specs.filter(({ id }) => parseParentId(id) === spec.id).map(({ id }) => id);
  return [...new Set<string>([...spec.members, ...membersById])];
}

/**
 * Returns the wanted specs in merge order: members before their drivers, dependencies before their dependents,
 * otherwise in the given order. Each appears once. Follows the dependencies of other specs but does not return these.
 *
 * Ignores the edge that closes a cycle. Cost: O(specs x members).
 */
export function sortInMergeOrder(wanted: readonly string[], specs: readonly Spec[]): readonly string[] {
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const wantedIds = new Set(wanted);
  const seen = new Set<string>();
  const order: string[] = [];
  const visitSpec = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const spec = byId.get(id);
    if (spec !== undefined) for (const before of [...spec.dependsOn, ...listMemberIds(spec, specs)]) visitSpec(before);
    if (wantedIds.has(id)) order.push(id);
  };
  for (const id of wanted) visitSpec(id);
  return order;
}
