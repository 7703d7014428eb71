import { type MessageShape, toBinary } from "@bufbuild/protobuf";
import { TaskSlots } from "#kernel/slots.ts";
import type { Topology } from "./analysis/topology.ts";
import { buildOutageTopology } from "./analysis/window/during.ts";
import type { DcContext, ReadReceipt, Validity } from "./context.ts";
import { MeasuredGraphs, MeasuredReads, usesReadings } from "./measured_graphs.ts";
import { refuse } from "./model/refusal.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { fitFigures } from "./operations/messages/convert.ts";
import { buildStoredTimeline } from "./operations/planning/windows/judge_window.ts";
import { readAllWindows, requireWindow } from "./operations/planning/windows/list_windows.ts";
import type { ReadRpc, ReadSession } from "./operations/rpc.ts";
import type { DcReader } from "./ports.ts";

type Message = MessageShape<ReadRpc["method"]["input"]>;
type Reply = MessageShape<ReadRpc["method"]["output"]>;

/** A reply, and until when it holds. */
interface ReadReply {
  readonly reply: Reply;
  readonly validity: Validity;
}

/** Runs reads: computes a question once for all who ask at the same time, limited per connection. */
export class ReadCalls {
  readonly #context: DcContext;
  readonly #topologies: TopologyCache;
  readonly #graphs = new MeasuredGraphs();
  readonly #gate = new PeerReadLimiter();
  readonly #shared = new SharedReads(this.#gate);
  /** The highest revision of the inventory that a read has seen. Revisions only rise. */
  #seenRevision = 0;

  constructor(context: DcContext, topologies: TopologyCache) {
    this.#context = context;
    this.#topologies = topologies;
  }

