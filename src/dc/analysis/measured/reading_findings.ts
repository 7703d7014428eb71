import type { ReadingQuantity } from "#dc/model/enum_values.ts";
import { computeUsualGapMs } from "#dc/model/readings/day_history.ts";
import type { Measurement } from "#dc/model/readings/reading.ts";
import type { MeasuredElement, StoredReading } from "#dc/model/readings/reading_store.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { MeterDifference } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { isConsumer } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { findDeadSupplies } from "./dead_supplies.ts";
import type { MeasuredValue, ReadingFinding } from "./finding.ts";
import {
  listDrawsAbovePlan,
  listLoadsAboveLimit,
  listShortBatteries,
  listUnevenCurrents,
  listWarmInlets,
} from "./limit_findings.ts";
import { getMeterW } from "./measured_draws.ts";

/** Maximum resources of a stopped source that get separate findings. Our choice: a rack PDU has fewer. */
const MAX_SEPARATE_FINDINGS = 50;

/** Stopped readings of a resource and its ports from one source. */
interface StoppedReadings {
  readonly owner: Pick<MeasuredElement, "ownerKind" | "ownerKey">;
  readonly source: string;
  readonly refs: Set<string>;
  readonly quantities: Set<ReadingQuantity>;
  readings: number;
  /** Time of the latest reading of the element that stopped first. */
  at: number;
}

/** Stored readings, divided into current readings and readings that stopped. */
export class ClassifiedReadings {
  readonly current = new Map<ReadingQuantity, Map<string, MeasuredValue>>();
  /** Time at which the next current reading counts as stopped unless it is renewed, in milliseconds since 1970. */
  nextStop = Number.POSITIVE_INFINITY;
  readonly #stopped = new Map<string, StoppedReadings>();
  /** Number of current readings by source. */
  readonly #currentCounts = new Map<string, number>();
  /** Keys of elements with a stopped reading, and of elements with a current one. */
  readonly #stoppedKeys = new Set<string>();
  readonly #currentKeys = new Set<string>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Adds a reading; each must be added once. */
  addReading({ element, quantity, kept }: StoredReading): void {
    const { key, ref } = element;
    const { value, at, source } = kept;
    const stopsAt = at + 2 * computeUsualGapMs(kept.days);
    if (stopsAt <= this.#now) {
      this.#stoppedKeys.add(key);
      this.#addStopped(element, quantity, kept);
      return;
    }
    this.#currentKeys.add(key);
    this.nextStop = Math.min(this.nextStop, stopsAt);
    this.#currentCounts.set(source, (this.#currentCounts.get(source) ?? 0) + 1);
    this.current.getOrInsertComputed(quantity, () => new Map()).set(key, { ref, value, at });
  }

  /**
   * Whether nothing is known of an element now: its readings stopped, or it has none and all readings stopped. Those of
   * other elements may then have shown its findings, as the draws of servers show the load of a feed.
   */
  isStopped(key: string): boolean {
    return this.#stoppedKeys.has(key)
      ? !this.#currentKeys.has(key)
      : this.#currentKeys.size === 0 && this.#stoppedKeys.size > 0;
  }

  #addStopped(
    { ref, ownerKind, ownerKey }: MeasuredElement,
    quantity: ReadingQuantity,
    { at, source }: Measurement,
  ): void {
    const name = `${source}\n${ownerKind}:${ownerKey}`;
    const owner = { ownerKind, ownerKey };
    const one = this.#stopped.get(name) ?? { owner, source, refs: new Set(), quantities: new Set(), readings: 0, at };
    one.refs.add(ref);
    one.quantities.add(quantity);
    one.readings += 1;
    one.at = Math.min(one.at, at);
    this.#stopped.set(name, one);
  }

  /**
   * Returns findings about stopped readings: one for each device, cooling unit and rack, or one for a source with many
   * resources if all its readings stopped.
   */
  listStopFindings(topology: Topology): readonly ReadingFinding[] {
    const bySource = Map.groupBy(this.#stopped.values(), ({ source }) => source);
    return [...bySource].flatMap(([source, all]): readonly ReadingFinding[] => {
      const isWhole = all.length > MAX_SEPARATE_FINDINGS && !this.#currentCounts.has(source);
      if (!isWhole) return all.map((one) => createStopFinding([one], selectStoppedRef(topology, one)));
      return [createStopFinding(all, "")];
    });
  }
}

/** Returns the reference of the only stopped element, or of the resource with several stopped elements. */
function selectStoppedRef(topology: Topology, { owner: { ownerKind, ownerKey }, refs }: StoppedReadings): string {
  const [only = ""] = refs;
  return refs.size === 1 ? only : `${ownerKind}:${topology[ownerKind](ownerKey)?.code ?? ownerKey}`;
}

function createStopFinding(all: readonly StoppedReadings[], ref: string): ReadingFinding {
  const refs = all.flatMap((one) => [...one.refs]);
  return {
    kind: "READING_STOPPED",
    severity: "WATCH",
    ref,
    at: all.reduce((latest, { at }) => Math.max(latest, at), 0),
    figures: { readings: all.reduce((sum, { readings }) => sum + readings, 0) },
    quantities: [...new Set(all.flatMap(({ quantities }) => [...quantities]))],
    source: all[0]?.source ?? "",
    ...(refs[0] !== ref && { related: refs }),
  };
}

/**
 * Lists all problems that readings show.
 * @param differences supplies whose meters differ from the meters below them
 */
export function* listReadingFindings(
  topology: Topology,
  readings: ClassifiedReadings,
  differences: readonly MeterDifference[],
): Steps<readonly ReadingFinding[]> {
  const { current } = readings;
  const dead = yield* findDeadSupplies(topology, current);
  const planned = listDrawsAbovePlan(topology, current);
  yield;
  const limits = yield* listLoadsAboveLimit(topology, current);
  const differ = differences.map(({ ref, ownW, belowW }): ReadingFinding => {
    const at = current.get("POWER_W")?.get(toRefKey(ref))?.at ?? 0;
    return { kind: "METERS_DIFFER", severity: "WATCH", ref, at, figures: { own_w: ownW, below_w: belowW } };
  });
  return [
    ...dead,
    ...planned,
    ...limits,
    ...listUnevenCurrents(current),
    ...listWarmInlets(topology, current),
    ...listShortBatteries(topology, current),
    ...readings.listStopFindings(topology),
    ...differ,
  ];
}

/** Whether any supply has its own meter, which may differ from the meters below it. */
export function hasSupplyMeters({ power }: Topology, watts: ReadonlyMap<string, number>): boolean {
  return power.nodes.some((node) => !isConsumer(node) && getMeterW(node, watts) !== undefined);
}
