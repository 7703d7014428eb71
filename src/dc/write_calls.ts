import type { MessageShape } from "@bufbuild/protobuf";
import type { Topology } from "./analysis/topology.ts";
import { type Common, checkCommon } from "./common_fields.ts";
import type { Caller, DcContext } from "./context.ts";
import { CooperativeScheduler } from "./operations/answers/cooperative_scheduler.ts";
import type { TopologyCache } from "./operations/answers/topology.ts";
import type { Previewed, PreviewRpc, WriteRpc, WriteSession } from "./operations/rpc.ts";
import { Changes } from "./operations/writes/changes.ts";
import type { DcWriter } from "./ports.ts";
import { RequestMemory } from "./request_memory.ts";
import { resultOf, Tried } from "./tried.ts";

type Message = MessageShape<WriteRpc["method"]["input"]>;
type Reply = MessageShape<WriteRpc["method"]["output"]>;

/** What a preview takes from its transaction. */
interface Drafted {
  readonly work: Previewed<PreviewRpc["method"]>;
  readonly topology: Topology;
}

/** How a load of many resources is recorded in the change log, and whether it is only tried. */
export interface LoadOptions {
  readonly validateOnly: boolean;
  /** A UUID that all entries of the load carry. */
  readonly requestId: string;
  /** Empty for none. */
  readonly message: string;
}

/** Writes and previews of writes, each in one transaction of the store. */
export class WriteCalls {
  readonly #context: DcContext;
  readonly #topologies: TopologyCache;

  constructor(context: DcContext, topologies: TopologyCache) {
    this.#context = context;
    this.#topologies = topologies;
  }

  /** Runs a write in one transaction; `validate_only` rolls it back. */
  async write(rpc: WriteRpc, request: Message, caller: Caller): Promise<Reply> {
    const common = request as unknown as Common;
    checkCommon(common);
    return resultOf(this.#context.store.write((writer) => this.#transact(rpc, request, caller, writer)));
  }

  /** Makes changes in a transaction that is rolled back, and answers what they would do. */
  async preview(rpc: PreviewRpc, request: Message, caller: Caller, signal: AbortSignal | undefined): Promise<Reply> {
    const context = this.#context;
    // A topology that is built or judged within the transaction would keep other writes waiting.
    const scheduler = new CooperativeScheduler(signal, caller.peer);
    await context.store.read(async (reader) => this.#topologies.judged(await this.#topologies.at(reader), scheduler));
    const { work, topology } = await resultOf(
      context.store.write(async (writer): Promise<Drafted> => {
        const revision = await writer.revision();
        const topology = await this.#topologies.at(writer, revision);
        const now = context.clock.now().toISOString();
        const origin = { context, caller, method: rpc.method.name, requestId: context.newId(), message: "", now };
        const changes = new Changes(writer, origin);
        const session = { context, caller, writer, changes, now, revision, topology };
        throw new Tried({ work: await rpc.run(session, request), topology });
      }),
    );
    // Another change may have come since the read. Its loads are judged here, where no other write waits for them.
    await this.#topologies.judged(topology, scheduler);
    return work(scheduler);
  }

  /** Runs `work` in one transaction that is logged under `method`. */
  async session<Result>(
    method: string,
    caller: Caller,
    { validateOnly, requestId, message }: LoadOptions,
    work: (session: WriteSession) => Promise<Result>,
  ): Promise<Result> {
    const context = this.#context;
    const written = context.store.write(async (writer) => {
      const now = context.clock.now().toISOString();
      const changes = new Changes(writer, { context, caller, method, requestId, message, now });
      const result = await work({ context, caller, writer, changes, now });
      if (validateOnly) throw new Tried(result);
      return result;
    });
    return resultOf(written);
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
