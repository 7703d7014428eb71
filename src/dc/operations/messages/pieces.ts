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

/** Number of list elements that are written in one step. Our choice: some hundred microseconds of work. */
const ELEMENTS_PER_STEP = 16;

type ListField = DescField & { readonly fieldKind: "list" };

/** Encodes a message in binary, its long lists in steps. The bytes equal those of `toBinary`. */
export function* encodeBinaryInSteps<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
): Steps<Uint8Array> {
  const long = findLongLists(desc, message);
  if (long.length === 0) return toBinary(desc, message);
  const empty = create(desc);
  const pieces: Uint8Array[] = [];
  let short: Record<string, unknown> = { ...empty };
  const flush = () => {
    pieces.push(toBinary(desc, short as MessageShape<Desc>));
    short = { ...empty };
  };
  for (const field of sortFields(desc)) {
    if (!long.some((other) => other === field)) {
      copyField(field, message, short);
      continue;
    }
    flush();
    for (const elements of sliceElements(message, field.localName)) {
      yield;
      // A parser concatenates consecutive pieces of a list into one list.
      pieces.push(toBinary(desc, { ...empty, [field.localName]: elements }));
    }
  }
  flush();
  return Buffer.concat(pieces);
}

/** Encodes a message as JSON, its long lists in steps. The text equals that of `toJsonString`. */
export function* encodeJsonInSteps<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  options: Partial<JsonWriteOptions>,
): Steps<Uint8Array> {
  const long = findLongLists(desc, message);
  const json = toJson(desc, omitLists(message, long), options) as Readonly<Record<string, unknown>>;
  if (long.length === 0) return textEncoder.encode(JSON.stringify(json));
  const pieces: Uint8Array[] = [];
  for (const field of sortFields(desc)) {
    const name = options.useProtoFieldName === true ? field.name : field.jsonName;
    const head = `${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    const list = long.find((other) => other === field);
    if (list !== undefined) yield* encodeListInSteps(list, message, { options, head, pieces });
    else if (Object.hasOwn(json, name)) pieces.push(textEncoder.encode(head + JSON.stringify(json[name])));
  }
  pieces.push(textEncoder.encode("}"));
  return Buffer.concat(pieces);
}

const textEncoder = new TextEncoder();

interface ListEncoding {
  readonly options: Partial<JsonWriteOptions>;
  /** JSON text before the list: a separator and the name of the list. */
  readonly head: string;
  readonly pieces: Uint8Array[];
}

function* encodeListInSteps(
  { message: element, localName }: ListField,
  message: object,
  { options, head, pieces }: ListEncoding,
): Steps<void> {
  if (element === undefined) return;
  let before = `${head}[`;
  for (const elements of sliceElements(message, localName)) {
    yield;
    const texts = elements.map((one) => JSON.stringify(toJson(element, one, options)));
    pieces.push(textEncoder.encode(before + texts.join(",")));
    before = ",";
  }
  pieces.push(textEncoder.encode("]"));
}

/** Returns the fields in the order in which they are written. */
function sortFields({ fields }: DescMessage): readonly DescField[] {
  return fields.toSorted((a, b) => a.number - b.number);
}

function copyField(
  { localName, oneof }: DescField,
  message: Readonly<Record<string, unknown>>,
  kept: Record<string, unknown>,
): void {
  const name = oneof?.localName ?? localName;
  const value = message[name];
  if (oneof === undefined || (value as { readonly case?: string }).case === localName) kept[name] = value;
}

function findLongLists(desc: DescMessage, message: object): readonly ListField[] {
  return desc.fields
    .filter((field): field is ListField => field.fieldKind === "list" && field.listKind === "message")
    .filter(({ localName }) => getListElements(message, localName).length > ELEMENTS_PER_STEP);
}

function omitLists<Message extends object>(message: Message, lists: readonly ListField[]): Message {
  return { ...message, ...Object.fromEntries(lists.map(({ localName }) => [localName, []])) };
}

function* sliceElements(message: object, localName: string) {
  const elements = getListElements(message, localName);
  for (let at = 0; at < elements.length; at += ELEMENTS_PER_STEP) yield elements.slice(at, at + ELEMENTS_PER_STEP);
}

function getListElements(message: object, localName: string): readonly MessageShape<DescMessage>[] {
  return (message as Readonly<Record<string, readonly MessageShape<DescMessage>[]>>)[localName] ?? [];
}

type Reply = Awaited<ReturnType<ReadRpc["run"]>>;

/** Binary encodings of replies, kept as long as the reply object. */
const encodedReplies = new WeakMap<Reply, Uint8Array>();

/** Encodes a reply that is no longer modified, and stores the bytes with it. */
export function* encodeReply({ method }: ReadRpc, reply: Reply): Steps<Uint8Array> {
  const bytes = yield* encodeBinaryInSteps(method.output, reply);
  encodedReplies.set(reply, bytes);
  return bytes;
}

/** Returns the bytes of a reply that `encodeReply` encoded before, else undefined. */
export function findEncodedReply(reply: Reply): Uint8Array | undefined {
  return encodedReplies.get(reply);
}
