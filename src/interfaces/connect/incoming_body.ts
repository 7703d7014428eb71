import { type BodyMeter, createSizeRefusal, createUploadAbortedError, LARGE_BODY_BYTES } from "./body_meter.ts";
import type { NodeRequest } from "./node_http.ts";

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
