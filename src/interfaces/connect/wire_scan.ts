import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Steps } from "#kernel/steps.ts";

/** Maximum nesting of messages. */
const MAX_WIRE_DEPTH = 64;
/** Maximum number of fields and list elements of one message, as for JSON. */
const MAX_WIRE_VALUES = 1_000_000;
/** Size in bytes up to which bodies are not scanned, because they have few fields. */
export const MIN_SCANNED_BYTES = 16 * 1024;

/** Number of values that are counted in one step. Our choice: some hundred microseconds. */
const STEP_VALUES = 16_384;

/** The wire type of texts, messages and packed lists. Source: Protocol Buffers, Encoding. */
const DELIMITED_TYPE = 2;

/** Size of a binary message, counted from its bytes. */
export interface WireShape {
  readonly values: number;
  readonly messages: number;
  /** The exceeded limit at which counting stopped; absent if none was exceeded. */
  readonly problem?: string;
}

/**
 * Counts the fields and messages of a binary message before a parser builds objects of them: two bytes can expand to an
 * object of a kilobyte. Malformed bytes end the count, and the parser reports them.
 *
 * Cost: one pass over the tags without allocation per field, in steps; at most 20 ms in all.
 */
export function* measureWireShape(desc: DescMessage, bytes: Uint8Array): Steps<WireShape> {
  const walk = new WireWalk(desc, bytes);
  while (!walk.isOver) {
    walk.countNextValues();
    yield;
  }
  const { values, messages, problem } = walk;
  return { values, messages, ...(problem !== undefined && { problem }) };
}

/** Way to count the bytes of a field: as a message, as elements of a packed list, or as one value. */
type ContentKind = DescMessage | "packed" | undefined;

const contentKindsByMessage = new WeakMap<DescMessage, ReadonlyMap<number, ContentKind>>();

function mapContentKinds(desc: DescMessage): ReadonlyMap<number, ContentKind> {
  const known = contentKindsByMessage.get(desc);
  if (known !== undefined) return known;
  const made = new Map(desc.fields.map((field) => [field.number, findContentKind(field)]));
  contentKindsByMessage.set(desc, made);
  return made;
}

function findContentKind(field: DescField): ContentKind {
  if (field.fieldKind === "message") return field.message;
  if (field.fieldKind === "map") return field.message;
  if (field.fieldKind !== "list") return undefined;
  if (field.listKind === "message") return field.message;
  return field.packed ? "packed" : undefined;
}

/** A message whose fields are being counted. */
interface OpenMessage {
  readonly fields: ReadonlyMap<number, ContentKind>;
  readonly end: number;
}

class WireWalk {
  values = 0;
  messages = 1;
  problem: string | undefined;
  readonly #bytes: Uint8Array;
  /** The messages around the current field, the innermost last. */
  readonly #open: OpenMessage[];
  #at = 0;

  constructor(desc: DescMessage, bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#open = [{ fields: mapContentKinds(desc), end: bytes.length }];
  }

  get isOver(): boolean {
    return this.problem !== undefined || this.#open.length === 0;
  }

  /** Counts the next values. */
  countNextValues(): void {
    const until = this.values + STEP_VALUES;
    while (!this.isOver && this.values < until) {
      const inner = this.#open.at(-1);
      if (inner === undefined) return;
      if (this.#at < inner.end) {
        this.#countField(inner);
        continue;
      }
      this.#at = inner.end;
      this.#open.pop();
    }
  }

  #countField(inner: OpenMessage): void {
    const tag = this.#readVarint();
    this.values += 1;
    const wireType = tag & 7;
    if (wireType === DELIMITED_TYPE) this.#countDelimited(inner.fields.get(tag >>> 3), inner.end);
    else this.#skipValue(wireType);
    if (this.values > MAX_WIRE_VALUES) this.problem ??= `more than ${MAX_WIRE_VALUES} values`;
  }

  /** Skips a value. The fields of a group are counted as fields of the message. */
  #skipValue(wireType: number): void {
    if (wireType === 0) this.#readVarint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 5) this.#at += 4;
    else if (wireType > 5) this.#at = this.#bytes.length;
  }

  #countDelimited(content: ContentKind, end: number): void {
    const length = this.#readVarint();
    const until = Math.min(this.#at + length, end);
    if (content === "packed") this.values += length;
    if (content === "packed" || content === undefined) {
      this.#at = until;
      return;
    }
    this.messages += 1;
    this.#open.push({ fields: mapContentKinds(content), end: until });
    if (this.#open.length > MAX_WIRE_DEPTH) this.problem = `nested deeper than ${MAX_WIRE_DEPTH} levels`;
  }

  /** Reads a varint; returns the lower 32 bits. */
  #readVarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift >= 63) return value >>> 0;
    }
  }
}
