import type { BlastOptions } from "../../analysis/power/blast_radius.ts";
import { EffectLedger } from "../../analysis/rehearsal/charge.ts";
import { type FailingElement, type Failure, listNamedElements } from "../../analysis/rehearsal/elements.ts";
import { CoolingAndFabricEffects } from "../../analysis/rehearsal/further_effects.ts";
import { groupFailuresIntoLines, joinPartLines } from "../../analysis/rehearsal/lines.ts";
import { computeRackRisks, type RackRisks } from "../../analysis/rehearsal/rack_risks.ts";
import { type Rehearsal, rehearseFailures, selectWorstFailure } from "../../analysis/rehearsal/rehearse.ts";
import {
  type FootprintCache,
  failEachElement,
  NearFailureFinder,
  prepareTrials,
  type SiteFailures,
} from "../../analysis/rehearsal/site_failures.ts";
import type { Topology } from "../../analysis/topology.ts";
import type { Coloring, FailureKind } from "../../model/enum_values.ts";
import type { Ref } from "../../model/ref.ts";
import { refuse } from "../../model/refusal.ts";
import type { Cable } from "../../model/resources.ts";
import { type DcReader, readResourcePages } from "../../ports.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { isActiveDataCable, readHostPaths } from "../answers/data_paths.ts";
import { NetworkTracer, readNetworkSwitches } from "../answers/network_tracer.ts";
import { type SharedWork, shareWork } from "../answers/topology.ts";
import type { ReadSession } from "../rpc.ts";

/** A rehearsal of the kinds of elements that a request names. Some kinds fail only if they are named. */
interface NamedKindsQuestion {
  readonly options: BlastOptions;
  readonly kinds: ReadonlySet<FailureKind>;
  readonly scope: Ref | undefined;
}

/** Maximum number of elements of one request. Source: docs/rehearsal.md#elements. */
const MAX_ELEMENTS = 20_000;

/**
 * Rehearses the failure of elements of named kinds, each as PowerBlastRadius judges it. Results are not cached for the
 * next revision of the inventory. Cost: the failures, and the affected cables if parts of networks or locations fail.
 */
async function rehearseNamedKinds(
  { reader, scheduler }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  { options, kinds, scope }: NamedKindsQuestion,
): Promise<Rehearsal> {
  const tracer = await NetworkTracer.create({ topology, reader, scheduler });
  const hostPaths = await readHostPaths({ topology, reader, scheduler });
  const { basis } = options;
  const effects = new CoolingAndFabricEffects(topology, { ...tracer.switches, basis, hostPaths });
  const links = effects.fabrics.listLinks(effects.fabrics.listLinkNumbers(() => true));
  const cables = kinds.has("CABLE") ? await readDataCables(reader, topology) : [];
  const { site, elements } = listNamedElements(topology, { kinds, scope, links, cables });
  requireMaxElementCount(elements.length);
  const { trials } = await scheduler.run(prepareTrials(site, options));
  const failures: Failure[] = [];
  for (const { element, network } of elements) {
    await scheduler.yieldIfDue();
    const outcome = trials.tryFailure([element]);
    failures.push(effects.addEffects(outcome, undefined, network && (await tracer.findCut(network))));
  }
  const charged = await scheduler.run(new EffectLedger(site.power).chargeFailures(failures));
  const lines = await scheduler.run(groupFailuresIntoLines(topology, charged, options.basis));
  return {
    lines: await scheduler.run(joinPartLines([lines])),
    elements: elements.length,
    pairs: 0,
    harmless: charged.filter(({ own, smallerFailures }) => own === undefined && smallerFailures.length === 0).length,
    fabrics: effects.fabrics,
    worst: selectWorstFailure(failures, effects.fabrics),
    followed: { effects, groups: new Map() },
  };
}

/** Reads the connected data cables. Omits cables with a power port, because their failure is that of the inlet. */
async function readDataCables(reader: DcReader, topology: Topology): Promise<readonly Cable[]> {
  const found: Cable[] = [];
  const isPowerPort = ({ deviceCode, portName }: Cable["a"]) =>
    topology.device(deviceCode)?.ports?.some(({ name }) => name === portName) === true;
  for await (const page of readResourcePages(reader, "cable")) {
    found.push(...page.filter((cable) => isActiveDataCable(cable) && !isPowerPort(cable.a) && !isPowerPort(cable.b)));
  }
  return found;
}

/** Limits the number of elements. @throws Refusal for more elements than one request may fail */
function requireMaxElementCount(elements: number): void {
  if (elements <= MAX_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot fail ${elements} elements`, {
    field: "kinds",
    value: elements,
    expected: `at most ${MAX_ELEMENTS} elements: a smaller scope_ref, or fewer kinds`,
  });
}

interface RehearsalQuestion {
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
  const switches = await readNetworkSwitches({ topology, reader, scheduler: asker });
  const hostPaths = await readHostPaths({ topology, reader, scheduler: asker });
  return shareWork(known.rehearsals, key, asker, async (scheduler) => {
    const site = await shareWork(known.sites, how, scheduler, (own) => updateLatestSite(own, topology, options, how));
    earlier?.scheduler?.addPeersOfWork(scheduler);
    const followed = await earlier?.result.catch(() => undefined);
    return scheduler.run(rehearseFailures(site, { ...switches, hostPaths, isChosen, pairs }, followed));
  });
}

/**
 * Returns the effects of single failures on each rack, with planned draws and tripping overloads as the console
 * rehearses them; undefined if the floor's colouring does not show them, because they require a rehearsal.
 */
export async function findRackRisks(
  session: ReadSession,
  topology: Topology,
  coloring: Coloring,
): Promise<RackRisks | undefined> {
  if (coloring !== "RISK") return undefined;
  const { followed } = await rehearseOnce(session, topology, {
    options: { basis: "ALLOCATED", cascade: true, assumeBattery: false },
    choice: createSelectionKey("", []),
    isChosen: () => true,
    pairs: false,
  });
  const failures = [...followed.groups.values()].flatMap((group) => group.failures);
  return session.scheduler.run(computeRackRisks(topology, failures));
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
  const switches = await readNetworkSwitches({ topology, reader, scheduler: asker });
  const hostPaths = await readHostPaths({ topology, reader, scheduler: asker });
  return shareWork(known.near, optionsKey, asker, async (scheduler) => {
    const site = await shareWork(known.sites, optionsKey, scheduler, (own) =>
      updateLatestSite(own, topology, options, optionsKey),
    );
    const effects = new CoolingAndFabricEffects(topology, { ...switches, basis: options.basis, hostPaths });
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
