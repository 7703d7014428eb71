import type { MessageShape } from "@bufbuild/protobuf";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { MeasuredLoad } from "#gen/datacenter/v1/readings_pb.ts";
import type { Topology } from "./analysis/topology.ts";
import { DEFAULT_READING_AGE_S, READING_KEPT_MS } from "./limits.ts";
import type { MeasuredGraph, MeasuredGraphs, MeasuredSnapshot } from "./measured_graphs.ts";
import { refuse } from "./model/refusal.ts";
import type { ReadRpc } from "./operations/rpc.ts";

type Message = MessageShape<ReadRpc["method"]["input"]>;

/** Fields of a request that select measured loads. */
interface MeasuredFields {
  readonly loadBasis: LoadBasis;
  readonly maxAgeS?: number;
}

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
    requireAgeInRange(maxAgeS);
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

/** Requires that the age is in its range. @throws Refusal */
function requireAgeInRange(maxAgeS: number): void {
  const most = READING_KEPT_MS / 1000;
  if (maxAgeS >= 1 && maxAgeS <= most) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "max_age_s" is out of range: ${maxAgeS}`, {
    field: "max_age_s",
    value: maxAgeS,
    expected: `1 to ${most}`,
  });
}
