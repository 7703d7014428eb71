import { randomBytes, randomUUID } from "node:crypto";
import type { MessageShape } from "@bufbuild/protobuf";
import { WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { Clock } from "#kernel/clock.ts";
import { ignoreRefusal, OperationError } from "#kernel/errors.ts";
import type { Topology } from "./analysis/topology.ts";
import { type LogVerdict, verifyLog } from "./audit/verify_log.ts";
import {
  type Caller,
  type DcContext,
  type FinishedCall,
  type Principal,
  type ReadReceipt,
  ROLES,
  type Role,
} from "./context.ts";
import { FindingKeeper } from "./finding_keeper.ts";
import { refuse } from "./model/refusal.ts";
import { CooperativeScheduler, IDLE_PEER } from "./operations/answers/cooperative_scheduler.ts";
import { TopologyCache } from "./operations/answers/topology.ts";
import { type HistoryPage, type HistoryParameters, readAuditHistory } from "./operations/audit_history.ts";
import { readDelivery } from "./operations/feed/delivery.ts";
import {
  applyDelivery,
  type DeliveryReceipt,
  type Settlement,
  settleDeadLetter,
} from "./operations/feed/take_delivery.ts";
import { deriveCalendarInstance } from "./operations/planning/windows/window_calendar.ts";
import {
  type InventoryOverview,
  readInventoryOverview,
  readStoredResources,
  type StoredResource,
} from "./operations/route_reads.ts";
import type { ReportRpc, Rpc, WriteSession } from "./operations/rpc.ts";
import { type ChangeStream, ChangeStreams } from "./operations/stream/change_streams.ts";
import { type ExchangeSession, type LoadBatch, loadResources, openExchangeSession } from "./operations/writes/loads.ts";
import { PassedTime } from "./passed_time.ts";
import type { DcReader, DcStore } from "./ports.ts";
import { ReadCalls } from "./read_calls.ts";
import { listAllWindows } from "./read_pages.ts";
import type { LoadViewer, Rasterize } from "./render/render_screen.ts";
import { type LoadOptions, WriteCalls } from "./write_calls.ts";

export { LOG_PROBLEMS } from "./audit/chain.ts";
export type { LogVerdict };

/** The server itself, as the caller that reads verdicts for streams. Other calls run first. */
const STREAM_CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "streams", roles: [], authMethod: "none" },
  peer: IDLE_PEER,
};
/** Name of loads and exchanges in the change log and in metrics. */
export const IMPORT_METHOD = "Import";
const OPEN_WINDOWS_QUERY = { states: [WindowState.PLANNED, WindowState.BEGUN] };

type Message = MessageShape<Rpc["method"]["input"]>;
type Reply = MessageShape<Rpc["method"]["output"]>;

/**
 * The entry point of every RPC, the same for all interfaces: authorizes, runs, audits and counts calls. A
 * refusal is thrown as `OperationError`; any other error is a defect.
 */
export class DcService {
  readonly #context: DcContext;
  readonly #topologies = new TopologyCache();
  readonly #reads: ReadCalls;
  readonly #writes: WriteCalls;
  readonly #streams: ChangeStreams;
  readonly #findingKeeper: FindingKeeper;
  #runningVerification: Promise<LogVerdict> | undefined;

  constructor(context: DcContext) {
    this.#context = context;
    this.#reads = new ReadCalls(context, this.#topologies);
    this.#writes = new WriteCalls(context, this.#topologies);
    this.#streams = new ChangeStreams(context, () => listAllWindows(this, STREAM_CALLER, OPEN_WINDOWS_QUERY));
    this.#findingKeeper = new FindingKeeper({ ...context, topologies: this.#topologies });
  }

  /**
   * Builds the data that reads share, including loads after every single loss, before the first read. Calls run first.
   * @throws the signal's reason once it aborts
   */
  async warmUp(signal: AbortSignal): Promise<void> {
    const between = (reader: DcReader) => new CooperativeScheduler(signal).createYieldingReader(reader);
    const topology = await this.#context.store.read((reader) => this.#topologies.getTopology(between(reader)));
    await this.#topologies.judgeTopology(topology, new CooperativeScheduler(signal, IDLE_PEER));
  }

  /** Returns the inventory's current graphs, for the server's own work. */
  getInventoryGraphs(): Promise<Topology> {
    return this.#context.store.read((reader) => this.#topologies.getTopology(reader));
  }

