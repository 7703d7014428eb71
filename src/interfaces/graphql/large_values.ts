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

/** Number of items from which a list is read item by item. Our choice: lists are nested three deep at most. */
const MIN_LARGE_LIST_ITEMS = 20;

export type ValuePath = readonly (string | number)[];

/** A part of a variable that does not fit its type. */
export interface WrongPart {
  readonly path: ValuePath;
  readonly value: unknown;
  readonly type: GraphQLInputType;
}

/** Maximum number of errors about variables in a reply: the library's own limit. */
export const MAX_VARIABLE_ERRORS = 50;

/** Thrown when a value has too many wrong parts. */
export class TooManyErrors extends Error {}

/** Whether a value must be read in steps. */
export function isLargeValue(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length >= MIN_LARGE_LIST_ITEMS
    : isJsonObject(value) && findLargeLists(value).length > 0;
}

/**
 * Converts a variable's value as the library does, in steps: 300,000 objects take more than half a second, which would
 * delay probes.
 * @param wrong receives the parts that do not fit; the result must not be used if there are any
 * @throws TooManyErrors
 */
export function* coerceVariableInSteps(
  value: unknown,
  type: GraphQLInputType,
  wrong: WrongPart[],
  path: ValuePath = [],
): Steps<unknown> {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner) && Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      yield;
      items.push(yield* coerceVariableInSteps(item, inner.ofType, wrong, [...path, items.length]));
    }
    return items;
  }
  const lists = findLargeFields(value, inner);
  const rest = lists.length === 0 ? value : emptyLargeLists(value, type);
  const object = coercePart({ value: rest, type, path }, wrong) as Record<string, unknown> | undefined;
  for (const { name, type: listType } of lists) {
    const items = yield* coerceVariableInSteps((value as JsonObject)[name], listType, wrong, [...path, name]);
    if (object !== undefined) object[name] = items;
  }
  return object;
}

/** Returns the value with an empty list in place of each large list at its top level. */
export function emptyLargeLists(value: unknown, type: GraphQLInputType): unknown {
  if (Array.isArray(value)) return [];
  const names = findLargeFields(value, getNullableType(type)).map(({ name }) => name);
  return isJsonObject(value) ? emptyLists(value, names) : value;
}

/** Returns the large lists of an object, with their types. */
function findLargeFields(
  value: unknown,
  type: unknown,
): readonly { readonly name: string; readonly type: GraphQLInputType }[] {
  if (!isInputObjectType(type) || !isJsonObject(value)) return [];
  return findLargeLists(value).flatMap((name) => {
    const field = type.getFields()[name];
    return field !== undefined && isListType(getNullableType(field.type)) ? [{ name, type: field.type }] : [];
  });
}

function coercePart(part: WrongPart, wrong: WrongPart[]): unknown {
  const found = coerceInputValue(part.value, part.type);
  if (found !== undefined) return found;
  if (wrong.length >= MAX_VARIABLE_ERRORS) throw new TooManyErrors();
  wrong.push(part);
  return undefined;
}

/** An argument that cannot be parsed, with its path and the library's reason. */
export class UnreadableArgument extends Error {
  readonly path: string;

  constructor(message: string, place: string) {
    super(message);
    this.path = place;
  }
}

/** Converts arguments at the path `place` of the request to a message in steps. @throws UnreadableArgument */
export function* convertArgumentsInSteps(desc: DescMessage, args: object, place = ""): Steps<Message> {
  const given = args as JsonObject;
  const fields = desc.fields.filter((field) => {
    const value = given[field.jsonName];
    return field.fieldKind === "list" && field.listKind === "message" && Array.isArray(value) && isLargeValue(value);
  });
  const names = fields.map(({ jsonName }) => jsonName);
  const message = convertSmallArguments(desc, names.length === 0 ? args : emptyLists(given, names), place);
  for (const field of fields) {
    const list = (message as unknown as Record<string, unknown[]>)[field.localName] ?? [];
    for (const item of given[field.jsonName] as readonly object[]) {
      yield;
      const here = `${place}${field.name}[${list.length}]`;
      const { message: inner } = field;
      if (inner !== undefined) list.push(yield* convertArgumentsInSteps(inner, item, `${here}.`));
    }
  }
  return message;
}

function convertSmallArguments(desc: DescMessage, args: object, place: string): Message {
  // Turns the library's objects without prototypes into plain JSON objects.
  const json = JSON.parse(JSON.stringify(args)) as JsonValue;
  try {
    return fromJson(desc, json);
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(/^cannot decode .* from JSON: /, "");
    throw new UnreadableArgument(why, place + findUnreadablePath(desc, json, {}));
  }
}

/** Returns the names of the members that are large lists. */
function findLargeLists(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((name) => {
    const member = value[name];
    return Array.isArray(member) && member.length >= MIN_LARGE_LIST_ITEMS;
  });
}

function emptyLists<Fields extends object>(value: Fields, lists: readonly string[]): Fields {
  return { ...value, ...Object.fromEntries(lists.map((name) => [name, []])) };
}
