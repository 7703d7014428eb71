import type { Steps } from "#kernel/steps.ts";
import type { FurtherEffects } from "./further_effects.ts";
import { listIn, Meetings, rackName, SharedNumbers } from "./meetings.ts";
import { type Element, type Outcome, offBy } from "./outcome.ts";
import type { SiteFailures, SiteTrials } from "./site_failures.ts";

/** Single failures of an island of supply, and what they may share with others. */
interface Island {
  /** In the order of elements. */
  readonly outcomes: readonly Outcome[];
  readonly meetings: Meetings;
}

/** The footprints of single failures by island, each made when it is first needed. Unchanged ones pass to the next state. */
export class Footprints {
  readonly #site: SiteFailures;
  readonly #numbers: SharedNumbers;
  readonly #outcomes: ReadonlyMap<number, readonly Outcome[]>;
  readonly #islands = new Map<number, Island>();

  /** @param earlier those of an earlier state. Cost: the elements, and those of the islands whose footprints are known */
  constructor(site: SiteFailures, earlier?: Footprints) {
    this.#site = site;
    this.#numbers = earlier === undefined ? new SharedNumbers() : earlier.#numbers;
    this.#outcomes = Map.groupBy(site.outcomes, ({ elements }) => site.island[elements[0]?.index ?? -1] ?? -1);
    if (earlier === undefined) return;
    for (const [island, known] of earlier.#islands) {
      const own = this.#outcomes.get(island) ?? [];
      const isSame = own.length === known.outcomes.length && own.every((one, at) => one === known.outcomes[at]);
      if (isSame) this.#islands.set(island, known);
    }
  }

  /** The single failures of an island, in the order of elements. */
  ofIsland(island: number): readonly Outcome[] {
    return this.#outcomes.get(island) ?? [];
  }

  /**
   * The single failures of an island that can do more together with others of it. Cost at first: the failures of the island.
   * @param site in which these are tried: it may have inlets as elements
   */
  *meeting(island: number, { nodes, trials, loadsBefore }: SiteTrials, together: readonly Element[]) {
    const { outcomes, meetings } = this.#islands.get(island) ?? (yield* this.#make(island));
    const racks = together.flatMap(({ index }) => nodes.rackKeys[nodes.rack[index] as number] ?? []).map(rackName);
    const reach = this.#numbers.reach(nodes, trials.footprint(together), racks);
    const capacityOf = (node: number) =>
      Math.max(nodes.graph.columns.limitW[node] as number, nodes.graph.nodes[node]?.capacityW ?? 0);
    const found = meetings.with(reach, (node) => capacityOf(node) - (loadsBefore[node] as number));
    return [...found].flatMap((at) => outcomes[at] ?? []);
  }

  *#make(island: number): Steps<Island> {
    const outcomes = this.ofIsland(island);
    const { nodes, trials } = this.#site;
    const reaches = [];
    for (const { elements, racksDark, racksPartial } of outcomes) {
      const racks = [...racksDark, ...racksPartial].map(rackName);
      reaches.push(this.#numbers.reach(nodes, trials.footprint(elements), racks));
      yield;
    }
    const made = { outcomes, meetings: new Meetings(reaches) };
    this.#islands.set(island, made);
    return made;
  }
}

/** The single failures of a site that can do more together with other failures than apart. */
export class NearFailures {
  readonly site: SiteFailures;
  readonly effects: FurtherEffects;
  readonly footprints: Footprints;
  #byName: ReadonlyMap<string, readonly Outcome[]> | undefined;

  constructor(site: SiteFailures, effects: FurtherEffects, earlier?: Footprints) {
    this.site = site;
    this.effects = effects;
    this.footprints = new Footprints(site, earlier);
  }

  /**
   * Finds them for elements that fail together: they share supply, load or a rack, an area that is cooled, or a switch. A
   * failure that takes all of these elements alone takes no more with them.
   * @param site in which the elements are tried
   * @param off nodes that do not work then
   * @param cut numbers of the fabric links that go down besides
   */
  *with(
    site: SiteTrials,
    together: readonly Element[],
    { off, cut }: { readonly off: readonly number[]; readonly cut: readonly number[] },
  ): Steps<readonly Outcome[]> {
    const found = new Set<Outcome>();
    for (const [island, own] of Map.groupBy(together, ({ index }) => site.island[index] ?? -1)) {
      for (const outcome of yield* this.footprints.meeting(island, site, own)) found.add(outcome);
      yield;
    }
    for (const name of this.effects.meetingOf(off, cut))
      for (const outcome of this.#named.get(name) ?? []) found.add(outcome);
    return cut.length > 0 ? [...found] : [...found].filter((outcome) => !takesAll(outcome, together));
  }

  get #named(): ReadonlyMap<string, readonly Outcome[]> {
    this.#byName ??= this.#allNamed();
    return this.#byName;
  }

  #allNamed(): ReadonlyMap<string, readonly Outcome[]> {
    const found = new Map<string, Outcome[]>();
    for (const outcome of this.site.outcomes)
      for (const name of this.effects.meetingOf(offBy(outcome))) listIn(found, name).push(outcome);
    return found;
  }
}

function takesAll({ direct }: Outcome, [first, ...others]: readonly Element[]): boolean {
  if (first === undefined || !direct.includes(first.index)) return false;
  const taken = others.length === 0 ? undefined : new Set(direct);
  return others.every(({ index }) => taken?.has(index));
}
