import { type BodyMeter, createUploadAbortedError, LARGE_BYTES } from "./body_meter.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";
import type { NodeRequest } from "./node_http.ts";

export interface ReadBody {
  readonly chunks: readonly Uint8Array[];
  /** False if the body is too large and was not read to its end. */
  readonly ended: boolean;
}

/**
 * Reads a body by events, which costs less than iterating. Charges large pieces at once and scans them later in steps,
 * because Bun continues to read the connection of a paused request without charging the bytes.
 * Rejects if the connection breaks, and with the meter's refusal; the remaining body is then discarded.
 */
export function readBody(request: NodeRequest, meter: BodyMeter): Promise<ReadBody> {
  return new Promise((resolve, reject) => new IncomingBody(request, meter, resolve, reject));
}

class IncomingBody {
  readonly #request: NodeRequest;
  readonly #meter: BodyMeter;
  readonly #resolve: (body: ReadBody) => void;
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
    resolve: (body: ReadBody) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#meter = meter;
    this.#resolve = resolve;
    this.#reject = reject;
    request.on("data", this.#take).on("end", this.#end).on("close", this.#broken);
  }

  readonly #take = (chunk: Uint8Array) => {
    this.#attempt(() => {
      this.#meter.charge(chunk);
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      const isLater = this.#isScanning || (chunk.length >= LARGE_BYTES && this.#meter.scheduler.isDue());
      if (isLater) this.#unscanned.push(chunk);
      else this.#meter.scan(chunk);
      if (this.#bytes > MAX_MESSAGE_BYTES) {
        this.#request.pause();
        this.#settle(false);
      } else if (isLater && !this.#isScanning) void this.#scanLater();
    });
  };

  readonly #end = () => {
    this.#hasArrived = true;
    if (!this.#isScanning) this.#finish();
  };

  readonly #broken = () => {
    if (!this.#hasArrived) this.#fail(createUploadAbortedError());
  };

  async #scanLater(): Promise<void> {
    this.#isScanning = true;
    for (let next = this.#unscanned.shift(); next !== undefined && !this.#isSettled; next = this.#unscanned.shift()) {
      const chunk = next;
      await this.#meter.scheduler.yieldIfDue();
      this.#attempt(() => this.#meter.scan(chunk));
    }
    this.#isScanning = false;
    if (this.#hasArrived && !this.#isSettled) this.#finish();
  }

  #finish(): void {
    this.#attempt(() => {
      this.#meter.finish();
      if (this.#bytes < LARGE_BYTES) this.#settle(true);
      // Yields first, because the next step builds a message from the body.
      else void this.#meter.scheduler.yieldIfDue().then(() => this.#settle(true));
    });
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #settle(ended: boolean): void {
    this.#stop();
    this.#resolve({ chunks: this.#chunks, ended });
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#stop();
    this.#chunks.length = 0;
    this.#unscanned.length = 0;
    this.#request.resume();
    this.#reject(error);
  }

  #stop(): void {
    this.#isSettled = true;
    this.#request.off("data", this.#take).off("end", this.#end).off("close", this.#broken);
  }
}
