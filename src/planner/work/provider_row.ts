import type { PromptChannel, StreamKind } from "../config/config.ts";
import type { AgentConfigFile, McpServerCommand } from "./mcp_config/agent_files.ts";

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

type McpDelivery =
  | { readonly kind: "arguments"; readonly args: (server: McpServerCommand) => readonly string[] }
  /** A configuration file of the agent in the project, extended in the worktree. */
  | { readonly kind: "project_file"; readonly file: AgentConfigFile };

interface AgentRunFile {
  /** Suffix of the file's name. */
  readonly suffix: string;
  /** Returns the text; `server` is null for a run without the server, `grant` when permissions are skipped. */
  readonly text: (server: McpServerCommand | null, grant: AgentGrant | null) => string;
}

/** Actions that the agent of a run may take without confirmation, because no person is present to confirm them. */
export interface AgentGrant {
  /** The kind of run; a split only reads. */
  readonly task: "work" | "split";
  /** The lines of `verify.commands`, which the agent may run exactly as they are. */
  readonly commands: readonly string[];
}

/** Function that returns an agent's setting that allows the denied calls; null for an agent without such a setting. */
type BuildAllowSetting = ((denied: readonly string[]) => string) | null;

/** Prefixes of the git commands that every run may use to commit and to read its state. */
export const GIT_COMMANDS = ["git add", "git commit", "git status"] as const;

/** Planner commands that are useful to an agent; its MCP tools cover the others. */
export const PLANNER_COMMANDS = ["check", "diagnose", "lint", "list", "log", "ready", "search", "show", "status"].map(
  (name) => `planner ${name}`,
);

/** Returns a shell line and its single commands, because some agents check each command. Quoted text is not split. */
export function splitShellCommands(line: string): readonly string[] {
  const parts = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^"'\\;&|\n])+/g) ?? [];
  return [...new Set([line.trim(), ...parts.map((part) => part.trim())])].filter((part) => part !== "");
}

/**
 * Returns rules such as `Bash(git add:*)` that allow git, planner and the granted commands in a shell.
 *
 * @param shell the agent's name of the shell tool
 * @param anyArguments the agent's pattern for any further arguments
 */
export function buildShellRules(
  shell: string,
  anyArguments: string,
  commands: AgentGrant["commands"],
): readonly string[] {
  const prefixRules = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `${shell}(${start}${anyArguments})`);
  return [...prefixRules, ...commands.flatMap(splitShellCommands).map((line) => `${shell}(${line})`)];
}

/** Parses a denial such as `Bash curl -s x`. @param shell name of the shell tool in denials */
export function parseDeniedCall(denied: string, shell: string) {
  const [tool = "", ...rest] = denied.split(" ");
  return { tool, line: tool === shell && rest.length > 0 ? rest.join(" ") : null };
}

/** Returns the rules that allow the denied calls: `Bash curl -s x` becomes `Bash(curl -s x)`. */
export function buildRulesForDenials(denied: readonly string[], shell: string): readonly string[] {
  const calls = denied.map((what) => parseDeniedCall(what, shell));
  return [...new Set(calls.map(({ tool, line }) => (line === null ? tool : `${tool}(${line})`)))];
}

/** Returns the setting that adds arguments to an agent's command line, as one line of YAML. */
export function formatArgumentsSetting(provider: string, args: readonly string[]): string {
  return `providers.${provider}.args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`;
}

/** Planner commands that always fail within a run, so a rule that allows one has no effect. */
const COMMANDS_REFUSED_IN_RUNS = [
  "approve",
  "archive",
  "merge",
  "pause",
  "split",
  "takeover",
  "trust",
  "watch",
  "work",
];

const REFUSED_COMMAND = new RegExp(`^(?:\\S*/)?planner (?:${COMMANDS_REFUSED_IN_RUNS.join("|")})(?= |$)`);

/** Names of the shell tool in denials. */
const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "bash", "run_shell_command", "shell"]);

/** Whether a rule for this call would allow every command: the call names no command, or one with a wildcard. */
function allowsAnyCommand(denied: string): boolean {
  const [tool = "", command = ""] = denied.trim().split(/\s+/);
  return SHELL_TOOLS.has(tool) && (command === "" || command.includes("*"));
}

/**
 * Returns the setting that allows the denied calls; null if no call remains or the agent has no setting. Omits planner
 * commands that always fail within a run, truncated calls, and calls whose rule would allow every command. Also omits
 * calls that contain the spec's id, because their rule would match no other run.
 */
export function buildAllowSetting(
  allowing: BuildAllowSetting,
  denied: readonly string[],
  specId: string,
): string | null {
  const allowable = denied.filter((what) => {
    const [, ...words] = what.split(" ");
    return (
      !allowsAnyCommand(what) &&
      !what.includes(specId) &&
      !what.endsWith("…") &&
      !splitShellCommands(words.join(" ")).some((line) => REFUSED_COMMAND.test(line))
    );
  });
  return allowing === null || allowable.length === 0 ? null : allowing(allowable);
}
