import { Kind, type Static, type TObject, type TSchema, TypeRegistry } from "@sinclair/typebox";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { MAX_MESSAGE_VALUE_CHARS, OperationError, shortenText } from "#kernel/errors.ts";
import { isJsonObject, readJsonText } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import {
  type CallOptions,
  CRITERION_SCHEMA_KIND,
  ENUM_SCHEMA_KIND,
  type ToolDefinition,
  type ToolResult,
} from "#kernel/tool.ts";
import type { PlannerContext } from "./context.ts";
import { refuseInsideRun } from "./operations/shared/change_spec.ts";
import { parseSpecIdParts } from "./spec/spec_id.ts";

/**
 * Runs an operation: checks that the project is initialised, then the arguments, then runs the operation itself. Every
 * interface calls operations through this function.
 *
 * @param args unchecked input; unknown, missing or invalid parameters are rejected by name
 * @throws OperationError if the call is rejected or fails, or the signal's reason if it was cancelled before it began
 */
export async function runTool<Params extends TObject, Value>(
  context: PlannerContext,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  args: unknown,
  options: CallOptions = {},
): Promise<ToolResult<Value>> {
  if (!(await context.isInitialised())) {
    throw new OperationError("failed_precondition", "Planner not initialized. Run `planner init` first.");
  }
  const checked = checkArguments(tool.params, args);
  refuseInsideRun(context, tool.name);
  options.signal?.throwIfAborted();
  return tool.run(context, checked, options);
}

/**
 * Returns whether `text` has the form of a dated id, complete or cut off in its last part. A dated text matches only
 * specs whose ids begin with it; any other text may match any spec. Source: docs/decisions.md#s-04.
 */
export function isDatedId(text: string): boolean {
  return parseSpecIdParts(text) !== undefined;
}

/** Maximum depth to which an error message shows a nested value. */
const MAX_SHOWN_DEPTH = 8;

TypeRegistry.Set<TSchema & { enum: readonly unknown[] }>(ENUM_SCHEMA_KIND, (schema, value) =>
  schema.enum.includes(value),
);

TypeRegistry.Set(CRITERION_SCHEMA_KIND, (_, value) =>
  typeof value === "number" ? Number.isSafeInteger(value) && value > 0 : typeof value === "string" && value !== "",
);

/**
 * Returns `args` as the tool's parameters. Null means "not given", because clients send it for parameters that they do
 * not use. A text that is exactly the JSON text of the parameter's type is taken; nothing else is converted.
 *
 * @throws OperationError `invalid_argument` that names the parameter, its value and the expected one
 */
export function checkArguments<Params extends TObject>(params: Params, args: unknown): Static<Params> {
  if (!isJsonObject(args)) {
    throw new OperationError("invalid_argument", "Missing arguments");
  }
  const given = Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, readJsonText(value, getOwn(params.properties, name))]),
  );
  for (const name of params.required ?? []) {
    if (!Object.hasOwn(given, name)) {
      throw new OperationError("invalid_argument", `Missing required parameter: ${name}`);
    }
  }
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(params.properties, name)) throw buildUnknownParameterError(name, Object.keys(params.properties));
  }
  const error = Value.Errors(params, given).First() ?? findUnsafeInteger(params, given);
  if (error !== undefined) throw new OperationError("invalid_argument", describeMismatch(error));
  return given as Static<Params>;
}

function getOwn(properties: TObject["properties"], name: string): TSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function buildUnknownParameterError(name: string, known: readonly string[]): OperationError {
  const near = findNearest(name, known);
  const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
  return new OperationError("invalid_argument", `Unknown parameter: ${shortenText(name)}${hint}`);
}

/** Finds an integer parameter whose value is beyond the exact range of a double. */
function findUnsafeInteger(params: TObject, given: Readonly<Record<string, unknown>>): ArgumentMismatch | undefined {
  const found = Object.entries(given).find(([, value]) => typeof value === "number" && !Number.isSafeInteger(value));
  const schema = found === undefined ? undefined : params.properties[found[0]];
  if (found === undefined || schema?.["type"] !== "integer") return undefined;
  return { path: `/${found[0]}`, schema, value: found[1] };
}

type ArgumentMismatch = Pick<ValueError, "path" | "schema" | "value">;

function describeMismatch({ path, schema, value }: ArgumentMismatch): string {
  const name = path.slice(1).replaceAll("/", ".");
  // docs/contract/spec-tool.md#tool-errors fixes the sentence for a status; other enumerated parameters follow it.
  if (schema[Kind] === ENUM_SCHEMA_KIND)
    return `Invalid ${name}: ${formatBareText(value)}. Must be one of: ${schema["enum"].join(", ")}`;
  return `Invalid parameter "${name}": expected ${describeExpectation(schema)}, got ${formatValue(value)}`;
}

function describeExpectation(schema: TSchema): string {
  if (schema[Kind] === CRITERION_SCHEMA_KIND) return "number of a criterion, from 1, or a part of its text";
  if (schema["minLength"] !== undefined) return "string that is not empty";
  const type = String(schema["type"]);
  const items = schema["items"] as TSchema | undefined;
  if (items !== undefined) return `${type} of ${String(items["type"])}`;
  return schema["minimum"] === undefined ? type : `${type} of at least ${schema["minimum"]}`;
}

function formatBareText(value: unknown): string {
  return typeof value === "string" && value !== "" ? shortenText(value) : formatValue(value);
}

function formatValue(value: unknown): string {
  return shortenText(JSON.stringify(clipValue(value, MAX_SHOWN_DEPTH)) ?? String(value));
}

/** Shortens a value to the depth that a message shows, because printing 200,000 levels takes seconds or fails. */
function clipValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.slice(0, MAX_MESSAGE_VALUE_CHARS).map((item) => clipValue(item, depth - 1));
  const entries = Object.entries(value).slice(0, MAX_MESSAGE_VALUE_CHARS);
  return Object.fromEntries(entries.map(([name, item]) => [name, clipValue(item, depth - 1)]));
}