  /** Stores the starts of findings, until the signal aborts. Only for servers: other processes end after their call. */
  async keepFindingStarts(signal: AbortSignal): Promise<void> {
    await this.#findingKeeper.run(signal);
  }

  /** Stores the starts of the current findings, as a server does every half minute. */
  updateFindingStarts(): Promise<void> {
    return this.#findingKeeper.updateFindingStarts();
  }

  /**
   * Answers one call.
   * @param signal aborts when the caller no longer waits for the reply: a read stops at its next step, a write
   * continues
   * @throws OperationError for a refusal, the signal's reason for an aborted read
   */
  async call(rpc: Rpc, request: Message, caller: Caller, signal?: AbortSignal): Promise<Reply> {
    const answer = async () => {
      authorizeCall(this.#context, { effect: rpc.effect, method: rpc.method.name }, caller);
      if (rpc.effect !== "read") caller.receipt?.spoil();
      if (rpc.effect === "preview") return this.#writes.runPreview(rpc, request, caller, signal);
      if (rpc.effect === "write") return this.#writes.runWrite(rpc, request, caller);
      if (rpc.effect === "report") return this.#runReport(rpc, request, caller);
      return this.#reads.answerRequest(rpc, request, { signal, peer: caller.peer }, caller.receipt);
    };
    return this.#countCall(rpc.method.name, caller, answer, signal);
  }

  /**
   * Answers reads from what an interface has kept of an earlier answer: counts them and returns true if the caller may
   * read and the receipt still holds. Otherwise the interface must ask again.
   */
  async recallReads(receipt: ReadReceipt, caller: Caller): Promise<boolean> {
    const started = performance.now();
    try {
      authorizeCall(this.#context, { effect: "read", method: "" }, caller);
      if (receipt.validity === undefined || !(await this.#reads.isStillValid(receipt.validity))) return false;
    } catch (error) {
      // The caller gets the reason from the next attempt.
      ignoreRefusal(error);
      return false;
    }
    const counted = { interface: caller.interface, outcome: "ok", seconds: (performance.now() - started) / 1000 };
    for (const method of receipt.methods) this.#context.observe({ ...counted, method });
    return true;
  }

  #runReport(rpc: ReportRpc, request: Message, caller: Caller): Promise<Reply> {
    return rpc.run({ context: this.#context, caller, now: this.#context.clock.now().getTime() }, request);
  }

  /** Reads a page of the change log; requires the role of a reader. @throws OperationError for a refusal */
  async readHistory(parameters: HistoryParameters, caller: Caller): Promise<HistoryPage> {
    return this.#authorized("read", "AuditHistory", caller, () =>
      this.#context.store.read((reader) => readAuditHistory(this.#context, reader, parameters)),
    );
  }

  /**
   * Opens a stream of changes after the entry `after`, or after the last one; requires the role of a reader.
   * @throws OperationError for a refusal
   */
  async openChangeStream(after: number | undefined, caller: Caller): Promise<ChangeStream> {
    return this.#authorized("read", "ChangeStream", caller, () =>
      this.#streams.openStream(after, caller.peer ?? caller),
    );
  }

  /** Name of this database in calendars. */
  get calendarInstance(): string {
    return deriveCalendarInstance(this.#context);
  }

  get passedTime(): DcContext["passedTime"] {
    return this.#context.passedTime;
  }

  get openStreamCount(): number {
    return this.#streams.count;
  }

  /**
   * Writes many resources in one transaction: `work` passes them in batches of one kind. An error of `work` rolls all
   * of them back; `work` may run again after a conflict with another transaction.
   */
  async load<Result>(
    work: (batch: LoadBatch) => Promise<Result>,
    caller: Caller,
    options: LoadOptions,
  ): Promise<Result> {
    return this.#runLoad(caller, options, (session) =>
      work(async (kind, messages) => {
        const loaded = await loadResources(session, kind, messages);
        // Flushes after each batch, so that the buffered log entries do not grow with the load.
        await session.changes.flush();
        return loaded;
      }),
    );
  }

  /** Tries a load in a draft, beside which writes continue. The draft keeps all changes in memory. */
  async tryLoad<Result>(
    work: (batch: LoadBatch) => Promise<Result>,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Result> {
    const load = (session: WriteSession) => work((kind, items) => loadResources(session, kind, items));
    return this.#authorized("write", IMPORT_METHOD, caller, () =>
      this.#writes.runTriedLoad(IMPORT_METHOD, caller, load, signal),
    );
  }

  /** Writes one batch of an import from a source, in one transaction. An error of `work` rolls it back. */
  async exchange<Result>(
    work: (session: ExchangeSession) => Promise<Result>,
    caller: Caller,
    options: LoadOptions,
  ): Promise<Result> {
    return this.#runLoad(caller, options, async (session) => {
      const result = await work(openExchangeSession(session));
      await session.changes.flush();
      return result;
    });
  }

  /**
   * Verifies the whole chain of the change log; requires the role of a reader. Calls during a verification share its
   * result, so that frequent calls cost no more. Cost: one hash per entry.
   */
  async verifyHistory(caller: Caller): Promise<LogVerdict> {
    return this.#authorized("read", "AuditVerify", caller, () => this.#verifyLog());
  }

  /** Verifies the whole chain once, as every server does after its start. */
  async checkLog(): Promise<void> {
    await this.#countCall("AuditVerify", { interface: "SYSTEM" }, () => this.#verifyLog());
  }

  #verifyLog(): Promise<LogVerdict> {
    this.#runningVerification ??= this.#context.store
      .read((reader) => verifyLog(new CooperativeScheduler().createYieldingReader(reader)))
      .then((verdict) => {
        this.#context.noteLog?.(verdict);
        return verdict;
      })
      .finally(() => {
        this.#runningVerification = undefined;
      });
    return this.#runningVerification;
  }

