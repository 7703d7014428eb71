import { createHash } from "node:crypto";
import { type MessageShape, toBinary } from "@bufbuild/protobuf";
import { TaskSlots } from "#kernel/slots.ts";
import type { Topology } from "./analysis/topology.ts";
import type { DcContext } from "./context.ts";
import { MeasuredGraphs } from "./measured_graphs.ts";
import { MeasuredReads, usesReadings } from "./measured_reads.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { encodeReply } from "./operations/messages/pieces.ts";
import { openSessionDuring, readDuringWindow } from "./operations/planning/windows/during_window.ts";
import type { ReadRpc, Rpc } from "./operations/rpc.ts";
import type { DcReader } from "./ports.ts";
import { type KeptReply, ReplyCache } from "./reply_cache.ts";
import { type RunComputation, SharedReads, type WaitingCaller } from "./shared_reads.ts";

/** Maximum number of reads of one connection that run at once. Our choice: the store's number of connections. */
const RUNNING_PER_PEER = 8;

/**
 * Limits the reads of each connection that run at once. The store's queue is first in, first out, so without a limit
 * one connection with a thousand calls would hold up all others. A cancelled call that waits never starts.
 */
export class PeerGate {
  readonly #peers = new Map<object, TaskSlots>();

  /**
   * Runs `work` when the peer has a free slot.
   *
   * @param key identifies the connection; without it there is no limit
   * @throws the signal's reason if it aborts before the work has begun
   */
  async run<Result>(
    key: object | undefined,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (key === undefined) return work();
    const slots = this.#peers.get(key) ?? new TaskSlots(RUNNING_PER_PEER);
    this.#peers.set(key, slots);
    try {
      return await slots.run(work, signal);
    } finally {
      if (slots.running === 0) this.#peers.delete(key);
    }
  }
}

type Message = MessageShape<ReadRpc["method"]["input"]>;
type Reply = MessageShape<ReadRpc["method"]["output"]>;

/** Runs reads: looks in the reply cache, then computes a question once for all callers, limited per connection. */
export class ReadCalls {
  readonly #context: DcContext;
  readonly #topologies: TopologyCache;
  readonly #replies = new ReplyCache();
  /** Cached replies that also depend on readings, by the sum of both revisions. */
  readonly #measured = new ReplyCache();
  readonly #graphs = new MeasuredGraphs();
  readonly #keys = new RequestKeys();
  readonly #gate = new PeerGate();
  readonly #shared = new SharedReads();

  constructor(context: DcContext, topologies: TopologyCache) {
    this.#context = context;
    this.#topologies = topologies;
  }

  keyOf(rpc: ReadRpc, request: Message): string {
    return this.#keys.of(rpc, request);
  }

  async answer(rpc: ReadRpc, request: Message, waiting: WaitingCaller): Promise<Reply> {
    const key = this.keyOf(rpc, request);
    if (rpc.isReadAnew === true) return this.#readAnew(rpc, request, key, waiting);
    const isMeasured = usesReadings(rpc, request);
    const kept = () => (isMeasured ? this.#keptMeasured(key) : this.kept<Reply>(key));
    const known = await kept();
    if (known !== undefined) return known;
    const revision = isMeasured ? () => this.#measuredRevision() : () => this.#context.store.revision();
    const compute = this.#computation(rpc, request, { key, isMeasured });
    // The same question may have been answered while this call waited.
    return this.#gate.run(waiting.peer, waiting.signal, async () => {
      const answered = await kept();
      return answered ?? this.#shared.run(key, waiting, { revision, compute });
    });
  }

  #readAnew(rpc: ReadRpc, request: Message, key: string, { peer, signal }: WaitingCaller): Promise<Reply> {
    const compute = this.#computation(rpc, request, { key, isMeasured: false });
    return this.#gate.run(peer, signal, () => compute(new CooperativeScheduler(signal, peer), () => {}));
  }

  /** Returns a function that computes the reply of a read and caches it. */
  #computation(
    rpc: ReadRpc,
    request: Message,
    { key, isMeasured }: { readonly key: string; readonly isMeasured: boolean },
  ): RunComputation<Reply> {
    const answer = async (scheduler: CooperativeScheduler, atRevision: (seen: number) => void, whole: DcReader) => {
      const now = this.#context.clock.now().toISOString();
      const reader = scheduler.between(whole);
      const revision = await reader.revision();
      const readings = isMeasured ? await reader.readingsRevision() : 0;
      const known = revision + readings;
      atRevision(known);
      // Other reads may wait for the same topology, so its build continues even if this read is cancelled.
      const recorded = () => this.#topologies.at(whole, revision);
      const judge = (topology: Topology) => this.#topologies.judged(topology, scheduler);
      const judged = async () => judge(await recorded());
      let until = Number.POSITIVE_INFINITY;
      const lapsesAt = (moment: number) => {
        until = Math.min(until, moment);
      };
      const moment = { reader, scheduler, now, lapsesAt };
      const taken = { ...moment, readings };
      const measured = new MeasuredReads(rpc, request, this.#graphs);
      const topology = () => measured.topology(taken, recorded);
      const judgedTopology = () => measured.topology(taken, judged);
      const measuredW = () => measured.measuredW();
      const session = { context: this.#context, ...moment, topology, recorded, judgedTopology, measuredW };
      const window = readDuringWindow(rpc, request);
      const reply = await rpc.run(window === undefined ? session : openSessionDuring(session, window, judge), request);
      await measured.complete(reply);
      if (rpc.isReadAnew === true) return reply;
      const { length } = await scheduler.run(encodeReply(rpc, reply));
      (isMeasured ? this.#measured : this.#replies).keep(key, { reply, bytes: length, until }, known);
      return reply;
    };
    return (scheduler, atRevision) => this.#context.store.read((whole) => answer(scheduler, atRevision, whole));
  }

  /** Returns the cached reply if it is still valid. Reads only the revision from the database. */
  async kept<Reply>(key: string): Promise<Reply | undefined> {
    if (!this.#replies.has(key)) return undefined;
    const revision = await this.#context.store.revision();
    return this.#replies.find(key, revision, this.#context.clock.now().getTime());
  }

  async #keptMeasured(key: string): Promise<Reply | undefined> {
    if (!this.#measured.has(key)) return undefined;
    return this.#measured.find(key, await this.#measuredRevision(), this.#context.clock.now().getTime());
  }

  #measuredRevision(): Promise<number> {
    return this.#context.store.read(sumRevisions);
  }

  /** Stores a reply of `revision` in the reply cache. */
  keep<Kept>(key: string, kept: KeptReply<Kept>, revision: number): void {
    this.#replies.keep(key, kept, revision);
  }
}

/** Returns a number that rises when the inventory or a reading changes: the sum of two revisions that only rise. */
async function sumRevisions(reader: DcReader): Promise<number> {
  return (await reader.revision()) + (await reader.readingsRevision());
}

type Asked = MessageShape<Rpc["method"]["input"]>;

/** Cache keys of requests, equal for equal requests. Keys of message objects that are used again are cached. */
class RequestKeys {
  readonly #known = new WeakMap<Message, string>();

  of({ method }: Rpc, request: Asked): string {
    const known = this.#known.get(request);
    if (known !== undefined) return known;
    const hash = createHash("sha256").update(toBinary(method.input, request)).digest("base64url");
    const key = `${method.name} ${hash}`;
    this.#known.set(request, key);
    return key;
  }
}
