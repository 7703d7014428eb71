import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { ByteAccount, ByteBudget } from "#kernel/slots.ts";

/** Minimum pace of a peer, in bytes per second. Our choice: a tenth of the slowest links' bandwidth. */
const MIN_BYTES_PER_S = 4096;
/** Maximum time for which a peer may be slower than the minimum pace, in milliseconds. */
const MAX_SLOW_MS = 30_000;
/** Maximum time for which a peer may be slower than the minimum pace while memory is scarce, in milliseconds. */
const SCARCE_MAX_SLOW_MS = 5000;

/** Measures how fast a peer reduces its backlog, between two checks. */
export class PeerPace {
  #lastMeasurement: { readonly bytes: number; readonly at: number } | undefined;
  #slowSince: number | undefined;

  /** Resets the measurement, because the backlog is empty. */
  reset(): void {
    this.#lastMeasurement = undefined;
    this.#slowSince = undefined;
  }

  /**
   * Records the backlog at a moment. Returns whether the peer has been too slow for too long.
   * @param bytes size of the backlog; falls as the peer makes progress
   * @param now milliseconds of the monotonic clock
   */
  isTooSlow(bytes: number, now: number, isScarce: boolean): boolean {
    const last = this.#lastMeasurement;
    this.#lastMeasurement = { bytes, at: now };
    if (last === undefined) {
      this.#slowSince = now;
      return false;
    }
    if (last.bytes - bytes >= ((now - last.at) / 1000) * MIN_BYTES_PER_S) {
      this.#slowSince = now;
      return false;
    }
    this.#slowSince ??= last.at;
    return now - this.#slowSince >= (isScarce ? SCARCE_MAX_SLOW_MS : MAX_SLOW_MS);
  }
}

/** Bytes of one exchange from which its garbage is counted; the engine collects smaller garbage early enough. */
const LARGE_EXCHANGE_BYTES = 1024 * 1024;
/** Bytes of large garbage that start a collection. Our choice: a quarter of a second's traffic on a fast network. */
const COLLECTION_BYTES = 128 * 1024 * 1024;

/**
 * Collects the garbage of large bodies. The engine counts its own objects, but hardly the bytes of bodies outside its
 * heap, and would let garbage grow to several times the memory budget. Cost: one collection per 128 MiB of bodies, at
 * most one per iteration of the event loop, because thousands of exchanges may end in one.
 */
class LargeGarbageCollector {
  #bytes = 0;
  #isDue = false;

  /** Records that an exchange has released `bytes`. */
  addReleased(bytes: number): void {
    if (bytes < LARGE_EXCHANGE_BYTES || typeof Bun === "undefined") return;
    this.#bytes += bytes;
    if (this.#bytes < COLLECTION_BYTES || this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#collectGarbage());
  }

  #collectGarbage(): void {
    this.#isDue = false;
    this.#bytes = 0;
    Bun.gc(true);
  }
}

export type PortRequest = IncomingMessage | Http2ServerRequest;
export type PortResponse = ServerResponse | Http2ServerResponse;

/** Size of a body below which its pace is not checked, in bytes; `requestMs` bounds smaller bodies. */
const MIN_CHECKED_BODY_BYTES = 64 * 1024;
/** Maximum time of one check that closes connections, in milliseconds; the next check closes the remaining ones. */
const MAX_ENDING_MS = 10;

/** One request and its reply. */
interface OpenExchange {
  readonly request: PortRequest;
  readonly account: ByteAccount;
  /** Start of the request, in milliseconds of the monotonic clock. */
  readonly since: number;
  isArriving: boolean;
  readonly readPace: PeerPace;
  readonly sendPace: PeerPace;
}

/** Tracks the open requests of a port: the memory of each, and the speed at which its peer sends and reads. */
export class ExchangeTracker {
  readonly #budget: ByteBudget;
  readonly #garbage = new LargeGarbageCollector();
  readonly #open = new Map<PortResponse, OpenExchange>();

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  get responses(): Iterable<PortResponse> {
    return this.#open.keys();
  }

  addExchange(request: PortRequest, response: PortResponse, account: ByteAccount): void {
    const exchange: OpenExchange = {
      request,
      account,
      since: performance.now(),
      isArriving: true,
      readPace: new PeerPace(),
      sendPace: new PeerPace(),
    };
    this.#open.set(response, exchange);
    request.once("end", () => {
      exchange.isArriving = false;
    });
  }

  /** Removes an exchange and releases its memory. */
  endExchange(response: PortResponse): void {
    const account = this.#open.get(response)?.account;
    this.#open.delete(response);
    if (account === undefined) return;
    this.#garbage.addReleased(account.heldBytes + account.objectBytes);
    account.close();
  }

  /**
   * Ends requests that take longer than `requestMs` to arrive, and exchanges whose peer sends or reads too slowly. The
   * pace counts bytes per interval rather than the window size, which the peer chooses.
   */
  endSlowExchanges(requestMs: number): void {
    const now = performance.now();
    const { isScarce } = this.#budget;
    for (const [response, { request, account, since, isArriving, readPace, sendPace }] of this.#open) {
      if (performance.now() - now > MAX_ENDING_MS) return;
      const isLate = isArriving && now - since > requestMs;
      const sendsSlowly =
        isArriving &&
        account.heldBytes > MIN_CHECKED_BODY_BYTES &&
        sendPace.isTooSlow(-account.heldBytes, now, isScarce);
      if (isLate || sendsSlowly) request.destroy();
      const waiting = countUnreceivedBytes(response);
      if (waiting === 0) readPace.reset();
      else if (readPace.isTooSlow(waiting, now, isScarce)) abortExchange(response);
    }
  }
}

/** Returns the number of bytes of a reply that this process still buffers for its reader. */
function countUnreceivedBytes(response: PortResponse): number {
  if ("stream" in response) return response.stream?.writableLength ?? 0;
  return response.writableLength + (response.socket?.writableLength ?? 0);
}

/** Ends an exchange at once and releases its memory; other streams of the HTTP/2 connection continue. */
function abortExchange(response: PortResponse): void {
  if (!("stream" in response)) response.socket?.destroy();
  else response.stream?.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}
