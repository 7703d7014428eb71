import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import type { NearFailures } from "../rehearsal/near_failures.ts";
import { type FailingElement, listOffNodesOf, type PowerOutcome } from "../rehearsal/outcome.ts";
import type { SiteTrials } from "../rehearsal/site_failures.ts";
import type { Topology } from "../topology.ts";
import type { Acceptance } from "./acceptance.ts";
import { consumersLost, type Harm, harmOf, isNothing, racksIn } from "./harm.ts";
import type { Outage, WindowSite } from "./outage.ts";

/** A single failure that takes more during a window than the window and the failure apart. */
export interface NextFailure {
  readonly index: number;
  /** What it takes beyond both. */
  readonly harm: Harm;
  /** Keys of the racks that it takes: dark, short of cooling, or with a switch that is cut off. */
  readonly racks: ReadonlySet<string>;
  /** Whether it trips something, or darkens a device in a rack that the window does not touch. */
  readonly spreads: boolean;
}

/** What accepted losses leave of a window's own harm, and the outage that does it. */
interface During {
  readonly outage: Outage;
  readonly harm: Harm;
  readonly accepted: Acceptance;
}

export interface NextFailures {
  /** The most racks first. */
  readonly failures: readonly NextFailure[];
  /** Elements that were judged beside the window. */
  readonly tried: number;
}

/**
 * Fails elements of a site together with those of a window: all that can take more together with them. Every other element
 * takes the same during the window as apart; a law fails each of them.
 *
 * Cost: the failures that meet the window's; at first the footprints of its islands, and what concerns cooling or fabrics.
 */
export function* nextFailures(window: WindowSite, during: During): Steps<NextFailures> {
  const { topology, near, cutLinks } = window.ground;
  const { outage } = during;
  const trying: Trying = { window, outage, site: yield* window.trials() };
  const own = [...outage.covered].map((index): FailingElement => ({ index, kind: "POWER" }));
  const judged = new Judging(topology, outage);
  const found: NextFailure[] = [];
  for (const outcome of yield* near.with(trying.site, own, { off: [...outage.off], cut: cutLinks })) {
    const [element] = outcome.elements;
    if (element === undefined || !isOn(outage, element)) continue;
    const { harm, offline } = furtherLoss(trying, [...own, element], [during.harm, aloneHarm(window, outcome)]);
    const lost = () => new Set(consumersLost(topology, outage.covered, offline));
    const left = isNothing(harm) ? harm : during.accepted.left(harm, lost());
    if (!isNothing(left)) found.push(judged.of(element.index, left));
    yield;
  }
  const refOf = ({ index }: NextFailure) => topology.power.nodes[index]?.ref ?? "";
  found.sort((a, b) => b.racks.size - a.racks.size || compareText(refOf(a), refOf(b)));
  return { failures: found, tried: countOthers(trying) };
}

interface Trying {
  readonly window: WindowSite;
  readonly outage: Outage;
  readonly site: SiteTrials;
}

/** What is off, or has no power, fails no more. */
function isOn({ off, blast }: Outage, { index }: FailingElement): boolean {
  return !off.has(index) && blast.live[index] === 1;
}

/** What a window with a further element takes beyond some harms, and all nodes that go off. */
function furtherLoss(
  { window, outage, site: { trials } }: Trying,
  elements: readonly FailingElement[],
  known: readonly Harm[],
) {
  const outcome = trials.fail(elements);
  const effects = { ...outcome, ...window.effectsOf(listOffNodesOf(outcome), true) };
  return { harm: harmOf(window.ground.topology, outage.covered, effects, known), offline: outcome.offline };
}

/** Harms of single failures without any window. */
const ALONE = new WeakMap<NearFailures, Map<PowerOutcome, Harm>>();

/** The harm of a single failure without the window; computed once for a state of the site. */
function aloneHarm(window: WindowSite, outcome: PowerOutcome): Harm {
  const { near, topology } = window.ground;
  const known = ALONE.get(near) ?? new Map<PowerOutcome, Harm>();
  ALONE.set(near, known);
  const effects = () => window.effectsOf(listOffNodesOf(outcome), false);
  const harm = known.get(outcome) ?? harmOf(topology, NOTHING, { ...outcome, ...effects() });
  known.set(outcome, harm);
  return harm;
}

const NOTHING: ReadonlySet<number> = new Set();

/**
 * Counts the elements whose failure is judged beside a window: those that supply connects to it, or all if it concerns cooling
 * or fabrics.
 */
function countOthers({ window, outage, site: { island } }: Trying): number {
  const { near, topology } = window.ground;
  const hasWideEffects =
    outage.fabric.links.length > 0 || [...outage.off].some((index) => topology.power.nodes[index]?.kind === "CRAC");
  const islands = new Set([...outage.covered].map((index) => island[index] ?? -1));
  const others = hasWideEffects ? near.site.outcomes : [...islands].flatMap((one) => near.footprints.ofIsland(one));
  return others.filter(({ elements: [element] }) => element !== undefined && isOn(outage, element)).length;
}

/** Describes what further failures take, beside what a window touches itself. */
class Judging {
  readonly #topology: Topology;
  /** Nodes of devices that have less supply already. */
  readonly #degraded: ReadonlySet<number>;
  /** Keys of racks. */
  readonly #touched: ReadonlySet<string | undefined>;

  constructor(topology: Topology, { blast, covered }: Outage) {
    this.#topology = topology;
    this.#degraded = new Set(blast.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index));
    this.#touched = new Set([...blast.racks.keys(), ...[...covered].map((index) => this.#rackOf(index))]);
  }

  of(index: number, harm: Harm): NextFailure {
    const racks = new Set(harm.racks);
    for (const at of harm.cutOff) {
      const key = this.#rackOf(at);
      if (key !== undefined) racks.add(key);
    }
    for (const { ref } of harm.short.values())
      for (const { code } of racksIn(this.#topology, ref)) racks.add(codeKey(code));
    const isElsewhere = (at: number) => {
      const key = this.#rackOf(at);
      return key !== undefined && !this.#degraded.has(at) && !this.#touched.has(key);
    };
    return { index, harm, racks, spreads: harm.trips.size > 0 || [...harm.off].some(isElsewhere) };
  }

  #rackOf(index: number): string | undefined {
    const node = this.#topology.power.nodes[index];
    const code = node?.kind === "DEVICE" ? node.device.rackCode : undefined;
    return code === undefined ? undefined : codeKey(code);
  }
}
