import { CallError, callNamed } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";
import type { Call } from "./requests.ts";

/** Makes a call of an edit; asks for a token when the old one has expired. @throws CallError */
export function ask<Reply>({ service, rpc, request }: Call, signal?: AbortSignal): Promise<Reply> {
  return signedIn(() => callNamed<Reply>(`${service}/${rpc}`, request, signal));
}

/** What a call threw, as an error that can be shown. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError("internal", "The answer could not be read");
}
