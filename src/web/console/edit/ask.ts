import { callRpcByName } from "../api/client.ts";
import { callWithSignIn } from "../api/sign_in.ts";

/** Calls an RPC of an edit; if the token has expired, asks the person for a new one. @throws CallError. */
export function callEditRpc<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return callWithSignIn(() => callRpcByName<Reply>(rpc, request, signal));
}
