import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { CoolingAndFabricEffects } from "#dc/analysis/rehearsal/further_effects.ts";
import { type FootprintCache, NearFailureFinder } from "#dc/analysis/rehearsal/near_failures.ts";
import type { FailingElement } from "#dc/analysis/rehearsal/outcome.ts";
import { type Rehearsal, rehearseFailures } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement, type SiteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { readHostPaths } from "../answers/data_paths.ts";
import { type SharedWork, shareWork } from "../answers/shared_work.ts";
import { createSwitchLookup } from "../answers/switch_devices.ts";
import type { ReadSession } from "../rpc.ts";
import { type NamedKindsQuestion, rehearseNamedKinds } from "./named_rehearsal.ts";

export interface RehearsalQuestion {
  readonly options: BlastOptions;
  /** Text of all parameters that select elements. */
  readonly choice: string;
  readonly isChosen: (element: FailingElement) => boolean;
  readonly pairs: boolean;
}

/** Results of rehearsals at one revision of the inventory. */
interface RehearsalResults {
  /** Simulated failures, by options. */
  readonly sites: Map<string, SharedWork<SiteFailures>>;
  /** Rehearsals, by options and element selection. */
  readonly rehearsals: Map<string, SharedWork<Rehearsal>>;
  /**
   * Rehearsals of elements that fail only if they are named, by options and element selection. Calls do not share
   * running work, because its reads end with the call.
   */
  readonly named: Map<string, Rehearsal>;
  /** Single failures to try in addition to the work of windows, by options. */
  readonly near: Map<string, SharedWork<NearFailureFinder>>;
}

const resultsByTopology = new WeakMap<Topology, RehearsalResults>();
/**
 * Maximum number of option sets whose latest site is kept, for the next revision to update. Our choice: few callers use
 * other options than the console.
 */
const MAX_OPTION_SETS = 4;
const latestTopologies = new Map<string, WeakRef<Topology>>();
/** Footprints at the latest revision, by options. Only windows need them. */
const latestFootprints = new Map<string, WeakRef<FootprintCache>>();

/**
 * Rehearses failures in slices, once for each revision of the inventory; concurrent calls share the work. After a
 * change, repeats only the islands of supply that the change affects.
 */
export async function rehearseOnce(
  { reader, scheduler: asker }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  { options, choice, isChosen, pairs }: RehearsalQuestion,
): Promise<Rehearsal> {
  const known = getTopologyResults(topology);
  const how = JSON.stringify(options);
  const key = `${how} ${choice} ${pairs}`;
  const before = latestTopologies.get(how)?.deref();
  const earlier = before && getTopologyResults(before).rehearsals.get(key);
  // Reads networks first, because the shared work may outlast the snapshot of this call.
  const deviceOf = await createSwitchLookup(reader, topology);
  const hostPaths = await readHostPaths({ topology, reader, scheduler: asker });
  return shareWork(known.rehearsals, key, asker, async (scheduler) => {
    const site = await shareWork(known.sites, how, scheduler, (own) => updateLatestSite(own, topology, options, how));
    earlier?.scheduler?.addPeersOfWork(scheduler);
    const followed = await earlier?.result.catch(() => undefined);
    return scheduler.run(rehearseFailures(site, { deviceOf, hostPaths, isChosen, pairs }, followed));
  });
}

/** Rehearses every single failure of the inventory with planned draws and tripping overloads, as the console does. */
export function rehearseEveryFailure(session: ReadSession, topology: Topology): Promise<Rehearsal> {
  return rehearseOnce(session, topology, {
    options: { basis: "ALLOCATED", cascade: true, assumeBattery: false },
    choice: createSelectionKey("", []),
    isChosen: () => true,
    pairs: false,
  });
}

/** Returns a key of the parameters that select elements: equal selections have equal keys. */
export function createSelectionKey(scopeRef: string, kinds: readonly string[]): string {
  return JSON.stringify([scopeRef.toLowerCase(), kinds.toSorted()]);
}

/** Rehearses elements of named kinds, once for each revision of the inventory. */
export async function rehearseNamedOnce(
  session: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  question: NamedKindsQuestion & Pick<RehearsalQuestion, "choice">,
): Promise<Rehearsal> {
  const { named } = getTopologyResults(topology);
  const key = `${JSON.stringify(question.options)} ${question.choice}`;
  const known = named.get(key) ?? (await rehearseNamedKinds(session, topology, question));
  named.set(key, known);
  return known;
}

/** Returns the single failures to try in addition to windows, reusing valid footprints of an earlier revision. */
export async function findNearFailures(
  { reader, scheduler: asker }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  options: BlastOptions,
): Promise<NearFailureFinder> {
  const known = getTopologyResults(topology);
  const optionsKey = JSON.stringify(options);
  const deviceOf = await createSwitchLookup(reader, topology);
  return shareWork(known.near, optionsKey, asker, async (scheduler) => {
    const site = await shareWork(known.sites, optionsKey, scheduler, (own) =>
      updateLatestSite(own, topology, options, optionsKey),
    );
    const effects = new CoolingAndFabricEffects(topology, { deviceOf, basis: options.basis });
    await scheduler.yieldIfDue();
    const near = new NearFailureFinder(site, effects, latestFootprints.get(optionsKey)?.deref());
    storeLatest(latestFootprints, optionsKey, near.footprints);
    return near;
  });
}

function getTopologyResults(topology: Topology): RehearsalResults {
  return resultsByTopology.getOrInsertComputed(topology, () => ({
    sites: new Map(),
    rehearsals: new Map(),
    named: new Map(),
    near: new Map(),
  }));
}

function storeLatest<Item extends object>(items: Map<string, WeakRef<Item>>, how: string, item: Item): void {
  items.delete(how);
  items.set(how, new WeakRef(item));
  for (const one of items.keys()) if (items.size > MAX_OPTION_SETS) items.delete(one);
}

/** Simulates the failures that changed since the last topology with the same options. */
async function updateLatestSite(
  scheduler: CooperativeScheduler,
  topology: Topology,
  options: BlastOptions,
  how: string,
): Promise<SiteFailures> {
  const before = latestTopologies.get(how)?.deref();
  const known = before && getTopologyResults(before);
  const earlier = await known?.sites.get(how)?.result.catch(() => undefined);
  const site = await scheduler.run(failEachElement(topology, options, earlier));
  // Frees the earlier outcomes: they are as large as the graph, and reads of the earlier revision are rare by now.
  if (before !== topology) known?.sites.delete(how);
  storeLatest(latestTopologies, how, topology);
  return site;
}
