import { expect } from "bun:test";
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { decodeText } from "#planner/store/files/read_text.ts";
import { law } from "../../../support/law.ts";

const wellFormed = fc.string({ unit: "binary" });

law("decodeText gives back every text that was encoded", [wellFormed], (text) => {
  expect(decodeText(Buffer.from(text))).toEqual({ ok: true, text });
});

/** The offset in bytes of a place in the text that the bytes read as. */
function byteOffset(bytes: Uint8Array, line: number, column: number): number {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const mark = line === 1 && text.startsWith("\uFEFF") ? 1 : 0;
  const before = lines.slice(0, line - 1).join("") + (lines[line - 1] ?? "").slice(0, column - 1 + mark);
  return Buffer.byteLength(before);
}

law(
  "decodeText names the end of the longest beginning that is UTF-8, and accepts what is UTF-8 throughout",
  [wellFormed, fc.uint8Array({ maxLength: 6 }), wellFormed],
  (before, middle, behind) => {
    const bytes = Buffer.concat([Buffer.from(before), middle, Buffer.from(behind)]);

    const decoded = decodeText(bytes);

    expect(decoded.ok).toBe(isUtf8(bytes));
    if (decoded.ok) return;
    const offset = byteOffset(bytes, decoded.line, decoded.column);
    expect(isUtf8(bytes.subarray(0, offset))).toBe(true);
    // No character is longer than four bytes, so none that begins here can be whole.
    for (let end = offset + 1; end <= Math.min(offset + 4, bytes.length); end++) {
      expect(isUtf8(bytes.subarray(0, end))).toBe(false);
    }
  },
);
