import type { DescMethod, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { SERVICES } from "#dc/operations/index.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { DcService } from "#dc/service.ts";
import { callerOf } from "./caller.ts";
import { type ReportDefect, toConnectError } from "./errors.ts";
import { BINARY_OPTIONS, jsonOptions } from "./json_options.ts";
import { largeRequest } from "./json_reading.ts";

/** Serves every RPC of the table by the service; methods without a row answer `unimplemented`. */
export function datacenterRoutes(router: ConnectRouter, service: DcService, report: ReportDefect): void {
  for (const { service: desc, rpcs } of SERVICES) {
    for (const method of desc.methods)
      serveMethod(router, service, { method, rpc: rpcs.find((one) => one.method === method) }, report);
  }
}

function serveMethod(
  router: ConnectRouter,
  service: DcService,
  { method, rpc }: { readonly method: DescMethod; readonly rpc: Rpc | undefined },
  report: ReportDefect,
): void {
  if (rpc === undefined) {
    router.rpc(method as DescMethodUnary, () => {
      throw new ConnectError(`${method.name} is not implemented yet`, Code.Unimplemented);
    });
    return;
  }
  type Request = MessageShape<Rpc["method"]["input"]>;
  const answer = (read: Request, context: HandlerContext) => {
    const request = (largeRequest() as Request | undefined) ?? read;
    const work = service.call(rpc, request, callerOf(context), context.signal);
    return untilAborted(context.signal, work).catch((error: unknown) => {
      throw toConnectError(error, (defect) => report(rpc.method.name, defect));
    });
  };
  router.rpc(rpc.method, answer, { jsonOptions: jsonOptions(rpc), binaryOptions: BINARY_OPTIONS });
}

/**
 * Resolves with the result, or rejects when the deadline passes or the caller disconnects. A write that has begun
 * completes anyway; a repetition with its request_id returns the result.
 */
function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
