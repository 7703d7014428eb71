import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import type { LinkDevices } from "../fabric/fabric_tiers.ts";
import { isSameItemList } from "../persistent.ts";
import type { Overloaded } from "../power/failure_state.ts";
import { isPowerEquipmentNode, type PowerGraph } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { EffectLedger, type FailureEffects, formatZoneKey, getNodeIndex, identity, type WorsePair } from "./charge.ts";
import { type FailingElement, type Failure, listOutcomeOffNodes, type PowerOutcome } from "./elements.ts";
import {
  CoolingAndFabricEffects,
  FailureOverlaps,
  type FailureReachNumbers,
  formatRackName,
  type PathIndex,
  SharedNumbers,
} from "./further_effects.ts";
import { groupFailuresIntoLines, joinPartLines, type LineByShape, type RehearsalLine } from "./lines.ts";
import type { FabricLossFinder } from "./loss.ts";
import type { SiteFailures } from "./site_failures.ts";

export interface Rehearsal {
  /** Groups of similar failures, worst first. */
  readonly lines: readonly RehearsalLine[];
  /** Number of elements that were failed. */
  readonly elements: number;
  /** Number of pairs of elements that were judged. */
  readonly pairs: number;
  /** Number of elements whose failure has no effect. */
  readonly harmless: number;
  readonly fabrics: FabricLossFinder;
  /** Single failure, or pair, with the largest loss in full; undefined if no failure has any loss. */
  readonly worst: Failure | undefined;
  /** State from which the rehearsal of a later revision is updated. */
  readonly followed: { readonly effects: CoolingAndFabricEffects; readonly groups: IslandGroups };
}

/** `deviceOf` is compared by identity: the same function must return the same devices, with network ports. */
export interface RehearsalChoice extends LinkDevices {
  readonly hostPaths: PathIndex | undefined;
  readonly isChosen: (element: FailingElement) => boolean;
  /** Whether to fail two of the chosen elements at a time. */
  readonly pairs: boolean;
}

/**
 * Groups the effects of the chosen elements of a site into lines, worst first.
 * @param earlier rehearsal of the same choice in an earlier state; unchanged islands are not grouped again
 */
export function* rehearseFailures(
  site: SiteFailures,
  { isChosen, pairs, ...network }: RehearsalChoice,
  earlier?: Rehearsal,
): Steps<Rehearsal> {
  const { topology, options } = site;
  const { basis } = options;
  const effects = new CoolingAndFabricEffects(topology, { ...network, basis }, earlier?.followed.effects);
  yield;
  const groups = yield* groupIslands(site, effects, isChosen, earlier?.followed.groups);
  const all = [...groups.values()];
  const single = {
    elements: all.reduce((sum, { failures }) => sum + failures.length, 0),
    harmless: all.reduce((sum, { harmlessCount }) => sum + harmlessCount, 0),
    fabrics: effects.fabrics,
    followed: { effects, groups },
  };
  const failures = all.flatMap((group) => group.failures);
  if (!pairs) {
    const worst = selectWorstFailure(failures, effects.fabrics);
    return { ...single, worst, lines: yield* joinPartLines(all.map(({ lines }) => lines)), pairs: 0 };
  }
  const tried = yield* tryFailurePairs(site, failures, effects);
  const ledger = new EffectLedger(topology.power);
  yield* ledger.chargeFailures(failures);
  const lines = yield* groupFailuresIntoLines(topology, yield* ledger.chargePairs(tried.worsePairs), options.basis);
  const worst = selectWorstFailure(
    tried.worsePairs.map(({ failure }) => failure),
    effects.fabrics,
  );
  return { ...single, worst, lines: yield* joinPartLines([lines]), pairs: tried.judgedCount };
}

/** Returns the failure with the largest loss, effects of smaller elements included; undefined without any loss. */
export function selectWorstFailure(failures: readonly Failure[], fabrics: FabricLossFinder): Failure | undefined {
  let worst: { readonly failure: Failure; readonly size: readonly number[] } | undefined;
  for (const failure of failures) {
    const { impact, isolated, links, degraded, trips } = failure;
    const { itDevicesOffline, racksDark, racksPartial, itLoadLostW, coolingLostKw } = impact;
    const size = [itDevicesOffline + isolated.length, racksDark, racksPartial, itLoadLostW, coolingLostKw];
    size.push(links.length === 0 ? 0 : fabrics.sumMbps(links), trips.length, degraded.length);
    const at = size.findIndex((figure, place) => figure !== (worst?.size[place] ?? 0));
    if (at >= 0 && (size[at] as number) > (worst?.size[at] ?? 0)) worst = { failure, size };
  }
  return worst?.failure;
}

