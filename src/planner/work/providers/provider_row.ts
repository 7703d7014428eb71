import type { PromptChannel, StreamKind } from "../../config/config_values.ts";
import type { AgentConfigFile, McpServerCommand } from "../mcp_config/agent_files.ts";
import type { AgentGrant, BuildAllowSetting } from "./grant.ts";

/**
 * Start command of one agent, as data. Arguments and `env` may contain `{prompt_file}`, `{mcp_config}`, `{run_file}`
 * and `{dir}` for the paths of the prompt, of a file in the format of `.mcp.json`, of the agent's settings for the run
 * and of its working directory, and `{model}`. The command line consists of program, `args`, `guardedArgs` or
 * `skipArgs`, the MCP server's arguments, `modelArgs`, the configured arguments, `resumeArgs` or `newSessionArgs`,
 * `lastArgs`, and the prompt, in this order.
 *
 * Source: docs/decisions.md#s-22; docs/providers.md lists what each row was checked against.
 */
export interface ProviderRow {
  readonly title: string;
  /** Name of the program; null if the configuration must name it. */
  readonly program: string | null;
  readonly args: readonly string[];
  /** Arguments that restrict the agent to the grant; omitted when permissions are skipped. */
  readonly guardedArgs: (grant: AgentGrant) => readonly string[];
  /** Arguments that turn off all permission questions; only for `skip_permissions: true` in the configuration. */
  readonly skipArgs: readonly string[];
  /** Words in configured arguments that would also turn off permission questions. */
  readonly skipWords: readonly string[];
  /** Arguments that select the model; omitted when no model is chosen. */
  readonly modelArgs: readonly string[];
  /** Arguments that continue a session of the agent; null for an agent that cannot continue sessions. */
  readonly resumeArgs: ((session: string) => readonly string[]) | null;
  /** Arguments that name a new session; null for an agent that reports the id of its session at its start. */
  readonly newSessionArgs: ((session: string) => readonly string[]) | null;
  readonly lastArgs: readonly string[];
  readonly promptVia: PromptChannel;
  readonly stream: StreamKind;
  /** How the agent receives the MCP server; null if an argument has `{mcp_config}` or `runFile` contains the server. */
  readonly mcp: McpDelivery | null;
  /** Settings in the agent's own format, written beside the run's log; null if the agent needs no such file. */
  readonly runFile: AgentRunFile | null;
  /** Variables added to the environment; the configuration overrides them. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that make folders outside the worktree writable, namely git's, which a commit needs. */
  readonly writableArgs: ((folders: readonly string[]) => readonly string[]) | null;
  /** Meanings of the agent's own exit statuses, except 0 and 1. */
  readonly exitMeanings: Readonly<Record<number, string>>;
  readonly buildAllowSetting: BuildAllowSetting;
}

/** Fields that most rows share; each agent's row overrides the differing ones. */
export const DEFAULT_ROW = {
  modelArgs: ["--model", "{model}"],
  newSessionArgs: null,
  lastArgs: [],
  promptVia: "stdin",
  mcp: null,
  runFile: null,
  env: {},
  writableArgs: null,
  exitMeanings: {},
} as const satisfies Partial<ProviderRow>;

export type McpDelivery =
  | { readonly kind: "arguments"; readonly args: (server: McpServerCommand) => readonly string[] }
  /** A configuration file of the agent in the project, extended in the worktree. */
  | { readonly kind: "project_file"; readonly file: AgentConfigFile };

export interface AgentRunFile {
  /** Suffix of the file's name. */
  readonly suffix: string;
  /** Returns the text; `server` is null for a run without the server, `grant` when permissions are skipped. */
  readonly text: (server: McpServerCommand | null, grant: AgentGrant | null) => string;
}
