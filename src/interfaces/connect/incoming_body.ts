import { type BodyMeter, createUploadAbortedError, LARGE_BODY_BYTES } from "./body_meter.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";
import type { NodeRequest } from "./node_http.ts";

export interface ReceivedBody {
  readonly chunks: readonly Uint8Array[];
  /** False if the body is too large and was not read to its end. */
  readonly isComplete: boolean;
}

/**
 * Reads a body by events, which costs less than iterating. Charges large pieces at once and scans them later in steps,
 * because Bun continues to read the connection of a paused request without charging the bytes.
 * Rejects if the connection breaks, and with the meter's refusal; the remaining body is then discarded.
 */
export function readBody(request: NodeRequest, meter: BodyMeter): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => new BodyReader(request, meter, resolve, reject));
}

class BodyReader {
  readonly #request: NodeRequest;
  readonly #meter: BodyMeter;
  readonly #resolve: (body: ReceivedBody) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  /** Chunks that have arrived but are not scanned yet. */
  readonly #unscanned: Uint8Array[] = [];
  #bytes = 0;
  #isScanning = false;
  #hasArrived = false;
  #isSettled = false;

  constructor(
    request: NodeRequest,
    meter: BodyMeter,
    resolve: (body: ReceivedBody) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#meter = meter;
    this.#resolve = resolve;
    this.#reject = reject;
    request.on("data", this.#receiveChunk).on("end", this.#handleEnd).on("close", this.#handleClose);
  }

  readonly #receiveChunk = (chunk: Uint8Array) => {
    this.#runOrFail(() => {
      this.#meter.chargeBytes(chunk);
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      const isLater = this.#isScanning || (chunk.length >= LARGE_BODY_BYTES && this.#meter.scheduler.isYieldDue());
      if (isLater) this.#unscanned.push(chunk);
      else this.#meter.scanJson(chunk);
      if (this.#bytes > MAX_MESSAGE_BYTES) {
        this.#request.pause();
        this.#resolveBody(false);
      } else if (isLater && !this.#isScanning) void this.#scanRemainingChunks();
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
    this.#isScanning = true;
    for (let next = this.#unscanned.shift(); next !== undefined && !this.#isSettled; next = this.#unscanned.shift()) {
      const chunk = next;
      await this.#meter.scheduler.yieldIfDue();
      this.#runOrFail(() => this.#meter.scanJson(chunk));
    }
    this.#isScanning = false;
    if (this.#hasArrived && !this.#isSettled) this.#completeBody();
  }

  #completeBody(): void {
    this.#runOrFail(() => {
      this.#meter.chargeParsing();
      if (this.#bytes < LARGE_BODY_BYTES) this.#resolveBody(true);
      // Yields first, because the next step builds a message from the body.
      else void this.#meter.scheduler.yieldIfDue().then(() => this.#resolveBody(true));
    });
  }

  #runOrFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#rejectBody(error);
    }
  }

  #resolveBody(ended: boolean): void {
    this.#removeListeners();
    this.#resolve({ chunks: this.#chunks, isComplete: ended });
  }

  #rejectBody(error: unknown): void {
    if (this.#isSettled) return;
    this.#removeListeners();
    this.#chunks.length = 0;
    this.#unscanned.length = 0;
    this.#request.resume();
    this.#reject(error);
  }

  #removeListeners(): void {
    this.#isSettled = true;
    this.#request.off("data", this.#receiveChunk).off("end", this.#handleEnd).off("close", this.#handleClose);
  }
}
