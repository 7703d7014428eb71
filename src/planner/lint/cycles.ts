import { MAX_CYCLE_IDS } from "../limits.ts";

export interface Cycle {
  /** Ids in order of dependency, without the first one again at the end. All specs of the cycle share this array. */
  readonly ids: readonly string[];
  /** Index in `ids` of the spec for which the cycle is reported. */
  readonly at: number;
}

/** Formats a cycle as `a -> b -> a`, beginning and ending with the spec for which it is reported. */
export function formatCycle({ ids, at }: Cycle): string {
  const shown = Array.from({ length: Math.min(ids.length, MAX_CYCLE_IDS) }, (_, step) => ids[(at + step) % ids.length]);
  const left = ids.length - shown.length;
  return [...shown, ...(left > 0 ? [`(${left} more)`] : []), ids[at]].join(" -> ");
}

/** Returns the next id of the cycle, on which the spec depends. */
export function findNextInCycle({ ids, at }: Cycle): string | undefined {
  return ids[(at + 1) % ids.length];
}

/**
 * Finds the dependency cycles of a project.
 *
 * @param graph the dependencies of every active spec; ids without an entry are ignored
 * @returns the cycles through each id that is on one
 *
 * A strongly connected component can have exponentially many cycles. Returns only enough to cover each edge of a cycle,
 * with a shortest cycle through that edge. A spec that depends on itself is not a cycle here. Cost: O(edges), plus
 * O(edges of the component) for each returned cycle.
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly Cycle[]> {
  const found = new Map<string, Cycle[]>();
  for (const knot of findComponents(graph)) {
    for (const cycle of listComponentCycles(knot, graph)) {
      for (const [at, id] of cycle.entries()) {
        const cycles = found.get(id);
        if (cycles === undefined) found.set(id, [{ ids: cycle, at }]);
        else cycles.push({ ids: cycle, at });
      }
    }
  }
  return found;
}

function* listComponentCycles(
  knot: ReadonlySet<string>,
  graph: ReadonlyMap<string, readonly string[]>,
): Iterable<string[]> {
  const covered = new Set<string>();
  for (const id of [...knot].sort()) {
    for (const next of graph.get(id) ?? []) {
      if (next === id || !knot.has(next) || covered.has(`${id}\0${next}`)) continue;
      const cycle = [id, ...findShortestPath(next, id, knot, graph)];
      for (const [index, from] of cycle.entries()) covered.add(`${from}\0${cycle[(index + 1) % cycle.length]}`);
      yield cycle;
    }
  }
}

/** Returns the path from `start` to the spec before `goal`; one exists: both share a strongly connected component. */
function findShortestPath(
  start: string,
  goal: string,
  component: ReadonlySet<string>,
  graph: ReadonlyMap<string, readonly string[]>,
): string[] {
  const before = new Map<string, string | undefined>([[start, undefined]]);
  // A Map iterates over entries added during the loop, so `before` is also the queue.
  for (const [id] of before) {
    for (const next of graph.get(id) ?? []) {
      if (next === goal) return tracePath(id, before);
      if (component.has(next) && !before.has(next)) before.set(next, id);
    }
  }
  return [];
}

function tracePath(end: string, before: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = [];
  for (let id: string | undefined = end; id !== undefined; id = before.get(id)) path.push(id);
  return path.reverse();
}

interface Visit {
  readonly id: string;
  readonly edges: Iterator<string>;
}

function findComponents(graph: ReadonlyMap<string, readonly string[]>): readonly ReadonlySet<string>[] {
  const search = new ComponentSearch(graph);
  for (const id of graph.keys()) search.searchFrom(id);
  return search.components;
}

/**
 * Finds strongly connected components of at least two specs by Tarjan's algorithm, with an explicit stack because a
 * chain of dependencies may be longer than the call stack.
 */
class ComponentSearch {
  readonly components: ReadonlySet<string>[] = [];
  readonly #graph: ReadonlyMap<string, readonly string[]>;
  readonly #order = new Map<string, number>();
  readonly #low = new Map<string, number>();
  readonly #stack: string[] = [];
  readonly #stackIds = new Set<string>();
  readonly #visits: Visit[] = [];

  constructor(graph: ReadonlyMap<string, readonly string[]>) {
    this.#graph = graph;
  }

  searchFrom(root: string): void {
    if (this.#order.has(root)) return;
    this.#enterNode(root);
    for (let visit = this.#visits.at(-1); visit !== undefined; visit = this.#visits.at(-1)) {
      const { done, value: next } = visit.edges.next();
      if (done) this.#leaveNode(visit.id);
      else if (!this.#order.has(next) && this.#graph.has(next)) this.#enterNode(next);
      else if (this.#stackIds.has(next)) this.#lowerLink(visit.id, this.#order.get(next) ?? 0);
    }
  }

  #enterNode(id: string): void {
    this.#order.set(id, this.#order.size);
    this.#lowerLink(id, this.#order.get(id) ?? 0);
    this.#stack.push(id);
    this.#stackIds.add(id);
    this.#visits.push({ id, edges: (this.#graph.get(id) ?? [])[Symbol.iterator]() });
  }

  #leaveNode(id: string): void {
    this.#visits.pop();
    const parent = this.#visits.at(-1);
    if (parent !== undefined) this.#lowerLink(parent.id, this.#low.get(id) ?? 0);
    if (this.#low.get(id) !== this.#order.get(id)) return;
    const knot = this.#stack.splice(this.#stack.lastIndexOf(id));
    for (const member of knot) this.#stackIds.delete(member);
    if (knot.length > 1) this.components.push(new Set(knot));
  }

  #lowerLink(id: string, to: number): void {
    this.#low.set(id, Math.min(this.#low.get(id) ?? to, to));
  }
}
