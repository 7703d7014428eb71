import {
  type BinaryReadOptions,
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonReadOptions,
  type Message,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { refuse } from "#dc/model/refusal.ts";
import { createUnreadableRefusal, readJsonText, UnreadableJson } from "#dc/operations/messages/json_place.ts";
import type { Steps } from "#kernel/clock.ts";
import { type ElementRange, findLargeMembers, type LargeMember } from "#kernel/json_cuts.ts";
import { tryParseJson } from "#kernel/json_object.ts";
import { LARGE_BODY_BYTES } from "./body_meter.ts";

/** Type, form and reading options of the messages of one method. */
export interface MessageFormat {
  readonly input: DescMessage;
  readonly isBinary: boolean;
  readonly options: Partial<JsonReadOptions & BinaryReadOptions>;
}

/**
 * Reads a request, a large one of JSON in steps: reading 300,000 objects at once takes a second, which would delay
 * probes. The same in binary takes 0.4 s, and 1,000 devices with 95 ports 0.07 s.
 * @throws Refusal that names what cannot be read
 */
export function* readMessage({ input, isBinary, options }: MessageFormat, bytes: Uint8Array): Steps<Message> {
  try {
    if (isBinary) return fromBinary(input, bytes, options);
    if (bytes.length < LARGE_BODY_BYTES) return readJsonText(input, decodeUtf8(bytes), options);
    return yield* readLargeJson(input, bytes, options);
  } catch (error) {
    if (error instanceof UnreadableJson) throw createUnreadableRefusal(error);
    throw refuse(
      "MALFORMED_MESSAGE",
      `Cannot read the message: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

type JsonOptions = Partial<JsonReadOptions>;
/** The fields of a message by name. */
type FieldsByName = Record<string, unknown>;

/**
 * Reads a large JSON request in steps: first the object without its large members, then each large member piece by
 * piece. The message and the refusals are those of the library.
 * @throws UnreadableJson
 */
function* readLargeJson(desc: DescMessage, bytes: Uint8Array, options: JsonOptions): Steps<Message> {
  const members = (yield* findLargeMembers(bytes)).map((member) => new LargeFieldMember(desc, bytes, member));
  const cuts = members.filter(({ isIndivisible }) => !isIndivisible);
  const message = readJsonPiece(desc, omitLargeMembers(bytes, cuts), options);
  for (const cut of cuts) {
    yield;
    const { field } = cut;
    if (field?.fieldKind === "list" && cut.member.isList) yield* readLargeList(message, cut, field, options);
    else if (isMessageField(field) && !cut.member.isList) {
      const inner = yield* prefixErrorPath(field.name, readLargeJson(field.message, cut.sliceWhole(), options));
      reflect(desc, message).set(field, reflect(field.message, inner));
    }
  }
  return message;
}

/** A large member of a JSON object, and the field into which it is read. */
class LargeFieldMember {
  readonly member: LargeMember;
  readonly field: DescField | undefined;
  readonly #bytes: Uint8Array;

  constructor({ fields }: DescMessage, bytes: Uint8Array, member: LargeMember) {
    this.member = member;
    this.#bytes = bytes;
    const name = tryParseJson(this.name);
    this.field = fields.find((one) => one.name === name || one.jsonName === name);
  }

  /** The member's name with its quotes. */
  get name(): string {
    return this.sliceText(...this.member.name);
  }

  /** Whether the member must be read at once: a map of texts, or a message with a special JSON form in the library. */
  get isIndivisible(): boolean {
    const { fieldKind, message } = this.field ?? {};
    if (fieldKind === "map") return !this.member.isNested;
    return fieldKind === "message" && message?.typeName.startsWith("google.protobuf.") === true;
  }

  sliceText(from: number, to: number): string {
    return decodeUtf8(this.#bytes.subarray(from, to));
  }

  sliceBytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  /** Bytes of the member, including its brackets. */
  sliceWhole(): Uint8Array {
    return this.sliceBytes(this.member.from - 1, this.member.to + 1);
  }
}

function isMessageField(field: DescField | undefined): field is DescField & { readonly fieldKind: "message" } {
  return field?.fieldKind === "message";
}

/** Returns the text without the content of the given members. Maps get an invalid entry, which the library refuses. */
function omitLargeMembers(bytes: Uint8Array, cuts: readonly LargeFieldMember[]): string {
  let at = 0;
  let text = "";
  for (const { member, field } of cuts) {
    text += decodeUtf8(bytes.subarray(at, member.from)) + (field?.fieldKind === "map" && !member.isList ? '"":{}' : "");
    at = member.to;
  }
  return text + decodeUtf8(bytes.subarray(at));
}

type ListField = DescField & { readonly fieldKind: "list" };

function* readLargeList(message: Message, cut: LargeFieldMember, field: ListField, options: JsonOptions): Steps<void> {
  const { elements } = cut.member;
  const list = (message as unknown as FieldsByName)[field.localName] as unknown[];
  const [only] = elements;
  if (elements.length === 1 && only !== undefined && cut.sliceText(only.from, only.to).trim() === "") return;
  for (const one of elements) {
    yield;
    if (one.isLarge && field.listKind === "message") {
      const bytes = cut.sliceBytes(one.from, one.to);
      list.push(yield* prefixErrorPath(`${field.name}[${list.length}]`, readLargeJson(field.message, bytes, options)));
    } else {
      const part = readJsonPiece(field.parent, decodePieceText(cut, one), options, list.length);
      list.push(...((part as unknown as FieldsByName)[field.localName] as unknown[]));
    }
  }
}

function decodePieceText(cut: LargeFieldMember, { from, to, isLarge }: ElementRange): string {
  const text = cut.sliceText(from, to);
  // The brackets would hide a piece without an element, which is an error.
  const content = text.trim() === "" ? "," : text;
  return `{${cut.name}:[${isLarge ? shortenInvalidElement(content) : content}]}`;
}

/** Empties an object or a list, which a scalar list cannot contain, so that the library refuses a short text. */
function shortenInvalidElement(text: string): string {
  const [first] = text.trim();
  if (first === "{") return "{}";
  return first === "[" ? "[]" : text;
}

/** @param before number of list elements before this piece */
function readJsonPiece(desc: DescMessage, text: string, options: JsonOptions, before = 0): Message {
  try {
    return readJsonText(desc, text, options);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw error.moveTo(error.path.replace(/^(\w+)\[(\d+)\]/, (_, name, at) => `${name}[${Number(at) + before}]`));
  }
}

/** Adds the path of the outer value to errors of nested steps. */
function* prefixErrorPath<Result>(outer: string, steps: Steps<Result>): Steps<Result> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw error.moveTo(error.path === "" ? outer : `${outer}.${error.path}`);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws UnreadableJson */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new UnreadableJson(String(error), "");
  }
}
