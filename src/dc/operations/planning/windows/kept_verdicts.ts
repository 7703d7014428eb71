import type { Topology } from "#dc/analysis/topology.ts";
import { compareSiteStates, computeDomains, type Domains, type SiteChange } from "#dc/analysis/window/domains.ts";
import type { DcContext } from "#dc/context.ts";
import type { ListedWindow } from "#gen/datacenter/v1/messages.ts";
import type { ReadSession } from "../../rpc.ts";

/** The verdict on a window or on a piece of it. */
export type ShortVerdict = Pick<ListedWindow, "verdict" | "impact" | "summary">;

/** References of UPSes: those whose batteries supply a load, and all that lost their supply. */
export interface Batteries {
  readonly carrying: readonly string[];
  readonly unsupplied: readonly string[];
}

/** The nodes and devices on which the effects of a piece depend. */
export interface PieceDependencies {
  /** Nodes that are out; the effects depend on all resources in their power domains. */
  readonly covered: readonly number[];
  /** Keys of the codes of devices whose data paths were followed. */
  readonly met: readonly string[];
}

/** A result with its dependencies. They are undefined if the result depends on more than nodes and devices. */
export interface DependentResult<Item> {
  readonly item: Item;
  readonly depends: PieceDependencies | undefined;
}

/** Maximum number of cached results of one topology. Our choice: beyond it the cache is emptied. */
const MAX_KEPT_RESULTS = 20_000;
/**
 * Maximum number of changed resources, including windows, that are compared. Our choice: for more, verdicts are
 * computed again.
 */
const MAX_FOLLOWED = 5000;

const KEPT = new WeakMap<Topology, VerdictCache>();

/** The last topology of a database that has verdicts. */
interface LatestVerdicts {
  readonly seq: number;
  readonly topology: WeakRef<Topology>;
}

const LATEST = new WeakMap<DcContext, LatestVerdicts>();

/**
 * Cached verdicts on pieces of time, keyed by all their inputs other than the inventory. A change of windows alone
 * keeps all of them; a change of the inventory keeps those whose power domains did not change.
 */
export class VerdictCache {
  readonly #verdicts = new Results<ShortVerdict>();
  readonly #batteries = new Results<Batteries>();

  static of(topology: Topology): VerdictCache {
    const known = KEPT.get(topology) ?? new VerdictCache();
    KEPT.set(topology, known);
    return known;
  }

  /**
   * Copies the verdicts of the previous topology that stay valid. Cost: none if the topology has verdicts, else that of
   * `compareSiteStates`.
   */
  static async follow({ context, reader, scheduler }: ReadSession, topology: Topology): Promise<void> {
    if (KEPT.has(topology)) return;
    const { seq } = await reader.chainHead();
    const latest = LATEST.get(context);
    const before = latest?.topology.deref();
    const earlier = before && KEPT.get(before);
    if (latest === undefined || latest.seq <= seq) LATEST.set(context, { seq, topology: new WeakRef(topology) });
    if (latest === undefined || latest.seq > seq || before === undefined || earlier === undefined) return;
    const refs = await reader.changedSince(latest.seq, MAX_FOLLOWED + 1);
    if (refs === undefined || refs.length > MAX_FOLLOWED) return;
    const change = await scheduler.run(compareSiteStates(before, topology, refs));
    const domains = [
      await scheduler.run(computeDomains(before)),
      await scheduler.run(computeDomains(topology)),
    ] as const;
    if (KEPT.has(topology)) return;
    const isLeft = ({ depends }: DependentResult<unknown>) =>
      depends !== undefined && isUntouched(depends, change, domains);
    const next = VerdictCache.of(topology);
    next.#verdicts.takeOver(earlier.#verdicts, isLeft);
    next.#batteries.takeOver(earlier.#batteries, isLeft);
  }

  /**
   * Returns the cached verdict, or computes it.
   * @param covered finds the nodes that are out now: the contents of a location may have changed
   */
  verdict(key: string, covered: Covered, judge: () => Promise<DependentResult<ShortVerdict>>): Promise<ShortVerdict> {
    return this.#verdicts.of(key, covered, judge);
  }

  batteries(key: string, covered: Covered, find: () => Promise<DependentResult<Batteries>>): Promise<Batteries> {
    return this.#batteries.of(key, covered, find);
  }
}

type Covered = () => Promise<ReadonlySet<number>>;

class Results<Item> {
  readonly #known = new Map<string, DependentResult<Item>>();
  /** Results of an earlier topology. Each is checked when it is first requested. */
  readonly #earlier = new Map<string, DependentResult<Item>>();

  takeOver(before: Results<Item>, isLeft: (one: DependentResult<Item>) => boolean): void {
    for (const list of [before.#earlier, before.#known])
      for (const [key, one] of list) if (isLeft(one)) this.#earlier.set(key, one);
  }

  async of(key: string, covered: Covered, make: () => Promise<DependentResult<Item>>): Promise<Item> {
    const known = this.#known.get(key);
    if (known !== undefined) return known.item;
    const earlier = this.#earlier.get(key);
    const isSame = earlier?.depends !== undefined && containsExactly(await covered(), earlier.depends.covered);
    const made = earlier !== undefined && isSame ? earlier : await make();
    this.#earlier.delete(key);
    if (this.#known.size >= MAX_KEPT_RESULTS) this.#known.clear();
    this.#known.set(key, made);
    return made.item;
  }
}

function containsExactly(nodes: ReadonlySet<number>, list: readonly number[]): boolean {
  return nodes.size === list.length && list.every((index) => nodes.has(index));
}

function isUntouched(
  { covered, met }: PieceDependencies,
  { touched, devices }: SiteChange,
  domains: readonly [Domains, Domains],
): boolean {
  const isIn = (at: 0 | 1) => covered.some((index) => touched[at].has(domains[at][index] ?? -1));
  return !isIn(0) && !isIn(1) && !met.some((key) => devices.has(key));
}
