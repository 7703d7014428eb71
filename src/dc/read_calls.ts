import { type MessageShape, toBinary } from "@bufbuild/protobuf";
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
import { PeerReadLimiter, type RunComputation, SharedReads, type WaitingCaller } from "./shared_reads.ts";

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
