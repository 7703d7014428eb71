import { createHash } from "node:crypto";
import { type MessageShape, toBinary } from "@bufbuild/protobuf";
import { TaskSlots } from "#kernel/slots.ts";
import type { Topology } from "./analysis/topology.ts";
import type { DcContext } from "./context.ts";
import { MeasuredGraphs } from "./measured_graphs.ts";
import { MeasuredReads, usesReadings } from "./measured_reads.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { fitFigures } from "./operations/messages/convert.ts";
import { encodeReply } from "./operations/messages/pieces.ts";
import { openWindowSession, readDuringWindow } from "./operations/planning/windows/during_window.ts";
import type { ReadRpc, Rpc } from "./operations/rpc.ts";
import type { DcReader } from "./ports.ts";
import { type CachedReply, ReplyCache } from "./reply_cache.ts";
import { type RunComputation, SharedReads, type WaitingCaller } from "./shared_reads.ts";

/** Maximum number of reads of one connection that run at once. Our choice: the store's number of connections. */
const MAX_READS_PER_PEER = 8;

/**
 * Limits the reads of each connection that run at once. The store's queue is first in, first out, so without a limit
 * one connection with a thousand calls would hold up all others. A cancelled call that waits never starts.
 */
export class PeerReadLimiter {
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
    const slots = this.#peers.getOrInsertComputed(key, () => new TaskSlots(MAX_READS_PER_PEER));
    try {
      return await slots.runInSlot(work, signal);
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
  readonly #measuredReplies = new ReplyCache();
  readonly #graphs = new MeasuredGraphs();
  readonly #keys = new RequestKeyCache();
  readonly #gate = new PeerReadLimiter();
  readonly #shared = new SharedReads();

  constructor(context: DcContext, topologies: TopologyCache) {
    this.#context = context;
    this.#topologies = topologies;
  }

  getRequestKey(rpc: ReadRpc, request: Message): string {
    return this.#keys.getKey(rpc, request);
  }

  async answerRequest(rpc: ReadRpc, request: Message, waiting: WaitingCaller): Promise<Reply> {
    const key = this.getRequestKey(rpc, request);
    if (rpc.isUncached === true) return this.#answerUncached(rpc, request, key, waiting);
    const isMeasured = usesReadings(rpc, request);
    const revision = isMeasured ? () => this.#context.store.read(sumRevisions) : () => this.#context.store.revision();
    const kept = () => this.#find<Reply>(isMeasured ? this.#measuredReplies : this.#replies, key, revision);
    const known = await kept();
    if (known !== undefined) return known;
    const compute = this.#createComputation(rpc, request, { key, isMeasured });
    // The same question may have been answered while this call waited.
    return this.#gate.run(waiting.peer, waiting.signal, async () => {
      const answered = await kept();
      return answered ?? this.#shared.run(key, waiting, { revision, compute });
    });
  }

  #answerUncached(rpc: ReadRpc, request: Message, key: string, { peer, signal }: WaitingCaller): Promise<Reply> {
    const compute = this.#createComputation(rpc, request, { key, isMeasured: false });
    return this.#gate.run(peer, signal, () => compute(new CooperativeScheduler(signal, peer), () => {}));
  }

  /** Returns a function that computes the reply of a read and caches it. */
  #createComputation(
    rpc: ReadRpc,
    request: Message,
    { key, isMeasured }: { readonly key: string; readonly isMeasured: boolean },
  ): RunComputation<Reply> {
    const answer = async (scheduler: CooperativeScheduler, atRevision: (seen: number) => void, whole: DcReader) => {
      const now = this.#context.clock.now().toISOString();
      const reader = scheduler.createYieldingReader(whole);
      const revision = await reader.revision();
      const readings = isMeasured ? await reader.readingsRevision() : 0;
      const known = revision + readings;
      atRevision(known);
      // Other reads may wait for the same topology, so its build continues even if this read is cancelled.
      const recorded = () => this.#topologies.getTopology(whole, revision);
      const judge = (topology: Topology) => this.#topologies.judgeTopology(topology, scheduler);
      const judged = async () => judge(await recorded());
      let until = Number.POSITIVE_INFINITY;
      const lapsesAt = (moment: number) => {
        until = Math.min(until, moment);
      };
      const moment = { reader, scheduler, now, lapsesAt };
      const taken = { ...moment, readings };
      const measured = new MeasuredReads(rpc, request, this.#graphs);
      const topology = () => measured.getTopology(taken, recorded);
      const judgedTopology = () => measured.getTopology(taken, judged);
      const measuredW = () => measured.getMeasuredW();
      const session = { context: this.#context, ...moment, topology, recorded, judgedTopology, measuredW };
      const window = readDuringWindow(rpc, request);
      const reply = await rpc.run(window === undefined ? session : openWindowSession(session, window, judge), request);
      await measured.addMeasuredLoad(reply);
      await scheduler.run(fitFigures(rpc.method.output, reply));
      if (rpc.isUncached === true) return reply;
      const { length } = await scheduler.run(encodeReply(rpc, reply));
      const kept = { reply, bytes: length, from: Date.parse(now), until };
      (isMeasured ? this.#measuredReplies : this.#replies).storeReply(key, kept, known);
      return reply;
    };
    return (scheduler, atRevision) => this.#context.store.read((whole) => answer(scheduler, atRevision, whole));
  }

  /** Returns the cached reply if it is still valid. Reads only the revision from the database. */
  findCachedReply<Reply>(key: string): Promise<Reply | undefined> {
    return this.#find(this.#replies, key, () => this.#context.store.revision());
  }

  async #find<Reply>(replies: ReplyCache, key: string, revision: () => Promise<number>): Promise<Reply | undefined> {
    return replies.hasReply(key)
      ? replies.findReply(key, await revision(), this.#context.clock.now().getTime())
      : undefined;
  }

  /** Stores a reply of `revision` in the reply cache. */
  cacheReply<Kept>(key: string, kept: CachedReply<Kept>, revision: number): void {
    this.#replies.storeReply(key, kept, revision);
  }
}

/** Returns a number that rises when the inventory or a reading changes: the sum of two revisions that only rise. */
async function sumRevisions(reader: DcReader): Promise<number> {
  return (await reader.revision()) + (await reader.readingsRevision());
}

type AnyRequest = MessageShape<Rpc["method"]["input"]>;

/** Cache keys of requests, equal for equal requests. Keys of message objects that are used again are cached. */
class RequestKeyCache {
  readonly #known = new WeakMap<Message, string>();

  getKey({ method }: Rpc, request: AnyRequest): string {
    return this.#known.getOrInsertComputed(request, () => {
      const hash = createHash("sha256").update(toBinary(method.input, request)).digest("base64url");
      return `${method.name} ${hash}`;
    });
  }
}
