import { isJsonObject } from "#kernel/json_object.ts";
import type { ToolDefinition, ToolResult } from "#kernel/tool.ts";

/** A tool as `tools/list` returns it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Hints that differ from MCP's defaults; the others are omitted to save tokens. */
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: true;
  };
}

/**
 * Subject of a call, derived from its arguments. It is `whole` for everything, `some` for one item that the arguments
 * do not identify with certainty, or the item named `key`. If one key is a prefix of another, both may identify the
 * same item.
 */
export type CallSubject = "whole" | "some" | { readonly key: string };

export interface McpTool {
  readonly listing: ListedTool;
  readonly isWrite: boolean;
  isSlow(args: unknown): boolean;
  findSubject(args: unknown): CallSubject;
  call(args: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** All tools by name, in the order of `tools/list`. */
export type ToolSet = ReadonlyMap<string, McpTool>;

export interface ToolRunner<Context> {
  runTool(tool: ToolDefinition<Context>, args: unknown, signal: AbortSignal): Promise<ToolResult>;
  findSubject(args: unknown): CallSubject;
}

/** Converts a domain's table of tools to the tools that a server runs. */
export function buildToolSet<Context>(tools: readonly ToolDefinition<Context>[], runner: ToolRunner<Context>): ToolSet {
  return new Map(
    tools.map((tool) => [
      tool.name,
      {
        listing: describeTool(tool),
        isWrite: tool.effect !== "read",
        isSlow: (args) =>
          typeof tool.slow === "function" ? isJsonObject(args) && tool.slow(args) : tool.slow === true,
        findSubject: (args) => runner.findSubject(args),
        call: (args, signal) => runner.runTool(tool, args, signal),
      },
    ]),
  );
}

function describeTool<Context>({ name, summary, effect, idempotent, params }: ToolDefinition<Context>): ListedTool {
  const hints =
    effect === "read"
      ? ({ readOnlyHint: true } as const)
      : { destructiveHint: effect === "destroy", ...(idempotent && ({ idempotentHint: true } as const)) };
  return { name, description: summary, inputSchema: params, annotations: hints };
}