/** Failures of one island of supply, grouped into lines. */
interface IslandGroup {
  /** Outcomes in the order of elements. */
  readonly outcomes: readonly PowerOutcome[];
  /** The same outcomes with their effects on cooling and fabrics. */
  readonly failures: readonly Failure[];
  readonly lines: LineByShape;
  /** Number of failures without any effect. */
  readonly harmlessCount: number;
}

/** Groups by island number, in the order of the first element of each island. */
type IslandGroups = ReadonlyMap<number, IslandGroup>;

/**
 * Groups the chosen failures of a site by island, because a loss in one island is never charged to another island.
 * @param earlier groups of an earlier state; unchanged islands keep their lines
 */
function* groupIslands(
  { topology, options: { basis }, outcomes, islandByNode }: SiteFailures,
  effects: CoolingAndFabricEffects,
  isChosen: (element: FailingElement) => boolean,
  earlier?: IslandGroups,
): Steps<IslandGroups> {
  const chosen = outcomes.filter(({ elements }) => elements.every(isChosen));
  const byIsland = Map.groupBy(chosen, ({ elements }) => islandByNode[elements[0]?.index ?? -1] ?? -1);
  yield;
  const ledger = new EffectLedger(topology.power);
  const groups = new Map<number, IslandGroup>();
  for (const [number, list] of byIsland) {
    const before = earlier?.get(number);
    const known = before !== undefined && isSameItemList(before.outcomes, list) ? before : undefined;
    const failures: Failure[] = [];
    for (const [at, outcome] of list.entries()) {
      failures.push(effects.addEffects(outcome, known?.failures[at]));
      yield;
    }
    const isKept = known !== undefined && isSameItemList(known.failures, failures);
    groups.set(
      number,
      isKept ? known : yield* groupIslandFailures({ topology, basis, ledger }, { outcomes: list, failures }),
    );
  }
  return groups;
}

function* groupIslandFailures(
  {
    topology,
    basis,
    ledger,
  }: { readonly topology: Topology; readonly basis: LoadBasis; readonly ledger: EffectLedger },
  { outcomes, failures }: Pick<IslandGroup, "outcomes" | "failures">,
): Steps<IslandGroup> {
  const charged = yield* ledger.chargeFailures(failures);
  const harmless = charged.filter(
    ({ own, smallerFailures }) => own === undefined && smallerFailures.length === 0,
  ).length;
  return {
    outcomes,
    failures,
    lines: yield* groupFailuresIntoLines(topology, charged, basis),
    harmlessCount: harmless,
  };
}

