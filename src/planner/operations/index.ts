import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { addTool } from "./add.ts";
import { diagnoseTool } from "./diagnose.ts";
import { finalizeTool } from "./finalize.ts";
import { lintTool } from "./lint.ts";
import { logTool } from "./log.ts";
import { specGetTool } from "./spec_get.ts";
import { readyTool, searchTool, specListTool } from "./spec_list.ts";
import { specUpdateTool } from "./spec_update.ts";
import { archive, cancel, pause, reset, takeover } from "./state.ts";
import { statusTool } from "./status.ts";
import { verifyTool } from "./verify.ts";
import { splitTool, watchStartTool, watchStatusTool, watchStopTool, workListTool, workStartTool } from "./work.ts";

/** Every tool, ordered as `tools/list`. Source: docs/contract/spec-tool.md#tools; order from docs/decisions.md#s-18. */
export const tools: readonly ToolDefinition<PlannerContext>[] = [
  specListTool,
  specGetTool,
  readyTool,
  statusTool,
  logTool,
  searchTool,
  diagnoseTool,
  lintTool,
  specUpdateTool,
  addTool,
  finalizeTool,
  reset,
  cancel,
  archive,
  verifyTool,
  workStartTool,
  workListTool,
  pause,
  takeover,
  watchStatusTool,
  watchStartTool,
  watchStopTool,
  splitTool,
];
