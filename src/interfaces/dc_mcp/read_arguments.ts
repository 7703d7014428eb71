import {
  type DescEnum,
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type TSchema, Type } from "@sinclair/typebox";
import { findUnreadablePath } from "#dc/operations/messages/json_place.ts";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { readJsonText } from "#kernel/json_text.ts";
import { findNearest } from "#kernel/nearest.ts";

const JSON_ERROR_PATTERN = /^cannot decode (?:message|field|enum) (\S+) from JSON: (.*)$/s;

/** Converts a tool's arguments to the request of its RPC. @throws OperationError naming the field */
export function readRequest<Method extends DescMethodUnary>(
  method: Method,
  args: JsonObject,
): MessageShape<Method["input"]> {
  try {
    return fromJson(method.input, args) as MessageShape<Method["input"]>;
  } catch (error) {
    const { message } = error as Error;
    const [, type = "", problem = message] = JSON_ERROR_PATTERN.exec(message) ?? [];
    const field = findUnreadablePath(method.input, args, {}) || "arguments";
    throw createInvalidArgumentError(
      formatArgumentProblem(field, problem, findNestedEnum(method.input, type, new Set())),
    );
  }
}

function formatArgumentProblem(field: string, problem: string, words: DescEnum | undefined): string {
  if (words === undefined) return `Cannot read "${field}": ${problem}`;
  const expected = words.values.filter(({ number }) => number !== 0).map(({ name }) => name);
  return `Wrong value ${problem} for "${field}": expected one of ${expected.join(", ")}`;
}

/** Finds the enumeration of this name in a message, at any depth. */
function findNestedEnum(desc: DescMessage, type: string, seen: Set<DescMessage>): DescEnum | undefined {
  if (seen.has(desc)) return undefined;
  seen.add(desc);
  for (const field of desc.fields) {
    if (field.enum?.typeName === type) return field.enum;
    const inner = field.message === undefined ? undefined : findNestedEnum(field.message, type, seen);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/**
 * Rejects unknown and missing arguments, and reads JSON texts of the parameters' types.
 * @throws OperationError naming the argument
 */
export function requireKnownArguments(
  args: unknown,
  params: Readonly<Record<string, TSchema>>,
): Readonly<Record<string, unknown>> {
  const known = Object.keys(params);
  const { required = [] } = Type.Object(params);
  const given = args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw createInvalidArgumentError("Cannot read the arguments: expected an object");
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const close = findNearest(name, known);
    const hint = close === undefined ? `expected one of ${known.join(", ")}` : `did you mean "${close}"?`;
    throw createInvalidArgumentError(`Unknown parameter "${name}": ${hint}`);
  }
  for (const name of required) {
    if (Reflect.get(given, name) === undefined) {
      throw createInvalidArgumentError(`Missing required parameter "${name}"`);
    }
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readJsonText(value, params[name])]));
}
