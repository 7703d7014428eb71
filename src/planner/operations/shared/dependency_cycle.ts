import type { Spec } from "../../spec/spec.ts";

/**
 * The shortest way from `id` back to itself if it depended on `dependencies`: `[a, b, a]`, or undefined.
 *
 * @param specs the specs whose own dependencies count; an unknown id leads nowhere
 *
 * Cost: O(specs + dependencies).
 */
export function dependencyCycle(
  id: string,
  dependencies: readonly string[],
  specs: readonly Spec[],
): readonly string[] | undefined {
  const byId = new Map(specs.map((spec) => [spec.id as string, spec.dependsOn]));
  const cameFrom = new Map<string, string>();
  // The list grows while it is walked: breadth first, so the first way found is a shortest one.
  const queue: string[] = [];
  const visit = (next: string, from: string): boolean => {
    if (next === id) return true;
    if (!cameFrom.has(next)) {
      cameFrom.set(next, from);
      queue.push(next);
    }
    return false;
  };
  if (dependencies.some((next) => visit(next, id))) return [id, id];
  for (const current of queue) {
    if ((byId.get(current) ?? []).some((next) => visit(next, current))) return [...wayTo(current, cameFrom, id), id];
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>, start: string): string[] {
  const way = [end];
  for (let at = end; at !== start; ) {
    at = cameFrom.get(at) ?? start;
    way.unshift(at);
  }
  return way;
}
