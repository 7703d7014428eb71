import type { MessageShape } from "@bufbuild/protobuf";
import { encodeEnvelope, envelopeCompress } from "@connectrpc/connect/protocol";
import { contentTypeUnaryJson } from "@connectrpc/connect/protocol-connect";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { encodeBinaryInSteps, encodeJsonInSteps, findEncodedReply } from "#dc/operations/messages/pieces.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { Steps } from "#kernel/steps.ts";
import { JSON_OPTIONS } from "./json_options.ts";
import { COMPRESS_MIN_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";
import type { PlainCall } from "./plain_call.ts";

type RpcOutputMessage = MessageShape<Rpc["method"]["output"]>;

/** Body of a reply as sent: for gRPC, one envelope. */
export interface SentBody {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

interface BodyEncoding {
  readonly body: Promise<SentBody>;
  readonly scheduler: CooperativeScheduler;
}

/** Encoded bodies by reply and by form. The service returns the same reply until the inventory changes. */
const encodedBodies = new WeakMap<RpcOutputMessage, Map<string, BodyEncoding>>();

function formatBodyKey({ contentType, compression }: PlainCall): string {
  return compression === null ? contentType : `${contentType} ${compression.name}`;
}

/**
 * Returns the body of a reply in the call's content type and compression. Encodes it once, in steps, and keeps it as
 * long as the reply object.
 */
export function encodeBodyOnce(call: PlainCall, reply: RpcOutputMessage, peer: object): Promise<SentBody> {
  const forms = encodedBodies.get(reply) ?? new Map<string, BodyEncoding>();
  const form = formatBodyKey(call);
  const known = forms.get(form);
  if (known !== undefined) {
    known.scheduler.addPeer(peer);
    return known.body;
  }
  const scheduler = new CooperativeScheduler(undefined, peer);
  const body = encodeBody(call, reply, scheduler);
  encodedBodies.set(reply, forms.set(form, { body, scheduler }));
  return body;
}

async function encodeBody(
  { method, protocol, contentType, compression }: PlainCall,
  reply: RpcOutputMessage,
  scheduler: CooperativeScheduler,
): Promise<SentBody> {
  const bytes = await scheduler.run(encodeMessage(method, reply, contentType === contentTypeUnaryJson));
  if (protocol === "grpc") {
    const { flags, data } = await envelopeCompress({ flags: 0, data: bytes }, compression, COMPRESS_MIN_BYTES);
    return { bytes: encodeEnvelope(flags, data), isCompressed: flags !== 0 };
  }
  if (compression === null || bytes.length < COMPRESS_MIN_BYTES) return { bytes, isCompressed: false };
  return { bytes: await compression.compress(bytes), isCompressed: true };
}

/** Encodes a reply; reuses bytes that the service encoded to measure a read. @throws ConnectError above the limit */
function* encodeMessage(
  { rpc, messages }: PlainCall["method"],
  reply: RpcOutputMessage,
  isJson: boolean,
): Steps<Uint8Array> {
  const { output } = rpc.method;
  const known = findEncodedReply(reply);
  const bytes = isJson
    ? yield* encodeJsonInSteps(output, reply, JSON_OPTIONS)
    : (known ?? (yield* encodeBinaryInSteps(output, reply)));
  // The library refuses a reply above the limit.
  return bytes.length <= MAX_MESSAGE_BYTES ? bytes : messages.getO(!isJson).serialize(reply);
}
