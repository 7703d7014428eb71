import { callNamed } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";

/** Makes a call of an edit; asks for a token when the old one has expired. @throws CallError */
export function ask<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return signedIn(() => callNamed<Reply>(rpc, request, signal));
}
