import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { OperationError } from "#kernel/errors.ts";
import { nearest } from "#kernel/nearest.ts";

/**
 * Returns `args` as the tool's parameters.
 *
 * @throws OperationError `invalid_argument` that names the parameter, what came and what was expected
 */
export function checkArguments<Params extends TObject>(params: Params, args: unknown): Static<Params> {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new OperationError("invalid_argument", "Missing arguments");
  }
  for (const name of params.required ?? []) {
    if (!Object.hasOwn(args, name)) throw new OperationError("invalid_argument", `Missing required parameter: ${name}`);
  }
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(params.properties, name)) throw unknownParameter(name, Object.keys(params.properties));
  }
  const error = Value.Errors(params, args).First();
  if (error !== undefined) throw new OperationError("invalid_argument", describe(error));
  return args as Static<Params>;
}

function unknownParameter(name: string, known: readonly string[]): OperationError {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
  return new OperationError("invalid_argument", `Unknown parameter: ${name}${hint}`);
}

function describe(error: ValueError): string {
  const name = error.path.slice(1).replaceAll("/", ".");
  return `Invalid parameter "${name}": expected ${expectation(error.schema)}, got ${shown(error.value)}`;
}

function expectation(schema: TSchema): string {
  const options = schema["anyOf"];
  if (Array.isArray(options)) return `one of ${options.map((option: TSchema) => option["const"]).join(", ")}`;
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].join(", ")}`;
  const type = String(schema["type"] ?? "another value");
  const least = schema["minimum"];
  if (least !== undefined) return `${type} of at least ${least}`;
  return schema["minLength"] === undefined ? type : `${type} that is not empty`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
