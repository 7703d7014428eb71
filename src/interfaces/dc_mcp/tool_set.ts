import { type ToolSet, toolSet } from "#interfaces/mcp/tool_set.ts";
import type { DcBackend } from "./backend.ts";
import { planningTools, tools } from "./tools.ts";

/**
 * The datacenter's tools, ready to be served.
 *
 * @param open opens the database or finds the server; called with the first call, and again as long as it fails, so that
 *   a database that comes later needs no new process
 * @param withPlanning adds the tools of planning to the ten
 */
export function dcTools(open: () => Promise<DcBackend>, withPlanning = false): ToolSet {
  let opening: Promise<DcBackend> | undefined;
  const backend = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return toolSet(withPlanning ? [...tools, ...planningTools] : tools, {
    run: async (tool, args, signal) => tool.run(await backend(), args as never, { signal }),
    subject: () => "whole",
  });
}
