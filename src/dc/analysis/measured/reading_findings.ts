import type { ReadingQuantity } from "#dc/model/enum_values.ts";
import { usualGapMs } from "#dc/model/readings/day_history.ts";
import type { Measurement } from "#dc/model/readings/reading.ts";
import type { MeasuredElement, StoredReading } from "#dc/model/readings/reading_store.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { MeterDifference } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { isConsumer } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { deadSupplies } from "./dead_supplies.ts";
import type { Measured, ReadingFinding } from "./finding.ts";
import { aboveLimit, abovePlan, shortBatteries, unevenCurrents, warmInlets } from "./limit_findings.ts";
import { meterW } from "./measured_draws.ts";

/** Resources of a source beyond which one finding stands for all of them, if all stopped. Ours: a rack PDU has fewer. */
const MOST_APART = 50;

/** Readings of a resource and its ports that stopped, of one source. */
interface Stopped {
  readonly owner: Pick<MeasuredElement, "ownerKind" | "ownerKey">;
  readonly source: string;
  readonly refs: Set<string>;
  readonly quantities: Set<ReadingQuantity>;
  readings: number;
  /** The last reading of the one that stopped first. */
  at: number;
}

/** Readings as they are kept, sorted into those that still come and those that stopped. */
export class SortedReadings {
  readonly current = new Map<ReadingQuantity, Map<string, Measured>>();
  /** When the next of the current ones stops unless it is renewed, in milliseconds since 1970. */
  nextStop = Number.POSITIVE_INFINITY;
  readonly #stopped = new Map<string, Stopped>();
  /** Number of readings that still come, by source. */
  readonly #coming = new Map<string, number>();
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Takes one in; each once. */
  add({ element, quantity, kept }: StoredReading): void {
    const { key, ref } = element;
    const { value, at, source } = kept;
    const stopsAt = at + 2 * usualGapMs(kept.days);
    if (stopsAt <= this.#now) {
      this.#stop(element, quantity, kept);
      return;
    }
    this.nextStop = Math.min(this.nextStop, stopsAt);
    this.#coming.set(source, (this.#coming.get(source) ?? 0) + 1);
    const known = this.current.get(quantity) ?? new Map<string, Measured>();
    this.current.set(quantity, known.set(key, { ref, value, at }));
  }

  #stop({ ref, ownerKind, ownerKey }: MeasuredElement, quantity: ReadingQuantity, { at, source }: Measurement): void {
    const name = `${source}\n${ownerKind}:${ownerKey}`;
    const owner = { ownerKind, ownerKey };
    const one = this.#stopped.get(name) ?? { owner, source, refs: new Set(), quantities: new Set(), readings: 0, at };
    one.refs.add(ref);
    one.quantities.add(quantity);
    one.readings += 1;
    one.at = Math.min(one.at, at);
    this.#stopped.set(name, one);
  }

  /** What stopped: by device, cooling unit and rack; sources of many, all of whose readings stopped, as one. */
  stopped(topology: Topology): readonly ReadingFinding[] {
    const bySource = Map.groupBy(this.#stopped.values(), ({ source }) => source);
    return [...bySource].flatMap(([source, all]): readonly ReadingFinding[] => {
      const isWhole = all.length > MOST_APART && !this.#coming.has(source);
      if (!isWhole) return all.map((one) => stopOf([one], stoppedRef(topology, one)));
      return [stopOf(all, "")];
    });
  }
}

/** The element that stopped, or the resource whose elements did. */
function stoppedRef(topology: Topology, { owner: { ownerKind, ownerKey }, refs }: Stopped): string {
  const [only = ""] = refs;
  return refs.size === 1 ? only : `${ownerKind}:${topology[ownerKind](ownerKey)?.code ?? ownerKey}`;
}

function stopOf(all: readonly Stopped[], ref: string): ReadingFinding {
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
 * Everything that readings show and the inventory does not record.
 * @param differing finds supplies whose meters differ from those below them, by watts that were measured
 */
export function* readingFindings(
  topology: Topology,
  readings: SortedReadings,
  differences: readonly MeterDifference[],
): Steps<readonly ReadingFinding[]> {
  const { current } = readings;
  const dead = yield* deadSupplies(topology, current);
  const planned = abovePlan(topology, current);
  yield;
  const limits = yield* aboveLimit(topology, current);
  const differ = differences.map(({ ref, ownW, belowW }): ReadingFinding => {
    const at = current.get("POWER_W")?.get(refKey(ref))?.at ?? 0;
    return { kind: "METERS_DIFFER", severity: "WATCH", ref, at, figures: { own_w: ownW, below_w: belowW } };
  });
  return [
    ...dead,
    ...planned,
    ...limits,
    ...unevenCurrents(current),
    ...warmInlets(topology, current),
    ...shortBatteries(topology, current),
    ...readings.stopped(topology),
    ...differ,
  ];
}

/** Whether any supply is measured itself, so that its meter may differ from those below it. */
export function hasSupplyMeters({ power }: Topology, watts: ReadonlyMap<string, number>): boolean {
  return power.nodes.some((node) => !isConsumer(node) && meterW(node, watts) !== undefined);
}
