import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { specGet } from "./spec_get.ts";

/** Every tool in the order in which `tools/list` names them. Source: contract, Tools; order from decision S-18. */
export const tools: readonly ToolDefinition<PlannerContext>[] = [specGet];
