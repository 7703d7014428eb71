import { openPlanner } from "#cli/compose.ts";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { tools } from "#planner/operations/index.ts";
import { runTool } from "#planner/service.ts";
import { type TempProject, tempProject } from "./temp_project.ts";

export interface ToolAnswer {
  /** What the tool answers as text: its sentence, or its value as JSON; for a refusal the message. */
  readonly text: string;
  readonly refused: boolean;
}

/** A project of real files with the tools on it, as the MCP server and the command line call them. */
export interface PlannerProject extends TempProject {
  readonly context: PlannerContext;
  /** Calls a tool by its name without `planner_`. A defect is thrown. */
  call(tool: string, args?: unknown): Promise<ToolAnswer>;
  /** Calls a tool that answers JSON and does not refuse. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json(tool: string, args?: unknown): Promise<any>;
  /** The text of an active spec's file. */
  specText(id: string): string;
}

export async function plannerProject(): Promise<PlannerProject> {
  const project = tempProject();
  const context = await openPlanner({ cwd: project.root });
  const call = (tool: string, args: unknown = {}): Promise<ToolAnswer> => callTool(context, tool, args);
  return {
    ...project,
    context,
    call,
    async json(tool, args) {
      const { text, refused } = await call(tool, args);
      if (refused) throw new Error(`${tool} refused: ${text}`);
      return JSON.parse(text);
    },
    specText: (id) => project.read(`.planner/specs/${id}.md`),
  };
}

/** Calls a tool on a context that the caller has put together. */
export async function callTool(context: PlannerContext, name: string, args: unknown = {}): Promise<ToolAnswer> {
  const tool = tools.find((one) => one.name === `planner_${name}`);
  if (tool === undefined) throw new Error(`No such tool: ${name}`);
  try {
    const { value, text } = await runTool(context, tool, args);
    return { text: text ?? JSON.stringify(value), refused: false };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { text: error.message, refused: true };
  }
}
