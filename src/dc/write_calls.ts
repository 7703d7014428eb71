import { createHash } from "node:crypto";
import { fromJson, type MessageShape, toJson } from "@bufbuild/protobuf";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import { TaskSlots } from "#kernel/slots.ts";
import { runAllSteps } from "#kernel/steps.ts";
import type { Topology } from "./analysis/topology.ts";
import type { Caller, DcContext } from "./context.ts";
import { MAX_CHANGE_MESSAGE_CHARS } from "./limits.ts";
import { refuse } from "./model/refusal.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import { fitFigures } from "./operations/messages/convert.ts";
import { detailRegistry } from "./operations/messages/status.ts";
import type { PreviewRpc, ReplyAfterPreview, WriteRpc, WriteSession } from "./operations/rpc.ts";
import { ChangeRecorder } from "./operations/writes/changes.ts";
import type { DcWriter } from "./ports.ts";

/** Thrown to roll back a dry run; contains its reply. */
class DryRunRollback<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super("Tried only");
    this.result = result;
  }
}

/** Returns the result of a transaction, or the reply of a dry run. */
async function unwrapDryRun<Result>(transaction: Promise<Result>): Promise<Result> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof DryRunRollback) return error.result;
    throw error;
  }
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Fields that every mutation has in addition to its own. */
interface CommonFields {
  readonly requestId: string;
  /** Absent, as the message is, for mutations without log entries. */
  readonly validateOnly?: boolean;
  readonly changeMessage?: string;
}