interface TriedPairs {
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
function* tryFailurePairs(
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
      if (other === undefined || taken.has(other.element.index) || other.failure.direct.includes(one.element.index))
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

/** Effects of a single failure, by keys. */
interface KnownEffects {
  readonly racksDark: ReadonlySet<string>;
  readonly racksPartial: ReadonlySet<string>;
  readonly trips: ReadonlySet<number>;
  readonly overloads: ReadonlySet<string>;
  readonly zones: ReadonlySet<string>;
  readonly links: ReadonlySet<number>;
  readonly cutOff: ReadonlySet<number>;
  readonly isolated: ReadonlySet<number>;
}

/** Finds effects of pairs of failures beyond those of single failures. `begin` sets the first failure of pairs. */
class PairEffects {
  readonly #graph: PowerGraph;
  /** Number of the latest first failure that turns a node off, by node; `#offByOther` has those of second failures. */
  readonly #offByOne: Uint32Array;
  readonly #offByOther: Uint32Array;
  readonly #effectsByFailure = new Map<Failure, KnownEffects>();
  #firstFailure: Failure | undefined;
  #firstNumber = 0;
  #pairNumber = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#offByOne = new Uint32Array(graph.nodes.length);
    this.#offByOther = new Uint32Array(graph.nodes.length);
  }

  /** Sets the first failure of the next pairs. */
  setFirstFailure(one: Failure): void {
    this.#firstFailure = one;
    this.#firstNumber += 1;
    markOffNodes(this.#offByOne, one, this.#firstNumber);
  }

  /** Returns a pair's effects that neither failure has alone, without degraded supply; undefined without any. */
  computeJointEffects(pair: Failure, second: Failure): FailureEffects | undefined {
    const [one, other] = [this.#loadKnownEffects(this.#firstFailure ?? second), this.#loadKnownEffects(second)];
    const found: FailureEffects = {
      offline: this.#listJointlyOffline(pair, second),
      degraded: [],
      racksDark: excludeKnownItems(pair.racksDark, identity, [one.racksDark, other.racksDark]),
      racksPartial: excludeKnownItems(pair.racksPartial, identity, [
        one.racksPartial,
        one.racksDark,
        other.racksPartial,
        other.racksDark,
      ]),
      trips: excludeKnownItems(pair.trips, getNodeIndex, [one.trips, other.trips]),
      overloads: excludeKnownItems(pair.overloads, formatOverloadKey, [one.overloads, other.overloads]),
      zones: excludeKnownItems(pair.zones, formatShortageKey, [one.zones, other.zones]),
      links: excludeKnownItems(pair.links, identity, [one.links, other.links]),
      cutOff: excludeKnownItems(pair.cutOff, identity, [one.cutOff, other.cutOff]),
      isolated: excludeKnownItems(pair.isolated, identity, [one.isolated, other.isolated]),
    };
    for (const part in found) if (found[part as keyof FailureEffects].length > 0) return found;
    return undefined;
  }

  /** Returns devices and cooling units that only the pair turns off. Most pairs have none, so the check ends early. */
  #listJointlyOffline(pair: Failure, second: Failure): readonly number[] {
    const isLeft = (index: number) => this.#offByOne[index] !== this.#firstNumber;
    if (!pair.offline.some(isLeft)) return [];
    this.#pairNumber += 1;
    markOffNodes(this.#offByOther, second, this.#pairNumber);
    return pair.offline.filter(
      (index) =>
        isLeft(index) && this.#offByOther[index] !== this.#pairNumber && !isPowerEquipmentNode(this.#graph, index),
    );
  }

  #loadKnownEffects(failure: Failure): KnownEffects {
    return this.#effectsByFailure.getOrInsertComputed(failure, () => ({
      racksDark: new Set(failure.racksDark),
      racksPartial: new Set(failure.racksPartial),
      trips: new Set(failure.trips.map(getNodeIndex)),
      overloads: new Set(listOverloadKeys(failure.overloads, failure.trips)),
      zones: new Set(failure.zones.flatMap(listShortageKeys)),
      links: new Set(failure.links),
      cutOff: new Set(failure.cutOff),
      isolated: new Set(failure.isolated),
    }));
  }
}

/** Marks the nodes that a failure turns off, and its failed elements. */
function markOffNodes(marks: Uint32Array, { offline, elements }: Failure, number: number): void {
  for (const index of offline) marks[index] = number;
  for (const { index } of elements) marks[index] = number;
}

/** Returns the items whose keys are in none of the known sets. */
function excludeKnownItems<Item, Key>(
  items: readonly Item[],
  getKey: (item: Item) => Key,
  known: readonly ReadonlySet<Key>[],
): readonly Item[] {
  if (items.length === 0) return items;
  return items.filter((item) => {
    const key = getKey(item);
    return !known.some((keys) => keys.has(key));
  });
}

/** Returns a key of an overload with its severity: one that would trip is worse than one above a derated limit. */
function formatOverloadKey({ index, severity }: Pick<Overloaded, "index" | "severity">): string {
  return `${index} ${severity}`;
}

function listOverloadKeys(overloads: Failure["overloads"], trips: Failure["trips"]): readonly string[] {
  const over = [...overloads, ...trips].map(({ index }) => formatOverloadKey({ index, severity: "OVER_DERATED" }));
  const tripping = [...overloads.filter(({ severity }) => severity === "WOULD_TRIP"), ...trips];
  return [...over, ...tripping.map(({ index }) => formatOverloadKey({ index, severity: "WOULD_TRIP" }))];
}

/** Returns a key of a shortage. It includes whether heat is uncovered, because that is worse than a missing reserve. */
function formatShortageKey(zone: Pick<ZoneShortage, "medium" | "ref" | "short">): string {
  return `${formatZoneKey(zone)} ${zone.short}`;
}

function listShortageKeys(zone: ZoneShortage): readonly string[] {
  return [formatShortageKey({ ...zone, short: false }), ...(zone.short ? [formatShortageKey(zone)] : [])];
}
