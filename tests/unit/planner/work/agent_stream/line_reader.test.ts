import { expect, test } from "bun:test";
import { type DecodedLine, LineReader, type LineReaderOptions } from "#planner/work/agent_stream/line_reader.ts";

function read(options: LineReaderOptions, ...chunks: (string | number[])[]): readonly DecodedLine[] {
  const reader = new LineReader(options);
  const lines = chunks.flatMap((chunk) =>
    reader.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : Uint8Array.from(chunk)),
  );
  return [...lines, ...reader.end()];
}

function texts(lines: readonly DecodedLine[]): string[] {
  return lines.map((line) => {
    if (typeof line === "string") return `${line}|`;
    return "piece" in line ? `${line.piece}>` : `${line.leftOutBytes} bytes`;
  });
}

test("LineReader cuts at line ends and keeps what the last one lacks", () => {
  expect(texts(read({ limitBytes: 9, onLong: "split" }, "a\r\nb", "c\n\nd\re"))).toEqual(["a|", "bc|", "|", "d\re|"]);
});

test("LineReader puts a character together that came in two pieces", () => {
  expect(texts(read({ limitBytes: 9, onLong: "split" }, [0xc3], [0xa9, 0x0a]))).toEqual(["é|"]);
});

test("LineReader replaces bytes that are no text", () => {
  expect(texts(read({ limitBytes: 9, onLong: "split" }, [0x61, 0xff, 0x62, 0x0a]))).toEqual(["a\ufffdb|"]);
});

test("LineReader gives a long line in pieces that end between characters", () => {
  expect(texts(read({ limitBytes: 4, onLong: "split" }, "abcd\nabcé€x"))).toEqual(["abcd|", "abc>", "é>", "€x|"]);
});

test("LineReader leaves a long line out, tells its length and goes on behind it", () => {
  expect(texts(read({ limitBytes: 4, onLong: "leave_out" }, "abc", "de", "fg\nnext\nabcdefgh"))).toEqual([
    "7 bytes",
    "next|",
    "8 bytes",
  ]);
});
