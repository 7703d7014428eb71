import type { Steps } from "#kernel/steps.ts";
import type { DeviceOf } from "../fabric_tiers.ts";
import { charge } from "./charge.ts";
import { FurtherEffects } from "./further_effects.ts";
import { type Line, linesOf } from "./lines.ts";
import type { Element, Failure } from "./outcome.ts";
import { failPairs } from "./pairs.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface Rehearsal {
  /** The worst first. */
  readonly lines: readonly Line[];
  /** Elements that were failed. */
  readonly elements: number;
  /** Pairs of elements that were judged. */
  readonly pairs: number;
  /** Elements without any effect. */
  readonly harmless: number;
  /** Capacity of fabric links in megabits per second. */
  readonly mbpsOf: (links: Iterable<number>) => number;
}

export interface RehearsalChoice {
  /** Devices with their network ports, by the key of their code. */
  readonly deviceOf: DeviceOf;
  readonly isChosen: (element: Element) => boolean;
  /** Fail two of the chosen elements at a time. */
  readonly pairs: boolean;
}

/** Folds what the chosen elements of a site do into lines, the worst first. */
export function* rehearse(site: SiteFailures, { deviceOf, isChosen, pairs }: RehearsalChoice): Steps<Rehearsal> {
  const { topology, options, outcomes } = site;
  const effects = new FurtherEffects(topology, deviceOf, options.basis);
  yield;
  const failures: Failure[] = [];
  for (const outcome of outcomes) {
    if (!outcome.elements.every(isChosen)) continue;
    failures.push(effects.of(outcome));
    yield;
  }
  const tried = pairs ? yield* failPairs(site, failures, effects) : undefined;
  const charged = yield* charge(topology.power, [...failures, ...(tried?.failures ?? [])]);
  const asked = tried === undefined ? charged : charged.slice(failures.length);
  return {
    lines: yield* linesOf(topology, asked, options.basis),
    elements: failures.length,
    pairs: tried?.judged ?? 0,
    harmless: charged.slice(0, failures.length).filter(({ own, smaller }) => own === undefined && smaller.length === 0)
      .length,
    mbpsOf: (links) => effects.fabrics.mbpsOf(links),
  };
}
