import type { TObject } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "#planner/context.ts";
import { specListTool } from "#planner/operations/spec_list.ts";
import {
  archive as archiveTool,
  cancel as cancelTool,
  pause as pauseTool,
  reset as resetTool,
  takeover as takeoverTool,
} from "#planner/operations/state.ts";
import { runTool } from "#planner/service.ts";
import { ACTIVE_ID, ACTIVE_IDS, booleanFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { print, printJson, sanitizeLine, sanitizeLines } from "../../output/print.ts";
import { removeEscapes } from "../../output/remove_escapes.ts";
import { NO_LIMIT } from "../../spec_filter.ts";

/** Help text of commands that accept several ids. */
const SEVERAL_SPECS_HELP =
  "Of several specs, those that cannot be changed are reported and the others are changed; --json then prints `{done, refused}`.";

export const cancel = defineCommand({
  meta: { name: "cancel", description: "Cancel specs; specs that depend on them are no longer blocked" },
  details: SEVERAL_SPECS_HELP,
  args: { id: ACTIVE_IDS, json: JSON_FLAG },
  examples: {
    "planner cancel 003": "Cancel today's third spec",
    "planner cancel 003 004": "Cancel two specs",
  },
  run: ({ args: { id: ids, json }, cli }) => runSpecTools(cli, cancelTool, { ids, json }),
});

export const reset = defineCommand({
  meta: {
    name: "reset",
    description: "Set specs back to pending that failed, need attention or are in progress without a run",
  },
  details: SEVERAL_SPECS_HELP,
  args: { id: ACTIVE_IDS, json: JSON_FLAG },
  examples: {
    "planner reset 003": "Reset today's third spec",
    "planner reset 003 004": "Reset two specs",
  },
  run: ({ args: { id: ids, json }, cli }) => runSpecTools(cli, resetTool, { ids, json }),
});

export const archive = defineCommand({
  meta: {
    name: "archive",
    description: "Move completed specs to the archive; their ids stay valid for reading and as dependencies",
  },
  details: SEVERAL_SPECS_HELP,
  args: {
    id: { ...ACTIVE_IDS, required: false, replacedBy: ["--completed"] },
    completed: booleanFlag("Archive every completed spec", { excludes: ["<id>"] }),
    json: JSON_FLAG,
  },
  examples: {
    "planner archive 2026-11-21-003": "Archive a completed spec",
    "planner archive --completed": "Archive all completed specs",
  },
  async run({ args: { id: ids, completed, json }, cli }) {
    if (!completed) return runSpecTools(cli, archiveTool, { ids, json });
    const found = await runTool(await cli.openContext(), specListTool, { status: "completed", limit: NO_LIMIT });
    return runSpecTools(cli, archiveTool, { ids: found.value.specs.map((spec) => spec.id), json });
  },
});

export const pause = defineCommand({
  meta: { name: "pause", description: "Stop the agent of a spec; the spec stays in_progress" },
  details: "All processes that the agent started end too. The worktree stays.",
  args: { id: ACTIVE_ID, json: JSON_FLAG },
  examples: { "planner pause 003": "Stop the agent; `planner work 003` continues" },
  run: ({ args: { id, json }, cli }) => runSpecTool(cli, pauseTool, { id, json }),
});

export const takeover = defineCommand({
  meta: { name: "takeover", description: "Stop the agent of a spec and report what it did, to continue by hand" },
  details: "The spec stays in_progress. Its worktree keeps the agent's changes.",
  args: {
    id: ACTIVE_ID,
    force: booleanFlag("Report on the last run even if no agent works on the spec"),
    json: JSON_FLAG,
  },
  examples: {
    "planner takeover 003": "Continue today's third spec by hand",
    "planner takeover 003 --force": "Report on its last run",
  },
  async run({ args: { id, force, json }, cli }) {
    const { value } = await runTool(await cli.openContext(), takeoverTool, { id, force });
    if (json) return printJson(value);
    const parts = [
      `${value.spec_id}\n${value.analysis}`,
      value.suggestion,
      `Worktree: ${value.worktree_path ?? "none"}`,
      `The end of the log:\n${value.log_tail}`,
      ...(value.notes ?? []),
    ];
    print(`${parts.map(removeEscapes).join("\n\n")}\n`);
  },
});

/** Runs a tool whose only parameter is an id. Prints the result's sentence, or its value with `--json`. */
async function runSpecTool<Params extends TObject, Value>(
  cli: Cli,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  const { value, text } = await runTool(await cli.openContext(), tool, { id });
  if (json || text === undefined) return printJson(value);
  print(`${sanitizeLines(text)}\n`);
}

/** Runs a tool on each of several specs. Reports failures and continues. A single id behaves as in `runSpecTool`. */
async function runSpecTools<Params extends TObject, Value>(
  cli: Cli,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  { ids, json }: { readonly ids: readonly string[]; readonly json: boolean },
): Promise<ExitStatus> {
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) {
    await runSpecTool(cli, tool, { id: only, json });
    return EXIT_STATUS.ok;
  }
  const context = await cli.openContext();
  const done: Value[] = [];
  const refused: { readonly id: string; readonly reason: string }[] = [];
  for (const id of ids) {
    try {
      const { value, text } = await runTool(context, tool, { id });
      done.push(value);
      if (!json && text !== undefined) print(`${sanitizeLines(text)}\n`);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      refused.push({ id, reason: error.message });
      cli.warn(`${sanitizeLine(id)}: ${error.message}`);
    }
  }
  if (json) printJson({ done, refused });
  return refused.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}
