import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import type { NearFailureFinder } from "../rehearsal/near_failures.ts";
import { type FailingElement, listOutcomeOffNodes, type PowerOutcome } from "../rehearsal/outcome.ts";
import type { SiteTrials } from "../rehearsal/site_failures.ts";
import type { Topology } from "../topology.ts";
import type { AcceptedLosses } from "./acceptance.ts";
import { collectLosses, isLossSetEmpty, type LossSet, listRacksInArea, selectLostConsumers } from "./harm.ts";
import type { Outage, WindowSite } from "./outage.ts";

/** A single failure that causes further losses during a window, beyond what the window and the failure cause alone. */
export interface NextFailure {
  readonly index: number;
  /** Losses that neither the window nor the failure causes alone. */
  readonly harm: LossSet;
  /** Keys of the affected racks: dark, short of cooling, or with a switch without uplink. */
  readonly racks: ReadonlySet<string>;
  /** Whether the failure trips something, or turns off a device in a rack that the window does not affect. */
  readonly spreads: boolean;
}

/** The outage of a window, its losses, and the losses that are accepted. */
interface WindowLosses {
  readonly outage: Outage;
  readonly harm: LossSet;
  readonly accepted: AcceptedLosses;
}

export interface NextFailures {
  /** Failures sorted by the number of racks, most first. */
  readonly failures: readonly NextFailure[];
  /** Number of elements that were judged with the window. */
  readonly triedCount: number;
}

/**
 * Fails the elements of a window together with each element that can cause further losses with them. Every other
 * element causes the same losses during the window as alone; a law checks this.
 * Cost: the failures that overlap with the window's; at first the footprints of its islands, and the elements that
 * affect cooling or fabrics.
 */
export function* findNextFailures(window: WindowSite, during: WindowLosses): Steps<NextFailures> {
  const { topology, near, cutLinks } = window.input;
  const { outage } = during;
  const trying: FailureTrial = { window, outage, site: yield* window.createTrials() };
  const own = [...outage.coveredNodes].map((index): FailingElement => ({ index, kind: "POWER" }));
  const judged = new NextFailureClassifier(topology, outage);
  const found: NextFailure[] = [];
  for (const outcome of yield* near.findNearFailures(trying.site, own, { off: [...outage.offNodes], cut: cutLinks })) {
    const [element] = outcome.elements;
    if (element === undefined || !isElementStillOn(outage, element)) continue;
    const { harm, offline } = computeFurtherLoss(
      trying,
      [...own, element],
      [during.harm, getLossesAlone(window, outcome)],
    );
    const lost = () => new Set(selectLostConsumers(topology, outage.coveredNodes, offline));
    const left = isLossSetEmpty(harm) ? harm : during.accepted.removeAccepted(harm, lost());
    if (!isLossSetEmpty(left)) found.push(judged.createNextFailure(element.index, left));
    yield;
  }
  const getRef = ({ index }: NextFailure) => topology.power.nodes[index]?.ref ?? "";
  found.sort((a, b) => b.racks.size - a.racks.size || compareText(getRef(a), getRef(b)));
  return { failures: found, triedCount: countJudgedElements(trying) };
}

interface FailureTrial {
  readonly window: WindowSite;
  readonly outage: Outage;
  readonly site: SiteTrials;
}

/** Whether an element has power during the outage; otherwise its failure has no effect. */
function isElementStillOn({ offNodes, blast }: Outage, { index }: FailingElement): boolean {
  return !offNodes.has(index) && blast.live[index] === 1;
}

/** Returns losses of a window with a further element, except known losses, and all nodes that go off. */
function computeFurtherLoss(
  { window, outage, site: { trials } }: FailureTrial,
  elements: readonly FailingElement[],
  known: readonly LossSet[],
) {
  const outcome = trials.tryFailure(elements);
  const effects = { ...outcome, ...window.computeEffects(listOutcomeOffNodes(outcome), true) };
  return { harm: collectLosses(window.input.topology, outage.coveredNodes, effects, known), offline: outcome.offline };
}

/** Losses of single failures without any window. */
const lossesByFailure = new WeakMap<NearFailureFinder, Map<PowerOutcome, LossSet>>();

/** Returns the losses of a single failure without the window; computed once for a state of the site. */
function getLossesAlone(window: WindowSite, outcome: PowerOutcome): LossSet {
  const { near, topology } = window.input;
  const known = lossesByFailure.getOrInsertComputed(near, () => new Map<PowerOutcome, LossSet>());
  const effects = () => window.computeEffects(listOutcomeOffNodes(outcome), false);
  return known.getOrInsertComputed(outcome, () => collectLosses(topology, NO_NODES, { ...outcome, ...effects() }));
}

const NO_NODES: ReadonlySet<number> = new Set();

/**
 * Counts the elements whose failure is judged with a window: those that supply connects to the window's elements, or
 * all if the window affects cooling or fabrics.
 */
function countJudgedElements({ window, outage, site: { islandByNode } }: FailureTrial): number {
  const { near, topology } = window.input;
  const hasWideEffects =
    outage.fabric.links.length > 0 ||
    [...outage.offNodes].some((index) => topology.power.nodes[index]?.kind === "CRAC");
  const islands = new Set([...outage.coveredNodes].map((index) => islandByNode[index] ?? -1));
  const others = hasWideEffects
    ? near.site.outcomes
    : [...islands].flatMap((one) => near.footprints.listIslandOutcomes(one));
  return others.filter(({ elements: [element] }) => element !== undefined && isElementStillOn(outage, element)).length;
}

/** Classifies further failures during a window by the racks that they affect. */
class NextFailureClassifier {
  readonly #topology: Topology;
  /** Nodes of devices that already have less supply. */
  readonly #degradedNodes: ReadonlySet<number>;
  /** Keys of racks that the window affects. */
  readonly #touchedRacks: ReadonlySet<string | undefined>;

  constructor(topology: Topology, { blast, coveredNodes }: Outage) {
    this.#topology = topology;
    this.#degradedNodes = new Set(blast.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index));
    this.#touchedRacks = new Set([
      ...blast.racks.keys(),
      ...[...coveredNodes].map((index) => this.#findRackKey(index)),
    ]);
  }

  createNextFailure(index: number, harm: LossSet): NextFailure {
    const racks = new Set(harm.racks);
    for (const at of harm.cutOff) {
      const key = this.#findRackKey(at);
      if (key !== undefined) racks.add(key);
    }
    for (const { ref } of harm.shortages.values())
      for (const { code } of listRacksInArea(this.#topology, ref)) racks.add(codeKey(code));
    const isElsewhere = (at: number) => {
      const key = this.#findRackKey(at);
      return key !== undefined && !this.#degradedNodes.has(at) && !this.#touchedRacks.has(key);
    };
    return { index, harm, racks, spreads: harm.trips.size > 0 || [...harm.offlineNodes].some(isElsewhere) };
  }

  #findRackKey(index: number): string | undefined {
    const node = this.#topology.power.nodes[index];
    const code = node?.kind === "DEVICE" ? node.device.rackCode : undefined;
    return code === undefined ? undefined : codeKey(code);
  }
}