  /**
   * Applies a change feed's delivery: `body` is its JSON. The interface has checked the feed's own secret. An event
   * that cannot be parsed becomes a dead letter.
   * @throws OperationError for a refusal
   */
  async applyFeedDelivery(body: unknown, feed: string, caller: Caller): Promise<DeliveryReceipt> {
    return this.#countCall("AuditWebhook", caller, async () => {
      const delivery = await new CooperativeScheduler(undefined, caller.peer).run(readDelivery(body));
      return this.#context.store.write((writer) =>
        applyDelivery({ context: this.#context, caller, feed }, writer, delivery),
      );
    });
  }

  /** Processes a dead letter again, or deletes it. @throws OperationError for a refusal */
  async settleDeadLetter(id: string, how: Settlement, caller: Caller): Promise<DeliveryReceipt | undefined> {
    const source = { context: this.#context, caller };
    return this.#authorized("write", "SettleDeadLetter", caller, () =>
      this.#context.store.write((writer) => settleDeadLetter(source, writer, { id, how })),
    );
  }

  /** Returns totals by site and floor; requires the role of a reader. @throws OperationError for a refusal. */
  async readOverview(caller: Caller): Promise<InventoryOverview> {
    const method = "EstateOverview";
    return this.#authorized("read", method, caller, () =>
      this.#context.store.read(async (reader) => {
        const from = Number.NEGATIVE_INFINITY;
        caller.receipt?.note(method, { revision: await reader.revision(), from, until: Infinity });
        return readInventoryOverview(reader);
      }),
    );
  }

  /**
   * Reads at most 50 stored resources for editing; requires the role of a reader.
   * @throws OperationError for a refusal, such as of a reference that names no resource
   */
  async readStoredResources(refs: readonly string[], caller: Caller): Promise<readonly StoredResource[]> {
    return this.#authorized("read", "StoredResources", caller, () =>
      this.#context.store.read((reader) => readStoredResources(reader, refs)),
    );
  }

  /** Returns the caller and its permissions; open to every principal. @throws OperationError for a refusal */
  async session(caller: Caller): Promise<Session> {
    return this.#countCall("Session", caller, async () => {
      requirePrincipal(this.#context, caller);
      return describeSession(this.#context.authRequired, caller.principal);
    });
  }

  /** Counts a call that is no RPC, and requires a role for its effect. */
  async #authorized<Result>(
    effect: Rpc["effect"],
    method: string,
    caller: Caller,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#countCall(method, caller, async () => {
      authorizeCall(this.#context, { effect, method }, caller);
      return work();
    });
  }

  async #countCall<Result>(
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
      caller.receipt?.spoil();
      if (error instanceof OperationError) outcome = error.kind;
      else if (signal?.aborted === true) outcome = "cancelled";
      throw error;
    } finally {
      const seconds = (performance.now() - started) / 1000;
      this.#context.observe({ method, interface: caller.interface, outcome, seconds });
    }
  }

  /** Rejects a call whose principal lacks the role, before the request is read. @throws OperationError */
  demandRole(effect: Rpc["effect"], method: string, principal: Caller["principal"]): void {
    authorizeCall(this.#context, { effect, method }, principal === undefined ? {} : { principal });
  }

  async #runLoad<Result>(
    caller: Caller,
    options: LoadOptions,
    work: (session: WriteSession) => Promise<Result>,
  ): Promise<Result> {
    return this.#authorized("write", IMPORT_METHOD, caller, () =>
      this.#writes.runSession(IMPORT_METHOD, caller, options, work),
    );
  }
}

