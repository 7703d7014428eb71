import type { MessageShape } from "@bufbuild/protobuf";
import { encodeEnvelope, envelopeCompress } from "@connectrpc/connect/protocol";
import { contentTypeUnaryJson } from "@connectrpc/connect/protocol-connect";
import { encodedReply } from "#dc/operations/messages/encoded_reply.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import { COMPRESS_MIN_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";
import type { PlainCall } from "./plain_call.ts";

type Reply = MessageShape<Rpc["method"]["output"]>;

/** The body of an answer as it goes over the wire: for gRPC one envelope. */
export interface SentBody {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

/** By answer and by form: the service gives the same answer again while nothing changes. */
const sent = new WeakMap<Reply, Map<string, SentBody>>();

function formOf({ contentType, compression }: PlainCall): string {
  return compression === null ? contentType : `${contentType} ${compression.name}`;
}

/** The body that was made before for the same answer. */
export function knownBody(call: PlainCall, reply: Reply): SentBody | undefined {
  return sent.get(reply)?.get(formOf(call));
}

/** Makes the body, and remembers it as long as the answer lives. Cost: writing the message, and its compression. */
export async function makeBody(call: PlainCall, reply: Reply): Promise<SentBody> {
  const made = await written(call, reply);
  const forms = sent.get(reply) ?? new Map<string, SentBody>();
  sent.set(reply, forms.set(formOf(call), made));
  return made;
}

async function written({ method, protocol, contentType, compression }: PlainCall, reply: Reply): Promise<SentBody> {
  const bytes = bytesOf(method, reply, contentType === contentTypeUnaryJson);
  if (protocol === "grpc") {
    const { flags, data } = await envelopeCompress({ flags: 0, data: bytes }, compression, COMPRESS_MIN_BYTES);
    return { bytes: encodeEnvelope(flags, data), isCompressed: flags !== 0 };
  }
  if (compression === null || bytes.length < COMPRESS_MIN_BYTES) return { bytes, isCompressed: false };
  return { bytes: await compression.compress(bytes), isCompressed: true };
}

/** A read encodes its reply once, to know its size; a reply above the limit is left to the library, which refuses it. */
function bytesOf({ messages }: PlainCall["method"], reply: Reply, isJson: boolean): Uint8Array {
  const known = isJson ? undefined : encodedReply(reply);
  return known !== undefined && known.length <= MAX_MESSAGE_BYTES ? known : messages.getO(!isJson).serialize(reply);
}