/** Checks the common fields of a change. @throws Refusal FIELD_OUT_OF_RANGE */
function requireValidCommonFields({ requestId, changeMessage = "" }: CommonFields): void {
  if (requestId !== "" && !UUID_PATTERN.test(requestId)) {
    throw refuse("FIELD_OUT_OF_RANGE", `Cannot read request_id "${requestId}": expected a UUID`, {
      field: "request_id",
      value: requestId,
      expected: "a UUID",
    });
  }
  if (changeMessage.length <= MAX_CHANGE_MESSAGE_CHARS && !changeMessage.includes("\0")) return;
  const expected = `at most ${MAX_CHANGE_MESSAGE_CHARS} characters, none of them U+0000`;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot take the change message: expected ${expected}`, {
    field: "change_message",
    value: `${changeMessage.length} characters`,
    expected,
  });
}

type Message = MessageShape<WriteRpc["method"]["input"]>;
type Reply = MessageShape<WriteRpc["method"]["output"]>;

/** Data of a preview that stay valid after its transaction. */
interface DraftedPreview {
  readonly work: ReplyAfterPreview<PreviewRpc["method"]>;
  readonly topology: Topology;
}

/** Audit metadata of a bulk load, and whether it is a dry run. */
export interface LoadOptions {
  readonly validateOnly: boolean;
  /** A UUID that is stored in all entries of the load. */
  readonly requestId: string;
  /** The message of all entries of the load in the change log; empty for none. */
  readonly message: string;
}

/** Writes and previews of writes, each in one transaction of the store. */
export class WriteCalls {
  readonly #context: DcContext;
  readonly #topologies: TopologyCache;
  /** Runs one draft at a time, because each keeps its changes in memory. */
  readonly #drafts = new TaskSlots(1);
  /** Runs one tried load at a time. Other drafts do not wait for it, because it is long. */
  readonly #triedLoads = new TaskSlots(1);

  constructor(context: DcContext, topologies: TopologyCache) {
    this.#context = context;
    this.#topologies = topologies;
  }

  /** Runs a write in one transaction; `validate_only` rolls it back. */
  async runWrite(rpc: WriteRpc, request: Message, caller: Caller): Promise<Reply> {
    const common = request as unknown as CommonFields;
    requireValidCommonFields(common);
    const { store } = this.#context;
    const work = (writer: DcWriter) => this.#runTransaction(rpc, request, caller, writer);
    return common.validateOnly === true
      ? this.#drafts.runInSlot(() => unwrapDryRun(store.draft(work)))
      : store.write(work);
  }

  /** Applies changes in a draft, and returns their effects. */
  async runPreview(rpc: PreviewRpc, request: Message, caller: Caller, signal: AbortSignal | undefined): Promise<Reply> {
    const context = this.#context;
    // Built and judged outside of the draft, so that other drafts do not wait for it.
    const scheduler = new CooperativeScheduler(signal, caller.peer);
    await context.store.read(async (reader) =>
      this.#topologies.judgeTopology(await this.#topologies.getTopology(reader), scheduler),
    );
    const draft = () =>
      context.store.draft(async (writer): Promise<DraftedPreview> => {
        const revision = await writer.revision();
        const topology = await this.#topologies.getTopology(writer, revision);
        const logged = { method: rpc.method.name, requestId: context.newId(), message: "" };
        const session = { ...this.#openSession(writer, caller, logged), revision, topology };
        return { work: await rpc.run(session, request), topology };
      });
    const { work, topology } = await this.#drafts.runInSlot(draft, signal);
    // Another change may have been committed since the read. Its loads are computed here, where no other draft waits
    // for them.
    await this.#topologies.judgeTopology(topology, scheduler);
    const reply = await work(scheduler);
    await scheduler.run(fitFigures(rpc.method.output, reply));
    return reply;
  }

  /** Runs `work` in one transaction that is logged under `method`. */
  async runSession<Result>(
    method: string,
    caller: Caller,
    { validateOnly, requestId, message }: LoadOptions,
    work: (session: WriteSession) => Promise<Result>,
  ): Promise<Result> {
    const written = this.#context.store.write(async (writer) => {
      const result = await work(this.#openSession(writer, caller, { method, requestId, message }));
      if (validateOnly) throw new DryRunRollback(result);
      return result;
    });
    return unwrapDryRun(written);
  }

  /** Runs `work` in a draft, beside which writes continue, and discards its changes. */
  runTriedLoad<Result>(
    method: string,
    caller: Caller,
    work: (session: WriteSession) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const logged = { method, requestId: this.#context.newId(), message: "" };
    const draft = () => this.#context.store.draft((writer) => work(this.#openSession(writer, caller, logged)));
    return this.#triedLoads.runInSlot(draft, signal);
  }

  async #runTransaction(rpc: WriteRpc, request: Message, caller: Caller, writer: DcWriter): Promise<Reply> {
    const { requestId, validateOnly, changeMessage = "" } = request as unknown as CommonFields;
    const { clock, passedTime } = this.#context;
    if (requestId !== "" && validateOnly !== true) await passedTime.count(writer);
    const remembered = new RequestMemory(rpc, request, { caller, writer, now: clock.now() });
    const known = await remembered.findReply(requestId);
    if (known !== undefined) return known;
    const logged = { method: rpc.method.name, requestId: requestId || this.#context.newId(), message: changeMessage };
    const session = this.#openSession(writer, caller, logged);
    const reply = await rpc.run(session, request);
    runAllSteps(fitFigures(rpc.method.output, reply));
    if (validateOnly === true) throw new DryRunRollback(reply);
    await session.changes.flush();
    await remembered.storeReply(requestId, reply);
    return reply;
  }

  #openSession(
    writer: DcWriter,
    caller: Caller,
    logged: { readonly method: string; readonly requestId: string; readonly message: string },
  ): WriteSession {
    const context = this.#context;
    const now = context.clock.now().toISOString();
    return { context, caller, writer, changes: new ChangeRecorder(writer, { context, caller, now, ...logged }), now };
  }
}

interface MemorySession {
  readonly caller: Caller;
  readonly writer: DcWriter;
  readonly now: Date;
}

/**
 * Stores the reply of a request_id, and returns it again for the repeated request. Source: AIP-155;
 * docs/contract/datacenter-messages.md#common-fields-of-changes.
 */
class RequestMemory {
  readonly #rpc: WriteRpc;
  readonly #session: MemorySession;
  readonly #request: Message;

  constructor(rpc: WriteRpc, request: Message, session: MemorySession) {
    this.#rpc = rpc;
    this.#request = request;
    this.#session = session;
  }

  /** Returns the stored reply of a repeated request. @throws Refusal if the id was used for another request */
  async findReply(requestId: string): Promise<Reply | undefined> {
    if (requestId === "") return undefined;
    const known = await this.#session.writer.remembered(this.#formatPrincipal(), requestId);
    if (known === undefined) return undefined;
    const { method } = this.#rpc;
    if (known.method !== method.name || known.fingerprint !== this.#computeFingerprint()) {
      throw refuse("REQUEST_ID_REUSED", `request_id "${requestId}" was used for another request`, {
        field: "request_id",
        value: requestId,
        expected: "a new UUID",
      });
    }
    return fromJson(method.output, JSON.parse(known.reply), { registry: detailRegistry });
  }

  async storeReply(requestId: string, reply: Reply): Promise<void> {
    if (requestId === "") return;
    const { writer, now } = this.#session;
    await writer.remember({
      principal: this.#formatPrincipal(),
      requestId,
      method: this.#rpc.method.name,
      fingerprint: this.#computeFingerprint(),
      reply: JSON.stringify(toJson(this.#rpc.method.output, reply, { registry: detailRegistry })),
      createdAt: now.toISOString(),
    });
  }

  /** Returns the principal with its authentication method: a token and a JWT of one name are two principals. */
  #formatPrincipal(): string {
    const { principal } = this.#session.caller;
    return principal === undefined ? "none anonymous" : `${principal.authMethod} ${principal.name}`;
  }

  #computeFingerprint(): string {
    return createHash("sha256")
      .update(formatCanonicalJson(toJson(this.#rpc.method.input, this.#request)))
      .digest("hex");
  }
}
