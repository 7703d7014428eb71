import {
  create,
  type DescField,
  type DescMessage,
  type JsonWriteOptions,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { Steps } from "#kernel/steps.ts";
import type { ReadRpc } from "../rpc.ts";

/** Elements of a list that are written in one step. Ours: some hundred microseconds. */
const ELEMENTS = 16;

type ListField = DescField & { readonly fieldKind: "list" };

/** Encodes a message in binary, its long lists in steps. The bytes equal those of `toBinary`. */
export function* binaryInSteps<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Steps<Uint8Array> {
  const long = longLists(desc, message);
  if (long.length === 0) return toBinary(desc, message);
  const empty = create(desc);
  const pieces: Uint8Array[] = [];
  let short: Record<string, unknown> = { ...empty };
  const flush = () => {
    pieces.push(toBinary(desc, short as MessageShape<Desc>));
    short = { ...empty };
  };
  for (const field of inOrder(desc)) {
    if (!long.some((other) => other === field)) {
      keepField(field, message, short);
      continue;
    }
    flush();
    for (const elements of slices(message, field.localName)) {
      yield;
      // Pieces of a list that follow one another are read as one list.
      pieces.push(toBinary(desc, { ...empty, [field.localName]: elements }));
    }
  }
  flush();
  return Buffer.concat(pieces);
}

/** Writes a message in JSON, its long lists in steps. The text is that of `toJsonString`. */
export function* jsonInSteps<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  options: Partial<JsonWriteOptions>,
): Steps<Uint8Array> {
  const long = longLists(desc, message);
  const json = toJson(desc, withoutLists(message, long), options) as Readonly<Record<string, unknown>>;
  if (long.length === 0) return encoder.encode(JSON.stringify(json));
  const pieces: Uint8Array[] = [];
  for (const field of inOrder(desc)) {
    const name = options.useProtoFieldName === true ? field.name : field.jsonName;
    const head = `${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    const list = long.find((other) => other === field);
    if (list !== undefined) yield* listInSteps(list, message, { options, head, pieces });
    else if (Object.hasOwn(json, name)) pieces.push(encoder.encode(head + JSON.stringify(json[name])));
  }
  pieces.push(encoder.encode("}"));
  return Buffer.concat(pieces);
}

const encoder = new TextEncoder();

interface ListText {
  readonly options: Partial<JsonWriteOptions>;
  /** Text before the list. */
  readonly head: string;
  readonly pieces: Uint8Array[];
}

function* listInSteps(
  { message: element, localName }: ListField,
  message: object,
  { options, head, pieces }: ListText,
): Steps<void> {
  if (element === undefined) return;
  let before = `${head}[`;
  for (const elements of slices(message, localName)) {
    yield;
    const texts = elements.map((one) => JSON.stringify(toJson(element, one, options)));
    pieces.push(encoder.encode(before + texts.join(",")));
    before = ",";
  }
  pieces.push(encoder.encode("]"));
}

/** The order in which fields are written. */
function inOrder({ fields }: DescMessage): readonly DescField[] {
  return fields.toSorted((a, b) => a.number - b.number);
}

function keepField(
  { localName, oneof }: DescField,
  message: Readonly<Record<string, unknown>>,
  kept: Record<string, unknown>,
): void {
  const name = oneof?.localName ?? localName;
  const value = message[name];
  if (oneof === undefined || (value as { readonly case?: string }).case === localName) kept[name] = value;
}

function longLists(desc: DescMessage, message: object): readonly ListField[] {
  return desc.fields
    .filter((field): field is ListField => field.fieldKind === "list" && field.listKind === "message")
    .filter(({ localName }) => elementsOf(message, localName).length > ELEMENTS);
}

function withoutLists<Message extends object>(message: Message, lists: readonly ListField[]): Message {
  return { ...message, ...Object.fromEntries(lists.map(({ localName }) => [localName, []])) };
}

function* slices(message: object, localName: string) {
  const elements = elementsOf(message, localName);
  for (let at = 0; at < elements.length; at += ELEMENTS) yield elements.slice(at, at + ELEMENTS);
}

function elementsOf(message: object, localName: string): readonly MessageShape<DescMessage>[] {
  return (message as Readonly<Record<string, readonly MessageShape<DescMessage>[]>>)[localName] ?? [];
}

type Reply = Awaited<ReturnType<ReadRpc["run"]>>;

/** Replies in binary, as long as they live. */
const encoded = new WeakMap<Reply, Uint8Array>();

/** Encodes a reply that is no longer modified, and stores the bytes with it. */
export function* encodeReply({ method }: ReadRpc, reply: Reply): Steps<Uint8Array> {
  const bytes = yield* binaryInSteps(method.output, reply);
  encoded.set(reply, bytes);
  return bytes;
}

/** Returns the bytes of a reply that was encoded before. */
export function encodedReply(reply: Reply): Uint8Array | undefined {
  return encoded.get(reply);
}
