import {
  type BinaryReadOptions,
  create,
  type DescField,
  type DescMessage,
  type Message,
  mergeFromBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Steps } from "#kernel/steps.ts";

type BinaryOptions = Partial<BinaryReadOptions>;

/** Bytes of a message read at once. Our choice: two bytes can be a message, and a thousand take a millisecond. */
const BINARY_PIECE_BYTES = 2048;
/** The wire type of texts, messages and packed lists. Source: Protocol Buffers, Encoding. */
const DELIMITED_WIRE_TYPE = 2;

/**
 * Reads a large binary message in steps: the library reads a few fields at a time. Fields that are large messages are
 * read in the same way.
 * @throws the errors of the library's reader
 */
export function* readLargeBinary(
  desc: DescMessage,
  bytes: Uint8Array,
  options: BinaryOptions,
  message: Message = create(desc),
): Steps<Message> {
  const fields = new Map(desc.fields.map((field) => [field.number, field]));
  let piece = 0;
  const readUntil = (to: number) => {
    if (to > piece) mergeFromBinary(desc, message, bytes.subarray(piece, to), options);
    piece = to;
  };
  for (let at = 0; at < bytes.length; ) {
    const next = readFieldAt(bytes, at);
    // The library refuses malformed bytes.
    if (next === undefined || next.end > bytes.length) break;
    const field = fields.get(next.number);
    if (next.end - next.start >= BINARY_PIECE_BYTES && isMessageField(field)) {
      readUntil(at);
      yield* readMessageField(reflect(desc, message), field, bytes.subarray(next.start, next.end), options);
      piece = next.end;
    } else if (next.end - piece >= BINARY_PIECE_BYTES) {
      readUntil(next.end);
      yield;
    }
    at = next.end;
  }
  readUntil(bytes.length);
  return message;
}

type MessageField = DescField & { readonly message: DescMessage };

function isMessageField(field: DescField | undefined): field is MessageField {
  return field?.message !== undefined && field.fieldKind !== "map" && !isGroupField(field);
}

function isGroupField(field: DescField): boolean {
  return "delimitedEncoding" in field && field.delimitedEncoding === true;
}

function* readMessageField(
  holder: ReflectMessage,
  field: MessageField,
  bytes: Uint8Array,
  options: BinaryOptions,
): Steps<void> {
  if (field.fieldKind === "list") {
    holder.get(field).add(reflect(field.message, yield* readLargeBinary(field.message, bytes, options)));
    return;
  }
  if (field.fieldKind !== "message") return;
  // Parts of a message field that occurs twice are merged.
  const known = holder.isSet(field) ? holder.get(field).message : create(field.message);
  holder.set(field, reflect(field.message, yield* readLargeBinary(field.message, bytes, options, known)));
}

interface FieldRange {
  readonly number: number;
  /** Offsets of the content's first byte, after tag and length, and of its end. */
  readonly start: number;
  readonly end: number;
}

/** Returns the field at an offset; undefined if it is malformed or a group. */
function readFieldAt(bytes: Uint8Array, at: number): FieldRange | undefined {
  const tag = readVarint(bytes, at);
  const length = readVarint(bytes, tag.end);
  const number = tag.value >>> 3;
  const end = { 0: length.end, 1: tag.end + 8, [DELIMITED_WIRE_TYPE]: length.end + length.value, 5: tag.end + 4 }[
    tag.value & 7
  ];
  if (end === undefined) return undefined;
  return { number, start: (tag.value & 7) === DELIMITED_WIRE_TYPE ? length.end : tag.end, end };
}

/** Reads a varint and its end offset; of a number with more than 32 bits, the lower 32. */
function readVarint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let at = from;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = bytes[at++] ?? 0;
    if (shift < 32) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return { value: value >>> 0, end: at };
}
