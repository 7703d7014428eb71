import type { Steps } from "#kernel/steps.ts";
import { PairLosses } from "./beyond.ts";
import type { WorsePair } from "./charge.ts";
import type { FurtherEffects } from "./further_effects.ts";
import { Meetings, type Reach, rackName, SharedNumbers } from "./meetings.ts";
import { type Element, type Failure, offBy } from "./outcome.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface TriedPairs {
  /** Pairs that do more than both failures apart. */
  readonly worse: readonly WorsePair[];
  /** Pairs that were judged, tried or not. */
  readonly judged: number;
}

/** A failure by what it may share with others. */
interface Reaching {
  readonly element: Element;
  readonly failure: Failure;
  readonly reach: Reach;
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
  const meetings = new Meetings(reaches.map(({ reach }) => reach));
  const { limitW } = site.nodes.graph.columns;
  const slackW = (node: number) => (limitW[node] as number) - (site.loadsBefore[node] as number);
  yield;
  const losses = new PairLosses(site.topology.power);
  const worse: WorsePair[] = [];
  for (const [at, one] of reaches.entries()) {
    const taken = new Set(one.failure.direct);
    losses.begin(one.failure);
    // The order of nodes is that of their first writes, and must not choose which pair is listed first.
    const later = [...meetings.with(one.reach, slackW)].filter((number) => number > at);
    for (const number of later.sort((a, b) => a - b)) {
      const other = reaches[number];
      if (other === undefined || taken.has(other.element.index) || takesElement(other.failure, one.element)) continue;
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

function takesElement({ direct }: Failure, { index }: Element): boolean {
  return direct.includes(index);
}

function* reachesOf(
  site: SiteFailures,
  singles: readonly Failure[],
  effects: FurtherEffects,
): Steps<readonly Reaching[]> {
  const numbers = new SharedNumbers();
  const reaches: Reaching[] = [];
  for (const failure of singles) {
    const [element] = failure.elements;
    if (element === undefined) continue;
    const racks = [...failure.racksDark, ...failure.racksPartial].map(rackName);
    const names = [...effects.meetingOf(offBy(failure)), ...racks];
    reaches.push({ element, failure, reach: numbers.reach(site.nodes, site.trials.footprint([element]), names) });
    yield;
  }
  return reaches;
}
