/** A complete line, a piece of a long line, or a long line's length. Complete lines are strings to save memory. */
export type DecodedLine = string | { readonly piece: string } | { readonly leftOutBytes: number };

export interface LineReaderOptions {
  readonly limitBytes: number;
  /** Treatment of a line longer than the limit: its text in pieces, or only its length. */
  readonly onLong: "split" | "leave_out";
}

const LINE_FEED = 0x0a;

/** Initial buffer size in bytes. A buffer of more than 16 times this size shrinks back to it after the line. */
const INITIAL_BUFFER_BYTES = 4096;

/**
 * Splits bytes into lines of UTF-8. The result does not depend on how the bytes are split into chunks. Bytes that are
 * not UTF-8 become U+FFFD. A carriage return before a line feed is part of the line break.
 *
 * Holds at most one line of `limitBytes`. Cost: O(bytes).
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #buffer = new Uint8Array(INITIAL_BUFFER_BYTES);
  #length = 0;
  /** Number of bytes skipped of a line that is too long; 0 outside of such a line. */
  #skippedBytes = 0;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): readonly DecodedLine[] {
    const lines: DecodedLine[] = [];
    let from = 0;
    while (from < chunk.length) {
      from = this.#readShortLines(chunk, from, lines);
      const at = chunk.indexOf(LINE_FEED, from);
      const to = at === -1 ? chunk.length : at;
      this.#readBytes(chunk.subarray(from, to), lines);
      if (at !== -1) lines.push(this.#finishLine());
      from = to + 1;
    }
    return lines;
  }

  /** Decodes many short lines at once, which creates less garbage than one by one. Returns the offset after them. */
  #readShortLines(chunk: Uint8Array, from: number, lines: DecodedLine[]): number {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (this.#length > 0 || this.#skippedBytes > 0 || end < from || end - from > this.#options.limitBytes) return from;
    for (const text of this.#decoder.decode(chunk.subarray(from, end)).split("\n"))
      lines.push(removeCarriageReturn(text));
    return end + 1;
  }

  /** Returns the last line if the stream ended without a line break; otherwise an empty list. */
  end(): readonly DecodedLine[] {
    return this.#length === 0 && this.#skippedBytes === 0 ? [] : [this.#finishLine()];
  }

  #readBytes(bytes: Uint8Array, lines: DecodedLine[]): void {
    const { limitBytes, onLong } = this.#options;
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#skippedBytes > 0) {
        this.#skippedBytes += rest.length;
        return;
      }
      // One byte more than the limit distinguishes a line of exactly that length from a longer one.
      const part = rest.subarray(0, limitBytes + 1 - this.#length);
      this.#append(part);
      rest = rest.subarray(part.length);
      if (this.#length <= limitBytes) continue;
      if (onLong === "split") lines.push(this.#cutPiece());
      else {
        this.#skippedBytes = this.#length;
        this.#length = 0;
      }
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Removes from the buffer and returns its longest proper prefix that ends between two characters. */
  #cutPiece(): DecodedLine {
    let cut = this.#length - 1;
    while (cut > this.#length - 4 && isContinuationByte(this.#buffer[cut])) cut--;
    const text = this.#decoder.decode(this.#buffer.subarray(0, cut));
    this.#buffer.copyWithin(0, cut, this.#length);
    this.#length -= cut;
    return { piece: text };
  }

  #finishLine(): DecodedLine {
    const skipped = this.#skippedBytes;
    const text = this.#decoder.decode(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    this.#skippedBytes = 0;
    if (this.#buffer.length > INITIAL_BUFFER_BYTES * 16) this.#buffer = new Uint8Array(INITIAL_BUFFER_BYTES);
    if (skipped > 0) return { leftOutBytes: skipped };
    return removeCarriageReturn(text);
  }
}

export function removeCarriageReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** Whether a byte is a continuation byte of a UTF-8 character. */
export function isContinuationByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
