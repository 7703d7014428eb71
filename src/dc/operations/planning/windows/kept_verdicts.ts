import type { Topology } from "#dc/analysis/topology.ts";
import { compareSiteStates, computeDomains, type DomainByNode, type SiteChange } from "#dc/analysis/window/domains.ts";
import type { DcContext } from "#dc/context.ts";
import type { ListedWindow } from "#gen/datacenter/v1/messages.ts";
import type { ReadSession } from "../../rpc.ts";

/** The verdict on a window or on a piece of it. */
export type ShortVerdict = Pick<ListedWindow, "verdict" | "impact" | "summary">;

/** References of UPSes: those whose batteries supply a load, and all that lost their supply. */
export interface BatteryRefs {
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
const MAX_CACHED_RESULTS = 20_000;
/**
 * Maximum number of changed resources, including windows, that are compared. Our choice: for more, verdicts are
 * computed again.
 */
const MAX_COMPARED_CHANGES = 5000;

const CACHE_BY_TOPOLOGY = new WeakMap<Topology, VerdictCache>();

/** The last topology of a database that has verdicts. */
interface LatestVerdicts {
  readonly seq: number;
  readonly topology: WeakRef<Topology>;
}

const LATEST_BY_DATABASE = new WeakMap<DcContext, LatestVerdicts>();

/**
 * Cached verdicts on pieces of time, keyed by all their inputs other than the inventory. A change of windows alone
 * keeps all of them; a change of the inventory keeps those whose power domains did not change.
 */
export class VerdictCache {
  readonly #verdicts = new ResultCache<ShortVerdict>();
  readonly #batteries = new ResultCache<BatteryRefs>();

  static getCache(topology: Topology): VerdictCache {
    return CACHE_BY_TOPOLOGY.getOrInsertComputed(topology, () => new VerdictCache());
  }

  /**
   * Copies the verdicts of the previous topology that stay valid. Cost: none if the topology has verdicts, else that of
   * `compareSiteStates`.
   */
  static async adoptEarlierVerdicts({ context, reader, scheduler }: ReadSession, topology: Topology): Promise<void> {
    if (CACHE_BY_TOPOLOGY.has(topology)) return;
    const { seq } = await reader.chainHead();
    const latest = LATEST_BY_DATABASE.get(context);
    const before = latest?.topology.deref();
    const earlier = before && CACHE_BY_TOPOLOGY.get(before);
    if (latest === undefined || latest.seq <= seq)
      LATEST_BY_DATABASE.set(context, { seq, topology: new WeakRef(topology) });
    if (latest === undefined || latest.seq > seq || before === undefined || earlier === undefined) return;
    const refs = await reader.changedSince(latest.seq, MAX_COMPARED_CHANGES + 1);
    if (refs === undefined || refs.length > MAX_COMPARED_CHANGES) return;
    const change = await scheduler.run(compareSiteStates(before, topology, refs));
    const domains = [
      await scheduler.run(computeDomains(before)),
      await scheduler.run(computeDomains(topology)),
    ] as const;
    if (CACHE_BY_TOPOLOGY.has(topology)) return;
    const isStillValid = ({ depends }: DependentResult<unknown>) =>
      depends !== undefined && isPieceUnchanged(depends, change, domains);
    const next = VerdictCache.getCache(topology);
    next.#verdicts.adoptResults(earlier.#verdicts, isStillValid);
    next.#batteries.adoptResults(earlier.#batteries, isStillValid);
  }

  /**
   * Returns the cached verdict, or computes it.
   * @param covered finds the nodes that are out now: the contents of a location may have changed
   */
  getVerdict(
    key: string,
    covered: FindOutNodes,
    judge: () => Promise<DependentResult<ShortVerdict>>,
  ): Promise<ShortVerdict> {
    return this.#verdicts.getResult(key, covered, judge);
  }

  getBatteries(
    key: string,
    covered: FindOutNodes,
    find: () => Promise<DependentResult<BatteryRefs>>,
  ): Promise<BatteryRefs> {
    return this.#batteries.getResult(key, covered, find);
  }
}

type FindOutNodes = () => Promise<ReadonlySet<number>>;

class ResultCache<Item> {
  readonly #results = new Map<string, DependentResult<Item>>();
  /** Results of an earlier topology. Each is checked when it is first requested. */
  readonly #earlier = new Map<string, DependentResult<Item>>();

  adoptResults(before: ResultCache<Item>, isLeft: (one: DependentResult<Item>) => boolean): void {
    for (const list of [before.#earlier, before.#results])
      for (const [key, one] of list) if (isLeft(one)) this.#earlier.set(key, one);
  }

  async getResult(key: string, covered: FindOutNodes, make: () => Promise<DependentResult<Item>>): Promise<Item> {
    const known = this.#results.get(key);
    if (known !== undefined) return known.item;
    const earlier = this.#earlier.get(key);
    const isSame = earlier?.depends !== undefined && containsExactly(await covered(), earlier.depends.covered);
    const made = earlier !== undefined && isSame ? earlier : await make();
    this.#earlier.delete(key);
    if (this.#results.size >= MAX_CACHED_RESULTS) this.#results.clear();
    this.#results.set(key, made);
    return made.item;
  }
}

function containsExactly(nodes: ReadonlySet<number>, list: readonly number[]): boolean {
  return nodes.size === list.length && list.every((index) => nodes.has(index));
}

function isPieceUnchanged(
  { covered, met }: PieceDependencies,
  { touchedDomains, devices }: SiteChange,
  domains: readonly [DomainByNode, DomainByNode],
): boolean {
  const isTouched = (at: 0 | 1) => covered.some((index) => touchedDomains[at].has(domains[at][index] ?? -1));
  return !isTouched(0) && !isTouched(1) && !met.some((key) => devices.has(key));
}
