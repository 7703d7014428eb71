import { expect } from "bun:test";
import fc from "fast-check";
import { LINE_TOO_LONG, LineSplitter } from "#interfaces/mcp/server.ts";
import { law } from "../../support/law.ts";

const bytes = fc.uint8Array({ maxLength: 40 }).map((line) => line.filter((byte) => byte !== 10));

function split(stream: Uint8Array, cuts: readonly number[], maxBytes: number): (number[] | "too long")[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = [];
  let from = 0;
  for (const cut of [...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]) {
    lines.push(...splitter.splitChunk(stream.subarray(from, cut)));
    from = cut;
  }
  lines.push(...splitter.endStream());
  return lines.map((line) => (line === LINE_TOO_LONG ? "too long" : [...line]));
}

law(
  "LineSplitter finds the same lines however the stream is cut",
  [fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 20 })],
  (stream, cuts) => {
    expect(split(stream, cuts, 16)).toEqual(split(stream, [], 16));
  },
);

law(
  "LineSplitter gives back every line that is neither blank nor too long",
  [fc.array(bytes, { maxLength: 20 })],
  (given) => {
    // A marker in front keeps the lines from being blank, starting with a byte-order mark or ending in CR.
    const lines = given.map((line) => [91, ...line, 93]);
    const stream = Uint8Array.from(lines.flatMap((line) => [...line, 10]));

    expect(split(stream, [], 30)).toEqual(lines.map((line) => (line.length > 30 ? "too long" : line)));
  },
);
