import type { Steps } from "#kernel/steps.ts";
import { PairEffects } from "./beyond.ts";
import type { WorsePair } from "./charge.ts";
import type { CoolingAndFabricEffects } from "./further_effects.ts";
import { FailureOverlaps, type FailureReachNumbers, formatRackName, SharedNumbers } from "./meetings.ts";
import { type FailingElement, type Failure, listOutcomeOffNodes } from "./outcome.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface TriedPairs {
  /** Pairs with effects that neither failure has alone. */
  readonly worsePairs: readonly WorsePair[];
  /** Number of pairs that were judged, including pairs that need no trial. */
  readonly judgedCount: number;
}

/** A failure and the nodes that it affects. */
interface FailureReachEntry {
  readonly element: FailingElement;
  readonly failure: Failure;
  readonly reach: FailureReachNumbers;
}

/**
 * Fails every pair of elements that can affect each other. For all other pairs, the joint effect is the union of the
 * single effects: neither touches the load or supply of a node that loses supply by the other, no source exceeds its
 * limit by both increases, and they share no cooled area and no switch. If one element includes the other, the pair
 * equals the failure of that element and is skipped.
 *
 * Cost: about that of the tried pairs.
 */
export function* tryFailurePairs(
  site: SiteFailures,
  singles: readonly Failure[],
  effects: CoolingAndFabricEffects,
): Steps<TriedPairs> {
  const reaches = yield* computeFailureReaches(site, singles, effects);
  const meetings = new FailureOverlaps(reaches.map(({ reach }) => reach));
  const { limitW } = site.nodes.graph.columns;
  const slackW = (node: number) => (limitW[node] as number) - (site.loadsBeforeW[node] as number);
  yield;
  const losses = new PairEffects(site.topology.power);
  const worse: WorsePair[] = [];
  for (const [at, one] of reaches.entries()) {
    const taken = new Set(one.failure.direct);
    losses.setFirstFailure(one.failure);
    // Nodes are numbered in the order of first writes, which must not determine which pair is listed first.
    const later = [...meetings.findOverlapping(one.reach, slackW)].filter((number) => number > at);
    for (const number of later.sort((a, b) => a - b)) {
      const other = reaches[number];
      if (other === undefined || taken.has(other.element.index) || includesFailingElement(other.failure, one.element))
        continue;
      const outcome = site.trials.tryFailure([one.element, other.element]);
      // Degraded supply is reported for single failures only.
      const failure = { ...effects.addEffects(outcome), degraded: [] };
      const beyond = losses.computeJointEffects(failure, other.failure);
      if (beyond !== undefined) worse.push({ failure, jointEffects: beyond });
      yield;
    }
  }
  return { worsePairs: worse, judgedCount: (singles.length * (singles.length - 1)) / 2 };
}

function includesFailingElement({ direct }: Failure, { index }: FailingElement): boolean {
  return direct.includes(index);
}

function* computeFailureReaches(
  site: SiteFailures,
  singles: readonly Failure[],
  effects: CoolingAndFabricEffects,
): Steps<readonly FailureReachEntry[]> {
  const numbers = new SharedNumbers();
  const reaches: FailureReachEntry[] = [];
  for (const failure of singles) {
    const [element] = failure.elements;
    if (element === undefined) continue;
    const racks = [...failure.racksDark, ...failure.racksPartial].map(formatRackName);
    const names = [...effects.listMeetingNames(listOutcomeOffNodes(failure)), ...racks];
    reaches.push({
      element,
      failure,
      reach: numbers.convertFootprint(site.nodes, site.trials.computeFootprint([element]), names),
    });
    yield;
  }
  return reaches;
}
