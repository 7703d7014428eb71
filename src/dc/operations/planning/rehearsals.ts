import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import type { Element } from "#dc/analysis/rehearsal/outcome.ts";
import { type Rehearsal, rehearse } from "#dc/analysis/rehearsal/rehearse.ts";
import { type SiteFailures, siteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { DcReader } from "#dc/ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { allSwitches } from "../answers/switch_devices.ts";

/** What fails, and how. */
export interface RehearsalQuestion {
  readonly options: BlastOptions;
  /** Text of everything that chooses elements. */
  readonly choice: string;
  readonly isChosen: (element: Element) => boolean;
  readonly pairs: boolean;
}

/** What is known about the failures at one state of the inventory. */
interface Rehearsed {
  /** By options. */
  readonly sites: Map<string, Promise<SiteFailures>>;
  /** By options and choice. */
  readonly rehearsals: Map<string, Promise<Rehearsal>>;
}

const byTopology = new WeakMap<Topology, Rehearsed>();
/** The last site by options, from which the next one follows. Ours: few ask with other options than the console. */
const MAX_FOLLOWED = 4;
const latest = new Map<string, WeakRef<Topology>>();

/**
 * Rehearses failures in slices, once for each state of the inventory; concurrent calls share the work. After a change the
 * islands of supply that it touches are failed and folded anew, the others kept.
 */
export async function rehearsalOf(
  reader: DcReader,
  topology: Topology,
  { options, choice, isChosen, pairs }: RehearsalQuestion,
): Promise<Rehearsal> {
  const known: Rehearsed = byTopology.get(topology) ?? { sites: new Map(), rehearsals: new Map() };
  byTopology.set(topology, known);
  const how = JSON.stringify(options);
  const key = `${how} ${choice} ${pairs}`;
  const running = known.rehearsals.get(key);
  if (running !== undefined) return running;
  const before = latest.get(how)?.deref();
  const earlier = before === undefined ? undefined : byTopology.get(before)?.rehearsals.get(key);
  const deviceOf = await allSwitches(reader, topology);
  return share(known.rehearsals, key, async () => {
    const site = await share(known.sites, how, () => follow(topology, options, how));
    const followed = await earlier?.catch(() => undefined);
    return new CooperativeScheduler().run(rehearse(site, { deviceOf, isChosen, pairs }, followed));
  });
}

/** Fails everything that changed since the last site with the same options. */
async function follow(topology: Topology, options: BlastOptions, how: string): Promise<SiteFailures> {
  const before = latest.get(how)?.deref();
  const known = before === undefined ? undefined : byTopology.get(before);
  const earlier = await known?.sites.get(how)?.catch(() => undefined);
  const site = await new CooperativeScheduler().run(siteFailures(topology, options, earlier));
  // Reads of the earlier state are rare by now, and its outcomes are as large as the graph.
  if (before !== topology) known?.sites.delete(how);
  latest.delete(how);
  latest.set(how, new WeakRef(topology));
  for (const one of latest.keys()) if (latest.size > MAX_FOLLOWED) latest.delete(one);
  return site;
}

/** One piece of work per key; one that failed is done again. */
function share<Result>(known: Map<string, Promise<Result>>, key: string, work: () => Promise<Result>): Promise<Result> {
  const running = known.get(key) ?? work();
  known.set(key, running);
  running.catch(() => known.delete(key));
  return running;
}
