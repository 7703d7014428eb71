import { expect, test } from "bun:test";
import { decodeText } from "#planner/store/files/decode_text.ts";

const bytes = (...parts: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(part))));

test("decodeText keeps a byte-order mark, line ends and replacement characters", () => {
  const text = "\uFEFFä\r\n\uFFFD 漢 🪵\n";

  expect(decodeText(bytes(text))).toEqual({ ok: true, text });
});

test("decodeText names line and column of the first byte that is not UTF-8", () => {
  expect(decodeText(bytes("one\ntwo ", 0xff, " three"))).toEqual({
    ok: false,
    line: 2,
    column: 5,
    message: "Byte 0xff is not valid UTF-8: expected UTF-8 text",
  });
});

test("decodeText counts characters, not bytes", () => {
  expect(decodeText(bytes("äöü", 0xc3))).toMatchObject({
    line: 1,
    column: 4,
    message: expect.stringContaining("0xc3"),
  });
});

test("decodeText tells a real replacement character from a replaced byte", () => {
  expect(decodeText(bytes("\uFFFD\n\uFFFD\uFFFD", 0x80, "\uFFFD"))).toMatchObject({
    line: 2,
    column: 3,
    message: expect.stringContaining("0x80"),
  });
});

test("decodeText finds UTF-8 that stands for half a surrogate pair", () => {
  expect(decodeText(bytes("a", 0xed, 0xa0, 0x80))).toMatchObject({ line: 1, column: 2 });
});
