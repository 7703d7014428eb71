import { CallError, callNamed } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";

/** Makes a call of an edit; asks for a token when the old one has expired. @throws CallError */
export function ask<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return signedIn(() => callNamed<Reply>(rpc, request, signal));
}

/** What a call threw, as an error that can be shown. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError("internal", "The answer could not be read");
}