  /** Answers a read and notes on the receipt, if given, until when the reply holds. */
  async answerRequest(rpc: ReadRpc, request: Message, waiting: WaitingCaller, receipt?: ReadReceipt): Promise<Reply> {
    const isMeasured = usesReadings(rpc, request);
    const compute = this.#createComputation(rpc, request, isMeasured);
    const { peer, signal } = waiting;
    if (rpc.alsoReads === "notices") {
      // No revision counts changes of notices, so that a reply is neither shared nor kept.
      receipt?.spoil();
      const run = () => compute(new CooperativeScheduler(signal, peer), () => {});
      return (await this.#gate.run(peer, signal, run)).reply;
    }
    const revision = isMeasured ? () => this.#context.store.read(sumRevisions) : () => this.#context.store.revision();
    const { reply, validity } = await this.#shared.run(getRequestKey(rpc, request), waiting, { revision, compute });
    receipt?.note(rpc.method.name, validity);
    return reply;
  }

  /** Whether what was read then would be read now. Reads only revisions from the database. */
  async isStillValid({ revision, readings, from, until }: Validity): Promise<boolean> {
    const { clock, store } = this.#context;
    const now = clock.now().getTime();
    if (now < from || now >= until || revision < this.#seenRevision) return false;
    if (readings === undefined) return (await store.revision()) === revision;
    return store.read(
      async (reader) => (await reader.revision()) === revision && (await reader.readingsRevision()) === readings,
    );
  }

  /** Returns a function that computes the reply of a read. */
  #createComputation(rpc: ReadRpc, request: Message, isMeasured: boolean): RunComputation<ReadReply> {
    const answer = async (scheduler: CooperativeScheduler, atRevision: (seen: number) => void, whole: DcReader) => {
      const now = this.#context.clock.now().toISOString();
      const reader = scheduler.createYieldingReader(whole);
      const revision = await reader.revision();
      this.#seenRevision = Math.max(this.#seenRevision, revision);
      const readings = isMeasured ? await reader.readingsRevision() : 0;
      atRevision(revision + readings);
      // Other reads may wait for the same topology, so its build continues even if this read is cancelled.
      const recorded = () => this.#topologies.getTopology(whole, revision);
      const judge = (graphs: Topology) => this.#topologies.judgeTopology(graphs, scheduler);
      const judged = async () => judge(await recorded());
      let until = Number.POSITIVE_INFINITY;
      const lapsesAt = (moment: number) => {
        until = Math.min(until, moment);
      };
      const moment = { reader, scheduler, now, lapsesAt };
      const taken = { ...moment, readings };
      const measured = new MeasuredReads(rpc, request, this.#graphs);
      const topology: ReadSession["topology"] = (how) =>
        how === "recorded" ? recorded() : measured.getTopology(taken, how === "judged" ? judged : recorded);
      const session = { context: this.#context, ...moment, topology, measuredW: () => measured.getMeasuredW() };
      const window = readDuringWindow(rpc, request);
      const reply = await rpc.run(window === undefined ? session : openWindowSession(session, window, judge), request);
      await measured.addMeasuredLoad(reply);
      await scheduler.run(fitFigures(rpc.method.output, reply));
      return { reply, validity: { revision, ...(isMeasured && { readings }), from: Date.parse(now), until } };
    };
    return (scheduler, atRevision) => this.#context.store.read((whole) => answer(scheduler, atRevision, whole));
  }
}

/** Returns a number that rises when the inventory or a reading changes: the sum of two revisions that only rise. */
async function sumRevisions(reader: DcReader): Promise<number> {
  return (await reader.revision()) + (await reader.readingsRevision());
}

/** Returns a text that is equal for equal requests. */
function getRequestKey({ method }: ReadRpc, request: Message): string {
  return `${method.name} ${Buffer.from(toBinary(method.input, request)).toString("latin1")}`;
}

const DURING_WINDOW_FIELD = "during_window";

/** Returns the code in a request's `during_window`; undefined if it is empty or the RPC has no such field. */
function readDuringWindow({ method }: ReadRpc, request: MessageShape<ReadRpc["method"]["input"]>) {
  const field = method.input.fields.find(({ name }) => name === DURING_WINDOW_FIELD);
  const code = field && (request as unknown as Readonly<Record<string, string>>)[field.localName];
  return code === "" ? undefined : code;
}

/** Opens a read session on the topology during a window. @param judge computes the loads after every single loss */
function openWindowSession(
  session: ReadSession,
  code: string,
  judge: (topology: Topology) => Promise<Topology>,
): ReadSession {
  let made: Promise<Topology> | undefined;
  const topology: ReadSession["topology"] = async (how) => {
    if (how === "recorded") return session.topology(how);
    made ??= findWindowTopology(session, code);
    const during = await made;
    return how === "judged" ? judge(during) : during;
  };
  return { ...session, topology };
}

/** Maximum number of cached topologies. Our choice: a console calls several RPCs about one window. */
const MAX_CACHED_TOPOLOGIES = 4;

const CACHED_TOPOLOGIES = new WeakMap<Topology, Map<string, Topology>>();

/**
 * Returns the topology during one piece of a stored window: the piece that determines the window's verdict. Every reply
 * computed from this topology therefore describes the same time.
 * @throws Refusal for a code that no open window has
 */
async function findWindowTopology(session: ReadSession, code: string): Promise<Topology> {
  const { resource } = await requireWindow(session.reader, DURING_WINDOW_FIELD, code);
  const all = (await readAllWindows(session.reader)).map((stored) => stored.resource);
  const { topology, timeline, timed } = await buildStoredTimeline(session, all);
  const own = timed(resource.code);
  if (own === undefined) {
    const expected = "a window that is PLANNED or BEGUN";
    throw refuse("FIELD_CONFLICT", `Window "${resource.code}" is ${resource.state}: expected ${expected}`, {
      field: DURING_WINDOW_FIELD,
      value: code,
      expected,
    });
  }
  const out = await timeline.findWorstPiece(own);
  const kept = CACHED_TOPOLOGIES.getOrInsertComputed(topology, () => new Map());
  const key = JSON.stringify(out);
  let known = kept.get(key);
  if (known === undefined) {
    const { ground, outage } = (await timeline.getOutage(out)).judged;
    known = buildOutageTopology(ground, outage);
  }
  kept.delete(key);
  kept.set(key, known);
  for (const one of kept.keys()) if (kept.size > MAX_CACHED_TOPOLOGIES) kept.delete(one);
  return known;
}

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

/** A caller that waits for a read. */
interface WaitingCaller {
  readonly signal: AbortSignal | undefined;
  readonly peer: object | undefined;
}

/** Runs one read, and reports the revision of its snapshot as soon as it is known. */
export type RunComputation<Reply> = (
  scheduler: CooperativeScheduler,
  atRevision: (seen: number) => void,
) => Promise<Reply>;

interface RunningRead {
  readonly reply: Promise<unknown>;
  /** Connection whose slot the read runs in. */
  readonly peer: object | undefined;
  /** Whether the read still waits for a slot. */
  isQueued: boolean;
  /** Revision of the snapshot that is read. */
  readonly revision: Promise<number>;
  readonly scheduler: CooperativeScheduler;
  readonly stop: AbortController;
  callerCount: number;
}

/**
 * Computes equal reads once while they run. A caller joins a read only if its snapshot has the inventory's current
 * revision, so that it sees every change that was acknowledged before its request; or one that waits for a slot of the
 * caller's own connection. A read counts against every connection that waits for it, and stops when no caller waits for
 * it.
 */
export class SharedReads {
  readonly #running = new Map<string, RunningRead>();
  readonly #gate: PeerReadLimiter;

  constructor(gate = new PeerReadLimiter()) {
    this.#gate = gate;
  }

  /**
   * Returns the reply of the running read of this key, or runs `compute`.
   *
   * @param revision reads the inventory's current revision
   * @throws the signal's reason when it aborts
   */
  async run<Reply>(
    key: string,
    { signal, peer }: WaitingCaller,
    { revision, compute }: { readonly revision: () => Promise<number>; readonly compute: RunComputation<Reply> },
  ): Promise<Reply> {
    const known = this.#running.get(key);
    const isCurrent =
      known !== undefined && (known.isQueued ? known.peer === peer : await isReadCurrent(known, revision));
    const isJoined = isCurrent && !known.stop.signal.aborted;
    signal?.throwIfAborted();
    if (!isJoined) return this.#waitForReply<Reply>(this.#startRead(key, peer, compute), signal);
    known.scheduler.addPeer(peer);
    return this.#waitForReply<Reply>(known, signal);
  }

  #startRead<Reply>(key: string, peer: object | undefined, compute: RunComputation<Reply>): RunningRead {
    const stop = new AbortController();
    const scheduler = new CooperativeScheduler(stop.signal, peer);
    const { promise: revision, resolve, reject } = Promise.withResolvers<number>();
    let hasStarted = false;
    const start = () => {
      hasStarted = true;
      if (running !== undefined) running.isQueued = false;
      return compute(scheduler, resolve);
    };
    let running: RunningRead | undefined;
    const reply = this.#gate.run(peer, stop.signal, start);
    running = { reply, peer, isQueued: !hasStarted, revision, scheduler, stop, callerCount: 0 };
    this.#running.set(key, running);
    revision.catch(() => {});
    const end = (error?: unknown) => {
      reject(error);
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    reply.then(end, end);
    return running;
  }

  #waitForReply<Reply>(running: RunningRead, signal: AbortSignal | undefined): Promise<Reply> {
    running.callerCount++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        running.callerCount--;
        if (running.callerCount === 0) running.stop.abort(signal?.reason);
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener("abort", leave);
      signal?.addEventListener("abort", leave, { once: true });
      (running.reply as Promise<Reply>).finally(done).then(resolve, reject);
    });
  }
}

async function isReadCurrent(running: RunningRead, revision: () => Promise<number>): Promise<boolean> {
  const seen = await running.revision.catch(() => undefined);
  return seen !== undefined && seen === (await revision());
}
