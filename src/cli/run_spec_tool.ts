import type { TObject } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "#planner/context.ts";
import { runTool } from "#planner/service.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import { print, printJson, sanitizeLine, sanitizeLines } from "./output/print.ts";

/** Runs a tool whose only parameter is an id. Prints the result's sentence, or its value with `--json`. */
export async function runSpecTool<Params extends TObject, Value>(
  cli: Cli,
  tool: ToolDefinition<PlannerContext, Params, Value>,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  const { value, text } = await runTool(await cli.openContext(), tool, { id });
  if (json || text === undefined) return printJson(value);
  print(`${sanitizeLines(text)}\n`);
}

/** Runs a tool on each of several specs. Reports failures and continues. A single id behaves as in `runSpecTool`. */
export async function runSpecTools<Params extends TObject, Value>(
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
