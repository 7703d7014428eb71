import { Kind, type Static, type TObject, type TUnsafe, Type } from "@sinclair/typebox";

/** Effect of a tool: no change, a change, or a change that removes something (a status, a file, a process). */
type ToolEffect = "read" | "write" | "destroy";

/**
 * Result of a tool. `value` is structured: the command line formats it, and `--json` prints all of it. `text` is set if
 * docs/contract/spec-tool.md#tools fixes the wire text; otherwise the wire text is `value` as JSON.
 */
export interface ToolResult<Value = unknown> {
  readonly value: Value;
  readonly text?: string;
  /** True if `value` is an object that is also sent as structured content in addition to the text. */
  readonly structured?: boolean;
  /** A picture that is sent in addition to the text: base64 and its media type. */
  readonly image?: { readonly data: string; readonly mediaType: string };
}

/** Options of one call in addition to its arguments. */
export interface CallOptions {
  /** Aborts when the caller cancels; a slow tool then stops at its next step. */
  readonly signal?: AbortSignal;
}

/**
 * One tool: its wire name, its parameters and its behaviour. MCP, the command line and the docs derive their forms from
 * it.
 *
 * `run` throws `OperationError` to refuse; any other error is a bug.
 */
export interface ToolDefinition<Context, Params extends TObject = TObject, Value = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Description of a call's result for the documentation; clients see the result itself. */
  readonly resultDescription?: string;
  readonly effect: ToolEffect;
  /** True if a repeated call with the same arguments changes nothing further. */
  readonly idempotent: boolean;
  /** Whether a call may take long (a child process, every file); later calls then run concurrently. */
  readonly slow?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  readonly params: Params;
  // A method, not a property, so that tools of several parameter types fit into one table.
  run(context: Context, args: Static<Params>, options?: CallOptions): Promise<ToolResult<Value>>;
}

/** Returns an identity function that fixes a tool's context type first, so parameter and answer types are inferred. */
export function defineTool<Context>() {
  return <Params extends TObject, Value>(
    definition: ToolDefinition<Context, Params, Value>,
  ): ToolDefinition<Context, Params, Value> => definition;
}

/** TypeBox kind of the schemas of `createEnumSchema`; code that checks values must register it. */
export const ENUM_SCHEMA_KIND = "planner:one_of";

/** TypeBox kind of a parameter that names a criterion: its number, or a part of its text. */
export const CRITERION_SCHEMA_KIND = "planner:criterion";

/** Schema of a parameter that names a criterion. Clients see a text; an integer is taken as the number alone. */
export function createCriterionSchema(description: string): TUnsafe<string | number> {
  return Type.Unsafe<string | number>({ [Kind]: CRITERION_SCHEMA_KIND, type: "string", minLength: 1, description });
}

/** Schema of a text parameter with given values: an `enum` in JSON Schema, a third as long as a union of literals. */
export function createEnumSchema<const Value extends string>(
  values: readonly Value[],
  description: string,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ [Kind]: ENUM_SCHEMA_KIND, type: "string", enum: [...values], description });
}