/** The caller and its permissions, with the names of the wire. */
interface Session {
  /** False if the operator disabled authentication. */
  readonly auth_required: boolean;
  /** Name of the principal; empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly Role[];
  readonly auth_method: Principal["authMethod"];
}

/** Describes a caller, so that a client offers only operations that the service would accept. */
function describeSession(isAuthRequired: boolean, principal: Principal | undefined): Session {
  return {
    auth_required: isAuthRequired,
    principal: principal?.name ?? "",
    roles: isAuthRequired ? (principal?.roles ?? []) : ROLES,
    auth_method: principal?.authMethod ?? "none",
  };
}

type AuthPolicy = Pick<DcContext, "authRequired">;

/** Requires a principal if tokens are required. @throws OperationError unauthenticated */
function requirePrincipal({ authRequired }: AuthPolicy, { principal }: Pick<Caller, "principal">): void {
  if (!authRequired || principal !== undefined) return;
  throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
}

/** Roles that may make a call, by its effect. */
export const ALLOWED_ROLES: Readonly<Record<Rpc["effect"], readonly Role[]>> = {
  read: ["reader", "writer", "admin"],
  write: ["writer", "admin"],
  preview: ["writer", "admin"],
  report: ["meter", "writer", "admin"],
};

/** Checks the caller's role, before the request is read. @throws OperationError unauthenticated or permission_denied */
function authorizeCall(
  rule: AuthPolicy,
  { effect, method }: { readonly effect: Rpc["effect"]; readonly method: string },
  caller: Pick<Caller, "principal">,
): void {
  requirePrincipal(rule, caller);
  const { principal } = caller;
  if (!rule.authRequired || principal === undefined) return;
  // Principals without roles may read, because subscribers of the calendar have none.
  if (effect === "read" && principal.roles.length === 0) return;
  if (principal.roles.some((role) => ALLOWED_ROLES[effect].includes(role))) return;
  const roles = ALLOWED_ROLES[effect];
  const expected = `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
  throw refuse("PERMISSION_DENIED", `"${principal.name}" may not call ${method}: expected role ${expected}`);
}

export interface ServiceOptions {
  readonly clock: Clock;
  readonly authRequired: boolean;
  readonly observe?: (call: FinishedCall) => void;
  readonly noteLog?: DcContext["noteLog"];
  readonly rasterize?: Rasterize | undefined;
  readonly loadViewer?: LoadViewer | undefined;
}

const PAGE_KEY_SETTING = "page_token_key";

/** Opens the service on a database. The key of page tokens is stored in the database, so that replicas share it. */
export async function openService(
  store: DcStore,
  { clock, authRequired, observe = () => {}, noteLog, rasterize, loadViewer }: ServiceOptions,
): Promise<DcService> {
  // Reads first, because a database on read-only media already has its key and rejects writes.
  const kept = await store.read((reader) => reader.setting(PAGE_KEY_SETTING));
  const pageKey =
    kept ??
    (await store.write(async (writer) => {
      const known = await writer.setting(PAGE_KEY_SETTING);
      if (known !== undefined) return known;
      const made = randomBytes(32).toString("base64url");
      await writer.setSetting(PAGE_KEY_SETTING, made);
      return made;
    }));
  return new DcService({
    store,
    clock,
    passedTime: new PassedTime(clock),
    authRequired,
    pageKey: Buffer.from(pageKey, "base64url"),
    newId: randomUUID,
    observe,
    noteLog,
    rasterize,
    loadViewer,
  });
}
