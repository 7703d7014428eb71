import type { MessageShape } from "@bufbuild/protobuf";
import { OperationError } from "#kernel/errors.ts";
import { type LogVerdict, verifyLog } from "./audit/verify_log.ts";
import { type Common, checkCommon } from "./common_fields.ts";
import type { Caller, DcContext } from "./context.ts";
import { CurrentReplies } from "./current_replies.ts";
import { refuse } from "./model/refusal.ts";
import { CooperativeScheduler, IDLE } from "./operations/answers/cooperative_scheduler.ts";
import { TopologyCache } from "./operations/answers/topology.ts";
import { auditHistory, type HistoryPage, type HistoryParameters } from "./operations/audit_history.ts";
import { type Settlement, settleDeadLetter } from "./operations/feed/dead_letters.ts";
import { readDelivery } from "./operations/feed/delivery.ts";
import { type Receipt, takeDelivery } from "./operations/feed/take_delivery.ts";
import { type InventoryOverview, inventoryOverview } from "./operations/inventory_overview.ts";
import { encodeReply } from "./operations/messages/encoded_reply.ts";
import type { Previewed, PreviewRpc, ReadRpc, Rpc, WriteRpc, WriteSession } from "./operations/rpc.ts";
import { type Session, sessionOf } from "./operations/session.ts";
import { type ChangeStream, ChangeStreams } from "./operations/stream/change_streams.ts";
import { Changes } from "./operations/writes/changes.ts";
import { type ExchangeSession, exchangeSession } from "./operations/writes/exchange.ts";
import { type LoadBatch, loadResources } from "./operations/writes/load.ts";
import { PeerGate } from "./peer_gate.ts";
import type { DcReader, DcWriter } from "./ports.ts";
import { ReplyCache } from "./reply_cache.ts";
import { RequestKeys } from "./request_keys.ts";
import { RequestMemory } from "./request_memory.ts";
import { type Computation, SharedReads, type Waiting } from "./shared_reads.ts";
import { resultOf, Tried } from "./tried.ts";

export { LOG_PROBLEMS } from "./audit/chain.ts";
export type { LogVerdict };

type Message = MessageShape<Rpc["method"]["input"]>;
type Reply = MessageShape<Rpc["method"]["output"]>;

/** How a load of many resources is recorded in the change log, and whether it is only tried. */
export interface LoadOptions {
  readonly validateOnly: boolean;
  /** A UUID that all entries of the load carry. */
  readonly requestId: string;
  /** Empty for none. */
  readonly message: string;
}

/**
 * The entry point of every RPC, the same for all interfaces: authorise, cache, run, audit, count.
 * A refusal leaves as `OperationError`; anything else thrown is a defect.
 */
export class DcService {
  readonly #context: DcContext;
  readonly #topologies = new TopologyCache();
  readonly #replies = new ReplyCache();
  readonly #keys = new RequestKeys();
  readonly #gate = new PeerGate();
  readonly #shared = new SharedReads();
  readonly #streams: ChangeStreams;
  readonly #current: CurrentReplies;
  #verifying: Promise<LogVerdict> | undefined;

