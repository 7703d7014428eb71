import type { TObject } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { defineTool, type ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { addCommand } from "../operations/add.ts";
import { archive } from "../operations/archive.ts";
import { cancel } from "../operations/cancel.ts";
import { checkCriterion } from "../operations/check_criterion.ts";
import { finalizeTool } from "../operations/finalize.ts";
import { lintTool } from "../operations/lint.ts";
import { pause } from "../operations/pause.ts";
import { reset } from "../operations/reset.ts";
import { findSpecId } from "../operations/shared/find_spec.ts";
import { specIdParam } from "../operations/shared/params.ts";
import { updateCommand } from "../operations/spec_update.ts";
import { takeover } from "../operations/takeover.ts";
import { workCommand } from "../operations/work_start.ts";

const { unproven: _, steal: _steal, offline: _offline, ...updateParams } = updateCommand.params.properties;

/** Changes fields, text and status; only a terminal can complete without evidence or take over from another clone. */
const updateTool = defineTool<PlannerContext>()({ ...updateCommand, params: Type.Object(updateParams) });

/** Checks or unchecks one criterion, as the command `check`. */
const checkTool = defineTool<PlannerContext>()({
  name: "check",
  summary: "Check or uncheck one criterion",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam, criterion: Type.Integer({ minimum: 1 }), checked: Type.Boolean() }),
  async run(context, { id: text, criterion, checked }) {
    const id = await findSpecId(context, text, { archived: false });
    const done = await checkCriterion(context, { id, wanted: String(criterion), checked });
    return { value: done, text: `${checked ? "Checked" : "Unchecked"} criterion ${criterion} of spec: ${id}` };
  },
});

export interface BoardTool {
  readonly tool: ToolDefinition<PlannerContext, TObject, unknown>;
  /** True if the tool changes the spec's file; the page must then have shown the file's current text. */
  readonly isWrite: boolean;
}

/** Tools of the board except the acceptance of work, by the name of the matching command. */
export const BOARD_TOOLS: ReadonlyMap<string, BoardTool> = new Map<string, BoardTool>([
  ["add", { tool: addCommand, isWrite: false }],
  ["update", { tool: updateTool, isWrite: true }],
  ["check", { tool: checkTool, isWrite: true }],
  ["finalize", { tool: finalizeTool, isWrite: true }],
  ["reset", { tool: reset, isWrite: true }],
  ["cancel", { tool: cancel, isWrite: true }],
  ["archive", { tool: archive, isWrite: true }],
  ["work", { tool: workCommand, isWrite: false }],
  ["pause", { tool: pause, isWrite: false }],
  ["takeover", { tool: takeover, isWrite: false }],
  ["lint", { tool: lintTool, isWrite: false }],
]);
