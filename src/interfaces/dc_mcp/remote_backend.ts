import type { DescService } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { SERVICES } from "#dc/operations/index.ts";
import { ErrorInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { ERROR_KINDS, type ErrorKind, OperationError } from "#kernel/errors.ts";
import { addFieldName, type DcBackend } from "./service_backend.ts";

export interface RemoteServer {
  readonly url: string;
  readonly token: string | undefined;
  readonly timeoutMs: number;
}

/** Returns a backend that calls a running server with Connect over HTTP/1.1. */
export function createRemoteBackend({ url, token, timeoutMs }: RemoteServer): DcBackend {
  const transport = createConnectTransport({ httpVersion: "1.1", baseUrl: url, defaultTimeoutMs: timeoutMs });
  const clients = new Map<string, object>(
    SERVICES.map(({ service }) => [service.typeName, createClient(service as DescService, transport)]),
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async callRpc(method, request, signal) {
      const call = Reflect.get(clients.get(method.parent.typeName) ?? {}, method.localName);
      try {
        return await call(request, { headers, ...(signal !== undefined && { signal }) });
      } catch (error) {
        throw translateError(error, url);
      }
    },
  };
}

function translateError(error: unknown, url: string): unknown {
  if (!(error instanceof ConnectError)) return error;
  const kind = ERROR_KINDS.find((one) => one === codeToString(error.code));
  // The error of an unreachable server has no message.
  if (kind === "unavailable") return new OperationError(kind, `${url}: ${error.rawMessage}`, { cause: error });
  const [info] = error.findDetails(ErrorInfoSchema);
  const message = addFieldName(error.rawMessage, info?.metadata["field"] ?? "");
  return new OperationError(kind ?? ("unavailable" satisfies ErrorKind), message, { cause: error });
}
