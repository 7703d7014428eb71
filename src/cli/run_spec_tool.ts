import type { TObject } from "@sinclair/typebox";
import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "#planner/context.ts";
import { runTool } from "#planner/service.ts";
import type { Cli } from "./command.ts";
import { plainLines } from "./plain_text.ts";
import { print, printJson } from "./print.ts";

/** Runs a tool that takes nothing but an id and prints its sentence, or its value with `--json`. */
export async function runSpecTool<Params extends TObject, Value>(
  cli: Cli,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  const { value, text } = await runTool(await cli.planner(), tool, { id });
  if (json || text === undefined) return printJson(value);
  print(`${plainLines(text)}\n`);
}
