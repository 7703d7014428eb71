import { type DescMessage, fromJson, type JsonObject, type JsonValue, type Message } from "@bufbuild/protobuf";
import {
  coerceInputValue,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { findUnreadablePath } from "#dc/operations/messages/json_place.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { Steps } from "#kernel/steps.ts";

/** Items from which a list is read item by item. Ours: lists are nested three deep at most. */
const LARGE_ITEMS = 20;

export type Path = readonly (string | number)[];

/** A part of a variable that does not fit its type. */
export interface WrongPart {
  readonly path: Path;
  readonly value: unknown;
  readonly type: GraphQLInputType;
}

/** Most errors of variables in an answer. The library's own limit. */
export const MAX_WRONG = 50;

/** Thrown when a value has too many wrong parts. */
export class TooManyWrong extends Error {}

/** Whether a value must be read in steps. */
export function isLarge(value: unknown): boolean {
  return Array.isArray(value) ? value.length >= LARGE_ITEMS : isJsonObject(value) && largeLists(value).length > 0;
}

/**
 * What the library makes of a variable's value, in steps: 300,000 objects take more than half a second, for which probes
 * would wait.
 *
 * @param wrong gets the parts that do not fit; the result is of no use then
 * @throws TooManyWrong
 */
export function* coerceInSteps(
  value: unknown,
  type: GraphQLInputType,
  wrong: WrongPart[],
  path: Path = [],
): Steps<unknown> {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner) && Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      yield;
      items.push(yield* coerceInSteps(item, inner.ofType, wrong, [...path, items.length]));
    }
    return items;
  }
  const lists = largeFields(value, inner);
  const rest = lists.length === 0 ? value : withoutLarge(value, type);
  const object = coercePart({ value: rest, type, path }, wrong) as Record<string, unknown> | undefined;
  for (const { name, type: listType } of lists) {
    const items = yield* coerceInSteps((value as JsonObject)[name], listType, wrong, [...path, name]);
    if (object !== undefined) object[name] = items;
  }
  return object;
}

/** The value with an empty list for each large one at its top. */
export function withoutLarge(value: unknown, type: GraphQLInputType): unknown {
  if (Array.isArray(value)) return [];
  const names = largeFields(value, getNullableType(type)).map(({ name }) => name);
  return isJsonObject(value) ? emptyLists(value, names) : value;
}

/** The large lists of an object, with their types. */
function largeFields(
  value: unknown,
  type: unknown,
): readonly { readonly name: string; readonly type: GraphQLInputType }[] {
  if (!isInputObjectType(type) || !isJsonObject(value)) return [];
  return largeLists(value).flatMap((name) => {
    const field = type.getFields()[name];
    return field !== undefined && isListType(getNullableType(field.type)) ? [{ name, type: field.type }] : [];
  });
}

function coercePart(part: WrongPart, wrong: WrongPart[]): unknown {
  const found = coerceInputValue(part.value, part.type);
  if (found !== undefined) return found;
  if (wrong.length >= MAX_WRONG) throw new TooManyWrong();
  wrong.push(part);
  return undefined;
}

/** An argument that cannot be parsed, with its path and the library's reason. */
export class UnreadableArgument extends Error {
  readonly place: string;

  constructor(message: string, place: string) {
    super(message);
    this.place = place;
  }
}

/** Reads arguments as a message in steps. @param place where they are in the whole request @throws UnreadableArgument */
export function* messageInSteps(desc: DescMessage, args: object, place = ""): Steps<Message> {
  const given = args as JsonObject;
  const fields = desc.fields.filter((field) => {
    const value = given[field.jsonName];
    return field.fieldKind === "list" && field.listKind === "message" && Array.isArray(value) && isLarge(value);
  });
  const names = fields.map(({ jsonName }) => jsonName);
  const message = smallMessage(desc, names.length === 0 ? args : emptyLists(given, names), place);
  for (const field of fields) {
    const list = (message as unknown as Record<string, unknown[]>)[field.localName] ?? [];
    for (const item of given[field.jsonName] as readonly object[]) {
      yield;
      const here = `${place}${field.name}[${list.length}]`;
      const { message: inner } = field;
      if (inner !== undefined) list.push(yield* messageInSteps(inner, item, `${here}.`));
    }
  }
  return message;
}

function smallMessage(desc: DescMessage, args: object, place: string): Message {
  // Removes prototypes and converts nulls as proto JSON requires.
  const json = JSON.parse(JSON.stringify(args)) as JsonValue;
  try {
    return fromJson(desc, json);
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(/^cannot decode .* from JSON: /, "");
    throw new UnreadableArgument(why, place + findUnreadablePath(desc, json, {}));
  }
}

/** The members of an object that are large lists, or objects with such. */
function largeLists(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((name) => {
    const member = value[name];
    return Array.isArray(member) && member.length >= LARGE_ITEMS;
  });
}

function emptyLists<Fields extends object>(value: Fields, lists: readonly string[]): Fields {
  return { ...value, ...Object.fromEntries(lists.map((name) => [name, []])) };
}
