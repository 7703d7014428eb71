import { buildToolSet, type ToolSet } from "#interfaces/mcp/tool_set.ts";
import type { DcBackend } from "./backend.ts";
import { datacenterTools, planningTools } from "./tools.ts";

/**
 * Returns the datacenter's tools for an MCP server.
 * @param open opens the database or connects to the server; called at the first call, and again until it succeeds, so
 * that a database that appears later requires no new process
 * @param withPlanning adds the planning tools
 */
export function createDcTools(open: () => Promise<DcBackend>, withPlanning = false): ToolSet {
  let opening: Promise<DcBackend> | undefined;
  const openBackend = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return buildToolSet(withPlanning ? [...datacenterTools, ...planningTools] : datacenterTools, {
    runTool: async (tool, args, signal) => tool.run(await openBackend(), args as never, { signal }),
    findSubject: () => "whole",
  });
}
