import { create, type MessageShape } from "@bufbuild/protobuf";
import { NUMBER_BOUNDS } from "#gen/datacenter/v1/bounds.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import { type MeasuredLoad, MeasuredLoadSchema } from "#gen/datacenter/v1/readings_pb.ts";
import { buildMeasuredTopology, type MeasuredCoverage } from "./analysis/measured/measured_topology.ts";
import type { Topology } from "./analysis/topology.ts";
import { DEFAULT_READING_AGE_S, MAX_LISTED_DIFFERENCES } from "./limits.ts";
import { computeDayNumber, computePeakFigures, DAY_MS } from "./model/readings/reading_store.ts";
import { refuse } from "./model/refusal.ts";
import type { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import { limitListFields } from "./operations/messages/convert.ts";
import type { ReadRpc } from "./operations/rpc.ts";
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
    ...limitListFields("differences", sorted, MAX_LISTED_DIFFERENCES),
  });
}

type Message = MessageShape<ReadRpc["method"]["input"]>;

/** Fields of a request that select measured loads. */
interface MeasuredFields {
  readonly loadBasis: LoadBasis;
  readonly maxAgeS?: number;
}

/** The snapshot of a read, whose reply may lapse. */
interface ReadSnapshot extends MeasuredSnapshot {
  readonly lapsesAt: (moment: number) => void;
}

/** Whether new readings change the reply: it lists readings, or uses loads from them. */
export function usesReadings(rpc: ReadRpc, request: Message): boolean {
  return rpc.alsoReads === "readings" || usesMeasuredLoads(rpc, request);
}

/** Whether a request uses measured loads. Only RPCs with a field for the age of readings can. */
function usesMeasuredLoads({ method }: ReadRpc, request: Message): boolean {
  if (!method.input.fields.some(({ localName }) => localName === "maxAgeS")) return false;
  const { loadBasis } = request as unknown as MeasuredFields;
  return loadBasis === LoadBasis.MEASURED || loadBasis === LoadBasis.MEASURED_PEAK;
}

/** The graphs of a read: with measured draws if the request asks for them. */
export class MeasuredReads {
  readonly #rpc: ReadRpc;
  readonly #request: Message;
  readonly #graphs: MeasuredGraphs;
  #graph: Promise<MeasuredGraph> | undefined;

  /** @throws Refusal for an age of readings with a load basis that ignores it */
  constructor(rpc: ReadRpc, request: Message, graphs: MeasuredGraphs) {
    this.#rpc = rpc;
    this.#request = request;
    this.#graphs = graphs;
    requireAgeIsUsed(request as unknown as MeasuredFields);
  }

  /** Returns the graphs with measured draws. @throws Refusal for an age that is out of range */
  async getTopology(moment: ReadSnapshot, recorded: () => Promise<Topology>): Promise<Topology> {
    if (!usesMeasuredLoads(this.#rpc, this.#request)) return recorded();
    this.#graph ??= this.#getMeasuredGraph(moment, recorded);
    return (await this.#graph).topology;
  }

  /** Returns the measured draw of each consumer in watts, by node; undefined unless the read used power readings. */
  async getMeasuredW(): Promise<ReadonlyMap<number, number> | undefined> {
    return (await this.#graph)?.measuredW;
  }

  /** Adds the measured share of the load to the reply, if a power reading is stored. */
  async addMeasuredLoad(reply: MessageShape<ReadRpc["method"]["output"]>): Promise<void> {
    const load = (await this.#graph)?.load;
    if (load !== undefined) (reply as unknown as { measuredLoad?: MeasuredLoad }).measuredLoad = load;
  }

  async #getMeasuredGraph(moment: ReadSnapshot, recorded: () => Promise<Topology>): Promise<MeasuredGraph> {
    const { loadBasis, maxAgeS = DEFAULT_READING_AGE_S } = this.#request as unknown as MeasuredFields;
    const { min, max } = NUMBER_BOUNDS.FloorPlanRequest.maxAgeS;
    if (maxAgeS < min || maxAgeS > max)
      throw refuse("FIELD_OUT_OF_RANGE", `Field "max_age_s" is out of range: ${maxAgeS}`, {
        field: "max_age_s",
        value: maxAgeS,
        expected: `${min} to ${max}`,
      });
    const isPeak = loadBasis === LoadBasis.MEASURED_PEAK;
    const made = await this.#graphs.getGraph(moment, await recorded(), { isPeak, maxAgeS });
    moment.lapsesAt(made.until);
    return made;
  }
}

/** Rejects an age that has no effect, because its sender would expect one. @throws Refusal */
function requireAgeIsUsed({ maxAgeS, loadBasis }: Partial<MeasuredFields>): void {
  if (maxAgeS === undefined || loadBasis === LoadBasis.MEASURED) return;
  const expected = "load_basis LOAD_BASIS_MEASURED";
  throw refuse("FIELD_CONFLICT", `Field "max_age_s" is set without measured loads: expected ${expected}`, {
    field: "max_age_s",
    value: maxAgeS,
    expected,
  });
}