  constructor(context: DcContext) {
    this.#context = context;
    this.#streams = new ChangeStreams(context.store);
    this.#current = new CurrentReplies({
      store: context.store,
      isFollowed: () => this.#streams.count > 0,
      warmUp: (signal) => this.warmUp(signal),
    });
  }

  /**
   * Builds what reads stand on before the first one asks, loads after every single loss included; calls go first.
   * @throws the signal's reason when it is no longer wanted
   */
  async warmUp(signal: AbortSignal): Promise<void> {
    const between = (reader: DcReader) => new CooperativeScheduler(signal).between(reader);
    const topology = await this.#context.store.read((reader) => this.#topologies.at(between(reader)));
    await this.#topologies.judged(topology, new CooperativeScheduler(signal, IDLE));
  }

  /** Answers what is asked for again after changes, until the signal aborts. For a server: others end after their call. */
  keepCurrent(signal: AbortSignal): void {
    this.#current.start(signal);
  }

  /**
   * Answers one call.
   *
   * @param signal says that the caller no longer waits for the answer: a read stops at its next step, a write goes on
   * @throws OperationError for a refusal, the signal's reason for a read that was stopped
   */
  async call(rpc: Rpc, request: Message, caller: Caller, signal?: AbortSignal): Promise<Reply> {
    const answer = async () => {
      this.#authorise(rpc.effect, rpc.method.name, caller);
      if (rpc.effect === "preview") return this.#preview(rpc, request, caller, signal);
      if (rpc.effect === "write") return this.#write(rpc, request, caller);
      if (rpc.staysCurrent?.(request) === true) this.#noteAsked(rpc, request);
      return this.#read(rpc, request, { signal, peer: caller.peer });
    };
    return this.#counted(rpc.method.name, caller, answer, signal);
  }

  #noteAsked(rpc: ReadRpc, request: Message): void {
    this.#current.note(this.#keys.of(rpc, request), (signal) => {
      const answer = () => this.#read(rpc, request, { signal, peer: IDLE });
      return this.#counted(rpc.method.name, { interface: "SYSTEM" }, answer, signal);
    });
  }

  /** Reads the change log back; open to every principal. @throws OperationError for a refusal */
  async history(parameters: HistoryParameters, caller: Caller): Promise<HistoryPage> {
    return this.#counted("AuditHistory", caller, () => {
      this.#demandPrincipal(caller);
      return this.#context.store.read((reader) => auditHistory(this.#context, reader, parameters));
    });
  }

  /**
   * Opens a stream of changes behind the entry `after`, or behind the last one; open to every principal.
   * @throws OperationError for a refusal
   */
  async changeStream(after: number | undefined, caller: Caller): Promise<ChangeStream> {
    return this.#counted("ChangeStream", caller, () => {
      this.#demandPrincipal(caller);
      return this.#streams.open(after, caller.peer ?? caller);
    });
  }

  /** How many streams of changes are open. */
  get openStreams(): number {
    return this.#streams.count;
  }

  /**
   * Writes many resources in one transaction: `work` gives them in batches of one kind. What it throws undoes all of
   * them; it may be run again when the transaction lost against another one.
   */
  async load<Result>(
    work: (batch: LoadBatch) => Promise<Result>,
    caller: Caller,
    options: LoadOptions,
  ): Promise<Result> {
    return this.#inOneWrite(caller, options, (session) =>
      work(async (kind, messages) => {
        const loaded = await loadResources(session, kind, messages);
        // Batch by batch, so that what waits for the log does not grow with the load.
        await session.changes.flush();
        return loaded;
      }),
    );
  }

  /** Writes one batch of an import that follows a source, in one transaction. What `work` throws undoes it. */
  async exchange<Result>(
    work: (session: ExchangeSession) => Promise<Result>,
    caller: Caller,
    options: LoadOptions,
  ): Promise<Result> {
    return this.#inOneWrite(caller, options, async (session) => {
      const result = await work(exchangeSession(session));
      await session.changes.flush();
      return result;
    });
  }

  /**
   * Walks the change log's whole chain; open to every principal. A call during a walk gets that walk's
   * verdict, so that asking often costs no more. Cost: one hash per entry.
   */
  async verifyHistory(caller: Caller): Promise<LogVerdict> {
    return this.#counted("AuditVerify", caller, () => {
      this.#demandPrincipal(caller);
      this.#verifying ??= this.#context.store
        .read((reader) => verifyLog(new CooperativeScheduler().between(reader)))
        .finally(() => {
          this.#verifying = undefined;
        });
      return this.#verifying;
    });
  }

  /**
   * Takes a change feed's delivery: `body` is its JSON. The interface has checked the feed's own secret.
   * @throws OperationError for a refusal; an event that cannot be understood is kept aside instead
   */
  async changeFeed(body: unknown, feed: string, caller: Caller): Promise<Receipt> {
    return this.#counted("AuditWebhook", caller, () => {
      const delivery = readDelivery(body);
      return this.#context.store.write((writer) =>
        takeDelivery({ context: this.#context, caller, feed }, writer, delivery),
      );
    });
  }

  /** Takes an event that was kept aside, or throws it away. @throws OperationError for a refusal */
  async settleDeadLetter(id: string, how: Settlement, caller: Caller): Promise<Receipt | undefined> {
    const method = "SettleDeadLetter";
    return this.#counted(method, caller, () => {
      this.#authorise("write", method, caller);
      const source = { context: this.#context, caller };
      return this.#context.store.write((writer) => settleDeadLetter(source, writer, { id, how }));
    });
  }

  /** What there is, by site and floor; open to every principal. @throws OperationError for a refusal */
  async overview(caller: Caller): Promise<InventoryOverview> {
    return this.#counted("EstateOverview", caller, async () => {
      this.#demandPrincipal(caller);
      const key = "EstateOverview";
      const known = await this.#kept<InventoryOverview>(key);
      if (known !== undefined) return known;
      return this.#context.store.read(async (reader) => {
        const revision = await reader.revision();
        const reply = await inventoryOverview(reader);
        this.#replies.keep(key, { reply, bytes: JSON.stringify(reply).length, until: Infinity }, revision);
        return reply;
      });
    });
  }

  /** Says who calls and what they may do; open to every principal. @throws OperationError for a refusal */
  async session(caller: Caller): Promise<Session> {
    return this.#counted("Session", caller, async () => {
      this.#demandPrincipal(caller);
      return sessionOf(this.#context.authRequired, caller.principal);
    });
  }

  async #counted<Result>(
    method: string,
    caller: Caller,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const started = performance.now();
    let outcome = "internal";
    try {
      const result = await work();
      outcome = "ok";
      return result;
    } catch (error) {
      if (error instanceof OperationError) outcome = error.kind;
      else if (signal?.aborted === true) outcome = "cancelled";
      throw error;
    } finally {
      const seconds = (performance.now() - started) / 1000;
      this.#context.observe({ method, interface: caller.interface, outcome, seconds });
    }
  }

  /** Refuses a call that its principal may not make, before the request is read. @throws OperationError */
  demandRole({ effect, method }: Rpc, principal: Caller["principal"]): void {
    this.#authorise(effect, method.name, principal === undefined ? {} : { principal });
  }

  #demandPrincipal({ principal }: Pick<Caller, "principal">): void {
    if (!this.#context.authRequired || principal !== undefined) return;
    throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
  }

  /** Reads are open to every principal, writes to writers and admins; asked before anything is looked up. */
  #authorise(effect: Rpc["effect"], method: string, caller: Pick<Caller, "principal">): void {
    this.#demandPrincipal(caller);
    const { principal } = caller;
    if (effect === "read" || principal === undefined) return;
    if (!this.#context.authRequired || principal.roles.includes("writer") || principal.roles.includes("admin")) return;
    throw refuse("PERMISSION_DENIED", `"${principal.name}" may not call ${method}: expected role writer or admin`);
  }

  async #read(rpc: ReadRpc, request: Message, waiting: Waiting): Promise<Reply> {
    const key = this.#keys.of(rpc, request);
    const known = await this.#kept<Reply>(key);
    if (known !== undefined) return known;
    const revision = () => this.#context.store.revision();
    const compute = this.#computation(rpc, request, key);
    // The same question may have been answered while this call waited.
    return this.#gate.run(waiting.peer, waiting.signal, async () => {
      const answered = await this.#kept<Reply>(key);
      return answered ?? this.#shared.run(key, waiting, { revision, compute });
    });
  }

  /** Answers a read that no kept reply answers. @param key of the reply in the cache */
  #computation(rpc: ReadRpc, request: Message, key: string): Computation<Reply> {
    const answer = async (scheduler: CooperativeScheduler, atRevision: (seen: number) => void, whole: DcReader) => {
      const now = this.#context.clock.now().toISOString();
      const reader = scheduler.between(whole);
      const revision = await reader.revision();
      atRevision(revision);
      // Others may wait for the same topology, so that it is built to its end.
      const topology = () => this.#topologies.at(whole, revision);
      const judgedTopology = async () => this.#topologies.judged(await topology(), scheduler);
      let until = Number.POSITIVE_INFINITY;
      const lapsesAt = (moment: number) => {
        until = Math.min(until, moment);
      };
      const graphs = { topology, judgedTopology };
      const session = { context: this.#context, reader, scheduler, ...graphs, now, lapsesAt };
      const reply = await rpc.run(session, request);
      const { length } = await scheduler.run(encodeReply(rpc, reply));
      this.#replies.keep(key, { reply, bytes: length, until }, revision);
      return reply;
    };
    return (scheduler, atRevision) => this.#context.store.read((whole) => answer(scheduler, atRevision, whole));
  }

  /** The answer that was kept and still holds. The database is asked for no more than its revision. */
  async #kept<Reply>(key: string): Promise<Reply | undefined> {
    if (!this.#replies.has(key)) return undefined;
    const revision = await this.#context.store.revision();
    return this.#replies.find(key, revision, this.#context.clock.now().getTime());
  }

  async #write(rpc: WriteRpc, request: Message, caller: Caller): Promise<Reply> {
    const common = request as unknown as Common;
    checkCommon(common);
    return resultOf(this.#context.store.write((writer) => this.#transact(rpc, request, caller, writer)));
  }

  /** Makes changes in a transaction that is rolled back, and answers what they would do. */
  async #preview(rpc: PreviewRpc, request: Message, caller: Caller, signal: AbortSignal | undefined): Promise<Reply> {
    const context = this.#context;
    // A topology that is built or judged within the transaction would keep other writes waiting.
    const scheduler = new CooperativeScheduler(signal, caller.peer);
    await context.store.read(async (reader) => this.#topologies.judged(await this.#topologies.at(reader), scheduler));
    const work = await resultOf<Previewed<PreviewRpc["method"]>>(
      context.store.write(async (writer) => {
        const revision = await writer.revision();
        const topology = await this.#topologies.judged(await this.#topologies.at(writer, revision), scheduler);
        const now = context.clock.now().toISOString();
        const origin = { context, caller, method: rpc.method.name, requestId: context.newId(), message: "", now };
        const changes = new Changes(writer, origin);
        const session = { context, caller, writer, changes, now, revision, topology };
        throw new Tried(await rpc.run(session, request));
      }),
    );
    return work(scheduler);
  }

  async #inOneWrite<Result>(
    caller: Caller,
    { validateOnly, requestId, message }: LoadOptions,
    work: (session: WriteSession) => Promise<Result>,
  ): Promise<Result> {
    const context = this.#context;
    const method = "Import";
    return this.#counted(method, caller, async () => {
      this.#authorise("write", method, caller);
      const written = context.store.write(async (writer) => {
        const now = context.clock.now().toISOString();
        const changes = new Changes(writer, { context, caller, method, requestId, message, now });
        const result = await work({ context, caller, writer, changes, now });
        if (validateOnly) throw new Tried(result);
        return result;
      });
      return resultOf(written);
    });
  }

  async #transact(rpc: WriteRpc, request: Message, caller: Caller, writer: DcWriter): Promise<Reply> {
    const { requestId, validateOnly, changeMessage } = request as unknown as Common;
    const remembered = new RequestMemory(rpc, request, { caller, writer, now: this.#context.clock.now() });
    const known = await remembered.recall(requestId);
    if (known !== undefined) return known;
    const now = this.#context.clock.now().toISOString();
    const changes = new Changes(writer, {
      context: this.#context,
      caller,
      method: rpc.method.name,
      requestId: requestId === "" ? this.#context.newId() : requestId,
      message: changeMessage,
      now,
    });
    const reply = await rpc.run({ context: this.#context, caller, writer, changes, now }, request);
    if (validateOnly) throw new Tried(reply);
    await changes.flush();
    await remembered.keep(requestId, reply);
    return reply;
  }
}
