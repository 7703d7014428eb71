import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { refuse } from "#dc/model/refusal.ts";
import type { ChangeNotice, ChangeStream, StreamStartPosition } from "#dc/operations/stream/change_streams.ts";
import { OperationError } from "#kernel/errors.ts";
import { parseJson } from "#kernel/json_object.ts";
import { computeMaxInflatedBytes, getMediaType } from "../connect/call_headers.ts";
import {
  createBodyRefusal,
  createEncodingRefusal,
  createMediaTypeRefusal,
  createSizeRefusal,
} from "../connect/errors.ts";
import type { RouteContext } from "../connect/kept_replies.ts";
import { checkJsonShape } from "../connect/message_shape.ts";
import { chargeBytes, createScheduler, readBody } from "../connect/request.ts";

/** Milliseconds between checks of a stream's caller: an expired token can read for this long. */
const CALLER_CHECK_MS = 2000;
/** Milliseconds between a stream's comments. Ours: proxies close silent connections after a minute, some after 30 s. */
const HEARTBEAT_MS = 15_000;
/** Delay after which a browser connects again, in milliseconds. */
const RECONNECT_DELAY_MS = 2000;

const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies such as nginx would buffer events otherwise.
  "x-accel-buffering": "no",
};

interface ChangeStreamOptions {
  /** Checks that the caller may still read. @throws OperationError if not */
  readonly checkCaller: () => Promise<void>;
  /** Yields to the event loop until the connection's turn, because one change wakes all streams at once. */
  readonly waitForTurn: () => Promise<void>;
  readonly shutdown: AbortSignal;
  readonly isHead: boolean;
}

/** Returns the position from which a client resumes, if any. @throws Refusal for a wrong position and any parameter */
export function readLastEventId({ url, headers }: Request): number | undefined {
  const [parameter] = new URL(url).searchParams.keys();
  if (parameter !== undefined) {
    throw refuse("UNKNOWN_FIELD", `Cannot read ${parameter}: expected no parameter`, { field: parameter });
  }
  const text = headers.get("last-event-id");
  // Browsers send an empty value before the first event.
  if (text === null || text === "") return undefined;
  const seq = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seq)) return seq;
  const expected = "the id of an event, a number from 0";
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot read Last-Event-ID "${text}": expected ${expected}`, {
    field: "Last-Event-ID",
    value: text,
    expected,
  });
}

/**
 * Returns a response that sends changes as server-sent events. Reads a page of changes only after the connection has
 * sent the previous one, so a slow reader costs one page.
 * Source: HTML, server-sent events; docs/datacenter.md#the-stream-of-changes.
 */
export function createChangeStreamResponse(stream: ChangeStream, options: ChangeStreamOptions): Response {
  if (options.isHead) {
    stream.close();
    return new Response(null, { headers: EVENT_STREAM_HEADERS });
  }
  const left = new AbortController();
  const events = yieldStreamFrames(stream, options, AbortSignal.any([left.signal, options.shutdown]));
  const closeStream = () => {
    left.abort();
    stream.close();
  };
  const body = new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await events.next();
        if (left.signal.aborted) return;
        if (done !== true) return controller.enqueue(value);
        closeStream();
        controller.close();
      },
      cancel: closeStream,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}

async function* yieldStreamFrames(
  stream: ChangeStream,
  options: ChangeStreamOptions,
  ended: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield encodeText(`retry: ${RECONNECT_DELAY_MS}\n\n${formatStartFrame(stream.start)}`);
  try {
    yield* yieldChangeFrames(stream, options, ended);
    if (options.shutdown.aborted) yield encodeText(formatEndFrame("unavailable", "The server is shutting down"));
  } catch (error) {
    const isRefusal = error instanceof OperationError;
    yield encodeText(formatEndFrame(isRefusal ? error.kind : "internal", isRefusal ? error.message : "Internal error"));
  }
}

async function* yieldChangeFrames(
  stream: ChangeStream,
  { checkCaller, waitForTurn }: ChangeStreamOptions,
  ended: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let checkedAt = performance.now();
  let sentAt = checkedAt;
  while (!ended.aborted) {
    const notices = await stream.readNext(CALLER_CHECK_MS, ended);
    // The client connects again and learns that its position is no longer available.
    if (notices === undefined) return;
    await waitForTurn();
    const now = performance.now();
    if (now - checkedAt >= CALLER_CHECK_MS) {
      await checkCaller();
      checkedAt = now;
    }
    if (notices.length === 0 && now - sentAt < HEARTBEAT_MS) continue;
    sentAt = now;
    yield notices.length === 0 ? encodeText(":\n\n") : encodePage(notices);
  }
}

/** Encoded pages by their first notice: streams without delay share notices, and send the same pages. */
const encodedPages = new WeakMap<ChangeNotice, { readonly count: number; readonly bytes: Uint8Array }>();

function encodePage(notices: readonly ChangeNotice[]): Uint8Array {
  const [first] = notices;
  const known = first && encodedPages.get(first);
  if (known?.count === notices.length) return known.bytes;
  const bytes = encodeText(notices.map(formatChangeFrame).join(""));
  if (first !== undefined) encodedPages.set(first, { count: notices.length, bytes });
  return bytes;
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function formatStartFrame({ seq, head, changedAt, isReset }: StreamStartPosition): string {
  const data = { head_seq: head, changed_at: changedAt ?? null, now: new Date().toISOString() };
  return `id: ${seq}\nevent: ${isReset ? "reset" : "head"}\ndata: ${JSON.stringify(data)}\n\n`;
}

function formatChangeFrame({ seq, event = "change", json }: ChangeNotice): string {
  return `id: ${seq}\nevent: ${event}\ndata: ${json}\n\n`;
}

function formatEndFrame(code: string, message: string): string {
  return `event: end\ndata: ${JSON.stringify({ code, message })}\n\n`;
}

const decompressGzip = promisify(gunzip);

/** Reads the bytes of a JSON body, also of one compressed with gzip, and checks their shape. @throws Refusal */
export async function readJsonBytes({ req, env, get }: RouteContext, limit: number): Promise<Uint8Array> {
  const type = req.header("content-type");
  if (getMediaType(type) !== "application/json") throw createMediaTypeRefusal(type, "application/json");
  const encoding = (req.header("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") throw createEncodingRefusal(encoding, ["gzip", "identity"]);
  const isPlain = encoding === "identity";
  const sent = await readBody(env.incoming, { account: get("account"), limit, isJson: isPlain });
  if (isPlain) return sent;
  const maxBytes = Math.min(limit, computeMaxInflatedBytes(sent.length));
  // Charged before it is inflated, so that many small bodies cannot grow at once.
  chargeBytes(get("account"), maxBytes);
  const bytes = await unzipBody(sent, maxBytes);
  await createScheduler(env.incoming).run(checkJsonShape(bytes));
  return bytes;
}

async function unzipBody(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await decompressGzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw createSizeRefusal(limit);
    const expected = "expected gzip, as Content-Encoding names it";
    throw refuse("MALFORMED_MESSAGE", `Cannot decompress the body: ${expected}`);
  }
}

/** Parses the bytes of a JSON body. @throws Refusal MALFORMED_MESSAGE */
export async function parseJsonBody({ env }: RouteContext, bytes: Uint8Array): Promise<unknown> {
  try {
    return await createScheduler(env.incoming).run(parseJson(bytes));
  } catch (error) {
    throw createBodyRefusal(error);
  }
}
