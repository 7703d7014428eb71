import {
  type Compression,
  compressionNegotiate,
  encodeEnvelope,
  encodeEnvelopes,
  envelopeCompress,
  type UniversalHandler,
} from "@connectrpc/connect/protocol";
import { grpcStatusOk } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { MiddlewareHandler } from "hono";
import { refuse } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import type { DcService } from "#dc/service.ts";
import type { ByteAccount } from "#kernel/slots.ts";
import {
  BodyMeter,
  checkAndChargeBinary,
  checkAndChargeJson,
  createSizeRefusal,
  createUploadAbortedError,
  isEncoded,
  LARGE_BODY_BYTES,
} from "./body_meter.ts";
import {
  type CallHead,
  COMPRESSIONS,
  checkCallHeaders,
  checkProtocolVersion,
  describeHead,
  hasDisconnected,
  type NodeRequest,
  readGetCall,
} from "./call_headers.ts";
import { type FindPrincipal, findConnection } from "./caller.ts";
import type { RouteEnv, WholeReply } from "./kept_replies.ts";
import { COMPRESS_MIN_BYTES, ENVELOPE_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";

/**
 * Opens a unary call: authenticates before the body is read, so that an unauthorized caller cannot make the server read
 * one, then reads the bytes of its message. Health and reflection require no principal. Leaves `failure` for the
 * library, which writes errors in the form of each protocol.
 */
export function openCall(
  handler: UniversalHandler,
  { service, findPrincipal }: { readonly service: DcService; readonly findPrincipal: FindPrincipal },
): MiddlewareHandler<RouteEnv> {
  const { method } = handler;
  const rpc = findRpc(method);
  const needsPrincipal = SERVICES.some((one) => one.service === method.parent);
  const authenticate = async (head: CallHead) => {
    checkProtocolVersion(head);
    const principal = needsPrincipal ? await findPrincipal(head.header.get("authorization")) : undefined;
    if (rpc !== undefined) service.demandRole(rpc.effect, rpc.method.name, principal);
    checkCallHeaders(head);
    return principal;
  };
  return async (context, next) => {
    const { incoming, outgoing } = context.env;
    try {
      if (hasDisconnected(incoming, outgoing)) throw createUploadAbortedError();
      const head = readGetCall(handler, incoming) ?? describeHead(incoming.method ?? "", wrapHeaders(incoming), method);
      if (isAnswerable(handler, head)) {
        context.set("head", head);
        const principal = await authenticate(head);
        context.set("body", await readMessageBytes(head, incoming, context.get("account")));
        context.set("caller", { interface: head.isGrpc ? "GRPC" : "REST", ...(principal && { principal }) });
      }
    } catch (failure) {
      context.set("failure", failure);
    }
    await next();
  };
}

/** Whether the library knows the method of HTTP and the content type; otherwise it refuses the call unread. */
function isAnswerable(handler: UniversalHandler, { verb, header }: CallHead): boolean {
  const type = header.get("content-type") ?? "";
  return handler.allowedMethods.includes(verb) && handler.supportedContentType(type) && !/^\S+-text/.test(type);
}

function wrapHeaders({ headers }: NodeRequest): CallHead["header"] {
  return {
    get: (name) => {
      const value = headers[name];
      return typeof value === "string" ? value : (value?.join(", ") ?? null);
    },
  };
}

/** Reads the message of a call, without its envelope and decompressed, and checks its shape. @throws Refusal */
async function readMessageBytes(head: CallHead, incoming: NodeRequest, account: ByteAccount): Promise<Uint8Array> {
  const { header, method, message, isGrpc: isEnveloped, isBinary } = head;
  const encoding = header.get(isEnveloped ? "grpc-encoding" : "content-encoding");
  const compression = isEncoded(encoding) ? COMPRESSIONS.find(({ name }) => name === encoding) : undefined;
  const isJson = !isBinary && !isEnveloped;
  const isCompressed = compression !== undefined;
  // A gRPC envelope has five bytes before the JSON, which a scan would misread.
  const meter = new BodyMeter({ account, isJson, isCompressed, peer: findConnection(incoming) });
  const limit = MAX_MESSAGE_BYTES + (isEnveloped ? ENVELOPE_BYTES : 0);
  const body = message ?? (await readBody(incoming, meter, limit));
  const sent = isEnveloped ? extractMessage(body, isCompressed) : { bytes: body, isCompressed };
  const bytes = sent.isCompressed ? await decompress(sent.bytes, compression) : sent.bytes;
  if (isBinary && bytes.length <= LARGE_BODY_BYTES) return bytes;
  if (isBinary) await meter.scheduler.run(checkAndChargeBinary(method.input, bytes, account));
  else if (isEnveloped || sent.isCompressed || message !== undefined)
    await meter.scheduler.run(checkAndChargeJson(bytes, account));
  return bytes;
}

async function decompress(bytes: Uint8Array, compression: Compression | undefined): Promise<Uint8Array> {
  return compression === undefined ? bytes : compression.decompress(new Uint8Array(bytes), MAX_MESSAGE_BYTES);
}

/**
 * Returns the message in the only envelope of a body, and whether it is compressed.
 * @throws Refusal MESSAGE_COUNT unless there is one message, MALFORMED_MESSAGE for a malformed envelope
 */
function extractMessage(body: Uint8Array, isEncodingNamed: boolean) {
  if (body.length === 0) throw refuse("MESSAGE_COUNT", "The call has no message: expected one");
  const announced = body.length < ENVELOPE_BYTES ? undefined : new DataView(body.buffer, body.byteOffset).getUint32(1);
  const found = body.length - ENVELOPE_BYTES;
  if (announced === undefined || announced > found) {
    const message = `The envelope of the message announces ${announced ?? "no"} bytes: ${Math.max(0, found)} follow it`;
    throw refuse("MALFORMED_MESSAGE", message);
  }
  if (announced < found) throw refuse("MESSAGE_COUNT", "The call has more than one message: expected one");
  const isCompressed = (body[0] ?? 0) % 2 !== 0;
  if (isCompressed && !isEncodingNamed)
    throw refuse("MALFORMED_MESSAGE", "The message is marked as compressed: expected its compression in grpc-encoding");
  return { bytes: body.subarray(ENVELOPE_BYTES), isCompressed };
}

/**
 * Returns a successful reply in the form of the call's protocol. The library's own way to it leads through streams,
 * which cost more than most reads.
 */
export async function encodeReply({ header, isGrpc, isBinary }: CallHead, bytes: Uint8Array): Promise<WholeReply> {
  const form = isBinary ? "proto" : "json";
  const acceptHeader = isGrpc ? "grpc-accept-encoding" : "accept-encoding";
  const { response: coding } = compressionNegotiate(COMPRESSIONS, null, header.get(acceptHeader), acceptHeader);
  const { flags, data } = await envelopeCompress({ flags: 0, data: bytes }, coding, COMPRESS_MIN_BYTES);
  if (!isGrpc) {
    const encoding = flags === 0 ? undefined : { "content-encoding": coding?.name ?? "" };
    const headers = { ...encoding, "content-length": String(data.length), "content-type": `application/${form}` };
    return { status: 200, headers, body: data };
  }
  const isWeb = /^application\/grpc-web/i.test(header.get("content-type") ?? "");
  const headers = {
    "content-type": `application/${isWeb ? "grpc-web" : "grpc"}+${form}`,
    ...(coding && { "grpc-encoding": coding.name }),
  };
  const trailers = { "grpc-status": grpcStatusOk };
  if (!isWeb) return { status: 200, headers, body: encodeEnvelope(flags, data), trailers };
  const end = { flags: trailerFlag, data: trailerSerialize(new Headers(trailers)) };
  return { status: 200, headers, body: encodeEnvelopes({ flags, data }, end) };
}

/**
 * Reads a body of at most `limit` bytes by events, which costs less than iterating. Charges large pieces at once and
 * scans them later in steps, because Bun continues to read the connection of a paused request without charging the
 * bytes. The rest of a body that is refused is discarded.
 *
 * @throws Refusal of the meter, MESSAGE_TOO_LARGE; ConnectError canceled if the connection breaks
 */
export function readBody(request: NodeRequest, meter: BodyMeter, limit: number): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    request.resume();
    return Promise.reject(createSizeRefusal(limit));
  }
  return new Promise((resolve, reject) => new BodyReader({ request, meter, limit }, resolve, reject));
}

