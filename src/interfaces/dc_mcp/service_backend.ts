import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { findRpc } from "#dc/operations/index.ts";
import type { DcService } from "#dc/service.ts";
import { OperationError } from "#kernel/errors.ts";

/**
 * Returns a backend that calls the service in this process.
 * @param caller by default the person who started the process, who may read everything
 */
export function createServiceBackend(service: DcService, caller: Caller = { interface: "MCP" }): DcBackend {
  return {
    async callRpc<Method extends DescMethodUnary>(
      method: Method,
      request: MessageShape<Method["input"]>,
      signal: AbortSignal | undefined,
    ) {
      const rpc = findRpc(method);
      if (rpc === undefined) throw new OperationError("failed_precondition", `${method.name} is not implemented yet`);
      try {
        return (await service.call(rpc, request, caller, signal)) as MessageShape<Method["output"]>;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const message = addFieldName(error.message, error.violations[0]?.field ?? "");
        throw new OperationError(error.kind, message, { cause: error });
      }
    },
  };
}

/** Adds the field to a refusal's message, because an agent can correct only a field that is named. */
export function addFieldName(message: string, field: string): string {
  return field === "" || message.includes(field) ? message : `${field}: ${message}`;
}

/** Executes the tools' calls: the service in this process, or a remote server. */
export interface DcBackend {
  /** Calls an RPC and returns its reply. @throws OperationError for a refusal */
  callRpc<Method extends DescMethodUnary>(
    method: Method,
    request: MessageShape<Method["input"]>,
    signal: AbortSignal | undefined,
  ): Promise<MessageShape<Method["output"]>>;
}
