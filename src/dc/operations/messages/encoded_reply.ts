import type { Steps } from "#kernel/steps.ts";
import type { ReadRpc } from "../rpc.ts";
import { binaryInSteps } from "./pieces.ts";

type Reply = Awaited<ReturnType<ReadRpc["run"]>>;

/** Replies in binary, as long as they live. */
const encoded = new WeakMap<Reply, Uint8Array>();

/** Encodes a reply that is no longer modified, and stores the bytes with it. */
export function* encodeReply({ method }: ReadRpc, reply: Reply): Steps<Uint8Array> {
  const bytes = yield* binaryInSteps(method.output, reply);
  encoded.set(reply, bytes);
  return bytes;
}

/** Returns the bytes of a reply that was encoded before. */
export function encodedReply(reply: Reply): Uint8Array | undefined {
  return encoded.get(reply);
}
