import { OperationError } from "#kernel/errors.ts";
import { escapeLineSeparators } from "#kernel/json_text.ts";
import { shortenText } from "#kernel/shortened.ts";
import type { ToolResult } from "#kernel/tool.ts";
import type { McpTool, ToolSet } from "./tool_set.ts";

type ResultContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** Result of `tools/call`. Source: docs/contract/spec-tool.md#transport; structured content since MCP 2025-06-18. */
export interface CallResult {
  readonly content: readonly ResultContent[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
}

/** Finds the tool that a call names, or returns its refusal. Source: docs/contract/spec-tool.md#tool-errors. */
export function findToolOrRefusal(tools: ToolSet, name: unknown): McpTool | CallResult {
  if (typeof name !== "string") return createCallRefusal("Missing tool name");
  return tools.get(name) ?? createCallRefusal(`Unknown tool: ${shortenText(name)}`);
}

/** Runs a tool and returns its result or refusal; throws any other error, a defect that is answered with -32603. */
export async function callTool(tool: McpTool, args: unknown, signal: AbortSignal): Promise<CallResult> {
  try {
    return convertToCallResult(await tool.call(args, signal));
  } catch (error) {
    if (error instanceof OperationError) return createCallRefusal(error.message);
    throw error;
  }
}

function convertToCallResult(result: ToolResult): CallResult {
  const { image, structured, value } = result;
  const text: ResultContent = { type: "text", text: formatResultText(result) };
  const content =
    image === undefined ? [text] : [{ type: "image" as const, data: image.data, mimeType: image.mediaType }, text];
  return { content, ...(structured === true && { structuredContent: value }) };
}

function createCallRefusal(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}

function formatResultText({ text, value }: ToolResult): string {
  if (text !== undefined) return text;
  const wire = JSON.stringify(value);
  if (wire === undefined) throw new TypeError("A tool answered neither text nor a JSON value");
  return escapeLineSeparators(wire);
}
