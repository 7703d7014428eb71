import type { Topology } from "#dc/analysis/topology.ts";
import { compareSites, computeDomains, type Domains, type SiteChange } from "#dc/analysis/window/domains.ts";
import type { DcContext } from "#dc/context.ts";
import type { ListedWindow } from "#gen/datacenter/v1/messages.ts";
import type { ReadSession } from "../../rpc.ts";

/** The verdict on a window or on a piece of it. */
export type ShortVerdict = Pick<ListedWindow, "verdict" | "impact" | "summary">;

/** UPSes by reference. */
export interface Batteries {
  readonly carrying: readonly string[];
  readonly unsupplied: readonly string[];
}

/** What the effects of a piece depend on. */
export interface Dependence {
  /** Nodes that are out: all that is in their domains counts. */
  readonly covered: readonly number[];
  /** Keys of the codes of devices whose data paths were followed. */
  readonly met: readonly string[];
}

/** A result, and what it depends on; undefined if that is more than is known here. */
export interface Dependent<Item> {
  readonly item: Item;
  readonly depends: Dependence | undefined;
}

/** Results of one topology. Ours: beyond so many, all are forgotten. */
const MOST = 20_000;
/** Changed resources that are followed, windows included. Ours: beyond it the graphs are built anew. */
const MAX_FOLLOWED = 5000;

const KEPT = new WeakMap<Topology, KeptVerdicts>();

/** The last state of a database with verdicts. */
interface Latest {
  readonly seq: number;
  readonly topology: WeakRef<Topology>;
}

const LATEST = new WeakMap<DcContext, Latest>();

/**
 * Verdicts on pieces of time, by all that they follow from beside the inventory. A change of windows alone leaves them; a change of
 * the inventory leaves those of domains in which nothing changed.
 */
export class KeptVerdicts {
  readonly #verdicts = new Results<ShortVerdict>();
  readonly #batteries = new Results<Batteries>();

  static of(topology: Topology): KeptVerdicts {
    const known = KEPT.get(topology) ?? new KeptVerdicts();
    KEPT.set(topology, known);
    return known;
  }

  /** Takes over what an earlier state leaves. Cost: nothing if the topology has verdicts, or as of `compareSites`. */
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
    const change = await scheduler.run(compareSites(before, topology, refs));
    const domains = [
      await scheduler.run(computeDomains(before)),
      await scheduler.run(computeDomains(topology)),
    ] as const;
    if (KEPT.has(topology)) return;
    const isLeft = ({ depends }: Dependent<unknown>) => depends !== undefined && isUntouched(depends, change, domains);
    const next = KeptVerdicts.of(topology);
    next.#verdicts.takeOver(earlier.#verdicts, isLeft);
    next.#batteries.takeOver(earlier.#batteries, isLeft);
  }

  /** @param covered nodes that are out now: places may have other contents than before */
  verdict(key: string, covered: Covered, judge: () => Promise<Dependent<ShortVerdict>>): Promise<ShortVerdict> {
    return this.#verdicts.of(key, covered, judge);
  }

  batteries(key: string, covered: Covered, find: () => Promise<Dependent<Batteries>>): Promise<Batteries> {
    return this.#batteries.of(key, covered, find);
  }
}

type Covered = () => Promise<ReadonlySet<number>>;

class Results<Item> {
  readonly #known = new Map<string, Dependent<Item>>();
  /** Of an earlier state, each until it is asked for. */
  readonly #earlier = new Map<string, Dependent<Item>>();

  takeOver(before: Results<Item>, isLeft: (one: Dependent<Item>) => boolean): void {
    for (const list of [before.#earlier, before.#known])
      for (const [key, one] of list) if (isLeft(one)) this.#earlier.set(key, one);
  }

  async of(key: string, covered: Covered, make: () => Promise<Dependent<Item>>): Promise<Item> {
    const known = this.#known.get(key);
    if (known !== undefined) return known.item;
    const earlier = this.#earlier.get(key);
    const isSame = earlier?.depends !== undefined && isAll(await covered(), earlier.depends.covered);
    const made = earlier !== undefined && isSame ? earlier : await make();
    this.#earlier.delete(key);
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, made);
    return made.item;
  }
}

function isAll(nodes: ReadonlySet<number>, list: readonly number[]): boolean {
  return nodes.size === list.length && list.every((index) => nodes.has(index));
}

function isUntouched(
  { covered, met }: Dependence,
  { touched, devices }: SiteChange,
  domains: readonly [Domains, Domains],
): boolean {
  const isIn = (at: 0 | 1) => covered.some((index) => touched[at].has(domains[at][index] ?? -1));
  return !isIn(0) && !isIn(1) && !met.some((key) => devices.has(key));
}
