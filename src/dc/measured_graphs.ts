import { create } from "@bufbuild/protobuf";
import { type MeasuredLoad, MeasuredLoadSchema } from "#gen/datacenter/v1/readings_pb.ts";
import { buildMeasuredTopology, type MeasuredCoverage } from "./analysis/measured/measured_topology.ts";
import type { Topology } from "./analysis/topology.ts";
import { MAX_LISTED_DIFFERENCES } from "./limits.ts";
import { computeDayNumber, computePeakFigures, DAY_MS } from "./model/readings/reading_store.ts";
import type { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { DcReader } from "./ports.ts";

/** Number of cached graphs. Our choice: one of the latest values and one of the peaks. */
const MAX_CACHED_GRAPHS = 2;

/** Options that select the readings for measured loads. */
export interface MeasuredLoadOptions {
  /** Whether to use the 95th percentile of 30 days instead of the latest value. */
  readonly isPeak: boolean;
  /** Maximum age of a reading, in seconds. */
  readonly maxAgeS: number;
}

/** The snapshot of a read, with its scheduler and its time, ISO 8601 in UTC. */
export interface MeasuredSnapshot {
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
  readonly now: string;
  /** Revision of the readings. */
  readonly readings: number;
}

/** Graphs with measured draws, and the time until which they are valid if no reading arrives. */
export interface MeasuredGraph {
  readonly topology: Topology;
  /** Absent if no power reading is stored. */
  readonly load?: MeasuredLoad;
  /** Measured part of the draw of each consumer in watts, by node. */
  readonly measuredW?: ReadonlyMap<number, number>;
  readonly until: number;
}

interface CachedGraph {
  readonly recorded: Topology;
  readonly readings: number;
  readonly question: string;
  /** Start of validity. An earlier read would also use readings that had expired by then. */
  readonly from: number;
  readonly made: Promise<MeasuredGraph>;
  /** Whether other reads may await this build. They do not await one that runs only while the event loop is idle. */
  isJoined: boolean;
  until: number;
}

/** Keeps graphs with measured draws, so that all requests between two reports share one build. */
export class MeasuredGraphs {
  /** Cached graphs, oldest first. */
  #cached: readonly CachedGraph[] = [];

  /** Returns the recorded graphs with measured draws. Reads that ask at the same time share one build. */
  async getGraph(moment: MeasuredSnapshot, recorded: Topology, asked: MeasuredLoadOptions): Promise<MeasuredGraph> {
    const { readings, now } = moment;
    const at = Date.parse(now);
    const question = asked.isPeak ? "peak" : String(asked.maxAgeS);
    const isSame = (one: CachedGraph) =>
      one.recorded === recorded && one.question === question && one.readings === readings;
    const known = this.#cached.find((one) => isSame(one) && one.isJoined && one.from <= at && at < one.until);
    if (known !== undefined) {
      const made = await known.made.catch(() => undefined);
      // The read that built the graph may have been cancelled, or its result may have expired for this later read.
      if (made !== undefined && at < made.until) return made;
      this.#cached = this.#cached.filter((one) => one !== known);
      return this.getGraph(moment, recorded, asked);
    }
    const made = buildMeasuredGraph(moment, recorded, asked);
    const isJoined = !moment.scheduler.isIdle;
    const kept: CachedGraph = {
      recorded,
      readings,
      question,
      from: at,
      made,
      isJoined,
      until: Number.POSITIVE_INFINITY,
    };
    // Graphs of older readings are never requested again.
    const others = this.#cached.filter((one) => !isSame(one) && one.readings >= readings);
    this.#cached = [...others, kept].slice(-MAX_CACHED_GRAPHS);
    try {
      const graph = await made;
      kept.until = graph.until;
      kept.isJoined = true;
      return graph;
    } catch (error) {
      this.#cached = this.#cached.filter((one) => one !== kept);
      throw error;
    }
  }
}

async function buildMeasuredGraph(
  { reader, scheduler, now }: MeasuredSnapshot,
  recorded: Topology,
  { isPeak, maxAgeS }: MeasuredLoadOptions,
): Promise<MeasuredGraph> {
  const kept = await reader.readings({ quantities: ["POWER_W"], withDays: isPeak });
  if (kept.length === 0) return { topology: recorded, until: Number.POSITIVE_INFINITY };
  const at = Date.parse(now);
  const today = computeDayNumber(at);
  const measured = new Map<string, number>();
  let until = isPeak ? (today + 1) * DAY_MS : Number.POSITIVE_INFINITY;
  for (const { element, kept: one } of kept) {
    await scheduler.yieldIfDue();
    const lapse = one.at + maxAgeS * 1000;
    const watts = isPeak ? computePeakFigures(one.days, today)?.p95 : lapse > at ? one.value : undefined;
    if (watts === undefined) continue;
    measured.set(element.key, watts);
    if (!isPeak) until = Math.min(until, lapse);
  }
  const { topology, coverage, measuredW } = await scheduler.run(buildMeasuredTopology(recorded, measured));
  return { topology, load: createLoadMessage(coverage), measuredW, until };
}

function createLoadMessage({ differences, ...share }: MeasuredCoverage): MeasuredLoad {
  const sorted = differences.toSorted((a, b) => Math.abs(b.ownW - b.belowW) - Math.abs(a.ownW - a.belowW));
  return create(MeasuredLoadSchema, {
    ...share,
    differences: sorted.slice(0, MAX_LISTED_DIFFERENCES),
    omittedDifferences: Math.max(0, sorted.length - MAX_LISTED_DIFFERENCES),
  });
}
