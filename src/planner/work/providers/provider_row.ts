import type { PromptVia, StreamKind } from "../../config/provider_words.ts";
import type { AgentFile, McpServer } from "../mcp_config/agent_files.ts";

/**
 * How one agent is started for a run, as data. Arguments may hold `{prompt_file}`, `{model}` and `{mcp_config}`: the
 * paths of the prompt's file and of a file as `.mcp.json`, and the model. In order the command line is program, `args`,
 * `guardedArgs` or `skipArgs`, the MCP server's, `modelArgs`, the configured ones, `lastArgs`, the prompt.
 *
 * Source: docs/decisions.md#s-22; docs/providers.md tells what each row was checked against.
 */
export interface ProviderRow {
  readonly title: string;
  /** The program, or null where the configuration must name it. */
  readonly program: string | null;
  readonly args: readonly string[];
  /** What holds the agent to its worktree and lets it use the planner's own tools; left out when permissions are skipped. */
  readonly guardedArgs: readonly string[];
  /** Switches every question off; passed only where the configuration says `skip_permissions: true`. */
  readonly skipArgs: readonly string[];
  /** Words of arguments that would have that effect as well. */
  readonly skipWords: readonly string[];
  /** Left out when no model is chosen. */
  readonly modelArgs: readonly string[];
  readonly lastArgs: readonly string[];
  readonly promptVia: PromptVia;
  readonly stream: StreamKind;
  /** How it learns of the MCP server, where no argument names `{mcp_config}`. */
  readonly mcp: McpHandover | null;
  /** Arguments by which folders outside the worktree become writable, git's own for a commit. */
  readonly writableArgs: ((folders: readonly string[]) => readonly string[]) | null;
  /** What an exit status of the agent's own means, 0 and 1 left out. */
  readonly exits: Readonly<Record<number, string>>;
}

export type McpHandover =
  | { readonly kind: "arguments"; readonly args: (server: McpServer) => readonly string[] }
  /** The agent's own file in the project, extended in the worktree. */
  | { readonly kind: "project_file"; readonly file: AgentFile };
