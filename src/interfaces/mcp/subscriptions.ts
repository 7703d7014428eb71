import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_SUBSCRIPTIONS } from "./limits.ts";
import { errorLine, type Id, RPC_CODE, resultLine } from "./messages.ts";
import type { Request } from "./protocol.ts";
import { type ServerInfo, SUBSCRIPTION_KEY, stamped } from "./revision.ts";

/**
 * The open `subscriptions/listen` requests. The tool list is static, so each is acknowledged, never gets an update,
 * remains open as the protocol requires, and ends with a cancellation or with the server. Source: MCP 2026-07-28,
 * Subscriptions.
 */
export class Subscriptions {
  readonly #info: ServerInfo;
  readonly #open = new Set<Id>();

  constructor(info: ServerInfo) {
    this.#info = info;
  }

  /** Opens a subscription. Returns the line that acknowledges or rejects it. */
  listen({ id, params }: Request): string {
    if (!isJsonObject(params["notifications"])) {
      return invalidParams(id, "Invalid params: expected an object as notifications");
    }
    if (this.#open.size >= MAX_SUBSCRIPTIONS) {
      return invalidParams(id, `Invalid params: expected at most ${MAX_SUBSCRIPTIONS} open subscriptions`);
    }
    this.#open.add(id);
    return JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [SUBSCRIPTION_KEY]: id }, notifications: {} },
    });
  }

  cancel(id: unknown): void {
    this.#open.delete(id as Id);
  }

  /** Ends them all and returns their answers. */
  end(): readonly string[] {
    const lines = [...this.#open].map((id) =>
      resultLine(id, JSON.stringify(stamped({ _meta: { [SUBSCRIPTION_KEY]: id } }, "stateless", this.#info))),
    );
    this.#open.clear();
    return lines;
  }
}

function invalidParams(id: Id, message: string): string {
  return errorLine(id, { code: RPC_CODE.invalidParams, message });
}
