import { Topology } from "../../analysis/topology.ts";
import type { Inventory } from "../../model/inventory.ts";
import { codeKey, formatEdgeKey, parseRef } from "../../model/ref.ts";
import type { ResourceKind } from "../../model/resources.ts";
import type { DcReader, ResourceKeys } from "../../ports.ts";
import { CooperativeScheduler } from "./cooperative_scheduler.ts";

/** Maximum number of changed resources that are applied one by one. Our choice: for more, a rebuild is as fast. */
const MAX_APPLIED_CHANGES = 5000;
/** Number of cached topologies. Our choice: a read on an older snapshot finds its own topology, or one to update. */
const MAX_CACHED_TOPOLOGIES = 4;

interface CachedTopology {
  readonly revision: number;
  /** Sequence number of the last change log entry that the topology includes. */
  readonly seq: number;
  readonly topology: Topology;
}

/**
 * Keeps the inventory's graphs current with the change log. For a snapshot's revision, it returns a cached topology, or
 * the nearest older one with later changes applied. It rebuilds only if no older one is cached or too much has changed.
 */
export class TopologyCache {
  /** Cached topologies, the oldest first. */
  #cached: readonly CachedTopology[] = [];
  /** Topologies being built, by revision: concurrent reads share one build. */
  readonly #builds = new Map<number, Promise<CachedTopology>>();
  readonly #judgements = new WeakMap<Topology, SharedWork<void>>();

  /** Returns the topology of a snapshot. @param known the reader's revision, if the caller has read it already */
  async getTopology(reader: DcReader, known?: number): Promise<Topology> {
    const revision = known ?? (await reader.revision());
    const kept = this.#cached.find((one) => one.revision === revision);
    if (kept !== undefined) return kept.topology;
    const running = this.#builds.get(revision);
    if (running !== undefined) {
      const made = await running.catch(() => undefined);
      // The call that built the topology may have been cancelled; this call was not, so it tries again.
      return made?.topology ?? this.getTopology(reader, revision);
    }
    const making = this.#buildTopology(reader, revision).finally(() => this.#builds.delete(revision));
    this.#builds.set(revision, making);
    const made = await making;
    const others = this.#cached.filter((one) => one.revision !== revision);
    this.#cached = [...others, made].toSorted((a, b) => a.revision - b.revision).slice(-MAX_CACHED_TOPOLOGIES);
    return made.topology;
  }

  /** Computes the loads after every single loss in slices; concurrent calls for one topology share the work. */
  async judgeTopology(topology: Topology, asker: CooperativeScheduler): Promise<Topology> {
    await shareWork(this.#judgements, topology, asker, (scheduler) => scheduler.run(topology.judge("ALLOCATED")));
    return topology;
  }

  async #buildTopology(reader: DcReader, revision: number): Promise<CachedTopology> {
    const { seq } = await reader.chainHead();
    const nearest = this.#cached.findLast((one) => one.revision < revision);
    const followed = nearest === undefined ? undefined : await applyLaterChanges(reader, nearest);
    return {
      revision,
      seq,
      topology:
        followed ?? (await new CooperativeScheduler().run(Topology.buildInSteps(await reader.powerInventory()))),
    };
  }
}

/** Returns the topology with all later changes applied, or undefined if they are too many or archived. */
async function applyLaterChanges(reader: DcReader, { seq, topology }: CachedTopology): Promise<Topology | undefined> {
  const refs = await reader.changedSince(seq, MAX_APPLIED_CHANGES + 1);
  if (refs === undefined || refs.length > MAX_APPLIED_CHANGES) return undefined;
  const part = await readChangedPart(reader, topology, refs);
  // Data cached for a topology stays valid if none of its resources changed, as after the change of a window.
  if (part !== undefined && Object.values(part.keys).every(({ length }) => length === 0)) return topology;
  return part && topology.createChanged(part.keys, part.after);
}

/**
 * Reads resources changed since a topology, by their references in the log; undefined if a reference names no resource.
 */
export async function readChangedPart(
  reader: DcReader,
  topology: Topology,
  refs: readonly string[],
): Promise<{ readonly keys: ResourceKeys; readonly after: Inventory } | undefined> {
  const found = groupKeysByKind(refs);
  if (found === undefined) return undefined;
  const cable = [...new Set([...found.cable, ...found.device.flatMap((key) => topology.listCableKeys(key))])];
  const keys = { ...found, cable };
  return { keys, after: await reader.powerInventory(keys) };
}

/** Groups the keys of references by resource kind; undefined if a reference names no resource. */
function groupKeysByKind(refs: readonly string[]): ResourceKeys | undefined {
  const keys: Record<ResourceKind, string[]> = { device: [], rack: [], crac: [], cable: [], fabric_link: [] };
  for (const text of refs) {
    const ref = parseRef(text);
    if (ref?.kind === "device" || ref?.kind === "rack" || ref?.kind === "crac") keys[ref.kind].push(codeKey(ref.code));
    else if (ref?.kind === "cable" || ref?.kind === "fabric_link") keys[ref.kind].push(formatEdgeKey(ref.a, ref.b));
    // A device type does not affect devices created from it, and a window does not affect its elements.
    else if (ref?.kind !== "device_type" && ref?.kind !== "window") return undefined;
  }
  return keys;
}

/** A piece of work whose result several reads may await. */
export interface SharedWork<Result> {
  readonly result: Promise<Result>;
  /** Scheduler in whose turns the work runs; undefined once the work is done. */
  scheduler: CooperativeScheduler | undefined;
}

/** Subset of Map and WeakMap: started work by key. */
interface WorkByKey<Key, Result> {
  get(key: Key): SharedWork<Result> | undefined;
  set(key: Key, work: SharedWork<Result>): unknown;
  delete(key: Key): boolean;
}

/**
 * Runs a piece of work once per key for all reads that need its result. The work runs in the scheduler turns of all
 * these reads. Failed work runs again at the next call. Work that a read began runs to its end even if the read is
 * cancelled. Idle work stops with the call that began it; a read that joined it runs it again.
 * @param works started work by key; finished work stays in it
 */
export async function shareWork<Key, Result>(
  works: WorkByKey<Key, Result>,
  key: Key,
  asker: CooperativeScheduler,
  work: (scheduler: CooperativeScheduler) => Promise<Result>,
): Promise<Result> {
  const known = works.get(key) ?? startWork(works, key, asker, work);
  const { scheduler, result } = known;
  scheduler?.addPeersOfWork(asker);
  try {
    return await result;
  } catch (error) {
    if (scheduler?.isStopped !== true || asker.isStopped) throw error;
    return shareWork(works, key, asker, work);
  }
}

function startWork<Key, Result>(
  works: WorkByKey<Key, Result>,
  key: Key,
  asker: CooperativeScheduler,
  work: (scheduler: CooperativeScheduler) => Promise<Result>,
): SharedWork<Result> {
  const scheduler = asker.isIdle ? asker : new CooperativeScheduler();
  const made: SharedWork<Result> = { result: work(scheduler), scheduler };
  works.set(key, made);
  made.result.then(
    () => {
      made.scheduler = undefined;
    },
    () => works.delete(key),
  );
  return made;
}
