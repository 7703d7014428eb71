import { callNamed } from "../api/client.ts";
import { callSignedIn } from "../api/sign_in.ts";

/** Calls an RPC of an edit; if the token has expired, asks the person for a new one. @throws CallError. */
export function callEditRpc<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return callSignedIn(() => callNamed<Reply>(rpc, request, signal));
}
