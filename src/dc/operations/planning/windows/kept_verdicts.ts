import type { Topology } from "#dc/analysis/topology.ts";
import type { WindowImpact, WindowVerdict } from "#dc/model/enum_values.ts";

/** The verdict on a window or on a piece of it. */
export interface ShortVerdict {
  readonly verdict: WindowVerdict;
  readonly impact: WindowImpact;
  readonly summary: string;
}

/** UPSes by reference. */
export interface Batteries {
  readonly carrying: readonly string[];
  readonly unsupplied: readonly string[];
}

/** Verdicts of one topology. Ours: beyond so many, all are forgotten. */
const MOST = 20_000;

const KEPT = new WeakMap<Topology, KeptVerdicts>();

/** Verdicts on pieces of time, by all that they follow from beside the inventory. A change of windows alone leaves them. */
export class KeptVerdicts {
  readonly #verdicts = new Map<string, ShortVerdict>();
  readonly #batteries = new Map<string, Batteries>();

  static of(topology: Topology): KeptVerdicts {
    const known = KEPT.get(topology) ?? new KeptVerdicts();
    KEPT.set(topology, known);
    return known;
  }

  verdict(key: string, judge: () => Promise<ShortVerdict>): Promise<ShortVerdict> {
    return keep(this.#verdicts, key, judge);
  }

  batteries(key: string, find: () => Promise<Batteries>): Promise<Batteries> {
    return keep(this.#batteries, key, find);
  }
}

async function keep<Item>(kept: Map<string, Item>, key: string, make: () => Promise<Item>): Promise<Item> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = await make();
  if (kept.size >= MOST) kept.clear();
  kept.set(key, made);
  return made;
}
