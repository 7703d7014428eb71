import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";

/** A refusal's message with the field that it is about, which an agent can only correct when it is named. */
export function namingField(message: string, field: string): string {
  return field === "" || message.includes(field) ? message : `${field}: ${message}`;
}

/** Executes the tools' calls: the service in this process, or a remote server. */
export interface DcBackend {
  /** @throws OperationError for a refusal */
  ask<Method extends DescMethodUnary>(
    method: Method,
    request: MessageShape<Method["input"]>,
    signal: AbortSignal | undefined,
  ): Promise<MessageShape<Method["output"]>>;
}
