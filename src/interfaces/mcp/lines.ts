import { MAX_LINE_BYTES } from "./limits.ts";

/** Replaces a line that exceeded `MAX_LINE_BYTES` and was dropped. */
export const LINE_TOO_LONG = Symbol("line too long");

export type ReceivedLine = Uint8Array | typeof LINE_TOO_LONG;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Splits a stream of chunks into lines, wherever chunks end.
 *
 * A line ends at byte 10; a carriage return before it, blank lines, and a byte-order mark at the start of the stream
 * are dropped. A too long line is not stored beyond the limit: it is reported once, and the next line is complete
 * again. Bytes are not decoded here, so characters that span two chunks are not damaged. Cost: O(bytes). The generators
 * store the position in the chunk: run each to its end before the next `push`.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #isSkipping = false;
  #isFirstLine = true;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Yields every line that `chunk` completes. */
  *splitChunk(chunk: Uint8Array): Generator<ReceivedLine> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield* this.#addPart(chunk.subarray(from, end));
      yield* this.#completeLine();
      from = end + 1;
    }
    if (from < chunk.length) yield* this.#addPart(chunk.subarray(from));
  }

  /** Yields the last line, if the stream ends without a newline. */
  *endStream(): Generator<ReceivedLine> {
    yield* this.#completeLine();
  }

  // Reports a too long line when it exceeds the limit, because its end may never arrive.
  *#addPart(part: Uint8Array): Generator<ReceivedLine> {
    if (this.#isSkipping) return;
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) return;
    this.#parts = [];
    this.#isSkipping = true;
    yield LINE_TOO_LONG;
  }

  *#completeLine(): Generator<ReceivedLine> {
    const line = this.#isSkipping ? undefined : this.#joinParts();
    this.#parts = [];
    this.#size = 0;
    this.#isSkipping = false;
    this.#isFirstLine = false;
    if (line !== undefined && !isBlankLine(line)) yield line;
  }

  #joinParts(): Uint8Array {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#size);
    const start = this.#isFirstLine && BYTE_ORDER_MARK.every((byte, index) => line[index] === byte) ? 3 : 0;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    return start === 0 && end === line.length ? line : line.subarray(start, Math.max(start, end));
  }
}

function isBlankLine(line: Uint8Array): boolean {
  // The first byte of a JSON line shows that it is not blank.
  return line.every((byte) => byte === 32 || byte === 9 || byte === CARRIAGE_RETURN);
}
