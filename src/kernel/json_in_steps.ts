import { type LargeMember, largeMembers } from "./json_cuts.ts";
import type { Steps } from "./steps.ts";

/** Bytes of JSON that are parsed at once. */
const SMALL_BYTES = 16 * 1024;
const BLANK = 32;
const OPEN_LIST = 91;
const OPEN_OBJECT = 123;
/** Makes a list the member of an object, whose members are found. */
const BEFORE_LIST = Buffer.from('{"":');
const BEHIND_LIST = Buffer.from("}");

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses JSON in steps: 300,000 objects take some tenths of a second, for which other work would wait. The value is that
 * of `JSON.parse`, except for an object that names a large member twice. A mark of the byte order may precede it.
 *
 * @throws SyntaxError or TypeError for anything but JSON in UTF-8
 */
export function* parseJson(bytes: Uint8Array): Steps<unknown> {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return yield* parseValue(isMarked ? bytes.subarray(3) : bytes);
}

function* parseValue(bytes: Uint8Array): Steps<unknown> {
  const first = bytes.length < SMALL_BYTES ? undefined : firstByte(bytes);
  if (first === OPEN_OBJECT) return yield* parseObject(bytes);
  if (first !== OPEN_LIST) return JSON.parse(utf8.decode(bytes));
  const object = yield* parseObject(Buffer.concat([BEFORE_LIST, bytes, BEHIND_LIST]));
  const names = Object.keys(object);
  // More members, or none, are those of a text that was no list.
  if (names.length !== 1 || names[0] !== "") throw new SyntaxError("Expected one list");
  return object[""];
}

function* parseObject(bytes: Uint8Array): Steps<Record<string, unknown>> {
  const members = yield* largeMembers(bytes);
  let rest = "";
  let at = 0;
  for (const { from, to } of members) {
    rest += utf8.decode(bytes.subarray(at, from));
    at = to;
  }
  rest += utf8.decode(bytes.subarray(at));
  const object: Record<string, unknown> = JSON.parse(rest);
  for (const member of members) {
    yield;
    const name: string = JSON.parse(utf8.decode(bytes.subarray(...member.name)));
    const value = member.isList
      ? yield* parseList(bytes, member)
      : yield* parseObject(bytes.subarray(member.from - 1, member.to + 1));
    // By assignment `__proto__` would be no member.
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

function* parseList(bytes: Uint8Array, { from, to, elements }: LargeMember): Steps<unknown[]> {
  const list: unknown[] = [];
  if (elements.length === 1 && utf8.decode(bytes.subarray(from, to)).trim() === "") return list;
  for (const element of elements) {
    yield;
    const content = bytes.subarray(element.from, element.to);
    if (element.isLarge) list.push(yield* parseValue(content));
    else {
      const text = utf8.decode(content);
      // A piece without an element would be an empty list.
      for (const item of JSON.parse(`[${text.trim() === "" ? "," : text}]`)) list.push(item);
    }
  }
  return list;
}

/** The first byte behind the blanks. */
function firstByte(bytes: Uint8Array): number | undefined {
  let at = 0;
  while ((bytes[at] ?? BLANK + 1) <= BLANK) at++;
  return bytes[at];
}
