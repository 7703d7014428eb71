import type { PromptVia, StreamKind } from "../../config/config_values.ts";
import type { AgentFile, McpServer } from "../mcp_config/agent_files.ts";
import type { Allowing, Grant } from "./grant.ts";

/**
 * How one agent is started for a run, as data. Arguments and `env` may hold `{prompt_file}`, `{model}`, `{mcp_config}`,
 * `{run_file}` and `{dir}`: the paths of the prompt's file, of a file as `.mcp.json`, of the agent's own file for the run
 * and of its working directory, and the model. In order the command line is program, `args`, `guardedArgs` or `skipArgs`,
 * the MCP server's, `modelArgs`, the configured ones, `resumeArgs` or `newSessionArgs`, `lastArgs`, the prompt.
 *
 * Source: docs/decisions.md#s-22; docs/providers.md says what each row was checked against.
 */
export interface ProviderRow {
  readonly title: string;
  /** The program, or null if the configuration must name it. */
  readonly program: string | null;
  readonly args: readonly string[];
  /** Restricts the agent to what `grant` allows; left out when permissions are skipped. */
  readonly guardedArgs: (grant: Grant) => readonly string[];
  /** Switches every question off; passed only when the configuration says `skip_permissions: true`. */
  readonly skipArgs: readonly string[];
  /** Words of arguments that would have that effect as well. */
  readonly skipWords: readonly string[];
  /** Left out when no model is chosen. */
  readonly modelArgs: readonly string[];
  /** Continues a session of the agent's own; null for an agent that cannot. */
  readonly resumeArgs: ((session: string) => readonly string[]) | null;
  /** Names a new session; null for an agent that reports the name of its session when it begins. */
  readonly newSessionArgs: ((session: string) => readonly string[]) | null;
  readonly lastArgs: readonly string[];
  readonly promptVia: PromptVia;
  readonly stream: StreamKind;
  /** How it learns of the MCP server, unless an argument names `{mcp_config}` or `runFile` has it. */
  readonly mcp: McpHandover | null;
  /** Settings in the agent's own format, written beside the run's log. */
  readonly runFile: RunFile | null;
  /** On top of the environment, below what the configuration sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that make folders outside the worktree writable: those of git that a commit needs. */
  readonly writableArgs: ((folders: readonly string[]) => readonly string[]) | null;
  /** Meanings of the agent's own exit statuses, 0 and 1 left out. */
  readonly exits: Readonly<Record<number, string>>;
  readonly allowing: Allowing;
}

/** Fields of most rows; a row names only what differs. */
export const DEFAULT_ROW = {
  modelArgs: ["--model", "{model}"],
  newSessionArgs: null,
  lastArgs: [],
  promptVia: "stdin",
  mcp: null,
  runFile: null,
  env: {},
  writableArgs: null,
  exits: {},
} as const satisfies Partial<ProviderRow>;

export type McpHandover =
  | { readonly kind: "arguments"; readonly args: (server: McpServer) => readonly string[] }
  /** The agent's own file in the project, extended in the worktree. */
  | { readonly kind: "project_file"; readonly file: AgentFile };

export interface RunFile {
  /** End of the file's name. */
  readonly suffix: string;
  /** @param server null when the run has none. @param grant null when permissions are skipped */
  readonly text: (server: McpServer | null, grant: Grant | null) => string;
}
