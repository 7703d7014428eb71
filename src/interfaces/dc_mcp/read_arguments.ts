import type { DescMethodUnary, JsonObject, MessageShape } from "@bufbuild/protobuf";
import { type TSchema, Type } from "@sinclair/typebox";
import { createUnreadableRefusal, readJsonValue, UnreadableJson } from "#dc/operations/messages/json_place.ts";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { readJsonText } from "#kernel/json_text.ts";
import { findNearest } from "#kernel/nearest.ts";
import { shortenText } from "#kernel/shortened.ts";

/** Converts a tool's arguments to the request of its RPC. @throws OperationError naming the field */
export function readRequest<Method extends DescMethodUnary>(
  method: Method,
  args: JsonObject,
): MessageShape<Method["input"]> {
  try {
    return readJsonValue(method.input, args) as MessageShape<Method["input"]>;
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    const { message } = createUnreadableRefusal(error);
    throw createInvalidArgumentError(error.path === "" ? `Cannot read "arguments": ${message}` : message);
  }
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
    throw createInvalidArgumentError(`Unknown parameter "${shortenText(name)}": ${hint}`);
  }
  for (const name of required) {
    if (Reflect.get(given, name) === undefined) {
      throw createInvalidArgumentError(`Missing required parameter "${name}"`);
    }
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readJsonText(value, params[name])]));
}
