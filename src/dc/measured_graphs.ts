import { create } from "@bufbuild/protobuf";
import { type MeasuredLoad, MeasuredLoadSchema } from "#gen/datacenter/v1/readings_pb.ts";
import { buildMeasuredTopology, type MeasuredCoverage } from "./analysis/measured/measured_topology.ts";
import type { Topology } from "./analysis/topology.ts";
import { MAX_LISTED_DIFFERENCES } from "./limits.ts";
import { DAY_MS, dayOf, peakOf } from "./model/readings/day_history.ts";
import type { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { DcReader } from "./ports.ts";

/** Graphs that are kept. Ours: those of the latest value and of the peak. */
const KEPT = 2;

/** Which readings count. */
export interface MeasuredQuestion {
  /** By the 95th percentile of 30 days instead of the latest value. */
  readonly isPeak: boolean;
  /** Oldest reading that counts, in seconds. */
  readonly maxAgeS: number;
}

/** The snapshot of a read. */
export interface MeasuredMoment {
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
  readonly now: string;
  /** Revision of the readings. */
  readonly readings: number;
}

/** Graphs with measured draws, and until when they hold if no reading arrives. */
export interface MeasuredGraph {
  readonly topology: Topology;
  /** Unset if no reading of power is kept. */
  readonly load?: MeasuredLoad;
  /** Of the draw of each consumer, what meters say, in watts, by node. */
  readonly measuredW?: ReadonlyMap<number, number>;
  readonly until: number;
}

interface Kept {
  readonly recorded: Topology;
  readonly readings: number;
  readonly question: string;
  /** Readings that were too old then would count at an earlier time. */
  readonly from: number;
  readonly made: Promise<MeasuredGraph>;
  /** Others do not wait for a build that runs when nothing else does. */
  isJoined: boolean;
  until: number;
}

/** Keeps graphs with measured draws, so that all questions between two reports share one build. */
export class MeasuredGraphs {
  /** Oldest first. */
  #kept: readonly Kept[] = [];

  /** Returns the recorded graphs with measured draws. Reads that ask at the same time share one build. */
  async at(moment: MeasuredMoment, recorded: Topology, asked: MeasuredQuestion): Promise<MeasuredGraph> {
    const { readings, now } = moment;
    const at = Date.parse(now);
    const question = asked.isPeak ? "peak" : String(asked.maxAgeS);
    const isSame = (one: Kept) => one.recorded === recorded && one.question === question && one.readings === readings;
    const known = this.#kept.find((one) => isSame(one) && one.isJoined && one.from <= at && at < one.until);
    if (known !== undefined) {
      const made = await known.made.catch(() => undefined);
      // The read that built it may have been cancelled, and what it built may not hold as long as this read is late.
      if (made !== undefined && at < made.until) return made;
      this.#kept = this.#kept.filter((one) => one !== known);
      return this.at(moment, recorded, asked);
    }
    const made = measure(moment, recorded, asked);
    const isJoined = !moment.scheduler.isIdle;
    const kept: Kept = { recorded, readings, question, from: at, made, isJoined, until: Number.POSITIVE_INFINITY };
    // What belongs to older readings is not asked for again.
    const others = this.#kept.filter((one) => !isSame(one) && one.readings >= readings);
    this.#kept = [...others, kept].slice(-KEPT);
    try {
      const graph = await made;
      kept.until = graph.until;
      kept.isJoined = true;
      return graph;
    } catch (error) {
      this.#kept = this.#kept.filter((one) => one !== kept);
      throw error;
    }
  }
}

async function measure(
  { reader, scheduler, now }: MeasuredMoment,
  recorded: Topology,
  { isPeak, maxAgeS }: MeasuredQuestion,
): Promise<MeasuredGraph> {
  const kept = await reader.readings({ quantities: ["POWER_W"], withDays: isPeak });
  if (kept.length === 0) return { topology: recorded, until: Number.POSITIVE_INFINITY };
  const at = Date.parse(now);
  const today = dayOf(at);
  const measured = new Map<string, number>();
  let until = isPeak ? (today + 1) * DAY_MS : Number.POSITIVE_INFINITY;
  for (const { element, kept: one } of kept) {
    await scheduler.yieldIfDue();
    const lapse = one.at + maxAgeS * 1000;
    const watts = isPeak ? peakOf(one.days, today)?.p95 : lapse > at ? one.value : undefined;
    if (watts === undefined) continue;
    measured.set(element.key, watts);
    if (!isPeak) until = Math.min(until, lapse);
  }
  const { topology, share, measuredW } = await scheduler.run(buildMeasuredTopology(recorded, measured));
  return { topology, load: loadMessage(share), measuredW, until };
}

function loadMessage({ differences, ...share }: MeasuredCoverage): MeasuredLoad {
  const sorted = differences.toSorted((a, b) => Math.abs(b.ownW - b.belowW) - Math.abs(a.ownW - a.belowW));
  return create(MeasuredLoadSchema, {
    ...share,
    differences: sorted.slice(0, MAX_LISTED_DIFFERENCES),
    omittedDifferences: Math.max(0, sorted.length - MAX_LISTED_DIFFERENCES),
  });
}
