import { createHash } from "node:crypto";
import { fromJson, type MessageShape, toJson } from "@bufbuild/protobuf";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import type { Caller } from "./context.ts";
import { refuse } from "./model/refusal.ts";
import { detailRegistry } from "./operations/messages/status.ts";
import type { Rpc, WriteRpc } from "./operations/rpc.ts";
import type { DcWriter } from "./ports.ts";

type Message = MessageShape<Rpc["method"]["input"]>;
type Reply = MessageShape<Rpc["method"]["output"]>;

interface MemorySession {
  readonly caller: Caller;
  readonly writer: DcWriter;
  readonly now: Date;
}

/**
 * Stores the reply of a request_id, and returns it again for the repeated request. Source: AIP-155;
 * docs/contract/datacenter-messages.md#common-fields-of-changes.
 */
export class RequestMemory {
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
