import { locateOffset } from "../../spec/text_lines.ts";

/** Decoded text of a file, or the position of its first byte that is not UTF-8. */
export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly message: string };

const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT_CHARACTER = "\uFFFD";

/** Decodes UTF-8 and keeps a byte-order mark. Rejects invalid bytes, because an edit would write back replacements. */
export function decodeText(bytes: Uint8Array): DecodedText {
  try {
    return { ok: true, text: STRICT_DECODER.decode(bytes) };
  } catch {
    const text = LENIENT_DECODER.decode(bytes);
    const { index, offset } = findFirstReplacement(text, bytes);
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
    return {
      ok: false,
      ...locateOffset(text, index),
      message: `Byte 0x${byte} is not valid UTF-8: expected UTF-8 text`,
    };
  }
}

/** Finds the first U+FFFD that decoding inserted: its index in `text` and its offset in `bytes`. */
function findFirstReplacement(text: string, bytes: Uint8Array): { readonly index: number; readonly offset: number } {
  let offset = 0;
  let from = 0;
  for (
    let index = text.indexOf(REPLACEMENT_CHARACTER);
    index !== -1;
    index = text.indexOf(REPLACEMENT_CHARACTER, from)
  ) {
    offset += Buffer.byteLength(text.slice(from, index));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return { index, offset };
    offset += 3;
    from = index + 1;
  }
  return { index: text.length, offset: bytes.length };
}
