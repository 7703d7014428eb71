import type { Steps } from "#kernel/steps.ts";
import { isSameItemList } from "../sorted_list.ts";
import type { CoolingAndFabricEffects } from "./further_effects.ts";
import { FailureOverlaps, formatRackName, SharedNumbers } from "./meetings.ts";
import { type FailingElement, listOutcomeOffNodes, type PowerOutcome } from "./outcome.ts";
import type { SiteFailures, SiteTrials } from "./site_failures.ts";

/** Single failures of an island of supply, and the nodes that each affects. */
interface IslandFootprints {
  /** Outcomes in the order of elements. */
  readonly outcomes: readonly PowerOutcome[];
  readonly meetings: FailureOverlaps;
}

/** Footprints of single failures by island, computed on first use. The next state gets those of unchanged islands. */
export class FootprintCache {
  readonly #site: SiteFailures;
  readonly #numbers: SharedNumbers;
  readonly #outcomes: ReadonlyMap<number, readonly PowerOutcome[]>;
  readonly #islands = new Map<number, IslandFootprints>();

  /**
   * Takes over the footprints of unchanged islands.
   * @param earlier footprints of an earlier state. Cost: the elements of the site, and those of the islands with known
   * footprints
   */
  constructor(site: SiteFailures, earlier?: FootprintCache) {
    this.#site = site;
    this.#numbers = earlier === undefined ? new SharedNumbers() : earlier.#numbers;
    this.#outcomes = Map.groupBy(site.outcomes, ({ elements }) => site.islandByNode[elements[0]?.index ?? -1] ?? -1);
    if (earlier === undefined) return;
    for (const [island, known] of earlier.#islands) {
      if (isSameItemList(this.listIslandOutcomes(island), known.outcomes)) this.#islands.set(island, known);
    }
  }

  /** Returns the single failures of an island, in the order of elements. */
  listIslandOutcomes(island: number): readonly PowerOutcome[] {
    return this.#outcomes.get(island) ?? [];
  }

  /**
   * Finds single failures of an island that can have additional effects together with given elements. Cost on first
   * use: the failures of the island.
   * @param site in which the elements are tried; it may have inlets as nodes
   */
  *findOverlappingOutcomes(
    island: number,
    { nodes, trials, loadsBeforeW }: SiteTrials,
    together: readonly FailingElement[],
  ) {
    const { outcomes, meetings } = this.#islands.get(island) ?? (yield* this.#computeIsland(island));
    const racks = together
      .flatMap(({ index }) => nodes.rackKeys[nodes.rack[index] as number] ?? [])
      .map(formatRackName);
    const reach = this.#numbers.convertFootprint(nodes, trials.computeFootprint(together), racks);
    const capacityOf = (node: number) =>
      Math.max(nodes.graph.columns.limitW[node] as number, nodes.graph.nodes[node]?.capacityW ?? 0);
    const found = meetings.findOverlapping(reach, (node) => capacityOf(node) - (loadsBeforeW[node] as number));
    return [...found].flatMap((at) => outcomes[at] ?? []);
  }

  *#computeIsland(island: number): Steps<IslandFootprints> {
    const outcomes = this.listIslandOutcomes(island);
    const { nodes, trials } = this.#site;
    const reaches = [];
    for (const { elements, racksDark, racksPartial } of outcomes) {
      const racks = [...racksDark, ...racksPartial].map(formatRackName);
      reaches.push(this.#numbers.convertFootprint(nodes, trials.computeFootprint(elements), racks));
      yield;
    }
    const made = { outcomes, meetings: new FailureOverlaps(reaches) };
    this.#islands.set(island, made);
    return made;
  }
}

/** Finds the single failures of a site that can have additional effects together with other failures. */
export class NearFailureFinder {
  readonly site: SiteFailures;
  readonly effects: CoolingAndFabricEffects;
  readonly footprints: FootprintCache;
  #outcomesByName: ReadonlyMap<string, readonly PowerOutcome[]> | undefined;

  constructor(site: SiteFailures, effects: CoolingAndFabricEffects, earlier?: FootprintCache) {
    this.site = site;
    this.effects = effects;
    this.footprints = new FootprintCache(site, earlier);
  }

  /**
   * Finds the single failures that share supply, load, a rack, a cooled area or a switch with elements that fail
   * together. Unless links also go down, excludes failures that include all of the elements.
   * @param site in which the elements are tried
   * @param off nodes that do not work after the elements failed
   * @param cut numbers of the fabric links that also go down
   */
  *findNearFailures(
    site: SiteTrials,
    together: readonly FailingElement[],
    { off, cut }: { readonly off: readonly number[]; readonly cut: readonly number[] },
  ): Steps<readonly PowerOutcome[]> {
    const found = new Set<PowerOutcome>();
    for (const [island, own] of Map.groupBy(together, ({ index }) => site.islandByNode[index] ?? -1)) {
      for (const outcome of yield* this.footprints.findOverlappingOutcomes(island, site, own)) found.add(outcome);
      yield;
    }
    for (const name of this.effects.listMeetingNames(off, cut))
      for (const outcome of this.#getOutcomesByName.get(name) ?? []) found.add(outcome);
    return cut.length > 0 ? [...found] : [...found].filter((outcome) => !includesAllElements(outcome, together));
  }

  get #getOutcomesByName(): ReadonlyMap<string, readonly PowerOutcome[]> {
    this.#outcomesByName ??= this.#groupOutcomesByName();
    return this.#outcomesByName;
  }

  #groupOutcomesByName(): ReadonlyMap<string, readonly PowerOutcome[]> {
    const found = new Map<string, PowerOutcome[]>();
    for (const outcome of this.site.outcomes)
      for (const name of this.effects.listMeetingNames(listOutcomeOffNodes(outcome)))
        found.getOrInsert(name, []).push(outcome);
    return found;
  }
}

function includesAllElements({ direct }: PowerOutcome, [first, ...others]: readonly FailingElement[]): boolean {
  if (first === undefined || !direct.includes(first.index)) return false;
  const taken = others.length === 0 ? undefined : new Set(direct);
  return others.every(({ index }) => taken?.has(index));
}
