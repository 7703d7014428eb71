import type { Steps } from "#kernel/steps.ts";
import { NODE } from "../power/power_graph.ts";
import { PairLosses } from "./beyond.ts";
import type { WorsePair } from "./charge.ts";
import type { CountedNodes } from "./counted_nodes.ts";
import type { FurtherEffects } from "./further_effects.ts";
import type { Element, Failure } from "./outcome.ts";
import type { SiteFailures } from "./site_failures.ts";

/** Watts by which sums of loads may differ from the loads that are compared with a limit. */
const ROUNDING_W = 2;

export interface TriedPairs {
  /** Pairs that do more than both failures apart. */
  readonly worse: readonly WorsePair[];
  /** Pairs that were judged, tried or not. */
  readonly judged: number;
}

/** A failure by the elements that it may share with others. */
interface Reach {
  readonly element: Element;
  readonly failure: Failure;
  /** Numbers of elements that lose supply or go off, and of everything upstream of them. */
  readonly reached: readonly number[];
  readonly changed: readonly number[];
  readonly rises: ReadonlyMap<number, number>;
}

/**
 * Fails every pair of elements that can affect each other. For all other pairs, the joint effect is the union of the
 * single effects: neither touches the load or supply of a node that loses supply by the other, no source exceeds its
 * limit by both increases, and they share no cooled area and no switch. A pair of which one element includes the other
 * is the failure of that one.
 *
 * Cost: about that of the tried pairs.
 */
export function* failPairs(
  site: SiteFailures,
  singles: readonly Failure[],
  effects: FurtherEffects,
): Steps<TriedPairs> {
  const reaches = yield* reachesOf(site, singles, effects);
  const meetings = new Meetings(site.nodes, site.loadsBefore, reaches);
  yield;
  const losses = new PairLosses(site.topology.power);
  const worse: WorsePair[] = [];
  for (const [at, one] of reaches.entries()) {
    const taken = new Set(one.failure.direct);
    losses.begin(one.failure);
    // The order of nodes is that of their first writes, and must not choose which pair is listed first.
    for (const number of [...meetings.of(at)].sort((a, b) => a - b)) {
      const other = reaches[number];
      if (other === undefined || taken.has(other.element.index) || takes(other.failure, one.element)) continue;
      const outcome = site.trials.fail([one.element, other.element]);
      // Less supply is the matter of single failures.
      const failure = { ...effects.of(outcome), degraded: [] };
      const beyond = losses.beyond(failure, other.failure);
      if (beyond !== undefined) worse.push({ failure, beyond });
      yield;
    }
  }
  return { worse, judged: (singles.length * (singles.length - 1)) / 2 };
}

function takes({ direct }: Failure, { index }: Element): boolean {
  return direct.includes(index);
}

function* reachesOf(site: SiteFailures, singles: readonly Failure[], effects: FurtherEffects): Steps<readonly Reach[]> {
  const numbers = new Numbers(site.nodes);
  const reaches: Reach[] = [];
  for (const failure of singles) {
    const [element] = failure.elements;
    if (element === undefined) continue;
    const touched = site.trials.footprint(element);
    const racks = [...failure.racksDark, ...failure.racksPartial].map((key) => `rack ${key}`);
    const others = [...effects.meetingOf(failure), ...racks].map((name) => numbers.of(name));
    reaches.push({
      element,
      failure,
      // Without a footprint everything may meet it.
      reached: touched === undefined ? [ANY] : numbers.all(touched.reached, others),
      changed: touched === undefined ? [ANY] : numbers.all(touched.changed, others),
      rises: touched?.rises ?? new Map(),
    });
    yield;
  }
  return reaches;
}

/** Number of an element that affects all others. */
const ANY = -1;

/** Numbers of shared elements: a rack represents its contents, a device its outlets. */
class Numbers {
  readonly #nodes: CountedNodes;
  readonly #named = new Map<string, number>();

  constructor(nodes: CountedNodes) {
    this.#nodes = nodes;
  }

  of(name: string): number {
    const known = this.#named.get(name) ?? this.#nodes.size + this.#named.size;
    this.#named.set(name, known);
    return known;
  }

  all(nodes: readonly number[], others: readonly number[]): readonly number[] {
    const found = new Set(others);
    for (const index of nodes) found.add(this.#ofNode(index));
    return [...found];
  }

  #ofNode(index: number): number {
    const { rack, rackKeys, graph } = this.#nodes;
    const { inAt, inEnd, from } = graph.edges;
    const first = inAt[index] as number;
    const isOutlet = ((graph.columns.kind[index] as number) & NODE.OUTLET) !== 0;
    const at = isOutlet && first < (inEnd[index] as number) ? (from[first] as number) : index;
    const key = rackKeys[rack[at] as number];
    return key === undefined ? at : this.of(`rack ${key}`);
  }
}

/** Which failures can affect each other. */
class Meetings {
  readonly #reaches: readonly Reach[];
  readonly #byReached = new Map<number, number[]>();
  readonly #byChanged = new Map<number, number[]>();
  readonly #byRise = new Map<number, { readonly at: number; readonly watts: number }[]>();
  readonly #limitW: Float64Array;
  readonly #loads: Float64Array;

  constructor({ graph }: CountedNodes, loads: Float64Array, reaches: readonly Reach[]) {
    this.#limitW = graph.columns.limitW;
    this.#loads = loads;
    this.#reaches = reaches;
    for (const [at, { reached, changed, rises }] of reaches.entries()) {
      for (const number of reached) listIn(this.#byReached, number).push(at);
      for (const number of changed) listIn(this.#byChanged, number).push(at);
      for (const [node, watts] of rises) listIn(this.#byRise, node).push({ at, watts });
    }
    for (const list of this.#byRise.values()) list.sort((a, b) => b.watts - a.watts);
  }

  /** Numbers of the later failures that may do more together with one. */
  of(at: number): Iterable<number> {
    const found = new Set<number>();
    const { reached = [], changed = [], rises = new Map() } = this.#reaches[at] ?? {};
    const add = (others: Iterable<number> = []) => {
      for (const other of others) if (other > at) found.add(other);
    };
    if (reached.includes(ANY)) add(this.#reaches.keys());
    for (const number of reached) add(this.#byChanged.get(number));
    for (const number of changed) add(this.#byReached.get(number));
    add(this.#byReached.get(ANY));
    for (const [node, watts] of rises) add(this.#exceeding(node, watts));
    return found;
  }

  /** Failures that load a source beyond its limit together with a rise. */
  *#exceeding(node: number, watts: number): Iterable<number> {
    const limit = (this.#limitW[node] as number) - (this.#loads[node] as number) - ROUNDING_W;
    for (const other of this.#byRise.get(node) ?? []) {
      if (watts + other.watts <= limit) return;
      yield other.at;
    }
  }
}

function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
