import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { CoolingAndFabrics } from "#dc/analysis/rehearsal/further_effects.ts";
import { type Footprints, NearFailures } from "#dc/analysis/rehearsal/near_failures.ts";
import type { FailingElement } from "#dc/analysis/rehearsal/outcome.ts";
import { type Rehearsal, rehearse } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement, type SiteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { type SharedWork, shareWork } from "../answers/shared_work.ts";
import { allSwitches } from "../answers/switch_devices.ts";
import type { ReadSession } from "../rpc.ts";
import { type NamedQuestion, namedRehearsal } from "./named_rehearsal.ts";

export interface RehearsalQuestion {
  readonly options: BlastOptions;
  /** Text of everything that chooses elements. */
  readonly choice: string;
  readonly isChosen: (element: FailingElement) => boolean;
  readonly pairs: boolean;
}

/** What is known about the failures at one state of the inventory. */
interface Rehearsed {
  /** By options. */
  readonly sites: Map<string, SharedWork<SiteFailures>>;
  /** By options and choice. */
  readonly rehearsals: Map<string, SharedWork<Rehearsal>>;
  /** Of elements that are failed if they are named, by options and choice. Their reads end with the call that asks. */
  readonly named: Map<string, Rehearsal>;
  /** By options. */
  readonly near: Map<string, SharedWork<NearFailures>>;
}

const byTopology = new WeakMap<Topology, Rehearsed>();
/** The last site by options, from which the next one follows. Ours: few ask with other options than the console. */
const MAX_FOLLOWED = 4;
const latest = new Map<string, WeakRef<Topology>>();
/** The same of footprints, which only windows ask for. */
const latestFootprints = new Map<string, WeakRef<Footprints>>();

/**
 * Rehearses failures in slices, once for each state of the inventory; concurrent calls share the work. After a change the
 * islands of supply that it touches are failed and grouped again.
 */
export async function rehearsalOf(
  { reader, scheduler: asker }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  { options, choice, isChosen, pairs }: RehearsalQuestion,
): Promise<Rehearsal> {
  const known = rehearsedAt(topology);
  const how = JSON.stringify(options);
  const key = `${how} ${choice} ${pairs}`;
  const before = latest.get(how)?.deref();
  const earlier = before === undefined ? undefined : byTopology.get(before)?.rehearsals.get(key);
  // Read before anything is shared: the snapshot ends with the read that asks, the work may not.
  const deviceOf = await allSwitches(reader, topology);
  return shareWork(known.rehearsals, key, asker, async (scheduler) => {
    const site = await shareWork(known.sites, how, scheduler, (own) => follow(own, topology, options, how));
    earlier?.scheduler?.carry(scheduler);
    const followed = await earlier?.result.catch(() => undefined);
    return scheduler.run(rehearse(site, { deviceOf, isChosen, pairs }, followed));
  });
}

/** Every single failure of an inventory with planned draws, overloads tripping: what the console rehearses. */
export function everyFailure(session: ReadSession, topology: Topology): Promise<Rehearsal> {
  return rehearsalOf(session, topology, {
    options: { basis: "ALLOCATED", cascade: true, assumeBattery: false },
    choice: choiceKey("", []),
    isChosen: () => true,
    pairs: false,
  });
}

/** Text of what chooses elements: two equal choices share one rehearsal. */
export function choiceKey(scopeRef: string, kinds: readonly string[]): string {
  return JSON.stringify([scopeRef.toLowerCase(), kinds.toSorted()]);
}

/** Rehearses elements of named kinds, once for each state of the inventory. */
export async function namedRehearsalOf(
  session: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  question: NamedQuestion & Pick<RehearsalQuestion, "choice">,
): Promise<Rehearsal> {
  const { named } = rehearsedAt(topology);
  const key = `${JSON.stringify(question.options)} ${question.choice}`;
  const known = named.get(key) ?? (await namedRehearsal(session, topology, question));
  named.set(key, known);
  return known;
}

/** The single failures beside which windows are judged, with the footprints that an earlier state leaves. */
export async function nearFailuresOf(
  { reader, scheduler: asker }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  options: BlastOptions,
): Promise<NearFailures> {
  const known = rehearsedAt(topology);
  const how = JSON.stringify(options);
  const deviceOf = await allSwitches(reader, topology);
  return shareWork(known.near, how, asker, async (scheduler) => {
    const site = await shareWork(known.sites, how, scheduler, (own) => follow(own, topology, options, how));
    const effects = new CoolingAndFabrics(topology, deviceOf, options.basis);
    await scheduler.yieldIfDue();
    const near = new NearFailures(site, effects, latestFootprints.get(how)?.deref());
    keepLatest(latestFootprints, how, near.footprints);
    return near;
  });
}

function rehearsedAt(topology: Topology): Rehearsed {
  const known = byTopology.get(topology) ?? {
    sites: new Map(),
    rehearsals: new Map(),
    named: new Map(),
    near: new Map(),
  };
  byTopology.set(topology, known);
  return known;
}

function keepLatest<Item extends object>(items: Map<string, WeakRef<Item>>, how: string, item: Item): void {
  items.delete(how);
  items.set(how, new WeakRef(item));
  for (const one of items.keys()) if (items.size > MAX_FOLLOWED) items.delete(one);
}

/** Fails everything that changed since the last site with the same options. */
async function follow(
  scheduler: CooperativeScheduler,
  topology: Topology,
  options: BlastOptions,
  how: string,
): Promise<SiteFailures> {
  const before = latest.get(how)?.deref();
  const known = before === undefined ? undefined : byTopology.get(before);
  const earlier = await known?.sites.get(how)?.result.catch(() => undefined);
  const site = await scheduler.run(failEachElement(topology, options, earlier));
  // Reads of the earlier state are rare by now, and its outcomes are as large as the graph.
  if (before !== topology) known?.sites.delete(how);
  keepLatest(latest, how, topology);
  return site;
}
