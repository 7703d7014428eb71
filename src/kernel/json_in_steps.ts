import { findLargeMembers, type LargeMember } from "./json_cuts.ts";
import { parseUniqueJson } from "./json_object.ts";
import type { Steps } from "./steps.ts";

/** Bytes up to which JSON is parsed in one step. */
const SMALL_JSON_BYTES = 16 * 1024;
const BLANK = 32;
const OPEN_LIST = 91;
const OPEN_OBJECT = 123;
/** Prefix that turns a list into the only member of an object, so that `findLargeMembers` can split it. */
const LIST_PREFIX = Buffer.from('{"":');
const LIST_SUFFIX = Buffer.from("}");

const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses JSON in steps, because 300,000 objects take some tenths of a second, during which no other work would run.
 * Returns the value that `JSON.parse` returns. Accepts a byte order mark at the start.
 *
 * @throws SyntaxError or TypeError for anything but JSON in UTF-8, and for an object with a name twice
 */
export function* parseJson(bytes: Uint8Array): Steps<unknown> {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return yield* parseValue(isMarked ? bytes.subarray(3) : bytes);
}

function* parseValue(bytes: Uint8Array): Steps<unknown> {
  const first = bytes.length < SMALL_JSON_BYTES ? undefined : findFirstNonBlankByte(bytes);
  if (first === OPEN_OBJECT) return yield* parseObject(bytes);
  if (first !== OPEN_LIST) return parseUniqueJson(utf8Decoder.decode(bytes));
  const object = yield* parseObject(Buffer.concat([LIST_PREFIX, bytes, LIST_SUFFIX]));
  const names = Object.keys(object);
  // Any other number of members means that the text was not a list.
  if (names.length !== 1 || names[0] !== "") throw new SyntaxError("Expected one list");
  return object[""];
}

function* parseObject(bytes: Uint8Array): Steps<Record<string, unknown>> {
  const members = yield* findLargeMembers(bytes);
  let rest = "";
  let at = 0;
  for (const { from, to } of members) {
    rest += utf8Decoder.decode(bytes.subarray(at, from));
    at = to;
  }
  rest += utf8Decoder.decode(bytes.subarray(at));
  const object = parseUniqueJson(rest) as Record<string, unknown>;
  for (const member of members) {
    yield;
    const name: string = JSON.parse(utf8Decoder.decode(bytes.subarray(...member.name)));
    const value = member.isList
      ? yield* parseList(bytes, member)
      : yield* parseObject(bytes.subarray(member.from - 1, member.to + 1));
    // Assigning `__proto__` would set the prototype instead of adding a member.
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

function* parseList(bytes: Uint8Array, { from, to, elements }: LargeMember): Steps<unknown[]> {
  const list: unknown[] = [];
  if (elements.length === 1 && utf8Decoder.decode(bytes.subarray(from, to)).trim() === "") return list;
  for (const element of elements) {
    yield;
    const content = bytes.subarray(element.from, element.to);
    if (element.isLarge) list.push(yield* parseValue(content));
    else {
      const text = utf8Decoder.decode(content);
      // A piece without an element must fail to parse, but `[]` would be a valid empty list.
      for (const item of parseUniqueJson(`[${text.trim() === "" ? "," : text}]`) as unknown[]) list.push(item);
    }
  }
  return list;
}

/** Returns the first byte that is not white space. */
function findFirstNonBlankByte(bytes: Uint8Array): number | undefined {
  let at = 0;
  while ((bytes[at] ?? BLANK + 1) <= BLANK) at++;
  return bytes[at];
}
