import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";

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
