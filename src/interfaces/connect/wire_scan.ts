import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** Deepest nesting of messages that is read. */
const MAX_DEPTH = 64;
/** Most fields and list elements of one message, as of JSON. */
const MAX_VALUES = 1_000_000;
/** Bodies below this many bytes are not scanned: their fields are few. */
export const UNSCANNED_BYTES = 16 * 1024;

/** The wire type of texts, messages and packed lists. Source: Protocol Buffers, Encoding. */
const DELIMITED = 2;

/** What a binary message holds, by its bytes. */
export interface WireShape {
  readonly values: number;
  readonly messages: number;
  /** What exceeds the limits; the rest was not counted then. */
  readonly problem?: string;
}

/**
 * Counts the fields and messages of a binary message before a parser builds objects of them: two bytes can stand for an
 * object of a kilobyte. What is malformed ends the count, and the parser says why.
 *
 * Cost: one pass over the tags without allocation per field, at most 20 ms.
 */
export function wireShape(desc: DescMessage, bytes: Uint8Array): WireShape {
  const walk = new Walk(bytes);
  const problem = walk.message(desc, bytes.length, 1);
  return { values: walk.values, messages: walk.messages, ...(problem !== undefined && { problem }) };
}

/** How the bytes of a field are counted: as a message, as elements of a packed list, or as one value. */
type Content = DescMessage | "packed" | undefined;

const contents = new WeakMap<DescMessage, ReadonlyMap<number, Content>>();

function contentsOf(desc: DescMessage): ReadonlyMap<number, Content> {
  const known = contents.get(desc);
  if (known !== undefined) return known;
  const made = new Map(desc.fields.map((field) => [field.number, contentOf(field)]));
  contents.set(desc, made);
  return made;
}

function contentOf(field: DescField): Content {
  if (field.fieldKind === "message") return field.message;
  if (field.fieldKind === "map") return field.message;
  if (field.fieldKind !== "list") return undefined;
  if (field.listKind === "message") return field.message;
  return field.packed ? "packed" : undefined;
}

class Walk {
  values = 0;
  messages = 1;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Counts a message that ends at `end`. Returns what exceeds the limits. */
  message(desc: DescMessage | undefined, end: number, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    const fields = desc && contentsOf(desc);
    while (this.#at < end) {
      const tag = this.#varint();
      this.values += 1;
      const wireType = tag & 7;
      const problem =
        wireType === DELIMITED ? this.#delimited(fields?.get(tag >>> 3), end, depth) : this.#skip(wireType);
      if (problem !== undefined) return problem;
      if (this.values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
    }
    return undefined;
  }

  /** Goes behind a number. The fields of a group follow as fields of the message. */
  #skip(wireType: number): undefined {
    if (wireType === 0) this.#varint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 5) this.#at += 4;
    else if (wireType > 5) this.#at = this.#bytes.length;
  }

  #delimited(content: Content, end: number, depth: number): string | undefined {
    const length = this.#varint();
    const until = Math.min(this.#at + length, end);
    if (content === "packed") this.values += length;
    else if (content !== undefined) {
      this.messages += 1;
      const problem = this.message(content, until, depth + 1);
      if (problem !== undefined) return problem;
    }
    this.#at = until;
    return undefined;
  }

  /** Reads a number; of one that takes more than 32 bits, the lower bits. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift >= 63) return value >>> 0;
    }
  }
}
