import {
  type DescEnum,
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type MessageShape,
} from "@bufbuild/protobuf";
import { OperationError } from "#kernel/errors.ts";
import { nearest } from "#kernel/nearest.ts";

const UNREADABLE = /^cannot decode (?:message|field|enum) (\S+) from JSON: (.*)$/s;

/** Reads a tool's own arguments as the request of its RPC. @throws OperationError naming the field */
export function readRequest<Method extends DescMethodUnary>(
  method: Method,
  args: JsonObject,
): MessageShape<Method["input"]> {
  try {
    return fromJson(method.input, args) as MessageShape<Method["input"]>;
  } catch (error) {
    const [, name = "", problem = ""] = UNREADABLE.exec((error as Error).message) ?? [];
    if (name === "") throw error;
    throw new OperationError("invalid_argument", explain(method.input, name, problem));
  }
}

function explain(request: DescMessage, name: string, problem: string): string {
  const words = wordsNamed(request, name, new Set());
  if (words !== undefined) {
    const expected = words.enum.values.filter(({ number }) => number !== 0).map((value) => value.name);
    return `Wrong value ${problem} for "${words.field}": expected one of ${expected.join(", ")}`;
  }
  const field = name.replace(/^.*\.v1\./, "").replace(/^[^.]*\.?/, "");
  return `Cannot read "${field === "" ? "arguments" : field}": ${problem}`;
}

interface Words {
  readonly field: string;
  readonly enum: DescEnum;
}

/** The first field, however deep, whose words are of this type: the library tells the type alone. */
function wordsNamed(desc: DescMessage, type: string, seen: Set<DescMessage>): Words | undefined {
  if (seen.has(desc)) return undefined;
  seen.add(desc);
  for (const field of desc.fields) {
    if (field.enum?.typeName === type) return { field: field.name, enum: field.enum };
    const inner = field.message === undefined ? undefined : wordsNamed(field.message, type, seen);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Refuses what the tool does not take and what it needs. @throws OperationError naming it */
export function checkNames(
  args: unknown,
  known: readonly string[],
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  const given = args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new OperationError("invalid_argument", "Cannot read the arguments: expected an object");
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const close = nearest(name, known);
    const hint = close === undefined ? `expected one of ${known.join(", ")}` : `did you mean "${close}"?`;
    throw new OperationError("invalid_argument", `Unknown parameter "${name}": ${hint}`);
  }
  for (const name of required) {
    if (Reflect.get(given, name) === undefined) {
      throw new OperationError("invalid_argument", `Missing required parameter "${name}"`);
    }
  }
  return given as Readonly<Record<string, unknown>>;
}