interface BodyReaderOptions {
  readonly request: NodeRequest;
  readonly meter: BodyMeter;
  readonly limit: number;
}

class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #resolve: (body: Uint8Array) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  /** Chunks that have arrived but are not scanned yet. */
  readonly #unscanned: Uint8Array[] = [];
  #bytes = 0;
  #isScanning = false;
  #hasArrived = false;
  #isSettled = false;

  constructor(options: BodyReaderOptions, resolve: (body: Uint8Array) => void, reject: (error: unknown) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    options.request.on("data", this.#receiveChunk).on("end", this.#handleEnd).on("close", this.#handleClose);
  }

  readonly #receiveChunk = (chunk: Uint8Array) => {
    const { meter, limit } = this.#options;
    this.#runOrFail(() => {
      this.#bytes += chunk.length;
      if (this.#bytes > limit) throw createSizeRefusal(limit);
      meter.chargeBytes(chunk);
      this.#chunks.push(chunk);
      const isLater = this.#isScanning || (chunk.length >= LARGE_BODY_BYTES && meter.scheduler.isYieldDue());
      if (isLater) this.#unscanned.push(chunk);
      else meter.scanJson(chunk);
      if (isLater && !this.#isScanning) void this.#scanRemainingChunks();
    });
  };

  readonly #handleEnd = () => {
    this.#hasArrived = true;
    if (!this.#isScanning) this.#completeBody();
  };

  readonly #handleClose = () => {
    if (!this.#hasArrived) this.#rejectBody(createUploadAbortedError());
  };

  async #scanRemainingChunks(): Promise<void> {
    const { meter } = this.#options;
    this.#isScanning = true;
    for (let next = this.#unscanned.shift(); next !== undefined && !this.#isSettled; next = this.#unscanned.shift()) {
      const chunk = next;
      await meter.scheduler.yieldIfDue();
      this.#runOrFail(() => meter.scanJson(chunk));
    }
    this.#isScanning = false;
    if (this.#hasArrived && !this.#isSettled) this.#completeBody();
  }

  #completeBody(): void {
    const { meter } = this.#options;
    this.#runOrFail(() => {
      meter.chargeParsing();
      if (this.#bytes < LARGE_BODY_BYTES) this.#resolveBody();
      // Yields first, because the next step builds a message from the body.
      else void meter.scheduler.yieldIfDue().then(() => this.#resolveBody());
    });
  }

  #runOrFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#rejectBody(error);
    }
  }

  #resolveBody(): void {
    this.#removeListeners();
    const [first] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks));
  }

  #rejectBody(error: unknown): void {
    if (this.#isSettled) return;
    this.#removeListeners();
    this.#chunks.length = 0;
    this.#unscanned.length = 0;
    this.#options.request.resume();
    this.#reject(error);
  }

  #removeListeners(): void {
    const { request } = this.#options;
    this.#isSettled = true;
    request.off("data", this.#receiveChunk).off("end", this.#handleEnd).off("close", this.#handleClose);
  }
}
