import { describe, expect, test } from "bun:test";
import { LINE_TOO_LONG, LineSplitter } from "#interfaces/mcp/server.ts";

const encoder = new TextEncoder();

/** The lines of a stream that arrives in these chunks; an over-long one shows as `TOO_LONG`. */
function linesOf(chunks: readonly (string | Uint8Array)[], maxBytes?: number): (string | typeof LINE_TOO_LONG)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = chunks.flatMap((chunk) => [
    ...splitter.splitChunk(typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  ]);
  return [...lines, ...splitter.endStream()].map((line) =>
    line === LINE_TOO_LONG ? line : new TextDecoder().decode(line),
  );
}

describe("LineSplitter", () => {
  test("returns every line of a chunk that holds several", () => {
    expect(linesOf(["one\ntwo\nthree\n"])).toEqual(["one", "two", "three"]);
  });

  test("joins a line that several chunks carry", () => {
    expect(linesOf(["o", "n", "e\nt", "wo", "\n"])).toEqual(["one", "two"]);
  });

  test("drops the carriage return of CRLF only", () => {
    expect(linesOf(["one\r\n", "t\rwo\r", "\n"])).toEqual(["one", "t\rwo"]);
  });

  test("leaves blank lines out", () => {
    expect(linesOf(["\n\r\n  \t\n one \n\n"])).toEqual([" one "]);
  });

  test("keeps a character whole whose bytes arrive apart", () => {
    const bytes = encoder.encode("\u20ac\ud83d\ude00\n");

    expect(linesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(["\u20ac\ud83d\ude00"]);
  });

  test("returns the last line when the stream ends without a newline", () => {
    expect(linesOf(["one\ntwo"])).toEqual(["one", "two"]);
  });

  test("drops a byte-order mark at the start, however it is cut, and nowhere else", () => {
    const mark = [Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf)];

    const lines = linesOf([...mark, "one\n", ...mark, "two\n"]);

    // TextDecoder drops a mark as well, so the second line is compared by its bytes.
    expect(lines[0]).toBe("one");
    const splitter = new LineSplitter();
    const second = [...splitter.splitChunk(encoder.encode("one\n\ufefftwo\n"))][1];
    expect(second).toEqual(encoder.encode("\ufefftwo"));
  });

  test("takes a byte-order mark alone for a blank line", () => {
    expect(linesOf([Uint8Array.of(0xef, 0xbb, 0xbf, 10), "one\n"])).toEqual(["one"]);
  });

  test("keeps a line of exactly the limit", () => {
    expect(linesOf(["12345678\n"], 8)).toEqual(["12345678"]);
  });

  test("reports a line above the limit once and stays in step", () => {
    expect(linesOf(["123456789\nnext\n"], 8)).toEqual([LINE_TOO_LONG, "next"]);
  });

  test("reports an over-long line of many chunks once and stays in step", () => {
    const chunks = Array.from({ length: 50 }, () => "1234567");

    expect(linesOf(["first\n", ...chunks, "\nnext\n"], 8)).toEqual(["first", LINE_TOO_LONG, "next"]);
  });

  test("reports an over-long line that never ends", () => {
    expect(linesOf(["123456789", "0"], 8)).toEqual([LINE_TOO_LONG]);
  });

  test("keeps nothing of an over-long line", () => {
    const splitter = new LineSplitter(1024);
    const chunk = new Uint8Array(1024 * 1024).fill(65);
    const before = process.memoryUsage().arrayBuffers;

    for (let count = 0; count < 512; count += 1) for (const _ of splitter.splitChunk(chunk.slice()));
    Bun.gc(true);

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});
